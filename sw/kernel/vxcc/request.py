"""What is asked of the driver, resolved: sources, configuration, programs; and how one file is compiled for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config import EntryGeneration, HardwareConfig
from sw.kernel.vxcc import diagnostics, flags, passes
from sw.kernel.vxcc.toolchain import Toolchain, run_tool

CXX_SUFFIXES = {".cpp", ".cc", ".cxx"}
SUFFIXES = CXX_SUFFIXES | {".c", ".S", ".s"}
_ASSEMBLY_SUFFIXES = {".S", ".s"}


@dataclass(frozen=True)
class Request:
    """One build."""

    sources: tuple[Path, ...]
    hardware: HardwareConfig
    entry: EntryGeneration
    opt: str
    kernel: str | None
    include_flags: tuple[str, ...]
    defines: Mapping[str, str]
    plugin: Path | None
    tools: Toolchain

    def compile_flags(self, source: Path) -> list[str]:
        """All flags for a source file of the user. Raises SourceError for an unknown optimisation level."""
        result = flags.common_flags(self.hardware, self.entry, self.defines) + list(self.include_flags)
        if source.suffix in _ASSEMBLY_SUFFIXES:
            return result
        result += flags.language_flags(self.opt)
        result += flags.cxx_flags() if source.suffix in CXX_SUFFIXES else flags.c_flags()
        return result + passes.plugin_flags(self.plugin)

    def preprocess(self, source: Path) -> bytes:
        """The source as the compiler sees it. Raises CompileError."""
        done = run_tool(self.tools.clang, [*self.compile_flags(source), "-E", str(source)])
        if done.status != 0:
            raise diagnostics.compile_error(shown(source), done.stderr)
        return done.stdout

    def compile(self, source: Path, target: Path) -> Path:
        """Compile a source file of the user to an object file. Raises CompileError."""
        report = None if self.plugin is None or source.suffix in _ASSEMBLY_SUFFIXES else report_of(target)
        return compile_file(self.tools, self.compile_flags(source), source, target, report)


def compile_file(
    tools: Toolchain, arguments: list[str], source: Path, target: Path, report: Path | None = None
) -> Path:
    """Run the compiler on one file; with `report`, hold the result against what the divergence pass left there.

    Raises:
        CompileError: it does not compile, or has branches that the pass has not seen.
    """
    extra = {} if report is None else passes.report_environment(report)
    done = run_tool(tools.clang, [*arguments, "-c", str(source), "-o", str(target)], extra)
    if done.status != 0:
        raise diagnostics.compile_error(shown(source), done.stderr)
    if report is not None:
        passes.check_object(shown(source), target, report, tools.lld)
    return target


def report_of(target: Path) -> Path:
    """Where the report of the divergence pass for an object file goes."""
    return target.with_suffix(".divergence.json")


def shown(source: Path) -> Path:
    """A path as messages show it: relative to the repository where possible."""
    return source.relative_to(flags.REPO_ROOT) if source.is_relative_to(flags.REPO_ROOT) else source
