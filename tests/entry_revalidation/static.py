"""The dispatch window as it was linked: its place, and that only 4-byte instructions are in it.

`link_compressed` assembles and compiles everything with the extension C, which the driver never does: the window must
come out the same, because hardware goes back by its size (docs/reference/vortex.md §5.7).
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from config import EntryGeneration, HardwareConfig
from golden_model.window import call_offset
from sw.kernel.vxcc import flags, kernels
from sw.kernel.vxcc.image import symbol_values
from sw.kernel.vxcc.toolchain import Toolchain, run_tool

_RVC = 1  # flag of an ELF file with compressed instructions
_FULL_SIZE = 3  # low bits of a 4-byte instruction


@dataclass(frozen=True)
class Window:
    """Addresses of a dispatch window: first instruction, its call, first byte behind it; and its words."""

    start: int
    call: int
    end: int
    words: tuple[int, ...]

    @property
    def full_size(self) -> bool:
        """Whether every instruction has four bytes."""
        return all(word & _FULL_SIZE == _FULL_SIZE for word in self.words)


def find_window(elf: Path, entry: EntryGeneration) -> Window:
    """The window of a linked image, whose symbols say where it is."""
    image = ELFFile(io.BytesIO(elf.read_bytes()))
    symbols = symbol_values(image)
    start, end = symbols["__vx_window"], symbols["__vx_window_end"]
    init = image.get_section_by_name(".init")
    if init is None:
        raise RuntimeError(f"{elf} has no section .init, so it has no dispatch window")
    code = init.data()[start - init["sh_addr"] : end - init["sh_addr"]]
    return Window(start, start + call_offset(entry), end, struct.unpack(f"<{len(code) // 4}I", code))


def has_compressed_code(elf: Path) -> bool:
    """Whether an ELF file says that it holds 2-byte instructions."""
    return bool(ELFFile(io.BytesIO(elf.read_bytes()))["e_flags"] & _RVC)


def link_compressed(source: Path, entry: EntryGeneration, folder: Path, hardware: HardwareConfig) -> Path:
    """Link one kernel and the start-up code, all with the extension C; returns the ELF file.

    Raises:
        RuntimeError: a tool refuses, with its words.
    """
    tools = Toolchain.find()
    plain = flags.march(hardware)
    march = plain.replace("_", "c_", 1)
    common = [flag.replace(plain, march) for flag in flags.common_flags(hardware, entry, {})]
    cxx = [*common, *flags.language_flags("3"), *flags.cxx_flags()]
    objects = []
    startup = [flags.SOURCE_DIR / name for name in ("vx_start.S", "vx_init.S")]
    for file in (*startup, source):
        objects.append(folder / f"{file.stem}.o")
        arguments = cxx if file.suffix == ".cpp" else common
        _run(tools.clang, [*arguments, "-c", str(file), "-o", str(objects[-1])])
    names = kernels.find_kernels(objects)
    if entry is EntryGeneration.S11:
        stubs = folder / "stubs.S"
        stubs.write_text(kernels.stub_source(names), encoding="utf-8")
        objects.append(folder / "stubs.o")
        _run(tools.clang, [*common, "-c", str(stubs), "-o", str(objects[-1])])
    elf = folder / "image.elf"
    exports = kernels.export_flags(entry, names, None)
    _run(tools.lld, [*flags.link_flags(hardware), *map(str, objects), *exports, "-o", str(elf)])
    return elf


def _run(program: Path, arguments: list[str]) -> None:
    done = run_tool(program, arguments)
    if done.status != 0:
        raise RuntimeError(f"{program.name} refuses: {done.stderr.strip()}")
