"""The backends `rtl` and `cosim` through the BARs: host messages become what a driver does with the BARs of the RTL."""

from __future__ import annotations

from collections.abc import Callable

from config import CopyMode, RunConfig
from golden_model.follow.difference import Category, Difference
from hw.tb.bar_host.server import BarServer, SimulationStoppedError
from hw.tb.bar_host.transport import SimulatedTransport
from hw.tb.env import DifferenceFoundError, VortexEnv
from hw.tb.top.harness import (
    AssertionFailedError,
    CommandTimeoutError,
    HangError,
    Harness,
    HarnessError,
    ProbeError,
)
from sw.runtime import messages as m
from sw.runtime.bar import BarHost, LaunchMode
from sw.runtime.bar.backend import BarBackend

_CHECK_NAMES: dict[type[HarnessError], str] = {
    HangError: "hang",
    CommandTimeoutError: "cycle limit",
    AssertionFailedError: "rtl assertion",
    ProbeError: "trace rule",
}


class SimulatedBarBackend(BarBackend):
    """`Backend` of sw.runtime on the BARs of a simulated device; made and used inside a client of `run_client`."""

    wait_seconds = 100_000.0  # the harness bounds a launch in cycles

    def __init__(
        self,
        name: str,
        config: RunConfig,
        server: BarServer,
        env: VortexEnv,
        mode: LaunchMode = LaunchMode.VORTEX,
        skew: int = 0,
        copy: CopyMode | None = None,
    ) -> None:
        self.transport = SimulatedTransport(server, copy or config.copy)
        self._server = server
        self._env = env
        self.while_busy: Callable[[m.Launch], None] = lambda launch: None  # after DISPATCH, for tests
        self._lost = ""  # why launches cannot run any more
        env.hub.watch(self.transport.see)
        super().__init__(name, config, BarHost(self.transport, mode, skew))

    @property
    def harness(self) -> Harness:
        """The harness of this model."""
        return self._server.harness

    def _execute(self, message: m.Message) -> None:
        for checker in self._env.config.checkers:
            checker.host(message)
        super()._execute(message)

    def _launch(self, launch: m.Launch) -> None:
        if self._lost:
            self._events.append(m.LaunchDone(launch.launch_id, m.LaunchStatus.ABORTED))
            return
        self._server.begin_launch(launch)
        try:
            super()._launch(launch)
        except SimulationStoppedError as stopped:
            self._stopped(launch, stopped.failure)

    def started(self, launch: m.Launch) -> None:
        self.while_busy(launch)

    def ended_well(self, launch: m.Launch) -> None:
        self.transport.end_launch()

    def stats(self, launch: m.Launch, instructions: int, seconds: float) -> m.LaunchStats:
        status, counts = self._server.harness.status, self._env.kmu.monitor.counts
        compared, transactions, adopted, exercised = 0, 0, dict[str, int](), None
        for checker in self._env.config.checkers:
            figures = checker.counts()
            compared += figures.compared
            transactions += figures.axi_transactions
            adopted.update(figures.adopted)
            exercised = exercised or figures.exercised
        return m.LaunchStats(
            cycles=max(0, int(status.busy_fall_cycle) - int(status.start_cycle)),
            instructions=instructions,
            ctas=counts.ctas,
            compared=compared,
            adopted=adopted,
            axi_transactions=transactions,
            max_warps_in_flight=counts.max_warps_in_flight,
            warps_used=len(counts.warps_used),
            wall_seconds=seconds,
            exercised=exercised,
        )

    def _stopped(self, launch: m.Launch, failure: HarnessError) -> None:
        if isinstance(failure, DifferenceFoundError):
            difference = failure.difference
        else:
            difference = Difference(
                check=_CHECK_NAMES.get(type(failure), "simulation"),
                category=Category.PROGRESS,
                message=str(failure),
                launch=launch.launch_id,
                cycle=self._server.harness.cycle,
                notes=[line for checker in self._env.config.checkers for line in checker.standing()],
            )
        timeout = isinstance(failure, HangError | CommandTimeoutError)
        status = m.LaunchStatus.TIMEOUT if timeout else m.LaunchStatus.CHECK_FAILED
        self._lost = str(failure)
        self._events.append(m.CheckFailed(launch.launch_id, difference.check, difference.message, difference))
        self._events.append(m.LaunchDone(launch.launch_id, status, self.stats(launch, 0, 0.0)))
