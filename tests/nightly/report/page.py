"""From a summary and the history to one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from tests.nightly.errors import NightlyError
from tests.nightly.folders import case_folder
from tests.nightly.history import History, RunRow
from tests.nightly.record import Record, Verdict
from tests.nightly.report.chart import HEIGHT, WIDTH, Chart, chart
from tests.nightly.summary import Summary

_HISTORY = 400  # runs in the trend lines
_SLOWEST = 15
_SAMPLES = 8  # cases listed of one bucket

# Files of a failed case that are worth a link, if they are there.
_LINKS = {
    "failure.html": "failure",
    "results.json": "result",
    "results.xml": "JUnit",
    "sim.log": "log",
    "last_commits.txt": "last commits",
    "waves.fst": "waves",
    "again": "run alone",
}


@dataclass(frozen=True)
class Cell:
    """One field of the heat map: how many of its cases are good; `state` is good, bad or none."""

    state: str
    text: str
    title: str


@dataclass(frozen=True)
class Failed:
    """One case of a bucket with its links (text, relative path)."""

    record: Record
    links: tuple[tuple[str, str], ...]


def write_page(path: Path, folder: Path, summary: Summary, history: History) -> None:
    """Write the page of a run, completely or not at all. Raises NightlyError."""
    text = render(folder, summary, history.runs(_HISTORY))
    temporary = path.with_name(path.name + ".partial")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise NightlyError(f"the page cannot be written to {path}: {error.strerror}") from error


def render(folder: Path, summary: Summary, runs: Sequence[RunRow]) -> str:
    """The page as text; links are relative to `folder`."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shapes = sorted({record.case.shape for record in summary.records})
    records = summary.records
    return environment.get_template("page.html.j2").render(
        summary=summary,
        plan=summary.plan,
        cycles=sum(record.cycles for record in records),
        compared=sum(record.compared for record in records),
        seconds=sum(record.seconds for record in records),
        buckets=[
            (bucket, [_failed(folder, record) for record in bucket.records[:_SAMPLES]]) for bucket in summary.buckets
        ],
        known=[record for record in records if record.verdict is Verdict.EXPECTED_FAIL],
        shapes=shapes,
        heat=_heat(records, shapes),
        charts=_charts(runs),
        runs=len(runs),
        slowest=sorted(records, key=lambda record: -record.seconds)[:_SLOWEST],
        chart_width=WIDTH,
        chart_height=HEIGHT,
    )


def _failed(folder: Path, record: Record) -> Failed:
    place = case_folder(folder, record.case)
    links = [(text, f"{place.relative_to(folder)}/{name}") for name, text in _LINKS.items() if (place / name).exists()]
    return Failed(record, tuple(links))


def _heat(records: Sequence[Record], shapes: Sequence[str]) -> list[tuple[str, list[Cell]]]:
    """Rows: kernels; columns: shapes."""
    fields: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        fields.setdefault((record.case.test, record.case.shape), []).append(record)
    tests = sorted({record.case.test for record in records})
    return [(test, [_cell(fields.get((test, shape), [])) for shape in shapes]) for test in tests]


def _cell(records: Sequence[Record]) -> Cell:
    if not records:
        return Cell("none", "", "not run")
    good = sum(record.verdict.good for record in records)
    title = "; ".join(f"{record.case.id}: {record.verdict.value}" for record in records[:_SAMPLES])
    return Cell("good" if good == len(records) else "bad", f"{good}/{len(records)}", title)


def _charts(runs: Sequence[RunRow]) -> list[Chart]:
    made = [
        chart("cases", [run.cases for run in runs]),
        chart("good cases", [100.0 * run.passed / run.cases for run in runs if run.cases], " %"),
        chart("simulated cycles a second", [run.speed for run in runs if run.speed]),
        chart("cycles of all cases", [run.cycles for run in runs]),
    ]
    return [item for item in made if item is not None]
