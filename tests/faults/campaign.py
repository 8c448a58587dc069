"""Runs scenes with and without their fault, on one debug model, and judges the first report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from config import RunConfig
from hw.tb.build.spec import ModelKind, ModelSpec
from tests.faults.fault import AlteredFooter, Fault, Forced, Injected, Report, Scene
from tests.faults.hooks import HOST_ONLY, WITHOUT
from tests.faults.image import address_of, alter_footer
from tests.faults.witness import Witness, read_witness
from tests.regression.catalogue import find_test
from tests.regression.compile import compile_images
from tests.regression.failure.report import FailureReport
from tests.regression.images import Images
from tests.regression.pipeline import Request, run_test
from tests.regression.rerun.mode import DebugMode
from tests.regression.result import RunResult

_HOOKS = "tests.faults.hooks"


@dataclass(frozen=True)
class Run:
    """A run and what its simulation counted; `images` are those that were loaded, before they were copied."""

    result: RunResult
    images: Images
    folder: Path
    failure: FailureReport | None = None

    def witness(self) -> Witness:
        """Raises TypedJsonError if nothing was simulated."""
        return read_witness(self.folder)


def config_of(scene: Scene) -> RunConfig:
    """The knobs of a scene."""
    return RunConfig.from_knobs({"TEST": scene.test, "LAUNCH": "kmu", **dict(scene.knobs)})


def run_with(
    fault: Fault,
    folder: Path,
    backend: str = "cosim",
    *,
    host_only: bool = False,
    debug: DebugMode = DebugMode.OFF,
) -> Run:
    """Run the fault's scene with the fault; results go to `folder`.

    Args:
        host_only: no checker at all, so that only the host's expectation judges; with the backend `rtl`.
        debug: run it again with waves.
    """
    images = _images(fault.scene)
    if isinstance(fault.put_in, AlteredFooter):
        images = alter_footer(images, fault.put_in, folder / "altered")
    hook = f"{HOST_ONLY if host_only else ''}{fault.name}"
    return _run(fault.scene, images, folder / "run", f"{_HOOKS}:{hook}", backend, debug=debug)


def run_without(fault: Fault, folder: Path, kind: ModelKind = ModelKind.DEBUG) -> Run:
    """Run the fault's scene as it is."""
    return _run(fault.scene, _images(fault.scene), folder / "run", f"{_HOOKS}:{WITHOUT}{fault.name}", "cosim", kind)


def misses(fault: Fault, run: Run) -> list[str]:
    """What is missing of the report that the fault must cause; empty if the run failed exactly as demanded."""
    if run.result.passed:
        return ["the run passed"]
    if not run.result.failures:
        return ["the run did not pass, but reports nothing"]
    first, wanted = run.result.failures[0], fault.first
    missing = [
        f"the first report has {name} {found!r} instead of {demanded!r}"
        for name, demanded, found in (
            ("check", wanted.check, first.check),
            ("category", wanted.category, first.category),
            ("kernel", wanted.kernel, first.kernel),
        )
        if found != demanded
    ]
    address = _address(fault, run.images)
    for pattern in wanted.shows:
        filled = pattern.replace("{pc}", f"{address:#x}" if address is not None else "")
        if not re.search(filled, first.screen, re.MULTILINE):
            missing.append(f"the first screen does not match {filled!r}")
    for check, pattern in wanted.also:
        if not any(later.check == check and re.search(pattern, later.message) for later in run.result.failures[1:]):
            missing.append(f"no later report has check {check!r} with a message that matches {pattern!r}")
    return missing


def put_in_times(fault: Fault, run: Run) -> int:
    """How often the simulation says that the fault happened; 1 for faults that no simulation counts."""
    match fault.put_in:
        case Forced():
            return run.witness().forced
        case Injected():
            return run.witness().injected
        case _:
            return 1


def explain(fault: Fault, run: Run, missing: list[str]) -> str:
    """Text of a failed test."""
    shown = run.result.failures[0].screen if run.result.failures else "(no report)"
    return "\n".join([f"{fault.name}: {fault.says}", *missing, f"results: {run.folder}", "", shown])


def _address(fault: Fault, images: Images) -> int | None:
    wanted: Report = fault.first
    if wanted.place is not None:
        return address_of(images, wanted.place)
    if isinstance(fault.put_in, Forced) and fault.put_in.at is not None:
        return address_of(images, fault.put_in.at.place)
    return None


def _images(scene: Scene) -> Images:
    config = config_of(scene)
    return compile_images(find_test(config.test), config)


def _run(
    scene: Scene,
    images: Images,
    folder: Path,
    prepare: str,
    backend: str,
    kind: ModelKind = ModelKind.DEBUG,
    debug: DebugMode = DebugMode.OFF,
) -> Run:
    config = config_of(scene)
    # One debug model serves all faults: which signal is forced, and when, is decided in the running simulation.
    spec = ModelSpec(hardware=config.hardware, kind=kind)
    request = Request(config, backend, images=images, folder=folder, spec=spec, prepare=prepare, debug=debug)
    outcome = run_test(request)
    return Run(outcome.result, images, folder, outcome.failure)
