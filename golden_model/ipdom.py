"""The IPDOM stack of one warp (docs/reference/vortex.md §2.5)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class IpdomEntry:
    """One divergent SPLIT that is still open."""

    mask: int  # thread mask at the SPLIT
    pc: int  # instruction after the SPLIT
    second: bool = False  # the second side is running
    first_join: int = 0  # PC of the JOIN that ended the first side


class IpdomStack:
    """At most `depth` open SPLITs. `len(stack)` is the stack pointer."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.entries: list[IpdomEntry] = []

    def push(self, mask: int, pc: int) -> bool:
        """Open a SPLIT; False, and nothing is changed, if the stack is full."""
        if len(self.entries) >= self.depth:
            return False
        self.entries.append(IpdomEntry(mask, pc))
        return True

    def top(self) -> IpdomEntry | None:
        return self.entries[-1] if self.entries else None

    def pop(self) -> IpdomEntry:
        return self.entries.pop()

    def clear(self) -> None:
        self.entries.clear()

    def __len__(self) -> int:
        return len(self.entries)
