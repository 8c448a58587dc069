"""What an aborted launch had stored is hardware's choice, but only where it writes and only what it writes there."""

from __future__ import annotations

from golden_model.device import Device
from golden_model.device.sequences import layout
from golden_model.device.sequences.programs import PRIVATE_ADDR
from tests.cosim.bar.rtl import Difference, Rtl

# Where programs of a sequence can store: 32 bytes at every argument address (VRAM), and private memory.
_PLACES = (
    *((True, base) for base in (0, layout.RAW_ARGS, layout.ARGS_OFFSET, layout.ARGS_VMA, 0x2_0000)),
    *((False, base) for base in (0, layout.ARGS_VMA, layout.ARGS_VMA + layout.ARGS_SIZE, 0x2_0000, PRIVATE_ADDR)),
)
_SIZE = 32


class LaunchStores:
    """Remembers what the places held when a launch began, to judge what an abort left there."""

    def __init__(self, rtl: Rtl, device: Device) -> None:
        self._rtl = rtl
        self._device = device
        self._before: list[bytes] = []

    def launched(self) -> None:
        """The cores are about to start."""
        self._before = self._now()

    def forget(self) -> None:
        """There is no launch whose stores are in question."""
        self._before = []

    def adopt(self) -> bool:
        """Take over word by word what was left; the golden device has stored all that the launch could have stored.

        Whether anything differed. Raises Difference for a word that is neither what it was nor what it can become.
        """
        changed = False
        if self._before:
            for (vram, base), before, now in zip(_PLACES, self._before, self._now(), strict=True):
                rtl = self._rtl.peek(vram, base, _SIZE)
                if rtl != now:
                    _judge("VRAM" if vram else "private memory", base, rtl, before, now)
                    (self._device.vram if vram else self._device.memory.private).write(base, rtl)
                    changed = True
        self.forget()
        return changed

    def _now(self) -> list[bytes]:
        vram, private = self._device.vram, self._device.memory.private
        return [(vram if in_vram else private).read(base, _SIZE) for in_vram, base in _PLACES]


def _judge(memory: str, base: int, rtl: bytes, before: bytes, now: bytes) -> None:
    for at in range(0, _SIZE, 4):
        word, was, becomes = (some[at : at + 4] for some in (rtl, before, now))
        if word not in (was, becomes):
            raise Difference(
                f"an aborted launch left {word.hex()} at {base + at:#x} of {memory}; it was {was.hex()}, and the "
                f"launch can only make it {becomes.hex()}"
            )
