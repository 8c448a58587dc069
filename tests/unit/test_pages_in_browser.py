"""What people see of the pages in a browser: on a phone, on a desk, on paper."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import pytest

from tests.nightly.history import RunRow
from tests.nightly.record import Verdict
from tests.nightly.report.page import render
from tests.nightly.summary import Summary, summarise
from tests.nightly.trend import Drift, Flaky
from tests.unit.browser import DESKTOP, PHONE, look, printed_pages
from tests.unit.nightly_cases import case, plan, record

LONG = "lane result: " + "expected_0x00000000_and_" * 12 + "end"


def _busy_night() -> Summary:
    """60 kernels on 8 shapes, 20 failures of two kinds with long lines, a flaky case and drift."""
    shapes = [f"{clusters}x{cores}c{warps}w4t" for clusters in (1, 2) for cores in (1, 2) for warps in (4, 8)]
    cases = [case(test=f"kernel_{index:02}", seed=3, shape=shape) for index in range(60) for shape in shapes]
    bad = {
        "bucket": LONG,
        "message": LONG,
        "screen": "\n".join(f"{n:3} " + "x" * 200 for n in range(30)),
        "repro": "make " + "KNOB=value " * 30,
    }
    records = [
        record(item, Verdict.FAIL, **(bad if index % 2 else {})) if index < 20 else record(item)
        for index, item in enumerate(cases)
    ]
    base = summarise(plan(cases), records, len(records), None)
    drift = Drift("kernel_01", "cycles", 100.0, 1.0, 150.0, "a" * 40, "b" * 40)
    return dataclasses.replace(base, flaky=(Flaky("kernel_02", 3, ("fail", "pass")),), drifts=(drift,))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night")
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    runs = [
        RunRow(f"r{day}", start + datetime.timedelta(days=day), "c", 500, 499 - day % 3, 10**9 + day, 900.0)
        for day in range(365)
    ]
    path = folder / "report.html"
    path.write_text(render(folder, _busy_night(), runs), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_everything_of_the_nightly_page_can_be_reached(page: Path, width: int) -> None:
    seen = look(page, width)
    assert seen.wide == []
    assert seen.small == []
    assert seen.console == []
    for expected in ("FAIL", "kernel_59", "2x2c8w4t", "Trend over 365 runs", "reg: wrong", "+50.0%"):
        assert expected in seen.text


def test_the_nightly_page_prints(page: Path, tmp_path: Path) -> None:
    assert 2 <= printed_pages(page, tmp_path) <= 30


def test_a_page_that_sticks_out_or_fails_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text(
        "<!doctype html><html><body><p style='width:900px;font-size:6px'>much too wide</p>"
        "<script>nothing.here()</script></body></html>"
    )
    seen = look(path, PHONE)
    assert len(seen.wide) == 1 and "much too wide" in seen.wide[0]
    assert len(seen.small) == 1
    assert len(seen.console) == 1 and "nothing is not defined" in seen.console[0]
    assert look(path, DESKTOP).wide == []
