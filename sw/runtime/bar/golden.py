"""The golden BAR device behind the host side: backends `golden-bar` (Vortex mode) and `golden-bar-raw`."""

from __future__ import annotations

from config import RunConfig
from golden_model.device import AT_ONCE, Device, DeviceConfig, Timing
from golden_model.follow.difference import Category, Difference
from sw.runtime import messages as m
from sw.runtime.backend import register_backend
from sw.runtime.bar.backend import BarBackend
from sw.runtime.bar.host import BarHost, LaunchMode


class GoldenTransport:
    """The BARs of a golden device."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def bar0_read(self, offset: int) -> int:
        return self.device.bar0_read(offset)

    def bar0_write(self, offset: int, value: int) -> None:
        self.device.bar0_write(offset, value)

    def bar2_read(self, offset: int, size: int) -> bytes:
        return self.device.bar2_read(offset, size)

    def bar2_write(self, offset: int, data: bytes) -> None:
        self.device.bar2_write(offset, data)

    def bar4_write(self, offset: int, value: int) -> None:
        self.device.bar4_write(offset, value)

    def take_interrupts(self) -> list[int]:
        return [message.vector for message in self.device.take_messages()]

    def pass_time(self) -> None:
        pass  # every poll lets the device go on


class GoldenBarBackend(BarBackend):
    """Backend on a golden device of its own; what the model finds in a kernel fails the launch."""

    def __init__(
        self,
        config: RunConfig,
        mode: LaunchMode = LaunchMode.VORTEX,
        timing: Timing = AT_ONCE,
        skew: int = 0,
        device_config: DeviceConfig | None = None,
    ) -> None:
        self.device = Device(device_config or DeviceConfig(config.hardware), timing=timing, seed=config.seed)
        name = "golden-bar" if mode is LaunchMode.VORTEX else "golden-bar-raw"
        super().__init__(name, config, BarHost(GoldenTransport(self.device), mode, skew))

    def declare(self, message: m.DeclareBuffer) -> None:
        self.device.machine.host_buffers.add(message.address, message.size)

    def forget(self, message: m.ForgetBuffer) -> None:
        self.device.machine.host_buffers.remove(message.address)

    def findings(self, launch: m.Launch) -> list[m.CheckFailed]:
        lanes = self.config.hardware.num_threads
        failed = []
        for finding in self.device.machine.findings:
            if finding.kind.is_fault:
                continue
            difference = Difference(
                check=finding.kind.value,
                category=Category.KERNEL,
                message=finding.detail,
                launch=launch.launch_id,
                core=finding.core,
                warp=finding.warp,
                lanes=[lane for lane in range(lanes) if finding.lanes >> lane & 1],
                pc=finding.pc,
                num_lanes=lanes,
            )
            failed.append(m.CheckFailed(launch.launch_id, difference.check, difference.message, difference))
        return failed


register_backend("golden-bar", GoldenBarBackend)
register_backend("golden-bar-raw", lambda config: GoldenBarBackend(config, LaunchMode.RAW))
