"""What a cache sees of the memory system, in the least comfortable legal form.

Any latency, any order of responses; a read samples as late as its response, a write takes effect as late as its
acknowledgement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from config import HardwareConfig
from tests.rtl.structs import Layouts

LINE_MASK = (1 << 512) - 1


def byte_mask(byteen: int) -> int:
    """Bits of the enabled bytes."""
    return sum(0xFF << 8 * byte for byte in range(64) if byteen >> byte & 1)


@dataclass
class Lines:
    """Memory by line address; a line that was never written has contents that follow from its address."""

    lines: dict[int, int] = field(default_factory=dict)

    def read(self, line: int) -> int:
        return self.lines.get(line, Random(line).getrandbits(512))

    def write(self, line: int, byteen: int, data: int) -> None:
        mask = byte_mask(byteen)
        self.lines[line] = self.read(line) & ~mask | data & mask


@dataclass
class _Read:
    tag: int
    line: int
    due: int
    err: bool


@dataclass
class _Write:
    line: int
    byteen: int
    data: int
    due: int


class MemorySide:
    """Plays the AXI master for one cache: call `drive` before a clock edge and `observe` after it.

    Args:
        on_request: called with (fields of mem_req_t, tag) when a request is accepted; raises if it is wrong.
        on_response: called with (line, err) when the cache takes a read's answer.
    """

    def __init__(
        self,
        dut: Any,
        rng: Random,
        config: HardwareConfig,
        on_request: Callable[[dict[str, int], int], None],
        on_response: Callable[[int, bool], None],
    ) -> None:
        self.dut, self.rng = dut, rng
        self.layouts = Layouts(config)
        self.on_request, self.on_response = on_request, on_response
        self.memory = Lines()
        self.error_rate = 0.0
        self.max_latency = 40
        self.ready_rate = 0.7
        self.reads: list[_Read] = []
        self.writes: list[_Write] = []
        self._cycle = 0
        self._shown: _Read | None = None
        self._stable: int | None = None
        self.max_reads = 0

    def reset_inputs(self) -> None:
        self.dut.mem_req_ready.value = 0
        self.dut.mem_rsp_valid.value = 0
        self.dut.mem_rsp.value = 0
        if hasattr(self.dut, "writes_pending"):
            self.dut.writes_pending.value = 0

    @property
    def idle(self) -> bool:
        return not self.reads and not self.writes

    def drive(self) -> None:
        self._cycle += 1
        # Acknowledge at most one write; writes of one line keep their order.
        ripe = [
            write
            for index, write in enumerate(self.writes)
            if write.due <= self._cycle and all(older.line != write.line for older in self.writes[:index])
        ]
        if ripe and self.rng.random() < 0.5:
            write = self.rng.choice(ripe)
            self.memory.write(write.line, write.byteen, write.data)
            self.writes.remove(write)
        if hasattr(self.dut, "writes_pending"):
            self.dut.writes_pending.value = int(bool(self.writes))
        self.dut.mem_req_ready.value = int(self.rng.random() < self.ready_rate)
        if self._shown is None:
            blocked = {write.line for write in self.writes}
            due = [read for read in self.reads if read.due <= self._cycle and read.line not in blocked]
            if due and self.rng.random() < 0.7:
                self._shown = self.rng.choice(due)
        shown = self._shown
        self.dut.mem_rsp_valid.value = int(shown is not None)
        if shown is not None:
            data = self.rng.getrandbits(512) if shown.err else self.memory.read(shown.line)
            self.dut.mem_rsp.value = self.layouts.mem_rsp.pack({"data": data, "tag": shown.tag, "err": int(shown.err)})

    def observe(self) -> None:
        if self._shown is not None and self.dut.mem_rsp_ready.value:
            shown, self._shown = self._shown, None
            self.reads.remove(shown)
            self.on_response(shown.line, shown.err)
        if not self.dut.mem_req_valid.value:
            assert self._stable is None, "mem_req_valid fell before the request was accepted"
            return
        packed = int(self.dut.mem_req.value)
        assert self._stable is None or self._stable == packed, "mem_req changed while it waited"
        if not self.dut.mem_req_ready.value:
            self._stable = packed
            return
        self._stable = None
        request = self.layouts.mem_req.unpack(packed)
        tag = int(self.dut.mem_req_tag.value)
        self.on_request(request, tag)
        due = self._cycle + self.rng.randint(1, self.max_latency)
        if request["rw"]:
            self.writes.append(_Write(request["addr"], request["byteen"], request["data"], due))
        else:
            assert all(read.tag != tag for read in self.reads), "two outstanding reads with one tag"
            self.reads.append(_Read(tag, request["addr"], due, self.rng.random() < self.error_rate))
            self.max_reads = max(self.max_reads, len(self.reads))
