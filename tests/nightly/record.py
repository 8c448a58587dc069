"""The finished case: one small JSON file, written completely or not at all, so that no kill loses what was done."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from tests.nightly.case import Case
from tests.regression.bucket import bucket_of
from tests.regression.result import RunResult

RECORD = "record.json"
_NOT_HERE = "launch-refused"  # the check that a host program fails by refusing before its first launch


class Verdict(Enum):
    """How a case ended, seen by whoever must act on it."""

    PASS = "pass"
    FAIL = "fail"
    EXPECTED_FAIL = "expected failure"
    UNEXPECTED_PASS = "unexpected pass"  # a known failure is gone: take it off the list
    REFUSED = "refused"  # could not be started
    SKIPPED = "skipped"  # the host program says that this size or processor is none for it

    @property
    def good(self) -> bool:
        return self in (Verdict.PASS, Verdict.EXPECTED_FAIL, Verdict.SKIPPED)


class Record(BaseModel):
    """What is kept of a case for ever.

    Attributes:
        bucket: the first difference without its numbers: equal causes have equal buckets. Empty for a pass.
        message: the first difference in a sentence.
        screen: the first screen of the failure.
        repro: the command that repeats it.
        flaky: the same seed ended differently when it was repeated alone.
        cycles, instructions: of all launches. `seconds`: wall time of the case; `simulating`: of its launches.
    """

    model_config = ConfigDict(frozen=True)

    case: Case
    verdict: Verdict
    bucket: str = ""
    message: str = ""
    screen: str = ""
    repro: str = ""
    flaky: bool = False
    cycles: int = 0
    instructions: int = 0
    compared: int = 0
    seconds: float = 0.0
    simulating: float = 0.0

    @property
    def ipc(self) -> float:
        return self.instructions / self.cycles if self.cycles else 0.0


def record_of(case: Case, result: RunResult, seconds: float) -> Record:
    """Judge a result against what the case expects and its budget of cycles."""
    first = result.failures[0] if result.failures else None
    failed, bucket, message, screen = not result.passed, "", "", ""
    if first is not None:
        bucket, message, screen = bucket_of(first.check, first.kernel, first.message), first.message, first.screen
    elif failed:
        bucket = message = screen = "nothing was run"
    elif result.cycles > case.cycles:
        failed = True
        message = f"{result.cycles:,} cycles, the budget of suite {case.suite} is {case.cycles:,}"
        bucket, screen = bucket_of("cycle budget", case.test, message), f"cycle budget\n  {message}"
    skipped = first is not None and first.check == _NOT_HERE and not result.kernels
    return Record(
        case=case,
        verdict=Verdict.SKIPPED if skipped else _verdict(case, failed),
        bucket=bucket,
        message=message,
        screen=screen,
        repro=result.repro,
        cycles=result.cycles,
        instructions=result.instructions,
        compared=result.compared,
        seconds=seconds,
        simulating=result.simulation_seconds,
    )


def refused(case: Case, message: str) -> Record:
    """The record of a case that could not be started, even where a failure was expected: that was another one."""
    repro = "make " + " ".join(f"{name}={value}" for name, value in case.knobs.items())
    screen = f"not started\n  {message}"
    return Record(
        case=case,
        verdict=Verdict.REFUSED,
        bucket=bucket_of("not started", "", message),
        message=message,
        screen=screen,
        repro=repro,
    )


def _verdict(case: Case, failed: bool) -> Verdict:
    if case.expected_failure:
        return Verdict.EXPECTED_FAIL if failed else Verdict.UNEXPECTED_PASS
    return Verdict.FAIL if failed else Verdict.PASS


def write_record(folder: Path, record: Record) -> None:
    """Put the record into the folder of its case; it is on the disk when this returns."""
    temporary = folder / f"{RECORD}.{os.getpid()}.partial"
    with temporary.open("w", encoding="utf-8") as file:
        file.write(record.model_dump_json(indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / RECORD)


def read_record(folder: Path) -> Record | None:
    """The record in the folder of a case; None if the case has not finished."""
    try:
        return Record.model_validate_json((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None
