"""Trend lines as inline SVG: one series, the newest value marked, range and value as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, MARGIN = 320.0, 64.0, 4.0


@dataclass(frozen=True)
class Chart:
    """A line to draw; `points` is for an SVG polyline in a WIDTH x HEIGHT box, `last` its newest point."""

    title: str
    points: str
    last: tuple[float, float]
    lowest: str
    highest: str
    newest: str


def chart(title: str, values: Sequence[float], unit: str = "") -> Chart | None:
    """A chart of at least two values, oldest first; None for fewer."""
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = (WIDTH - 2 * MARGIN) / (len(values) - 1)
    places = [
        (round(MARGIN + index * step, 1), round(HEIGHT - MARGIN - (value - low) / span * (HEIGHT - 2 * MARGIN), 1))
        for index, value in enumerate(values)
    ]
    points = " ".join(f"{x:g},{y:g}" for x, y in places)
    shown = [f"{value:,.1f}{unit}" if abs(value) < 100 else f"{value:,.0f}{unit}" for value in (low, high, values[-1])]
    return Chart(title, points, places[-1], *shown)
