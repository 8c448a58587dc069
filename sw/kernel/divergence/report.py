"""What the pass reports of one source file: every branch with its reason, and what was put in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Names the file that the plugin writes its report to.
ENVIRONMENT = "VX_DIVERGENCE_REPORT"
_VERSION = 2


@dataclass(frozen=True)
class Branch:
    """One conditional branch or switch as the optimiser left it.

    Attributes:
        file: source file as the compiler knows it; empty without debug information.
        line: line in it, 0 if unknown; `column` likewise.
        divergent: lanes of one warp may decide it differently.
        why: what makes it so, without a full stop.
        splits: pairs of SPLIT and JOIN that were inserted for it.
        preds: PREDs that were inserted for it.
    """

    file: str
    line: int
    column: int
    divergent: bool
    why: str
    splits: int = 0
    preds: int = 0


@dataclass(frozen=True)
class FunctionReport:
    """One function.

    Attributes:
        name: linker name.
        branches: in the order of the blocks. What was inserted where paths of several of them meet belongs to none.
        branches_left: conditional branches in the final IR; the object file must not have more. 2^31 - 1, which bounds
            nothing, for what one lane runs.
        splits: pairs of SPLIT and JOIN that were inserted.
        preds: PREDs that were inserted, one a divergent loop.
    """

    name: str
    branches: tuple[Branch, ...]
    branches_left: int
    splits: int
    preds: int


def read_report(path: Path) -> tuple[FunctionReport, ...]:
    """Functions of a report, in the order of the module.

    Raises:
        ValueError: this is no report of the plugin's version.
        OSError: it cannot be read.
    """
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if content.get("version") != _VERSION:
        raise ValueError(f"{path}: report version {content.get('version')}, this is for version {_VERSION}")
    return tuple(_function(row) for row in content["functions"])


def _function(row: dict[str, Any]) -> FunctionReport:
    branches = tuple(
        Branch(
            item.get("file", ""),
            item.get("line", 0),
            item.get("column", 0),
            item["divergent"],
            item["why"],
            item.get("splits", 0),
            item.get("preds", 0),
        )
        for item in row["branches"]
    )
    return FunctionReport(row["function"], branches, row["branches_left"], row["splits"], row["preds"])
