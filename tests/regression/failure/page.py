"""The report as one HTML file that needs no other file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from golden_model.follow.difference import Difference, Value
from tests.regression.failure.report import FailureReport


@dataclass(frozen=True)
class LaneRow:
    """One lane of the values that were compared; `differs` also where one side has no value."""

    lane: int
    expected: str
    actual: str
    bits: tuple[bool, ...]  # exclusive or, the highest bit first; empty where nothing differs
    differs: bool


def render(report: FailureReport) -> str:
    """The page as text."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["hex"] = lambda value: f"{value:#010x}"
    lanes = report.difference.num_lanes if report.difference is not None else int(report.hardware["num_threads"])
    return environment.get_template("page.html.j2").render(
        report=report,
        difference=report.difference,
        context=report.context,
        hang=report.hang,
        values=lane_rows(report.difference) if report.difference is not None else [],
        bar=lambda mask: [(lane, bool(mask >> lane & 1)) for lane in reversed(range(lanes))],
    )


def lane_rows(difference: Difference) -> list[LaneRow]:
    """Expected and actual side by side: a row for each lane, or one for values that are not per lane."""
    expected, actual = _list(difference.expected), _list(difference.actual)
    rows = []
    for lane in range(max(len(expected), len(actual))):
        left = expected[lane] if lane < len(expected) else None
        right = actual[lane] if lane < len(actual) else None
        if left is None and right is None:
            continue
        bits: tuple[bool, ...] = ()
        if isinstance(left, int) and isinstance(right, int) and left != right:
            changed = left ^ right
            width = 64 if changed >> 32 else 32
            bits = tuple(bool(changed >> bit & 1) for bit in reversed(range(width)))
        rows.append(LaneRow(lane, _text(left), _text(right), bits, left != right))
    return rows


def _list(value: Value) -> list[int | str | None]:
    return list(value) if isinstance(value, list) else [value]


def _text(value: int | str | None) -> str:
    return "–" if value is None else value if isinstance(value, str) else f"{value:#010x}"
