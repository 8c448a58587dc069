"""The plan of one run: its cases, in chunks that share a simulator process. A file in the folder of the run."""

from __future__ import annotations

import datetime
import os
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tests.nightly.case import Case
from tests.nightly.choose import Chosen, Tests, choose
from tests.nightly.errors import NightlyError
from tests.nightly.suite import Suite, Tier

PLAN = "plan.json"
_DEFAULT_SECONDS = 2.0  # of a case without history
_CHUNK_SECONDS = 45.0  # long enough to pay for the start of a process, short enough to share work between workers


class Chunk(BaseModel):
    """Cases of one model that run one after the other in one process."""

    model_config = ConfigDict(frozen=True)

    name: str
    cases: tuple[Case, ...]


class Plan(BaseModel):
    """One run.

    Attributes:
        id: name of its folder.
        night_seed: where every seed comes from.
        commit: of the sources, with `+` behind it if they had been changed.
        skipped: how many combinations no processor of theirs can run, by reason.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    tier: Tier
    night_seed: int
    started: datetime.datetime
    commit: str
    versions: dict[str, str]
    chunks: tuple[Chunk, ...]
    skipped: dict[str, int] = {}

    @property
    def cases(self) -> list[Case]:
        return [case for chunk in self.chunks for case in chunk.cases]


def cases_of(suites: Sequence[Suite], tier: Tier, tests: Tests, night_seed: int) -> Chosen:
    """Cases of all suites of a tier and the smaller ones. Raises NightlyError."""
    found: dict[str, Case] = {}
    skipped = Counter[str]()
    for suite in suites:
        if suite.tier.rank <= tier.rank:
            chosen = choose(suite, tests, night_seed)
            found.update((case.id, case) for case in chosen.cases)
            skipped.update(chosen.skipped)
    return Chosen(tuple(found.values()), skipped)


def make_chunks(cases: Sequence[Case], expected: Mapping[str, float]) -> tuple[Chunk, ...]:
    """Cases by model, in chunks of similar duration; the longest chunks come first.

    Args:
        cases: of all suites.
        expected: seconds by name of the case, from history.
    """
    by_model: dict[str, list[Case]] = {}
    for case in cases:
        by_model.setdefault(case.model, []).append(case)
    chunks: list[tuple[float, Chunk]] = []
    for members in by_model.values():
        # Images of one test in the three generations are compiled one after the other, near their use.
        parts = _split(sorted(members, key=lambda case: case.name), expected)
        for number, (seconds, part) in enumerate(parts):
            chunks.append((seconds, Chunk(name=f"{members[0].shape}.{number}", cases=tuple(part))))
    ordered = sorted(chunks, key=lambda item: -item[0])
    return tuple(chunk for _, chunk in _distinct(ordered))


def _split(cases: Sequence[Case], expected: Mapping[str, float]) -> list[tuple[float, list[Case]]]:
    parts: list[tuple[float, list[Case]]] = []
    for case in cases:
        seconds = expected.get(case.name, _DEFAULT_SECONDS)
        if parts and parts[-1][0] + seconds <= _CHUNK_SECONDS:
            parts[-1] = (parts[-1][0] + seconds, [*parts[-1][1], case])
        else:
            parts.append((seconds, [case]))
    return parts


def _distinct(chunks: list[tuple[float, Chunk]]) -> list[tuple[float, Chunk]]:
    """Names may repeat where two models have one shape; they name folders, so they are numbered."""
    seen: dict[str, int] = {}
    result = []
    for seconds, chunk in chunks:
        seen[chunk.name] = seen.get(chunk.name, 0) + 1
        name = chunk.name if seen[chunk.name] == 1 else f"{chunk.name}.{seen[chunk.name]}"
        result.append((seconds, chunk.model_copy(update={"name": name})))
    return result


def fresh_seed() -> int:
    """A seed that no run had before, most likely."""
    return secrets.randbelow(1 << 31)


def make_folder(root: Path, now: datetime.datetime) -> Path:
    """A folder of its own for a run; two runs that start in one second get two.

    Raises:
        NightlyError: the folder cannot be made: its path and why.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        stem = now.strftime("%Y%m%d-%H%M%S")
        for number in range(1, 1000):
            folder = root / (stem if number == 1 else f"{stem}-{number}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise NightlyError(f"results cannot be written to {root}: {error.strerror}") from error
    raise NightlyError(f"results cannot be written to {root}: a thousand runs have the name {stem}")


def write_plan(folder: Path, plan: Plan) -> None:
    """Raises NightlyError if the disk is full or the folder cannot be written."""
    temporary = folder / f"{PLAN}.partial"
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(plan.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / PLAN)
    except OSError as error:
        raise NightlyError(f"the plan cannot be written to {folder}: {error.strerror}") from error


def read_plan(folder: Path) -> Plan:
    """Raises NightlyError: there is no such run, or its plan is damaged."""
    try:
        return Plan.model_validate_json((folder / PLAN).read_text(encoding="utf-8"))
    except OSError as error:
        raise NightlyError(f"there is no run {folder.name}: {folder / PLAN}: {error.strerror}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        raise NightlyError(f"the plan of run {folder.name} is damaged; start a new run") from error
