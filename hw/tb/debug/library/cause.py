"""Why an instruction had its operands: the chain of writers behind it, back to loads and what fed them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hw.tb.debug.library.commit import Commit


@dataclass
class Cause:
    """One link of the chain.

    Attributes:
        what: how the link above depends on this one, e.g. `operand a0` or `load of 0x10290, lane 1`.
        commit: the instruction; None where the chain leaves the recorded instructions.
        note: what is known beside it, such as the bus transaction of a load.
        because: links that this one depends on.
    """

    what: str
    commit: Commit | None
    note: str = ""
    because: list[Cause] = field(default_factory=list)

    def lines(self, depth: int = 0) -> list[str]:
        """As an indented tree."""
        head = f"{'  ' * depth}{self.what}"
        text = f"{head}: {self.commit}" if self.commit is not None else head
        found = [f"{text}  ({self.note})" if self.note else text]
        for link in self.because:
            found += link.lines(depth + 1)
        return found

    def __repr__(self) -> str:
        return "\n".join(self.lines())
