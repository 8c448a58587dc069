"""`vxcc --explain`: every branch of the kernels' sources, whether lanes may decide it differently, and why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from sw.kernel.divergence import FunctionReport
from sw.kernel.vxcc.demangle import demangle

_SPLIT_COST, _PRED_COST = "SPLIT + JOIN", "PRED"


def explain(functions: Sequence[FunctionReport], console: Console) -> None:
    """Print one table a function that has branches; functions without any are counted."""
    plain = [function for function in functions if not function.branches]
    for function in functions:
        if not function.branches:
            continue
        console.print(f"\n[bold]{demangle(function.name)}[/]: {_cost(function)}")
        table = Table(box=None, pad_edge=False)
        for heading in ("line", "branch", "why"):
            table.add_column(heading)
        for branch in sorted(function.branches, key=lambda item: (item.line, item.column)):
            place = f"{branch.line}:{branch.column}" if branch.line else "?"
            table.add_row(place, "[yellow]divergent[/]" if branch.divergent else "uniform", branch.why)
        console.print(table)
    if plain:
        console.print(f"\n{len(plain)} function(s) without a branch")


def _cost(function: FunctionReport) -> str:
    parts = [
        f"{count} {name}" for count, name in ((function.splits, _SPLIT_COST), (function.preds, _PRED_COST)) if count
    ]
    divergent = sum(branch.divergent for branch in function.branches)
    if not parts:
        return "nothing inserted" + (" (short divergent ifs became selects)" if divergent else "")
    return "inserted " + ", ".join(parts)
