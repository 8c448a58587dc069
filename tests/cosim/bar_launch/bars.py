"""What the scenes of this folder share: a device on the BARs of the RTL, and kernels on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from config import LaunchPath, RunConfig
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.bar_host import SimulatedBarBackend
from hw.tb.client import BarOptions, run_client
from hw.tb.run.settings import RunSettings
from sw.runtime import Device, Kernel, LaunchResult, Module
from sw.runtime.args import Argument
from sw.runtime.messages import LaunchStatus
from tests.regression.catalogue import find_test
from tests.regression.compile import compile_images
from tests.regression.images import Images

LANES = 4


def images_of(test: str, startup: int | None = None) -> Images:
    """Images of a test for the model of this process, linked at `startup` if given."""
    config = RunSettings.read().config
    hardware = config.hardware if startup is None else dataclasses.replace(config.hardware, startup_addr=startup)
    return compile_images(find_test(test), dataclasses.replace(config, test=test, hardware=hardware))


@dataclasses.dataclass
class Bars:
    """One opened device."""

    backend: SimulatedBarBackend

    def __post_init__(self) -> None:
        self.device = Device(self.backend)
        self.host, self.transport = self.backend.host, self.backend.transport
        self._modules: list[Module] = []

    def kernel(self, test: str) -> Kernel:
        """The first kernel of a test, loaded in place of the image before it (all are linked at the same address)."""
        for module in self._modules:
            self.device.unload_module(module)
        image = images_of(test).kernels[0]
        self._modules = [self.device.load_module(image.path)]
        return self._modules[0].kernel(image.exported)

    def launch(
        self, kernel: Kernel, args: Sequence[Argument] = (), blocks: int = 1, max_cycles: int = 0
    ) -> LaunchResult:
        """Blocks of one warp."""
        return self.device.launch(kernel, blocks, LANES, args, max_cycles=max_cycles)


def done(result: LaunchResult) -> None:
    """The launch ended well, in lockstep."""
    assert result.status is LaunchStatus.DONE, [check.message for check in result.failed_checks] or result.status
    assert result.stats.compared == result.stats.instructions > 0


async def on_bars(
    dut: Any,
    scene: Callable[[Bars], None],
    options: BarOptions | None = None,
    policy: MemoryPolicy | None = None,
) -> None:
    """Run one scene in lockstep; its assertions fail the test."""
    await run_client(
        dut,
        lambda backend: scene(Bars(_checked(backend))),
        path=LaunchPath.BAR,
        bar=options,
        policy=policy,
    )


def config() -> RunConfig:
    """Of this process."""
    return RunSettings.read().config


def _checked(backend: Any) -> SimulatedBarBackend:
    assert isinstance(backend, SimulatedBarBackend)
    return backend
