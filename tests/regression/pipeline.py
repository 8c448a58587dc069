"""From a request to a verdict: compile, build, simulate in a process of its own, read what it found, report."""

from __future__ import annotations

import dataclasses
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from config import ExternalCore, HardwareConfig, LaunchPath, RunConfig
from hw.tb.build.elaborate import CoreError
from hw.tb.build.external import ResolvedCore, resolve_core
from hw.tb.build.model import CORES
from hw.tb.build.spec import ModelKind, ModelSpec
from hw.tb.build.toolchain import ToolError
from hw.tb.scoreboard.free import BLIND_SPOTS
from sw.runtime.bar.golden import GoldenBarBackend
from sw.runtime.golden_backend import GoldenBackend
from tests.regression.catalogue import find_test
from tests.regression.compile import compile_images, copy_images
from tests.regression.errors import RunError
from tests.regression.execute import execute
from tests.regression.failure.report import FailureReport
from tests.regression.failure.write import save_report, write_failure
from tests.regression.images import Images
from tests.regression.job import Job, WavesWindow
from tests.regression.junit import write_junit
from tests.regression.paths import join_paths
from tests.regression.progress import Progress, SilentProgress
from tests.regression.rerun.mode import DebugMode
from tests.regression.rerun.rerun import collect_waves, is_ready, rerun
from tests.regression.rerun.scope import explain_scope
from tests.regression.rerun.stream import last_cycle
from tests.regression.rerun.window import windows_of
from tests.regression.result import RunResult
from tests.regression.simulation import Runner, prepare_simulation, ring_of
from tests.regression.typed_json import write_json

BACKENDS = ("cosim", "rtl", "golden")  # the first is the default; `golden` needs no simulator
RESULTS = Path(__file__).parents[2] / "results"


@dataclass(frozen=True)
class Request:
    """One run.

    Attributes:
        images: load these instead of compiling (altered files).
        folder: results go here instead of results/<test>/<configuration>.
        spec: simulate this model instead of the fast one of `config`, such as a debug model or a patched design.
        policy, prepare: as in `Job`.
        debug: whether a failed run is run again with waves. Off here: it is for people at a terminal.
        windows, scope: waves of this run itself, which then runs on the debug model; as in `Job`.
    """

    config: RunConfig
    backend: str = BACKENDS[0]
    images: Images | None = None
    folder: Path | None = None
    spec: ModelSpec | None = None
    policy: str = ""
    prepare: str = ""
    debug: DebugMode = DebugMode.OFF
    windows: tuple[WavesWindow, ...] = ()
    scope: str = ""


@dataclass(frozen=True)
class RunOutcome:
    """Verdict and the folder that holds results.json, results.xml, the images and the simulator's log.

    `failure` is what a failed run says, also in failure.json and failure.html there.
    """

    result: RunResult
    folder: Path
    failure: FailureReport | None = None


def run_test(request: Request, progress: Progress | None = None) -> RunOutcome:
    """Run one test to its verdict.

    Raises:
        RunError: the run could not be started (unknown test, sources that do not compile, missing tools); no results
            are written then.
    """
    shown = progress or SilentProgress()
    request, notes = fit_core(request, shown)
    config = request.config
    images = make_images(request, shown)
    runner = make_runner(request, shown)
    job = make_job(request, images)
    shown.stage(f"running {config.test}")
    result = runner(job, shown)
    if notes:
        result = dataclasses.replace(result, notes=(*result.notes, *notes))
        write_json(job.result, result)
    if request.windows:
        explain_scope(request.scope, result)
        result = dataclasses.replace(result, notes=(*result.notes, *collect_waves(job, result)[1]))
        write_json(job.result, result)
    failure = write_failure(job, result, ring_of([job]))
    if more := _look_closer(request, job, result, failure, shown):
        result = dataclasses.replace(result, notes=(*result.notes, *more))
        write_json(job.result, result)
        failure = failure and save_report(job, dataclasses.replace(failure, notes=result.notes))
    write_junit(job.folder / "results.xml", result)
    return RunOutcome(result, job.folder, failure)


def _look_closer(
    request: Request, job: Job, result: RunResult, failure: FailureReport | None, progress: Progress
) -> tuple[str, ...]:
    """Run it again with waves if the request says so; what is to be told of it."""
    if request.windows or request.backend == "golden":
        return ()
    if not request.config.waves:
        launched = result.kernels or any(item.check == "simulator" for item in result.failures)
        if request.debug is DebugMode.OFF or not result.failures or not launched:
            return ()
        if request.debug is DebugMode.AUTO and not is_ready(job, request.spec):
            named = job.folder.relative_to(RESULTS) if job.folder.is_relative_to(RESULTS) else job.folder
            return (f"waves: make debug RUN={named} (builds the debug model of this shape first)",)
    windows = windows_of(failure, result, last_cycle(job.folder))
    return rerun(job, result, windows, progress, request.spec).notes


def make_images(request: Request, progress: Progress) -> Images:
    """Device side of a run. Raises RunError, also for a test that cannot run on that processor."""
    config = request.config
    test = find_test(config.test)
    if config.waves and request.backend == "golden":
        raise RunError("WAVES=1: the golden model has no signals; run it on the RTL")
    if unmet := test.unmet(config.hardware):
        raise RunError(unmet)
    progress.stage(f"compiling kernels of {test.name}")
    return request.images or compile_images(test, config)


def make_job(request: Request, images: Images) -> Job:
    """Folder of a run, emptied, with copies of the images. Raises RunError if it cannot be written."""
    config = request.config
    test = find_test(config.test)
    folder = request.folder or RESULTS / test.name / run_label(request)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        copies = copy_images(images, test.name, folder)
    except OSError as error:
        raise RunError(f"results cannot be written to {folder}: {error.strerror}") from error
    return Job(config, request.backend, copies, folder, request.policy, request.prepare, request.windows, request.scope)


def fit_core(request: Request, progress: Progress) -> tuple[Request, list[str]]:
    """The request with the model of the core that it names, and notes for the result.

    Raises:
        RunError: the core can't be used.
    """
    notes = [BLIND_SPOTS] if request.backend == "rtl" else []
    core = request.config.core
    if core is None or request.spec is not None or request.backend == "golden":
        return request, notes
    try:
        progress.stage("reading the core of RTL_FILELIST")
        resolved = _resolved(core, request.config.hardware)
    except (CoreError, ToolError) as error:
        raise RunError(str(error)) from error
    config = dataclasses.replace(request.config, hardware=resolved.hardware)
    # Only the BAR path needs the device, and a model without it is built in half the time.
    spec = ModelSpec.of_core(resolved.sources, resolved.hardware, device=LaunchPath.BAR in config.launch.single)
    return dataclasses.replace(request, config=config, spec=spec), [*notes, *resolved.notes]


@cache
def _resolved(core: ExternalCore, hardware: HardwareConfig) -> ResolvedCore:
    """Once for all tests of a process, RTL_PREPARE too."""
    return resolve_core(core, hardware, CORES)


def make_runner(request: Request, progress: Progress) -> Runner:
    """Everything that can be missing is found out here, before anything is written."""
    if request.backend == "golden":
        return run_on_golden_model
    spec = request.spec
    if request.windows:
        spec = dataclasses.replace(spec or ModelSpec(hardware=request.config.hardware), kind=ModelKind.DEBUG)
    return prepare_simulation(request.config, progress, spec)


def run_on_golden_model(job: Job, progress: Progress) -> RunResult:
    """Run in this process, without a simulator; the BARs are those of the golden device."""
    results: list[RunResult] = []
    for path in job.config.launch.single:
        backend = GoldenBackend(job.config) if path is LaunchPath.KMU else GoldenBarBackend(job.config)
        results.append(execute(find_test(job.config.test), backend, job.images, job.config, path))
        if not results[-1].passed:
            break
    result = join_paths(results, counts_vary=find_test(job.config.test).counts_vary)
    write_json(job.result, result)
    return result


def run_label(request: Request) -> str:
    """Folder name of a run: everything that two runs of one test can differ in."""
    config = request.config
    parts = [
        config.hardware.label(),
        config.entry.value,
        config.mem.value,
        config.launch.value,
        config.copy.value,
        f"seed{config.seed}",
    ]
    if config.core is not None:
        parts.insert(0, config.core.label())
    if config.size:
        parts.append(f"n{config.size}")
    if request.backend != BACKENDS[0]:
        parts.append(request.backend)
    return "-".join(parts)
