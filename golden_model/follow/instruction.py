"""Records of one instruction, joined; and records turned into plain Python rows, one conversion a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from golden_model.records.layout import CommitFlag, Kind, RegisterFile
from golden_model.records.ring import Records

_COMMIT_FIELDS = (
    "seq", "cycle", "issue_cycle", "core", "warp", "uid", "flags", "pc", "instr", "tmask", "slot",
    "wmask", "rd_file", "rd", "data", "next_pc", "next_mask", "fflags",
)  # fmt: skip

# Row of a COMMIT record: the fields above, in that order.
CommitRow = tuple[
    int, int, int, int, int, int, int, int, int, int, int, int, int, int, list[int], int, int, int
]  # fmt: skip


class MemoryRow(NamedTuple):
    """One MEMORY record."""

    seq: int
    cycle: int
    core: int
    warp: int
    uid: int
    mask: int
    op: int
    size: int
    space: int
    addr: list[int]
    data: list[int]


class CtaRow(NamedTuple):
    """One CTA record; `uid` of WARP_START and WARP_END is that of the next instruction that the warp will issue."""

    seq: int
    cycle: int
    core: int
    warp: int
    uid: int
    event: int
    slot: int
    rank: int
    num_warps: int
    first_of_cluster: int
    pc: int
    tmask: int
    lmem_addr: int
    block_x: int
    block_y: int
    block_z: int


class BarrierRow(NamedTuple):
    """One BARRIER record."""

    seq: int
    cycle: int
    core: int
    warp: int
    uid: int
    op: int
    id: int
    participants: int
    phase: int
    released: int


class IpdomRow(NamedTuple):
    """One IPDOM record."""

    seq: int
    cycle: int
    core: int
    warp: int
    uid: int
    op: int
    sp: int
    mask: int
    pc: int


class FaultRow(NamedTuple):
    """One FAULT record."""

    seq: int
    cycle: int
    core: int
    warp: int
    uid: int
    kind: int
    pc: int
    addr: int
    tmask: int


_ROW_TYPES: dict[Kind, Any] = {
    Kind.MEMORY: MemoryRow,
    Kind.CTA: CtaRow,
    Kind.BARRIER: BarrierRow,
    Kind.IPDOM: IpdomRow,
    Kind.FAULT: FaultRow,
}


def commit_rows(records: Records) -> Iterator[CommitRow]:
    """COMMIT records as tuples of plain integers; column by column, because that is the fastest way out of numpy."""
    return zip(*(records[name].tolist() for name in _COMMIT_FIELDS), strict=True)


# Row fields that cannot have the record's name, because a tuple has a method of that name.
_RENAMED = {"participants": "count"}


def rows(kind: Kind, records: Records) -> list[Any]:
    """Records of one of the joined kinds as their NamedTuples."""
    row = _ROW_TYPES[kind]
    return list(map(row, *(records[_RENAMED.get(name, name)].tolist() for name in row._fields)))


class Instruction:
    """All commit packets of one instruction, merged. `data` is valid in the lanes of `wmask`."""

    __slots__ = (
        "complete",
        "control",
        "cycle",
        "data",
        "fflags",
        "instr",
        "issue_cycle",
        "next_mask",
        "next_pc",
        "pc",
        "rd",
        "rd_file",
        "slot",
        "tmask",
        "uid",
        "wmask",
    )

    def __init__(self, row: CommitRow) -> None:
        (
            _, self.cycle, self.issue_cycle, _, _, self.uid, flags, self.pc, self.instr, self.tmask, self.slot,
            wmask, self.rd_file, self.rd, self.data, self.next_pc, self.next_mask, self.fflags,
        ) = row  # fmt: skip
        # Writes to x0 are dropped; a design may or may not show them.
        self.wmask = wmask if self.rd_file == RegisterFile.FLOAT or (self.rd_file and self.rd) else 0
        self.control = flags & CommitFlag.CONTROL != 0
        self.complete = flags & CommitFlag.LAST != 0

    def add(self, row: CommitRow) -> str | None:
        """Merge a further packet; returns a sentence if the packets contradict each other."""
        more = Instruction(row)
        if row[6] & CommitFlag.FIRST:
            return "a second packet is marked as the first one"
        if self.complete:
            return "a packet follows the one that was marked as the last"
        if (more.pc, more.instr, more.tmask, more.slot) != (self.pc, self.instr, self.tmask, self.slot):
            return "two packets of the instruction disagree on its PC, word, thread mask or CTA slot"
        if more.wmask & self.wmask:
            return f"lanes {more.wmask & self.wmask:#x} are written by two packets"
        if more.wmask:
            if self.wmask and (more.rd_file, more.rd) != (self.rd_file, self.rd):
                return "two packets of the instruction write different registers"
            self.rd_file, self.rd = more.rd_file, more.rd
            self.data = [
                new if more.wmask >> lane & 1 else old
                for lane, (old, new) in enumerate(zip(self.data, more.data, strict=True))
            ]
            self.wmask |= more.wmask
        if more.control:
            self.control, self.next_pc, self.next_mask = True, more.next_pc, more.next_mask
        self.fflags |= more.fflags
        self.cycle = more.cycle
        self.complete = more.complete
        return None
