"""AXI4 rules on the handshakes of all banks, and the data of every read against the history of its block.

`strict` adds what the in-tree core promises beyond AXI4: no read and no overlapping write of a block while an older
write to it is not acknowledged. For other cores these are counted, not failures.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from config import HardwareConfig
from golden_model.follow.difference import Category, Difference, Transaction
from golden_model.records.layout import AxiChannel, Kind, dtype
from golden_model.records.ring import Batch, Records
from hw.tb.checker import CheckCounts, LaunchEnd
from hw.tb.checkers.axi_memory import AxiMemory
from hw.tb.checkers.axi_pairs import NEVER, BankBatch, BankPairs, Reads
from hw.tb.checkers.axi_replay import BLOCK, Write
from hw.tb.top.abi import VRAM_SIZE
from sw.runtime import messages as m

_SIZE_OF_BLOCK = 6  # AxSIZE: log2 of 64 bytes
_INCREMENTING = 1
_SHOWN = 4  # unanswered requests of one bank and kind in a report
SHOWN_BYTES = 16


@dataclass
class AxiFigures:
    """Counts of one launch."""

    reads: int = 0  # reads whose data was compared
    writes: int = 0  # writes that were acknowledged
    error_responses: int = 0
    reads_after_pending_write: int = 0
    overlapping_writes: int = 0

    @property
    def transactions(self) -> int:
        return self.reads + self.writes


@dataclass
class _Context:
    launch: int = 0
    found: list[Difference] = field(default_factory=list)


class AxiChecker:
    """`Checker` of the memory interface.

    Args:
        kind: AXI for the ports of the core, DEVICE_AXI for those of the BAR device.
        data: compare read data and final memory; False where memory changes behind these ports (the core's, while the
            BAR device is between them and memory).
    """

    name = "axi"

    def __init__(
        self, config: HardwareConfig, *, strict: bool = True, kind: Kind = Kind.AXI, data: bool = True
    ) -> None:
        self._config = config
        self._strict = strict
        self._kind = kind
        self._data = data
        self._empty: Records = np.zeros(0, dtype(kind, config.num_threads))
        self._banks = [BankPairs(self._empty) for _ in range(config.axi_num_banks)]
        self._memory = AxiMemory((1 << 32 if config.xlen == 32 else 1 << 33) + VRAM_SIZE)
        self._context = _Context()
        self.figures = AxiFigures()

    # ------------------------------------------------------------------ host side

    def host(self, message: m.Message) -> None:
        match message:
            case m.WriteMemory(address, data):
                self.wrote(address, data)
            case m.LoadImage(min_vma, max_vma, image):
                self.wrote(min_vma, image + bytes(max_vma - min_vma - len(image)))
            case _:
                pass

    def wrote(self, address: int, data: bytes) -> None:
        """The host changed memory past the ports, while nothing was in flight."""
        self._memory.host_write(address, data)

    def reset(self) -> None:
        self._banks = [BankPairs(self._empty) for _ in range(self._config.axi_num_banks)]
        self._memory.reset()

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        self._context = _Context(launch.launch_id)
        self.figures = AxiFigures()
        return None

    def counts(self) -> CheckCounts:
        return CheckCounts(axi_transactions=self.figures.transactions)

    # ------------------------------------------------------------------ records

    def records(self, batch: Batch) -> Difference | None:
        records = batch[self._kind]
        if not len(records):
            return None
        if int(records["bank"].max()) >= len(self._banks):
            return self._difference("axi bank", f"a handshake on bank {records['bank'].max()}", records[:1])
        found = self._check_channels(records)
        batches: list[tuple[int, BankBatch]] = []
        for bank, pairs in enumerate(self._banks):
            own = records[records["bank"] == bank] if len(self._banks) > 1 else records
            part = pairs.add(own)
            batches.append((bank, part))
            found = found or self._check_pairs(part)
            found = found or self._check_writes(bank, part)
        for _, part in batches:
            found = found or self._check_order(part)
            found = found or (self._check_data(part.reads) if self._data else None)
        begun = [int(pairs.open_reads["cycle"].min()) for pairs in self._banks if len(pairs.open_reads)]
        self._memory.settle(min(begun, default=NEVER))
        self.figures.error_responses += int(np.count_nonzero(records["resp"]))
        return found

    def _check_channels(self, records: Records) -> Difference | None:
        """Fields of single handshakes."""
        channel = records["channel"]
        address = (channel == AxiChannel.AR) | (channel == AxiChannel.AW)
        unfinished = records["last"] == 0
        for check, message, wrong in (
            ("axi burst length", "a burst of more than one beat (AxLEN)", address & (records["len"] != 0)),
            ("axi burst size", "AxSIZE is not that of a whole block", address & (records["size"] != _SIZE_OF_BLOCK)),
            ("axi burst type", "AxBURST is not INCR", address & (records["burst"] != _INCREMENTING)),
            ("axi alignment", "the address is not aligned to the data width", address & (records["addr"] % BLOCK != 0)),
            (
                "axi bank",
                "the address belongs to another bank",
                address & (records["addr"] // BLOCK % len(self._banks) != records["bank"]),
            ),
            (
                "axi wlast",
                "WLAST is low on the only beat of a burst",
                unfinished & (channel == AxiChannel.W),
            ),
            (
                "axi rlast",
                "RLAST is low on the only beat of a burst",
                unfinished & (channel == AxiChannel.R),
            ),
        ):
            if wrong.any():
                return self._difference(check, message, records[wrong])
        return None

    def _check_pairs(self, part: BankBatch) -> Difference | None:
        for check, message, records in (
            ("axi read without request", "read data for an id that has no read outstanding", part.orphan_reads),
            ("axi response without request", "B for an id that has no write outstanding", part.orphan_responses),
            ("axi response before data", "B before the data of the write was accepted", part.early_responses),
        ):
            if len(records):
                return self._difference(check, message, records)
        early = part.reads.responses["cycle"] <= part.reads.requests["cycle"]
        if early.any():
            return self._difference(
                "axi read without request", "read data before its request was accepted", part.reads.responses[early]
            )
        return None

    def _check_writes(self, bank: int, part: BankBatch) -> Difference | None:
        added = self._memory.add_writes(bank, part.new_writes)
        self._memory.finish(bank, part.response_of, part.responses["cycle"], part.responses["resp"] != 0)
        self.figures.writes += len(part.responses)
        for write in added:
            if write.done != NEVER and write.done <= write.complete:
                return self._of_write("axi response before data", "B came before the write was complete", write)
        for write, other in self._memory.overlapping(added):
            self.figures.overlapping_writes += 1
            if self._strict:
                return self._of_write(
                    "axi write order",
                    f"the write overlaps one of id {other.axi_id:#x} (accepted in cycle {other.accepted}) that is not "
                    "acknowledged, so memory may keep either",
                    write,
                )
            self._memory.ambiguous.add(write.block)
        return None

    def _check_order(self, part: BankBatch) -> Difference | None:
        """A read of a block to which an older write has not been acknowledged."""
        if not len(part.new_requests):
            return None
        waiting = {  # AW accepted, W not yet
            (int(record["addr"]) // BLOCK): int(record["cycle"])
            for pairs in self._banks
            for record in pairs.waiting_for_data
        }
        pending = [*waiting, *self._memory.recent]
        if not pending:
            return None
        requests = part.new_requests[np.isin(part.new_requests["addr"] // BLOCK, pending)]
        blocks = (requests["addr"] // BLOCK).astype(np.int64)
        for block in np.unique(blocks).tolist():
            own = requests[blocks == block]
            cycles = own["cycle"].tolist()
            for request, cycle, since in zip(own, cycles, self._memory.unacknowledged(block, cycles), strict=True):
                begun = [] if since is None else [since]
                if waiting.get(block, cycle) < cycle:
                    begun.append(waiting[block])
                if not begun:
                    continue
                self.figures.reads_after_pending_write += 1
                if self._strict:
                    return self._difference(
                        "axi read after pending write",
                        f"the block is read although the write to it of cycle {min(begun)} is not acknowledged",
                        np.array([request]),
                    )
        return None

    def _check_data(self, reads: Reads) -> Difference | None:
        checked, wrong = self._memory.check_reads(reads)
        self.figures.reads += checked
        if wrong is None:
            return None
        request, response = reads.requests[wrong], reads.responses[wrong]
        block = int(request["addr"]) // BLOCK
        begun, ended = int(request["cycle"]), int(response["cycle"])
        legal = self._memory.legal(block, response["data"], begun, ended)
        differing = np.flatnonzero(~legal).tolist()
        difference = self._difference(
            "axi read data",
            f"{len(differing)} bytes of the block are not what was written to it; the first is byte {differing[0]}",
            np.array([response]),
        )
        # Around the first wrong byte; bytes that are legal count as expected.
        start = differing[0] // SHOWN_BYTES * SHOWN_BYTES
        shown = slice(start, start + SHOWN_BYTES)
        address = block * BLOCK + start
        expected = np.where(legal, response["data"], self._memory.settled(block, begun))
        difference.expected = f"{address:#x}: {expected[shown].tobytes().hex(' ')}"
        difference.actual = f"{address:#x}: {response['data'][shown].tobytes().hex(' ')}"
        difference.transactions = [_transaction(request, response)]
        difference.notes += self._swapped(reads, wrong)
        return difference

    def _swapped(self, reads: Reads, wrong: int) -> list[str]:
        """Whose data is it? Names other reads that should have got it."""
        data = reads.responses["data"][wrong]
        others = [reads.requests, *(pairs.open_reads for pairs in self._banks)]
        for requests in others:
            for request in requests:
                block = int(request["addr"]) // BLOCK
                other = int(request["addr"]) != int(reads.requests["addr"][wrong])
                if other and block * BLOCK < self._memory.size and (self._memory.block(block) == data).all():
                    address, axi_id, cycle = (int(request[name]) for name in ("addr", "id", "cycle"))
                    return [
                        f"this is the data of address {address:#x}, which id {axi_id:#x} asked for in cycle {cycle}: "
                        "responses are swapped"
                    ]
        return []

    # ------------------------------------------------------------------ end

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        for bank, pairs in enumerate(self._banks):
            for what, records in (("read", pairs.open_reads), ("write", pairs.open_writes)):
                if len(records):
                    return [
                        self._difference(
                            "axi missing response",
                            f"{len(records)} {what}s of bank {bank} were never answered, but the core is quiescent",
                            records,
                        )
                    ]
            if pairs.open_data:
                return [
                    self._difference("axi write without address", f"{pairs.open_data} W beats have no AW", self._empty)
                ]
        address = self._memory.difference(end.memory) if self._data else None
        if address is None:
            return []
        start = address // SHOWN_BYTES * SHOWN_BYTES
        difference = self._difference(
            "axi memory", f"memory at {address:#x} is not what the AXI writes and the host put there", self._empty
        )
        difference.expected = f"{start:#x}: {self._memory.at(start, SHOWN_BYTES).hex(' ')}"
        difference.actual = f"{start:#x}: {end.memory[start : start + SHOWN_BYTES].tobytes().hex(' ')}"
        return [difference]

    # ------------------------------------------------------------------ reports

    def standing(self) -> list[str]:
        lines = []
        for bank, pairs in enumerate(self._banks):
            for what, records in (("read", pairs.open_reads), ("write", pairs.open_writes)):
                lines += [
                    f"AXI {what} of bank {bank}, id {int(record['id']):#x}, address {int(record['addr']):#x}: "
                    f"accepted in cycle {int(record['cycle'])}, not answered"
                    for record in records[:_SHOWN]
                ]
                if len(records) > _SHOWN:
                    lines.append(f"... and {len(records) - _SHOWN} more {what}s of bank {bank}")
        return lines

    def _difference(self, check: str, message: str, records: Records) -> Difference:
        difference = Difference(check, Category.AXI, message, self._context.launch)
        if len(records):
            record = records[0]
            channel = AxiChannel(int(record["channel"])).name
            difference.cycle = int(record["cycle"])
            difference.message = (
                f"{message} ({channel} of bank {int(record['bank'])}, id {int(record['id']):#x}, "
                f"address {int(record['addr']):#x})"
            )
        return difference

    def _of_write(self, check: str, message: str, write: Write) -> Difference:
        where = f"write of bank {write.bank}, id {write.axi_id:#x}, address {write.block * BLOCK:#x}"
        return Difference(check, Category.AXI, f"{message} ({where})", self._context.launch, write.accepted)


def _transaction(request: np.void, response: np.void) -> Transaction:
    return Transaction(
        bank=int(request["bank"]),
        axi_id=int(request["id"]),
        address=int(request["addr"]),
        request_cycle=int(request["cycle"]),
        response_cycle=int(response["cycle"]),
        data=response["data"].tobytes().hex(),
    )
