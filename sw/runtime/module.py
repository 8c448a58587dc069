"""Loaded images and the kernels in them (docs/reference/vortex.md §8.2)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from config import EntryGeneration, HardwareConfig
from sw.kernel.vxbin import MemoryLayout, VxbinError, detect_generation, load
from sw.runtime.errors import InvalidValueError, ModuleError
from sw.runtime.messages import LoadImage

if TYPE_CHECKING:
    from sw.runtime.device import Device


def read_image(path: Path, hardware: HardwareConfig, entry: EntryGeneration) -> LoadImage:
    """Read and validate a `.vxbin` with the strict reader of sw.kernel.vxbin.

    Raises:
        ModuleError: unreadable or malformed (the message names file, offset and value), or built for another entry
            generation than `entry`, which would run with the wrong rewind.
    """
    layout = MemoryLayout(
        xlen=hardware.xlen,
        harts=hardware.total_harts,
        stack_base=hardware.stack_base_addr,
        stack_log2_size=hardware.stack_log2_size,
        lmem_log_size=hardware.lmem_log_size,
    )
    try:
        loaded = load(path, layout=layout, startup_addr=hardware.startup_addr)
    except VxbinError as error:
        sentence = str(error)
        raise ModuleError(sentence if str(path) in sentence else f"{path}: {sentence}") from error
    generation = detect_generation(loaded)
    if generation.value in {known.value for known in EntryGeneration} and generation.value != entry.value:
        raise ModuleError(
            f"{path} was built for ENTRY={generation.value}, this run launches with ENTRY={entry.value}: "
            "a reused warp would start in the wrong place"
        )
    elf = path.with_suffix(".elf")
    return LoadImage(
        min_vma=loaded.min_vma,
        max_vma=loaded.max_vma,
        image=loaded.image,
        kernels=loaded.kernels,
        name=path.name,
        elf=str(elf) if elf.exists() else None,
    )


class Kernel:
    """Handle of one kernel; asking a module twice for the same name gives the same handle."""

    def __init__(self, module: Module, name: str, pc: int) -> None:
        self.module = module
        self.name = name
        self.pc = pc

    def startup_addr(self, entry: EntryGeneration) -> int:
        """PC at which a fresh warp starts: the image's prologue, or the kernel's own stub in the s11 generation."""
        return self.pc if entry is EntryGeneration.S11 else self.module.image.min_vma

    def check(self, device: Device) -> None:
        """Raises InvalidValueError unless the kernel's module is loaded on `device`."""
        if self.module.device is not device:
            raise InvalidValueError(f"kernel {self.name!r} belongs to another device")
        if not self.module.loaded:
            raise InvalidValueError(f"kernel {self.name!r} cannot run: its module {self.module.name!r} was unloaded")

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, pc={self.pc:#x})"


class Module:
    """One image on one device."""

    def __init__(self, device: Device, image: LoadImage) -> None:
        self.device = device
        self.image = image
        self.loaded = True
        self._kernels: dict[str, Kernel] = {}

    @property
    def name(self) -> str:
        return self.image.name

    @property
    def kernel_names(self) -> tuple[str, ...]:
        return tuple(self.image.kernels)

    def kernel(self, name: str) -> Kernel:
        """Handle of the kernel exported under exactly that name.

        Raises:
            ModuleError: no such kernel; the message lists those that exist.
        """
        if name not in self._kernels:
            pc = self.image.kernels.get(name)
            if pc is None:
                raise ModuleError(
                    f"{self.name} has no kernel {name!r}; it has: {', '.join(self.kernel_names) or 'none'}"
                )
            self._kernels[name] = Kernel(self, name, pc)
        return self._kernels[name]
