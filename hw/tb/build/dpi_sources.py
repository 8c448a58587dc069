"""C and C++ sources that a foreign core brings along: how they are compiled and linked."""

from __future__ import annotations

from pathlib import Path

from config import HardwareConfig
from hw.tb.build.external import CoreSources
from hw.tb.build.toolchain import Toolchain


def compile_commands(
    core: CoreSources, hardware: HardwareConfig, folder: Path, tools: Toolchain
) -> list[tuple[list[str], Path]]:
    """One command a source, and the object that it makes.

    Sources see the defines of the core, the configuration as `VX_CFG_*`, `svdpi.h`, and `Vtop__Dpi.h` with the
    prototypes of all DPI functions of the model.
    """
    root = tools.verilator_root / "include"
    defines = dict(hardware.compiler_defines())
    flags = [f"-D{name}={value}" for name, value in sorted(defines.items())]
    flags += [f"-D{define}" for define in core.defines if define.partition("=")[0] not in defines]
    flags += [f"-I{path}" for path in (*core.incdirs, *dict.fromkeys(path.parent for path in core.csrcs))]
    flags += [f"-isystem{path}" for path in (folder / "verilog", root, root / "vltstd")]
    objects = folder / "objects"
    commands: list[tuple[list[str], Path]] = []
    for number, source in enumerate(core.csrcs):
        language = ["-x", "c"] if source.suffix == ".c" else ["-std=c++20"]
        target = objects / f"core_{number}_{source.stem}.o"
        command = [tools.cxx, *language, "-O2", *flags, *core.cflags, "-c", str(source), "-o", str(target)]
        commands.append(([tools.ccache, *command] if tools.ccache else command, target))
    return commands


def library_arguments(core: CoreSources) -> list[str]:
    """Linker arguments of RTL_LIBS; a relative file starts in the working folder."""
    return [str(Path(item).absolute()) if not item.startswith("-") else item for item in core.libs]
