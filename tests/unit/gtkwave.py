"""Opens waves in GTKWave on a screen that nobody sees, and tells what it shows; tests without it skip and say so."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

# Runs inside GTKWave: one line a row of the window, then it leaves.
_TELL = """
for {set row 0} {$row < [gtkwave::getTotalNumTraces]} {incr row} {
    set name [gtkwave::getTraceNameFromIndex $row]
    puts "ROW [gtkwave::getTraceFlagsFromIndex $row] {$name} {[gtkwave::getTraceValueAtMarkerFromIndex $row]}"
}
puts "MARKER [gtkwave::getMarker]"
puts "SIGNALS [gtkwave::getNumFacs]"
gtkwave::/File/Quit
"""
_COMMENT = 0x200  # flag of a row that is a headline, no signal
_SECONDS = 120


@dataclass(frozen=True)
class Row:
    """One signal of the window: its name as shown, and its value at the marker."""

    name: str
    value: str


@dataclass(frozen=True)
class Window:
    """What GTKWave shows.

    Attributes:
        marker: time at which the primary marker stands.
        signals: of the wave file.
        rows: those of the window, headlines left out.
        headlines: of the groups, each twice: where it begins and where it ends.
    """

    marker: int
    signals: int
    rows: tuple[Row, ...]
    headlines: tuple[str, ...]


def open_layout(layout: Path) -> Window:
    """Start `gtkwave <layout>`, ask it what it shows, and end it."""
    if shutil.which("gtkwave") is None or shutil.which("xvfb-run") is None:
        pytest.skip("no GTKWave or no Xvfb: apt-get install gtkwave xvfb")
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "tell.tcl"
        script.write_text(_TELL, encoding="utf-8")
        command = [
            "xvfb-run",
            "-a",
            "gtkwave",
            "--rcvar",
            "splash_disable on",
            "-S",
            str(script),
            str(layout.resolve()),
        ]
        done = subprocess.run(command, cwd=name, capture_output=True, text=True, timeout=_SECONDS, check=False)
    told = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if line.startswith(("MARKER", "SIG"))}
    assert done.returncode == 0 and "SIGNALS" in told, f"GTKWave:\n{done.stdout[-1000:]}\n{done.stderr[-1000:]}"
    found = re.findall(r"^ROW (\d+) \{(.*?)\} \{(.*)\}$", done.stdout, re.MULTILINE)
    return Window(
        int(told["MARKER"]),
        int(told["SIGNALS"]),
        tuple(Row(name, value) for flags, name, value in found if not int(flags) & _COMMENT),
        tuple(name for flags, name, _ in found if int(flags) & _COMMENT),
    )


def listed(layout: Path) -> list[str]:
    """Signals that a layout asks for, by full name; GTKWave leaves out silently what the waves don't have."""
    lines = layout.read_text(encoding="utf-8").splitlines()
    return [line.rsplit("} ", 1)[-1] for line in lines if line[0] not in "@-[*"]


def shows_all(window: Window, layout: Path) -> bool:
    """Whether every signal that the layout asks for has its row, in this order.

    A row with another name than its signal's last part tells which warp or core it is of.
    """
    wanted = listed(layout)
    return len(wanted) == len(window.rows) and all(
        row.name == name.rsplit(".", 1)[-1] or row.name.startswith("core ")
        for row, name in zip(window.rows, wanted, strict=True)
    )
