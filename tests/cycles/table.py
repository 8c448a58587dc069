"""The table of cycles, and what of it misses a goal."""

from __future__ import annotations

from dataclasses import dataclass

from tests.cycles.counted_run import BREAKDOWN
from tests.cycles.rows import CYCLES_GOAL, IPC_GOAL, Row

BEGIN, END = "<!-- cycles -->", "<!-- end of cycles -->"


@dataclass(frozen=True)
class Measured:
    """One row: instructions and cycles of its launches, counters of the whole run."""

    row: Row
    instructions: int
    cycles: int
    counters: dict[str, int]

    @property
    def ipc(self) -> float:
        return self.instructions / self.cycles

    @property
    def speedup(self) -> float:
        """Cycles of the public design over ours."""
        return self.row.reference.cycles / self.cycles

    @property
    def ipc_ratio(self) -> float:
        return self.ipc / self.row.reference.ipc

    @property
    def good(self) -> bool:
        return self.speedup >= CYCLES_GOAL and self.ipc_ratio >= IPC_GOAL


def markdown(measured: list[Measured]) -> str:
    """Two tables: against the public design, and where the cycles went. Shares are of all cycles of the run."""
    lines = [
        f"| kernel | instructions | cycles | IPC | public: cycles | IPC | cycles, times fewer (goal {CYCLES_GOAL}) | "
        f"IPC, times (goal {IPC_GOAL}) | |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for item in measured:
        lines.append(
            f"| {item.row.name} | {item.instructions:,} | {item.cycles:,} | {item.ipc:.2f} | "
            f"{item.row.reference.cycles:,} | {item.row.reference.ipc:.2f} | {item.speedup:.2f} | "
            f"{item.ipc_ratio:.2f} | {'met' if item.good else 'missed'} |"
        )
    names = list(BREAKDOWN)
    lines += [
        "",
        f"| kernel | {' | '.join(names)} | cycles a load | D-cache misses | limit |",
        "|---|" + "--:|" * (len(names) + 2) + "---|",
    ]
    for item in measured:
        counters = item.counters
        total = sum(counters[name] for name in names)
        shares = " | ".join(f"{counters[name] / total:.0%}" for name in names)
        latency = counters["load latency"] / max(1, counters["loads"])
        misses = counters["dcache read misses"] / max(1, counters["dcache reads"])
        lines.append(f"| {item.row.name} | {shares} | {latency:.1f} | {misses:.0%} | {item.row.limit} |")
    return "\n".join(lines) + "\n"


def inserted(document: str, table: str) -> str:
    """The document with the table between its markers.

    Raises:
        ValueError: it has no markers.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no lines {BEGIN} and {END} for the table")
    return f"{before}{BEGIN}\n{table}{END}{after}"
