"""History of all runs: SQLite in the results folder, or any database that SQLAlchemy reaches by URL."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    delete,
    event,
    func,
    insert,
    select,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from tests.nightly.errors import NightlyError
from tests.nightly.plan import Plan
from tests.nightly.record import Record

FILE = "history.sqlite"
_BUSY_MS = 60_000  # two nightlies of one checkout write one after the other

_META = MetaData()
_RUNS = Table(
    "run",
    _META,
    Column("id", String, primary_key=True),
    Column("started", DateTime(timezone=True), nullable=False, index=True),
    Column("tier", String, nullable=False),
    Column("night_seed", Integer, nullable=False),
    Column("commit", String, nullable=False),
    Column("versions", JSON, nullable=False),
)
_RESULTS = Table(
    "result",
    _META,
    Column("run", String, primary_key=True),
    Column("name", String, primary_key=True),  # of the case, without the seed
    Column("seed", Integer, primary_key=True),
    Column("test", String, nullable=False),
    Column("shape", String, nullable=False),
    Column("verdict", String, nullable=False),
    Column("bucket", String, nullable=False),
    Column("flaky", Boolean, nullable=False),
    Column("cycles", Integer, nullable=False),
    Column("instructions", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("simulating", Float, nullable=False),
)


@dataclass(frozen=True)
class RunRow:
    """One run: totals and where its time went. Speed is simulated cycles a second, 0 if nothing was simulated."""

    id: str
    started: datetime.datetime
    commit: str
    cases: int
    passed: int
    cycles: int
    simulating: float

    @property
    def speed(self) -> float:
        return self.cycles / self.simulating if self.simulating else 0.0


@dataclass(frozen=True)
class Sample:
    """One case in one run. `speed` is simulated cycles a second."""

    run: str
    commit: str
    name: str
    seed: int
    verdict: str
    cycles: int
    seconds: float
    speed: float


class History:
    """All runs so far.

    Args:
        place: a folder (SQLite), or a URL of SQLAlchemy.

    Raises:
        NightlyError: it cannot be opened or written.
    """

    def __init__(self, place: Path | str) -> None:
        self.place = f"sqlite:///{place / FILE}" if isinstance(place, Path) else place
        try:
            self._engine = _engine(self.place)
            self._create_tables()
        except (SQLAlchemyError, ImportError, ValueError) as error:
            raise NightlyError(f"history {self.place}: {_cause(error)}") from error

    def _create_tables(self) -> None:
        with self._engine.begin() as connection:
            for table in _META.sorted_tables:
                # `create_all` looks first and creates then; two nightlies that start together would both create.
                connection.execute(CreateTable(table, if_not_exists=True))
                for index in table.indexes:
                    connection.execute(CreateIndex(index, if_not_exists=True))

    def add(self, plan: Plan, records: Sequence[Record]) -> None:
        """Put a run in; one that is there is replaced (a resumed run grows). Raises NightlyError."""
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(_RESULTS).where(_RESULTS.c.run == plan.id))
                connection.execute(delete(_RUNS).where(_RUNS.c.id == plan.id))
                connection.execute(insert(_RUNS), [_run_values(plan)])
                if records:
                    connection.execute(insert(_RESULTS), [_values(plan.id, record) for record in records])
        except SQLAlchemyError as error:
            raise NightlyError(f"history {self.place}: {_cause(error)}") from error

    def runs(self, last: int) -> list[RunRow]:
        """The last runs, oldest first."""
        passed = func.sum((_RESULTS.c.verdict.in_(("pass", "expected failure", "skipped"))).cast(Integer))
        query = (
            select(
                _RUNS.c.id,
                _RUNS.c.started,
                _RUNS.c.commit,
                func.count(_RESULTS.c.name),
                func.coalesce(passed, 0),
                func.coalesce(func.sum(_RESULTS.c.cycles), 0),
                func.coalesce(func.sum(_RESULTS.c.simulating), 0.0),
            )
            .join(_RESULTS, _RESULTS.c.run == _RUNS.c.id, isouter=True)
            .group_by(_RUNS.c.id)
            .order_by(_RUNS.c.started.desc())
            .limit(last)
        )
        with self._engine.connect() as connection:
            return [RunRow(*row) for row in connection.execute(query)][::-1]

    def samples(self, last: int, before: str = "") -> list[Sample]:
        """Cases of the last runs, oldest first; only of runs that started before the run `before`, if given."""
        runs = select(_RUNS.c.id, _RUNS.c.started, _RUNS.c.commit)
        if before:
            started = select(_RUNS.c.started).where(_RUNS.c.id == before).scalar_subquery()
            runs = runs.where(_RUNS.c.started < started)
        recent = runs.order_by(_RUNS.c.started.desc()).limit(last).subquery()
        columns = (_RESULTS.c.name, _RESULTS.c.seed, _RESULTS.c.verdict, _RESULTS.c.cycles)
        query = (
            select(recent.c.id, recent.c.commit, *columns, _RESULTS.c.seconds, _RESULTS.c.simulating)
            .join(_RESULTS, _RESULTS.c.run == recent.c.id)
            .order_by(recent.c.started, _RESULTS.c.name)
        )
        with self._engine.connect() as connection:
            return [
                Sample(*row[:7], row.cycles / row.simulating if row.simulating else 0.0)
                for row in connection.execute(query)
            ]

    def expected_seconds(self, last: int = 5) -> dict[str, float]:
        """Mean wall time by name of the case over the last runs."""
        times: dict[str, list[float]] = {}
        for sample in self.samples(last):
            times.setdefault(sample.name, []).append(sample.seconds)
        return {name: sum(values) / len(values) for name, values in times.items()}


def _engine(url: str) -> Engine:
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.execute("PRAGMA journal_mode = WAL")

    return engine


def _cause(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).split("\n")[0]


def _run_values(plan: Plan) -> dict[str, object]:
    return {
        "id": plan.id,
        "started": plan.started,
        "tier": plan.tier.value,
        "night_seed": plan.night_seed,
        "commit": plan.commit,
        "versions": plan.versions,
    }


def _values(run: str, record: Record) -> dict[str, object]:
    return {
        "run": run,
        "name": record.case.name,
        "seed": record.case.seed,
        "test": record.case.test,
        "shape": record.case.shape,
        "verdict": record.verdict.value,
        "bucket": record.bucket,
        "flaky": record.flaky,
        "cycles": record.cycles,
        "instructions": record.instructions,
        "seconds": record.seconds,
        "simulating": record.simulating,
    }
