"""One warp instruction for people, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass

from golden_model.records.layout import CommitFlag
from hw.tb.debug.library import words
from hw.tb.debug.library.instructions import Instructions
from hw.tb.debug.library.names import Names

_SHOWN = 40  # lines of a list


@dataclass(frozen=True)
class Commit:
    """One warp instruction.

    Attributes:
        key: names it within the recording.
        decode, issue, cycle: cycles of decode, issue and last commit packet.
        register: written register in the joint numbering of `words`, -1 if none.
        data: result per lane; None in lanes that were not written.
        next_pc, next_mask: of control instructions, else None.
        text, symbol, line: disassembly, place, source line (empty if unknown).
    """

    key: int
    core: int
    warp: int
    uid: int
    launch: int
    decode: int
    issue: int
    cycle: int
    pc: int
    word: int
    tmask: int
    register: int
    data: tuple[int | None, ...]
    next_pc: int | None
    next_mask: int | None
    text: str
    symbol: str
    line: str

    @property
    def mask_bars(self) -> str:
        """Thread mask, highest lane left."""
        return f"{self.tmask:0{len(self.data)}b}"

    @property
    def result(self) -> str:
        """Register and value of every lane with two spaces before, empty if nothing is written."""
        if self.register < 0:
            return ""
        values = " ".join("-" if value is None else f"{value:x}" for value in self.data)
        return f"  {words.register_name(self.register)} <- {values}"

    def __str__(self) -> str:
        return (
            f"cycle {self.cycle:>9,}  core {self.core} warp {self.warp} uid {self.uid:>6}  {self.pc:#010x} "
            f"<{self.symbol}>  {self.mask_bars}  {self.text}{self.result}"
        )


class CommitList(list[Commit]):
    """Instructions as a list that prints as a table; `total` is how many there are, also beyond the limit."""

    def __init__(self, items: list[Commit], total: int) -> None:
        super().__init__(items)
        self.total = total

    def __repr__(self) -> str:
        lines = [str(commit) for commit in self[:_SHOWN]]
        if self.total > len(lines):
            lines.append(f"… {self.total - len(lines):,} more of {self.total:,}")
        return "\n".join(lines) or "no instruction"


def commits_of(table: Instructions, names: Names, xlen: int) -> list[Commit]:
    """All rows of a table (small ones: a loop)."""
    register = words.destinations(table.column["rd"], table.column["rd_file"])
    lanes = table.data.shape[1]
    found = []
    for row in range(len(table)):
        column = {name: int(values[row]) for name, values in table.column.items()}
        wmask, control = column["wmask"], bool(column["flags"] & CommitFlag.CONTROL)
        found.append(
            Commit(
                key=int(table.key[row]),
                core=int(table.core[row]),
                warp=int(table.warp[row]),
                uid=int(table.uid[row]),
                launch=column["launch"],
                decode=column["decode_cycle"],
                issue=column["issue_cycle"],
                cycle=column["cycle"],
                pc=column["pc"],
                word=column["instr"],
                tmask=column["tmask"],
                register=int(register[row]),
                data=tuple(int(table.data[row, lane]) if wmask >> lane & 1 else None for lane in range(lanes)),
                next_pc=column["next_pc"] if control else None,
                next_mask=column["next_mask"] if control else None,
                text=words.text(column["instr"], column["pc"], xlen),
                symbol=names.symbol(column["pc"]),
                line=names.line(column["pc"]),
            )
        )
    return found
