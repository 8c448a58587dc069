"""`python -m tests.overhead`: the cost of the divergence pass, in warp instructions of the golden model."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.overhead.measure import measure


def main() -> int:
    """Exit code 0; a kernel that computes something wrong ends with an error."""
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder))
    table = Table(box=None, pad_edge=False)
    for heading in ("kernel", "SPLIT", "PRED", "1 lane: bare", "pass", "cost", "4 lanes: by hand", "pass", "cost"):
        table.add_column(heading, justify="left" if heading == "kernel" else "right")
    for row in rows:
        alone, hand = row.over_bare, row.over_hand
        table.add_row(
            row.kernel, str(row.splits), str(row.preds), f"{row.bare:,}", f"{row.passed_alone:,}", f"{alone:+.1%}",
            f"{row.hand:,}", f"{row.passed:,}", f"{hand:+.1%}",
        )  # fmt: skip
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
