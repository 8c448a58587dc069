"""`python -m golden_model run|trace|compare|lint|disasm|bench|riscv-test`; the commands are in golden_model/cli.

Exit status: 0 clean, 1 findings, faults, a hang or a difference, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import sys

from golden_model.cli import lint, riscv_test, run, show, trace  # noqa: F401 - each adds its commands
from golden_model.cli.app import app

__all__ = ["app"]

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    app()
