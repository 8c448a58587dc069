"""The page: complete, self-contained, safe, and small however long the history is."""

from __future__ import annotations

import datetime
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.nightly.errors import NightlyError
from tests.nightly.folders import case_folder
from tests.nightly.history import History, RunRow
from tests.nightly.record import Verdict
from tests.nightly.report.chart import HEIGHT, WIDTH, chart
from tests.nightly.report.page import render, write_page
from tests.nightly.summary import Summary, summarise
from tests.nightly.trend import Drift, Flaky
from tests.unit.nightly_cases import case, plan, record


class _Page(HTMLParser):
    """Text and references of a page; complains about tags that are not closed."""

    VOID = frozenset({"meta", "circle", "polyline"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text += data


def _summary(bad: int = 1) -> Summary:
    cases = [case(test=f"k{index}", seed=index, shape="1x2c4w4t" if index % 2 else "1x1c4w4t") for index in range(6)]
    records = [record(item, Verdict.FAIL if index < bad else Verdict.PASS) for index, item in enumerate(cases)]
    return summarise(plan(cases), records, len(records), None)


def test_a_page_shows_verdict_cause_command_and_links(tmp_path: Path) -> None:
    summary = _summary()
    folder = case_folder(tmp_path, summary.records[0].case)
    folder.mkdir(parents=True)
    (folder / "sim.log").write_text("")
    page = _Page(render(tmp_path, summary, []))
    for expected in ("FAIL", "1 ×", "reg: wrong", "make X=1", "k5", "1x2c4w4t", "1/1", "0/1", "night seed 7"):
        assert expected in page.text
    assert page.links == [f"cases/{summary.records[0].case.id}/sim.log"]


def test_a_clean_page_says_pass_and_has_no_failure_section(tmp_path: Path) -> None:
    text = _Page(render(tmp_path, _summary(bad=0), [])).text
    assert "PASS" in text
    assert "first difference" not in text


def test_a_page_of_nothing_says_so(tmp_path: Path) -> None:
    text = _Page(render(tmp_path, summarise(plan([case()]), [], 3, None), [])).text
    assert "nothing ran" in text
    assert "FAIL" in text


def test_a_page_needs_no_network_and_no_script(tmp_path: Path) -> None:
    text = render(tmp_path, _summary(), [])
    assert not re.search(r"https?:|//|<script|@import|url\(", text)


def test_texts_of_failures_cannot_become_markup(tmp_path: Path) -> None:
    item = case()
    nasty = record(item, Verdict.FAIL, bucket="<b>", screen="</pre><script>x</script>", repro="make A='<i>'")
    text = render(tmp_path, summarise(plan([item]), [nasty], 1, None), [])
    assert "<script" not in text
    assert "</pre><script>x</script>" in _Page(text).text


def test_flaky_drift_and_known_failures_are_shown(tmp_path: Path) -> None:
    known = record(case(test="old", expected_failure="known since May"), Verdict.EXPECTED_FAIL)
    base = summarise(plan([known.case]), [known], 1, None)
    summary = Summary(
        base.plan,
        base.records,
        0,
        (),
        (Flaky("wobbly", 3, ("fail", "pass")),),
        (Drift("slow", "cycles", 100.0, 1.0, 150.0, "a" * 12, "b" * 12),),
    )
    text = _Page(render(tmp_path, summary, [])).text
    for expected in ("known since May", "wobbly", "fail, pass", "+50.0%", "aaaaaaaaa..bbbbbbbbb"):
        assert expected in text


def test_a_year_of_runs_makes_no_large_page(tmp_path: Path) -> None:
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    runs = [
        RunRow(f"r{day}", start + datetime.timedelta(days=day), "c", 500, 499, 10**9 + day, 900.0) for day in range(365)
    ]
    text = render(tmp_path, _summary(), runs)
    assert "Trend over 365 runs" in text
    assert len(text) < 60_000


def test_a_page_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "report.html.partial").mkdir()
    with pytest.raises(NightlyError, match="the page cannot be written to"):
        write_page(tmp_path / "report.html", tmp_path, _summary(), History(tmp_path))


def test_a_chart_stays_in_its_box() -> None:
    assert chart("t", [1.0]) is None
    made = chart("t", [3.0, 3.0, 200.0], " %")
    assert made is not None
    for point in made.points.split():
        x, y = map(float, point.split(","))
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
    assert (made.lowest, made.highest, made.newest) == ("3.0 %", "200 %", "200 %")
