"""pytest plugin of a nightly run: makes items of the plan, groups them by chunk, shows progress.

A scheduler of its own keeps a chunk on one worker, so that its cases share a simulator process; `-k` and `-m` select
cases, and only selected ones run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.nightly.case import Case
from tests.nightly.local import LocalRunner, Runner
from tests.nightly.plan import Plan, read_plan

_RUN = "--nightly-run"
_SCHEDULER = "--nightly-scheduler"
_PLAN = pytest.StashKey[Plan]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Folder of the run, and the address of a cluster."""
    parser.addoption(_RUN, type=Path, help="folder of a nightly run")
    parser.addoption(_SCHEDULER, default="", help="address of a Dask scheduler")


def pytest_configure(config: pytest.Config) -> None:
    """Tags are markers."""
    plan = read_plan(config.getoption(_RUN))
    config.stash[_PLAN] = plan
    for tag in sorted({tag for case in plan.cases for tag in case.tags}):
        config.addinivalue_line("markers", f"{tag}: tag of suites")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item a case."""
    if "case" not in metafunc.fixturenames:
        return
    plan = metafunc.config.stash[_PLAN]
    parameters = [
        pytest.param(
            chunk,
            case,
            id=case.id,
            marks=[getattr(pytest.mark, tag) for tag in case.tags],
        )
        for chunk in plan.chunks
        for case in chunk.cases
    ]
    metafunc.parametrize(("chunk", "case"), parameters)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ChunkScheduling:
    """One worker for each chunk."""
    return ChunkScheduling(config, log, config.stash[_PLAN])


class ChunkScheduling(LoadScopeScheduling):
    """Chunks in the order of the plan, each to the worker that is free first.

    The marker `xdist_group` would say the same, but pytest-xdist 3.8 writes groups into a place of the node id that
    pytest 9.2 no longer reads.
    """

    def __init__(self, config: pytest.Config, log: Producer, plan: Plan) -> None:
        super().__init__(config, log)
        self._chunks = {case.id: chunk.name for chunk in plan.chunks for case in chunk.cases}

    def _split_scope(self, nodeid: str) -> str:
        return self._chunks[nodeid.partition("[")[2].rstrip("]")]


@pytest.fixture(scope="session")
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """Where chunks run: here, or on the cluster."""
    config = request.config
    selected = [item.callspec.params for item in request.session.items if isinstance(item, pytest.Function)]
    wanted = {_case(params["case"]).id for params in selected}
    run: Path = config.getoption(_RUN)
    address: str = config.getoption(_SCHEDULER)
    made: Runner
    if address:
        from tests.nightly.cluster import ClusterRunner

        made = ClusterRunner(run, address, config.stash[_PLAN].chunks, wanted)
    else:
        made = LocalRunner(run, wanted)
    yield made
    made.close()


def _case(value: object) -> Case:
    assert isinstance(value, Case)
    return value
