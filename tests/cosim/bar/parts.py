"""A campaign in parts that are kept: what has run on the same sources is not run again after an interruption."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

from tests.cosim.bar.campaign import Figures
from tests.cosim.bar.model import REPO, RTL

RESULTS = REPO / "results" / "bar-campaign"
PART = 100  # sequences


def state_of_sources() -> str:
    """Changes with anything that a sequence's outcome can depend on: design, golden model, executor, generator."""
    digest = hashlib.sha256()
    for root, pattern in (
        *((REPO / "golden_model", "*.py"), (REPO / "config", "*.py"), (RTL, "*.sv"), (RTL, "*.svh")),
        *((Path(__file__).parent, pattern) for pattern in ("*.py", "*.cpp", "*.h")),
    ):
        for path in sorted(root.rglob(pattern)):
            digest.update(str(path.relative_to(REPO)).encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def path_of(state: str, seeds: range) -> Path:
    """Where the figures of a part are kept."""
    return RESULTS / state / f"{seeds.start:08}-{seeds.stop:08}.json"


def save(path: Path, figures: Figures) -> None:
    """Keep a part that has run to its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    counts = {name: getattr(figures, name) for name in ("sequences", "actions", "cycles", "cpu", "failures")}
    temporary.write_text(json.dumps({**counts, "choices": figures.choices, "hits": figures.coverage.hits}))
    temporary.rename(path)


def load(path: Path) -> Figures | None:
    """The figures of a part that has run, None if it has not."""
    if not path.is_file():
        return None
    kept = json.loads(path.read_text())
    figures = Figures(*(kept[name] for name in ("sequences", "actions", "cycles", "cpu", "failures")))
    figures.choices = Counter(kept["choices"])
    figures.coverage.add(kept["hits"])
    return figures


def parts_of(first: int, count: int) -> list[range]:
    """`count` seeds from `first` on, in parts that begin at multiples of `PART`."""
    parts = []
    while count > 0:
        size = min(count, PART - first % PART)
        parts.append(range(first, first + size))
        first, count = first + size, count - size
    return parts
