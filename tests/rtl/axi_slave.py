"""One bank of an AXI4 memory that uses every freedom of the protocol.

Ready signals at random; AW and W in any order; responses of different ids in any order, of one id in order; a write
takes effect when its B is given, a read samples when its R is given. Because of that the master must never have a read
and a write of one block outstanding together, which is asserted here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.rtl.memory_side import Lines


@dataclass
class Write:
    id: int
    line: int
    data: int
    byteen: int
    due: int
    error: bool


@dataclass
class Read:
    id: int
    line: int
    due: int
    error: bool


@dataclass
class Pins:
    """Reads and drives the pins of one bank by their name without the `m_axi_` prefix."""

    get: Callable[[str], int]
    set: Callable[[str, int], None]


class HostileSlave:
    """Call `drive` before a clock edge and `observe` after it; `done_writes` is what `observe` acknowledged."""

    def __init__(
        self, pins: Pins, rng: Random, memory: Lines, *, max_latency: int = 60, error_rate: float = 0.0
    ) -> None:
        self.pins, self.rng, self.memory = pins, rng, memory
        self.max_latency, self.error_rate = max_latency, error_rate
        self.addresses: deque[tuple[int, int]] = deque()
        self.payloads: deque[tuple[int, int]] = deque()
        self.writes: list[Write] = []
        self.reads: list[Read] = []
        self.ready_rate = 0.6
        self._b: Write | None = None
        self._r: Read | None = None
        self.shown: dict[int, tuple[int, bool]] = {}  # block -> data and error on the R channel now
        self._stable: dict[str, tuple[int, ...]] = {}
        self._cycle = 0
        self.reordered_b = self.reordered_r = self.max_reads = self.max_writes = self.w_first = 0
        for name in ("awready", "wready", "arready", "bvalid", "rvalid", "bid", "bresp", "rid", "rresp", "rdata"):
            pins.set(name, 0)
        pins.set("rlast", 1)

    @property
    def idle(self) -> bool:
        return not (self.writes or self.reads or self.addresses or self.payloads)

    def drive(self) -> None:
        self._cycle += 1
        for name in ("awready", "wready", "arready"):
            self.pins.set(name, int(self.rng.random() < self.ready_rate))
        oldest = [w for i, w in enumerate(self.writes) if all(v.id != w.id for v in self.writes[:i])]
        due = [write for write in oldest if write.due <= self._cycle]
        self._b = self.rng.choice(due) if due and self.rng.random() < 0.5 else None
        self.pins.set("bvalid", int(self._b is not None))
        if self._b is not None:
            self.pins.set("bid", self._b.id)
            self.pins.set("bresp", 2 if self._b.error else 0)
            if not self._b.error:
                self.memory.write(self._b.line, self._b.byteen, self._b.data)
        if self._r is None:
            ripe = [read for read in self.reads if read.due <= self._cycle]
            if ripe and self.rng.random() < 0.7:
                self._r = self.rng.choice(ripe)
                self.pins.set("rid", self._r.id)
                self.pins.set("rresp", self.rng.choice([2, 3]) if self._r.error else 0)
                data = self.memory.read(self._r.line)
                self.shown = {self._r.line: (data, self._r.error)}
                self.pins.set("rdata", data)
        self.pins.set("rvalid", int(self._r is not None))

    def observe(self) -> Write | None:
        """Take what was transferred; the write that was acknowledged, if any."""
        acknowledged = self._b
        if acknowledged is not None:
            assert self.pins.get("bready")
            self.reordered_b += self.writes.index(acknowledged) > 0
            self.writes.remove(acknowledged)
        if self._r is not None and self.pins.get("rready"):
            self.reordered_r += self.reads.index(self._r) > 0
            self.reads.remove(self._r)
            self._r = None
        if self._transfer("aw", ("awaddr", "awid")):
            address, identifier = self.pins.get("awaddr"), self.pins.get("awid")
            assert address % 64 == 0
            assert all(read.line != address // 64 for read in self.reads), (
                f"write of block {address:#x} passes its read"
            )
            self.addresses.append((address // 64, identifier))
        if self._transfer("w", ("wdata", "wstrb")):
            self.payloads.append((self.pins.get("wdata"), self.pins.get("wstrb")))
            self.w_first += len(self.payloads) > len(self.addresses)
        while self.addresses and self.payloads:
            (line, identifier), (data, byteen) = self.addresses.popleft(), self.payloads.popleft()
            for write in self.writes:
                same_id, same_line = write.id == identifier, write.line == line
                assert same_id == same_line, (
                    "an id stands for one block, and a block's writes keep their order by one id"
                )
            error = self.rng.random() < self.error_rate
            self.writes.append(Write(identifier, line, data, byteen, self._due(), error))
        if self._transfer("ar", ("araddr", "arid")):
            address, identifier = self.pins.get("araddr"), self.pins.get("arid")
            assert address % 64 == 0
            assert all(read.id != identifier for read in self.reads), f"two outstanding reads with id {identifier}"
            pending = [write.line for write in self.writes] + [line for line, _ in self.addresses]
            assert address // 64 not in pending, f"read of block {address:#x} before its write was acknowledged"
            self.reads.append(Read(identifier, address // 64, self._due(), self.rng.random() < self.error_rate))
        self.max_reads = max(self.max_reads, len(self.reads))
        self.max_writes = max(self.max_writes, len(self.writes))
        return acknowledged

    def _due(self) -> int:
        return self._cycle + self.rng.randint(1, self.max_latency)

    def _transfer(self, channel: str, payload: tuple[str, ...]) -> bool:
        """True if the channel's handshake happened; asserts that valid and payload hold until it does."""
        values = tuple(self.pins.get(name) for name in payload) if self.pins.get(f"{channel}valid") else None
        before = self._stable.pop(channel, None)
        assert before is None or values == before, f"{channel}: payload changed or valid fell before ready"
        if values is None:
            return False
        if self.pins.get(f"{channel}ready"):
            return True
        self._stable[channel] = values
        return False
