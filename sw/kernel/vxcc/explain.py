"""`vxcc --explain`: every branch of the kernels' sources, uniform or divergent, why, and what it cost."""

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
        for heading in ("line", "branch", "cost", "why"):
            table.add_column(heading)
        for branch in sorted(function.branches, key=lambda item: (item.line, item.column)):
            place = f"{branch.line}:{branch.column}" if branch.line else "?"
            kind = "[yellow]divergent[/]" if branch.divergent else "uniform"
            table.add_row(place, kind, _inserted(branch.splits, branch.preds) or "–", branch.why)
        splits = function.splits - sum(branch.splits for branch in function.branches)
        preds = function.preds - sum(branch.preds for branch in function.branches)
        if splits or preds:
            table.add_row("", "", _inserted(splits, preds), "where paths of several of these branches meet")
        console.print(table)
    if plain:
        console.print(f"\n{len(plain)} function(s) without a branch")


def _cost(function: FunctionReport) -> str:
    divergent = sum(branch.divergent for branch in function.branches)
    if inserted := _inserted(function.splits, function.preds):
        return f"inserted {inserted}"
    return "nothing inserted" + (" (short divergent ifs became selects)" if divergent else "")


def _inserted(splits: int, preds: int) -> str:
    """In words; empty for nothing."""
    return ", ".join(f"{count} {name}" for count, name in ((splits, _SPLIT_COST), (preds, _PRED_COST)) if count)
