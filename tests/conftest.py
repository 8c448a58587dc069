"""What every test run ends with: how many tests of each kind ran, and the figures that tests reported."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent
_KINDS = {
    "static": "static checks (ruff, mypy, Verilator lint, structure)",
    "unit": "unit tests (no simulator)",
    "rtl": "RTL block tests",
    "cosim": "co-simulations",
    "cores": "other cores (RTL_FILELIST)",
    "faults": "seeded faults",
    "matrix": "shapes of the processor",
}
# One model per shape: hours of builds, which `make test-matrix` asks for.
collect_ignore = [] if os.environ.get("VX_MATRIX") else ["matrix"]
_PROPERTY = "figure"


@pytest.fixture
def report_figure(record_property: pytest.FixtureRequest) -> object:
    """Call with a sentence; it is printed at the end of the run, wherever the test ran."""

    def report(text: str) -> None:
        record_property(_PROPERTY, text)  # type: ignore[operator]

    return report


def _kind(nodeid: str) -> str:
    parts = Path(nodeid.split("::")[0]).parts
    return parts[1] if len(parts) > 2 and parts[0] == _ROOT.name else "other"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: dict[str, Counter[str]] = {}
    seconds: defaultdict[str, float] = defaultdict(float)
    figures: list[str] = []
    for outcome in ("passed", "failed", "skipped", "error"):
        for report in terminalreporter.stats.get(outcome, []):
            if getattr(report, "nodeid", None) is None:
                continue
            counts.setdefault(_kind(report.nodeid), Counter())[outcome] += 1
            seconds[_kind(report.nodeid)] += getattr(report, "duration", 0.0)
            figures += [str(value) for key, value in getattr(report, "user_properties", []) if key == _PROPERTY]
    if not counts:
        return
    terminalreporter.section("what was tested")
    for kind in [*_KINDS, *sorted(set(counts) - set(_KINDS))]:
        if kind in counts:
            summary = ", ".join(f"{number} {outcome}" for outcome, number in counts[kind].items())
            terminalreporter.write_line(f"{_KINDS.get(kind, kind):55s} {summary} ({seconds[kind]:.0f} s of one worker)")
    for figure in sorted(set(figures)):
        terminalreporter.write_line(figure)
