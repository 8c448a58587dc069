"""The console ring and the exit code of the device, for host programs."""

from __future__ import annotations

from golden_model import console
from sw.runtime import Device

_POISON = b"\xa5" * 4


class DeviceConsole(console.Console):
    """The ring, emptied, and an exit code that is none; reading waits for all launches so far."""

    def __init__(self, device: Device) -> None:
        window = device.reserve(console.BASE, console.EXIT_CODE + len(_POISON) - console.BASE, "console")

        def write(address: int, data: bytes) -> None:
            device.write(window, data, address - console.BASE)

        super().__init__(device.read_memory, write)
        self._device = device
        self.open()
        write(console.EXIT_CODE, _POISON)

    def exit_code(self) -> int | None:
        """What a program of the legacy library returned; None if it has not."""
        code = self._device.read_memory(console.EXIT_CODE, len(_POISON))
        return None if code == _POISON else int.from_bytes(code, "little", signed=True)
