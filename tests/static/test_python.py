"""Python sources are formatted, linted and typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["config", "golden_model", "sw", "hw", "tests"]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", "--quiet", "."], id="ruff-check"),
        pytest.param(["ruff", "format", "--quiet", "--check", "."], id="ruff-format"),
        pytest.param(["mypy", *PACKAGES], id="mypy"),
    ],
)
def test_tool_is_clean(command: list[str]) -> None:
    result = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}:\n{result.stdout[-6000:]}{result.stderr[-2000:]}"
