"""Runs a fault as a user would meet it: the run fails, says why, is run again with waves. Judges what was said."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config import RunConfig
from hw.tb.build.spec import REPO, RTL, ModelKind, ModelSpec
from hw.tb.debug.waves.fst import CYCLE_NS, time_span
from tests.evidence.patched import Patched
from tests.evidence.switched import choose, write_design
from tests.faults.campaign import put_in_times, run_with
from tests.faults.fault import Fault
from tests.regression.failure.report import FailureReport
from tests.regression.failure.write import failure_lines
from tests.regression.pipeline import Request, RunOutcome, run_test
from tests.regression.progress import Progress
from tests.regression.rerun.mode import DebugMode
from tests.regression.rerun.rerun import verdict_cycle
from tests.regression.rerun.stream import FILE as STREAMS
from tests.regression.rerun.stream import last_cycle
from tests.regression.result import RunResult
from tests.regression.simulation import prepare_model

RESULTS = REPO / "results" / "evidence"
SOURCES = REPO / "build" / "evidence"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        found: first line of what was reported; the difference or the root of the hang.
        missing: expectations that the report does not meet; empty for a hit.
        same: the second run was the same run.
        inside: the traced windows hold the cycle of the failure; of a hang, the last step of who stands still.
        megabytes: of all FST files.
        seconds: from the end of the failing run to the opened evidence; `run_seconds` of the failing run, both of wall
            time.
        noticed: the run failed.
    """

    name: str
    says: str
    found: str
    probable: str
    missing: tuple[str, ...]
    same: bool
    inside: bool
    megabytes: float
    seconds: float
    run_seconds: float
    noticed: bool = True


def run_forced(fault: Fault, names: tuple[str, ...]) -> Row:
    """A fault that is forced into the running debug model."""
    run = run_with(fault, RESULTS / fault.name, debug=DebugMode.ALWAYS)
    missing = [] if put_in_times(fault, run) else ["the fault did not happen"]
    return _row(fault.name, fault.says, names, run.result, run.failure, run.folder, missing)


def run_patched(fault: Patched, progress: Progress) -> Row:
    """A fault in a copy of the design; its model is built first, which counts for nothing."""
    rtl = SOURCES / fault.name
    shutil.rmtree(rtl, ignore_errors=True)
    shutil.copytree(RTL, rtl)
    (rtl / fault.file).write_text(fault.apply(), encoding="utf-8")
    config = RunConfig.from_knobs({"TEST": fault.test, "LAUNCH": "kmu", **dict(fault.knobs)})
    spec = ModelSpec(hardware=config.hardware, kind=ModelKind.DEBUG, rtl=rtl)
    return _run(fault, config, spec, progress)


def run_switched(fault: Patched, all_faults: Sequence[Patched], progress: Progress) -> Row:
    """One fault of a model that has all of them; it is built for the first and without the BAR device.

    Raises:
        PatchError: the design no longer has its line.
    """
    fault.apply()
    number, rtl = SOURCES / "number", SOURCES / "switched"
    write_design(all_faults, rtl, number)
    choose(number, all_faults.index(fault) + 1)
    config = RunConfig.from_knobs({"TEST": fault.test, "LAUNCH": "kmu", **dict(fault.knobs)})
    spec = ModelSpec(hardware=config.hardware, kind=ModelKind.DEBUG, rtl=rtl, device=False)
    return _run(fault, config, spec, progress)


def _run(fault: Patched, config: RunConfig, spec: ModelSpec, progress: Progress) -> Row:
    prepare_model(config, progress, spec)
    request = Request(config, folder=RESULTS / fault.name, spec=spec, debug=DebugMode.ALWAYS)
    outcome: RunOutcome = run_test(request, progress)
    says = f"{fault.file}: {fault.says}"
    return _row(fault.name, says, fault.names, outcome.result, outcome.failure, outcome.folder, [])


def screen_of(result: RunResult, failure: FailureReport | None, folder: Path) -> str:
    """What the terminal shows of the first failure."""
    if not result.failures:
        return ""
    lines = failure_lines(failure, folder) if failure is not None else []
    return "\n".join([result.failures[0].screen, *lines])


def _row(
    name: str,
    says: str,
    names: tuple[str, ...],
    result: RunResult,
    failure: FailureReport | None,
    folder: Path,
    missing: list[str],
) -> Row:
    opened = time.time()
    text = screen_of(result, failure, folder)
    (folder / "screen.txt").write_text(text + "\n", encoding="utf-8")
    if result.passed:
        missing.append("the run passed")
    missing += [f"no match of {pattern}" for pattern in names if not re.search(pattern, text, re.MULTILINE)]
    first = result.failures[0] if result.failures else None
    found = ""
    if first is not None:
        detail = first.detail
        place = f" at {detail.pc:#x} <{detail.symbol}>" if detail is not None and detail.pc is not None else ""
        found = f"{first.check}: {first.message}{place}"
        if failure is not None and failure.hang is not None:
            found = f"{failure.hang.verdict}: {failure.hang.root}"
    files = [*folder.glob("debug/*.fst")]
    began, ended = ((folder / name).stat().st_mtime for name in ("started", STREAMS))
    return Row(
        name,
        says,
        found,
        str(failure.probable.cause) if failure is not None else "",
        tuple(missing),
        any(note.startswith("run again on the debug model: the same") for note in result.notes),
        _inside(files, result, failure, folder),
        sum(path.stat().st_size for path in files) / 1e6,
        opened - ended,
        ended - began,
        not result.passed,
    )


def _inside(files: list[Path], result: RunResult, failure: FailureReport | None, folder: Path) -> bool:
    """Whether the windows hold what the report names."""
    if failure is not None and failure.hang is not None:
        wanted = {wait.since for wait in failure.hang.waits if wait.since is not None}
        wanted |= {request.since for request in failure.hang.outstanding}
        wanted = {min(wanted)} if wanted else {max(unit.cycle or 0 for unit in failure.hang.progress)}
    else:
        wanted = {verdict_cycle(result) or last_cycle(folder)}
    spans = [time_span(path) for path in files]
    return all(any(first <= at * CYCLE_NS <= last for first, last in spans) for at in wanted)
