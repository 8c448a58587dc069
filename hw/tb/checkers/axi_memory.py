"""What memory may answer: contents of every block over time, from the host's writes and the accepted AXI writes.

A write may take effect at any time between the handshakes of its address and data and its B; a read may look at any
time between its AR and its R. So each byte of a read must be the value that the last surely finished write left, or
that of a write that was under way meanwhile.
"""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from hw.tb.checkers.axi_pairs import NEVER, Indices, Reads, WriteTable
from hw.tb.checkers.axi_replay import BLOCK, Bytes, Mask, Replay, Write

PAGE = 4096
_MAP_NORESERVE = 0x4000  # Linux; the mmap module of Python 3.11 does not name it


class AxiMemory:
    """Shadow of device memory.

    Attributes:
        recent: writes by block that a read in flight may see before or after; in the order of their AW.
        ambiguous: blocks whose contents depend on the order of two writes that overlapped under different ids.
    """

    def __init__(self, size: int) -> None:
        # Only pages that are written take room, whatever the machine thinks of reserving so much.
        self._map = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE)
        self._bytes: Bytes = np.frombuffer(self._map, np.uint8)
        self._blocks: Bytes = self._bytes.reshape(-1, BLOCK)
        self._touched: set[int] = set()
        self.recent: dict[int, list[Write]] = {}
        self.ambiguous: set[int] = set()
        self._open: dict[tuple[int, int], Write] = {}  # by bank and number

    @property
    def size(self) -> int:
        return len(self._bytes)

    def host_write(self, address: int, data: bytes) -> None:
        """The host changed memory while no AXI write was outstanding."""
        self._bytes[address : address + len(data)] = np.frombuffer(data, np.uint8)
        self._touched.update(range(address // PAGE, (address + len(data) - 1) // PAGE + 1) if data else ())
        self.ambiguous.difference_update(range(-(-address // BLOCK), (address + len(data)) // BLOCK))

    def block(self, index: int) -> Bytes:
        """Settled contents of one block (a view)."""
        row: Bytes = self._blocks[index]
        return row

    # ------------------------------------------------------------------ writes

    def add_writes(self, bank: int, table: WriteTable) -> list[Write]:
        """Writes whose address and data were accepted; those outside memory are left out."""
        added: list[Write] = []
        if not len(table.number):
            return added
        masks = np.unpackbits(
            np.ascontiguousarray(table.data["strobe"]).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
        ).astype(np.bool_)
        data = np.ascontiguousarray(table.data["data"])
        accepted = table.requests["cycle"].astype(np.int64)
        complete = np.maximum(accepted, table.data["cycle"].astype(np.int64))
        columns = zip(
            table.number.tolist(),
            table.requests["id"].tolist(),
            (table.requests["addr"] // BLOCK).tolist(),
            accepted.tolist(),
            complete.tolist(),
            strict=True,
        )
        for row, (number, axi_id, block, begun, both) in enumerate(columns):
            if block >= len(self._blocks):
                continue
            write = Write(bank, number, axi_id, block, begun, both, NEVER, masks[row], data[row])
            self.recent.setdefault(block, []).append(write)
            self._open[bank, number] = write
            added.append(write)
        return added

    def finish(self, bank: int, numbers: Indices, cycles: npt.NDArray[np.uint64], failed: Mask) -> None:
        """B handshakes; a write with an error response stores nothing."""
        for number, cycle, error in zip(numbers.tolist(), cycles.tolist(), failed.tolist(), strict=True):
            write = self._open.pop((bank, number), None)
            if write is None:
                continue
            write.done = cycle
            if error:
                write.mask = np.zeros(BLOCK, np.bool_)

    def overlapping(self, added: Iterable[Write]) -> Iterator[tuple[Write, Write]]:
        """Of `added` those that an older write of another id to some of the same bytes was outstanding for, with it."""
        new = {id(write) for write in added}
        for block in dict.fromkeys(write.block for write in added):
            outstanding: list[Write] = []
            for write in self.recent[block]:
                outstanding = [other for other in outstanding if other.done > write.accepted]
                if id(write) in new:
                    for other in outstanding:
                        if other.axi_id != write.axi_id and (other.mask & write.mask).any():
                            yield write, other
                            break
                outstanding.append(write)

    def unacknowledged(self, block: int, cycles: Sequence[int]) -> list[int | None]:
        """For each cycle: AW of the oldest write of the block that waited for its B then; None if none did."""
        writes = self.recent.get(block, [])
        accepted = [write.accepted for write in writes]
        latest = list(accumulate((write.done for write in writes), max))
        found: list[int | None] = []
        for cycle in cycles:
            older = bisect_left(accepted, cycle)
            waits = older and latest[older - 1] > cycle
            found.append(next(write.accepted for write in writes if write.done > cycle) if waits else None)
        return found

    def settle(self, before: int) -> None:
        """Fold writes that finished before cycle `before` into the contents: no read in flight began earlier."""
        for block in list(self.recent):
            writes = self.recent[block]
            while writes and writes[0].done < before:
                write = writes.pop(0)
                self._blocks[block][write.mask] = write.data[write.mask]
                self._touched.add(block * BLOCK // PAGE)
            if not writes:
                del self.recent[block]

    # ------------------------------------------------------------------ reads

    def check_reads(self, reads: Reads) -> tuple[int, int | None]:
        """Check the data of answered reads without error response.

        Returns:
            (reads checked, index of the first wrong one or None).
        """
        blocks = (reads.requests["addr"] // BLOCK).astype(np.int64)
        usable = (reads.responses["resp"] == 0) & (blocks < len(self._blocks))
        if self.ambiguous:
            usable &= ~np.isin(blocks, list(self.ambiguous))
        chosen = np.flatnonzero(usable)
        if not len(chosen):
            return 0, None
        data = reads.responses["data"][chosen]
        equal = (data == self._blocks[blocks[chosen]]).all(axis=1)
        if self.recent:
            written = np.flatnonzero(np.isin(blocks[chosen], list(self.recent)))
            begun = reads.requests["cycle"][chosen].astype(np.int64)
            ended = reads.responses["cycle"][chosen].astype(np.int64)
            replays: dict[int, Replay] = {}
            for position in written[np.argsort(begun[written], kind="stable")].tolist():
                block = int(blocks[chosen[position]])
                if block not in replays:
                    replays[block] = Replay(self._blocks[block], self.recent[block])
                allowed = replays[block].legal(data[position], int(begun[position]), int(ended[position]))
                equal[position] = bool(allowed.all())
        wrong = np.flatnonzero(~equal)
        return len(chosen), int(chosen[wrong[0]]) if len(wrong) else None

    def settled(self, block: int, before: int) -> Bytes:
        """Contents of a block after every write that was acknowledged before cycle `before`."""
        contents: Bytes = self._blocks[block].copy()
        for write in self.recent.get(block, ()):
            if write.done < before:
                contents[write.mask] = write.data[write.mask]
        return contents

    def legal(self, block: int, data: Bytes, begun: int, ended: int) -> Mask:
        """Per byte whether a read from cycle `begun` to `ended` may have returned it."""
        return Replay(self._blocks[block], self.recent.get(block, [])).legal(data, begun, ended)

    # ------------------------------------------------------------------ end

    def difference(self, device: Bytes) -> int | None:
        """First address at which the device's memory is not what was written, or None. Nothing may be outstanding."""
        skipped = {block * BLOCK for block in self.ambiguous}
        for page in sorted(self._touched):
            start = page * PAGE
            wrong = np.flatnonzero(self._bytes[start : start + PAGE] != device[start : start + PAGE])
            for offset in wrong.tolist():
                if (start + offset) // BLOCK * BLOCK not in skipped:
                    return int(start + offset)
        return None

    def at(self, address: int, size: int) -> bytes:
        """Settled contents."""
        return self._bytes[address : address + size].tobytes()

    def adopt(self, device: Bytes) -> None:
        """Take over the device's bytes on every page in use (after something that makes contents unknown)."""
        for page in self._touched:
            self._bytes[page * PAGE : (page + 1) * PAGE] = device[page * PAGE : (page + 1) * PAGE]
        self.ambiguous.clear()

    def reset(self) -> None:
        """Outstanding writes may or may not have happened."""
        self.ambiguous.update(self.recent)
        self.recent.clear()
        self._open.clear()
