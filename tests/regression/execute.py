"""Runs one host program on one device and judges everything that came back."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from contextlib import suppress

from config import LaunchPath, RunConfig
from golden_model.follow.difference import Category, Difference
from sw.runtime import Device, DeviceError, LaunchError, ModuleError
from sw.runtime.backend import Backend
from sw.runtime.device import MINSTRET
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError
from sw.runtime.messages import CheckFailed, Fault, LaunchStatus
from tests.regression.errors import RunError, describe
from tests.regression.expectation import Comparison
from tests.regression.images import Images
from tests.regression.kernel_test import KernelTest
from tests.regression.minimum import shortfalls
from tests.regression.result import Failure, KernelResult, Outcome, RunResult
from tests.regression.session import Launched, Session

LOCKSTEP_BACKEND = "cosim"

# Stable names of checks for errors that end a host program.
_CHECKS: dict[type[Exception], str] = {
    DeviceLostError: "device-lost",
    DeviceTimeoutError: "device-timeout",
    LaunchError: "launch-refused",
    ModuleError: "module-refused",
}


def execute(
    test: KernelTest,
    backend: Backend,
    images: Images,
    config: RunConfig,
    path: LaunchPath = LaunchPath.KMU,
    at_end: Callable[[Device], None] = lambda device: None,
) -> RunResult:
    """Run `test` to its end, whatever happens, and return the verdict; never raises for a fault of the device.

    `path` is how this backend launches; `at_end` is called with the device of a run without failures.
    """
    started = time.perf_counter()
    device = Device(backend)
    session = Session(device, images, config.size or test.sizes.default, config.seed)
    visible = config.core is None or bool(config.core.bind)  # probes show which blocks ran
    stopped_by: list[Failure] = []
    try:
        retired_before = _retired(device)
        test.body(session)
        session.finish()
    except (DeviceError, RunError) as error:
        stopped_by.append(_host_failure(_CHECKS.get(type(error), "host"), str(error)))
    except Exception as error:
        stopped_by.append(_host_failure("host-program", f"the host program of {test.name} failed: {describe(error)}"))
    if stopped_by:
        with suppress(DeviceError):  # what earlier launches reported comes before the consequence
            session.finish()
    failures: list[Failure] = []
    kernels = [
        dataclasses.replace(_judge(launched, backend.name, failures, visible), path=path.value)
        for launched in session.launches
    ]
    failures += stopped_by
    failures += _coverage(test, session, failures)
    if not failures:
        results = [launched.result for launched in session.launches if launched.result is not None]
        failures += [_host_failure("minimum", text) for text in shortfalls(test, config, results)]
    if not failures:
        failures += _counter(device, retired_before, kernels)
    if not failures:
        at_end(device)
    for check in session.checks:
        if check.outcome is Outcome.FAIL:
            failures.append(_host_failure(check.name, check.detail))
    return RunResult(
        test=test.name,
        backend=backend.name,
        knobs=config.knobs(),
        repro=config.repro_line(),
        kernels=tuple(kernels),
        checks=tuple(session.checks),
        failures=tuple(failures),
        wall_seconds=time.perf_counter() - started,
    )


def _judge(launched: Launched, backend: str, failures: list[Failure], visible: bool) -> KernelResult:
    """Verdict on one launch; what is wrong with it is appended to `failures`, causes before consequences."""
    result = launched.result
    if result is None:
        return KernelResult(launched.kernel, launched.launch_id, Outcome.FAIL, "", message="did not end")
    found = [_check_failure(check, launched) for check in result.failed_checks]
    found += [_fault_failure(fault, launched) for fault in result.faults]
    found += [_expectation_failure(item, launched) for item in launched.comparisons if not item.ok]
    if result.status is LaunchStatus.ABORTED and not found:
        return KernelResult(launched.kernel, launched.launch_id, Outcome.FAIL, "", message="aborted")
    if result.status is not LaunchStatus.DONE and not found:
        found.append(_failure("launch", Category.HOST, f"{launched.kernel} ended as: {result.status.value}", launched))
    stats = result.stats
    elements = sum(item.elements for item in launched.comparisons)
    if not found:
        found += _nothing_compared(launched, backend, elements, visible)
    failures += found
    geometry = result.geometry
    return KernelResult(
        kernel=launched.kernel,
        launch=launched.launch_id,
        outcome=Outcome.FAIL if found else Outcome.PASS,
        geometry=f"{'x'.join(map(str, geometry.grid))} blocks of {'x'.join(map(str, geometry.block))}",
        ctas=stats.ctas,
        instructions=stats.instructions,
        cycles=stats.cycles,
        compared=stats.compared,
        elements=elements,
        adopted=dict(stats.adopted),
        axi_transactions=stats.axi_transactions,
        icache_hits=stats.icache_hits,
        dcache_hits=stats.dcache_hits,
        max_warps_in_flight=stats.max_warps_in_flight,
        warps_used=stats.warps_used,
        wall_seconds=stats.wall_seconds,
        exercised=stats.exercised,
        message=found[0].message if found else "",
    )


def _nothing_compared(launched: Launched, backend: str, elements: int, visible: bool) -> list[Failure]:
    """A launch that nobody checked has not passed."""
    assert launched.result is not None
    stats, ctas = launched.result.stats, launched.result.geometry.ctas
    problems = []
    if elements == 0:
        problems.append("nothing was compared with the host's expectation")
    if visible and stats.ctas != ctas:
        problems.append(f"{stats.ctas} blocks were run, the grid has {ctas}")
    if stats.instructions == 0:
        problems.append("no instruction was retired")
    if backend == LOCKSTEP_BACKEND and stats.compared != stats.instructions:
        problems.append(
            f"{stats.compared} warp instructions were compared with the golden model, {stats.instructions} were retired"
        )
    return [_failure("coverage", Category.COUNT, f"{launched.kernel}: {problem}", launched) for problem in problems]


def _coverage(test: KernelTest, session: Session, failures: list[Failure]) -> list[Failure]:
    missing = [kernel for kernel in test.kernels if kernel not in {launched.kernel for launched in session.launches}]
    if missing and not failures:
        return [_host_failure("coverage", f"never launched: {', '.join(missing)}")]
    return []


def _retired(device: Device) -> int:
    """MINSTRET of all cores, as the device itself counts."""
    return sum(device.counter(MINSTRET, core) for core in range(device.config.hardware.total_cores))


def _counter(device: Device, before: int, kernels: list[KernelResult]) -> list[Failure]:
    try:
        retired = _retired(device) - before
    except DeviceError as error:
        return [_host_failure(_CHECKS.get(type(error), "host"), str(error))]
    reported = sum(kernel.instructions for kernel in kernels)
    if retired == reported:
        return []
    return [_host_failure("minstret", f"MINSTRET grew by {retired}, but {reported} instructions were reported")]


def _check_failure(check: CheckFailed, launched: Launched) -> Failure:
    detail = check.detail
    if detail is None:
        screen = f"{check.check}\n  {check.message}\n  kernel {launched.kernel}, launch {launched.launch_id}"
        return Failure(check.check, "check", check.message, screen, launched.kernel, launched.launch_id)
    return _rendered(detail, launched.kernel)


def _fault_failure(fault: Fault, launched: Launched) -> Failure:
    kind = fault.kind.name.lower().replace("_", " ")
    difference = Difference(
        check="core-fault",
        category=Category.FAULT,
        message=f"{launched.kernel} stopped by a fault: {kind} at address {fault.addr:#x}",
        launch=fault.launch_id,
        cycle=fault.cycle,
        core=fault.core,
        warp=fault.warp,
        pc=fault.pc,
        tmask_actual=fault.tmask,
    )
    return _rendered(difference, launched.kernel)


def _expectation_failure(item: Comparison, launched: Launched) -> Failure:
    difference = Difference(
        check="host-expectation",
        category=Category.HOST,
        message=item.message,
        launch=launched.launch_id,
        expected=item.expected,
        actual=item.actual,
        notes=[f"kernel {launched.kernel}; the host program computed the expectation itself"],
    )
    return _rendered(difference, launched.kernel)


def _failure(check: str, category: Category, message: str, launched: Launched) -> Failure:
    return _rendered(Difference(check, category, message, launch=launched.launch_id), launched.kernel)


def _rendered(difference: Difference, kernel: str) -> Failure:
    return Failure(
        check=difference.check,
        category=str(difference.category),
        message=difference.message,
        screen=difference.render(),
        kernel=kernel,
        launch=difference.launch,
        cycle=difference.cycle,
        detail=difference,
    )


def _host_failure(check: str, message: str) -> Failure:
    return Failure(check, str(Category.HOST), message, f"{check}\n  {message}")
