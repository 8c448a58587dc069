"""Makes the report of a failed run and puts it beside the results."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from config import HardwareConfig
from golden_model.follow.difference import Category
from golden_model.follow.explain import SourceLocation
from golden_model.hang import HangReport, explain_hang
from golden_model.hang.explain import PATIENCE
from golden_model.records.layout import Kind
from golden_model.records.ring import Batch, RecordError, RingReader
from hw.tb.scoreboard.symbols import ElfSymbols
from tests.regression.failure.context import context_of
from tests.regression.failure.page import render
from tests.regression.failure.probable import probable
from tests.regression.failure.report import Cause, Context, FailureReport, Probable
from tests.regression.job import Job
from tests.regression.result import Failure, RunResult
from tests.regression.typed_json import write_json, write_text

JSON, PAGE = "failure.json", "failure.html"
_CRASH, _HANG, _ASSERTION = "simulator", "hang", "rtl assertion"
_LOG = "sim.log"  # beside the ring
_MOST_ASSERTIONS = 4


def write_failure(job: Job, result: RunResult, ring: Path) -> FailureReport | None:
    """Write `failure.json` and `failure.html` into the folder of a failed run; None for a run without a failure.

    `ring` is the ring file that the simulator left behind; it need not exist.
    """
    if not result.failures:
        return None
    return save_report(job, make_report(job, result, ring))


def save_report(job: Job, report: FailureReport) -> FailureReport:
    """Write a report into the folder of its run."""
    write_json(job.folder / JSON, report)
    write_text(job.folder / PAGE, render(report))
    return report


def make_report(job: Job, result: RunResult, ring: Path) -> FailureReport:
    """The report of the first failure; what the records can't tell is left out, and the report says why."""
    first = result.failures[0]
    hardware = job.config.hardware
    symbols = _Symbols(job, first.kernel)
    batch, missing = _recovered(ring)
    context, hang = Context(missing=missing), None
    if batch is not None:
        hang = _hang(batch, hardware, first, symbols)
        if first.detail is not None:
            context = context_of(batch, hardware, first.detail, symbols.locate)
    return FailureReport(
        test=result.test,
        backend=result.backend,
        kernel=first.kernel,
        check=first.check,
        category=first.category,
        message=first.message,
        probable=_asserted(first, ring) or probable(first.check, first.detail, context, hang),
        screen=first.screen,
        hardware={field.name: str(getattr(hardware, field.name)) for field in dataclasses.fields(hardware)},
        knobs=dict(result.knobs),
        reproduce=result.repro,
        difference=first.detail,
        context=context,
        hang=hang,
        also=tuple(f"{later.check}: {later.message}" for later in result.failures[1:]),
        notes=result.notes,
    )


def failure_lines(report: FailureReport, folder: Path) -> list[str]:
    """What the terminal adds to the screen of the first failure."""
    lines = ["", *report.hang.render().splitlines()] if report.hang is not None else []
    lines.append(f"\n  probable    {report.probable.cause}")
    lines += [f"              {text}" for text in report.probable.evidence]
    for producer in report.context.producers:
        store = producer.store
        symbol = f" <{store.symbol}>" if store.symbol else ""
        lines.append(
            f"  written by  {producer.address:#010x} (lane {producer.lane}): core {store.core} warp {store.warp}, "
            f"cycle {store.cycle}, {store.pc:#010x}{symbol}  {store.disassembly}"
        )
    return [*lines, f"  report      {folder / PAGE}"]


def _hang(batch: Batch, hardware: HardwareConfig, first: Failure, symbols: _Symbols) -> HangReport | None:
    """For a run that stood still or whose process was stopped."""
    if first.category != Category.PROGRESS and first.check != _CRASH:
        return None
    return explain_hang(batch, hardware, cycle=first.cycle, patience=_patience(batch, first), symbolize=symbols.locate)


def _asserted(first: Failure, ring: Path) -> Probable | None:
    """For a failed assertion of the design: which, and in which instance. The simulator tells it in its log only."""
    if first.check != _ASSERTION:
        return None
    try:
        lines = ring.with_name(_LOG).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    told = [line.split("%Error: ", 1)[1].strip() for line in lines if "%Error: " in line and "ssertion failed" in line]
    return Probable(Cause.RTL_CONTROL, tuple(told[:_MOST_ASSERTIONS])) if told else None


def _patience(batch: Batch, first: Failure) -> int:
    """The watchdog has waited as long as the run was told to: then what was still for that time has stopped."""
    commits = batch[Kind.COMMIT]
    if first.check != _HANG or not len(commits):
        return PATIENCE
    return max(1, min(PATIENCE, first.cycle - int(commits["cycle"].max())))


def _recovered(ring: Path) -> tuple[Batch | None, str]:
    """What the simulator left behind, or why there is nothing."""
    if not ring.exists():
        return None, "no simulator kept records of this run"
    try:
        with RingReader(ring, recover=True) as reader:
            batch = reader.read()
    except RecordError as error:
        return None, str(error)
    if not len(batch[Kind.COMMIT]) and not len(batch[Kind.RUN]):
        return None, "the records are empty: the processor was never started, or it has no probes"
    return batch, ""


class _Symbols:
    """Names of code addresses, from the ELF files beside the images of a run."""

    def __init__(self, job: Job, kernel: str) -> None:
        images = sorted(job.images.kernels, key=lambda image: image.kernel != kernel)  # files may overlap
        paths = dict.fromkeys(image.path.with_suffix(".elf") for image in images)
        self._files = [ElfSymbols(path) for path in paths if path.exists()]

    def locate(self, address: int) -> SourceLocation:
        for file in self._files:
            found = file.locate(address)
            if found.symbol is not None or found.source is not None:
                return found
        return SourceLocation(None, None)
