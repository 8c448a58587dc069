"""The golden machine as the host's messages leave it, and names of what the host put where."""

from __future__ import annotations

from pathlib import Path

from config import RunConfig
from golden_model import Machine
from golden_model.follow.explain import SourceLocation
from hw.tb.scoreboard.symbols import ElfSymbols
from sw.runtime import messages as m
from sw.runtime.launch import dcr_writes


class GoldenHost:
    """Applies host messages to a golden machine.

    Attributes:
        machine: the golden model.
        regions: name -> (address, size) of images and buffers, for reports.
    """

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._images: dict[int, m.LoadImage] = {}
        self._buffers: dict[int, m.DeclareBuffer] = {}
        self._symbols: dict[str, ElfSymbols] = {}
        self.machine = Machine(config.hardware, config.entry, tier=config.tier.value)

    @property
    def regions(self) -> dict[str, tuple[int, int]]:
        named = {
            f"image {image.name}": (image.min_vma, image.max_vma - image.min_vma) for image in self._images.values()
        }
        return named | {f"buffer {buffer.name}": (buffer.address, buffer.size) for buffer in self._buffers.values()}

    def buffers(self) -> list[tuple[int, int]]:
        """(address, size) of every buffer that the host holds."""
        return [(buffer.address, buffer.size) for buffer in self._buffers.values()]

    def host(self, message: m.Message) -> None:
        """Any message except Launch and Reset."""
        machine = self.machine
        match message:
            case m.WriteMemory(address, data):
                machine.write(address, data)
            case m.LoadImage():
                machine.load_image(message)
                self._images[message.min_vma] = message
            case m.ForgetImage(min_vma):
                machine.unload_image(min_vma)
                self._images.pop(min_vma, None)
            case m.DeclareBuffer(address, size):
                machine.host_buffers.add(address, size)
                self._buffers[address] = message
            case m.ForgetBuffer(address):
                machine.host_buffers.remove(address)
                self._buffers.pop(address, None)
            case m.DcrWrite(address, value):
                machine.dcr_write(address, value)
            case _:
                pass

    def program(self, launch: m.Launch) -> None:
        """Write the DCRs of a launch. Raises LaunchError for a dispatch window that no generation has."""
        for write in dcr_writes(launch, self._config.hardware.xlen):
            self.machine.dcr_write(write.address, write.value)

    def symbolize(self, address: int) -> SourceLocation:
        """Function and source line of a code address."""
        for image in self._images.values():
            if image.elf is not None and image.min_vma <= address < image.max_vma:
                if image.elf not in self._symbols:
                    self._symbols[image.elf] = ElfSymbols(Path(image.elf))
                return self._symbols[image.elf].locate(address)
        return SourceLocation(None, None)
