"""Faults in the text of the design: they fit it, and a switched one is the same change."""

from __future__ import annotations

from pathlib import Path

import pytest

from hw.tb.build.spec import RTL
from tests.evidence.patched import HANGS, NAMED, Patched, PatchError
from tests.evidence.random_faults import RANDOM
from tests.evidence.switched import with_switch, write_design


def _fault(old: str, new: str) -> Patched:
    return Patched("f", "", "vx_pkg.sv", old, new, "t", ())


@pytest.mark.parametrize("fault", (*NAMED, *HANGS), ids=lambda fault: fault.name)
def test_named_faults_fit_the_design(fault: Patched) -> None:
    assert fault.apply() != (RTL / fault.file).read_text(encoding="utf-8")


def test_a_fault_that_no_longer_fits_is_a_sentence() -> None:
    with pytest.raises(PatchError, match="has its line 0 times, wanted once"):
        _fault("no such line;", "x").apply()


@pytest.mark.parametrize(
    ("old", "new", "switched"),
    [
        ("  a <= b + 1;", "  a <= b - 1;", "  a <= (N ? b - 1 : b + 1);"),
        ("if (a && f(b)) c = d;", "if (a || f(b)) c = d;", "if ((N ? a || f(b) : a && f(b))) c = d;"),
        ("  x[i] & LANES,", "  x[i] | LANES,", "  (N ? x[i] | LANES : x[i] & LANES),"),
        ("q = {1'b0, r};", "q = {1'b1, r};", "q = {(N ? 1'b1 : 1'b0), r};"),
        ("y = (a == b) ? c : d;", "y = (a != b) ? c : d;", "y = ((N ? a != b : a == b)) ? c : d;"),
    ],
)
def test_a_switch_holds_the_smallest_whole_expression(old: str, new: str, switched: str) -> None:
    assert with_switch(_fault(old, new), 7) == switched.replace("N ?", "vx_pkg::fault_number == 7 ?")


def test_a_design_with_all_faults_differs_in_their_lines_only(tmp_path: Path) -> None:
    """And in the package, which reads the number."""
    write_design(RANDOM, tmp_path / "rtl", tmp_path / "number")
    for path in RTL.rglob("*.sv"):
        before = path.read_text(encoding="utf-8").split("\n")
        after = (tmp_path / "rtl" / path.relative_to(RTL)).read_text(encoding="utf-8").split("\n")
        if path.name == "vx_pkg.sv":
            assert any(str(tmp_path / "number") in line for line in after)
            continue
        changed = {(old, new) for old, new in zip(before, after, strict=True) if old != new}
        mine = {fault.old for fault in RANDOM if fault.file == path.relative_to(RTL).as_posix()}
        assert {old for old, _ in changed} <= mine
        assert all("vx_pkg::fault_number == " in new for _, new in changed)
