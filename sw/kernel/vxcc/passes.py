"""The divergence pass as part of a compilation: building the plugin, running it, checking what came of it.

Stock clang knows nothing of divergence (SPLIT, JOIN, PRED), so branches that lanes of a warp decide differently need a
pass over the IR (sw/kernel/divergence). Without it kernels may only have branches that are uniform in each warp, which
the golden model checks in every run.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

from sw.kernel.divergence import BranchDifference, FunctionReport, read_report, unexplained_branches
from sw.kernel.divergence.report import ENVIRONMENT
from sw.kernel.vxcc import cache, flags
from sw.kernel.vxcc.branch_lines import SourceLine, branch_lines
from sw.kernel.vxcc.demangle import demangle
from sw.kernel.vxcc.errors import CompileError, MissingToolError, SourceError
from sw.kernel.vxcc.toolchain import run_tool

_SOURCES = flags.KERNEL_ROOT / "divergence"
_ALL = ("uniformity", "mark", "lower", "canonical", "insert", "report", "plugin")
_LIBRARY = "divergence.so"


_CACHE = flags.REPO_ROOT / "build" / "divergence"


def build_plugin(root: Path = _CACHE) -> Path:
    """The plugin, built once for each state of its sources (some fifteen seconds) and kept in `root`.

    Raises:
        MissingToolError: compiler or LLVM's headers are not installed.
        CompileError: the plugin does not compile.
    """
    config, compiler = shutil.which("llvm-config-19"), shutil.which("g++")
    if config is None or compiler is None:
        package = "llvm-19-dev" if config is None else "g++"
        raise MissingToolError(f"{package} is needed to build the divergence pass (apt-get install {package})")
    version = run_tool(Path(config), ["--version"]).stdout
    files = sorted(path for suffix in ("*.cpp", "*.h") for path in _SOURCES.glob(suffix))
    key = cache.digest([version, *(path.name.encode() + path.read_bytes() for path in files)])
    if not (root / key).is_dir():
        with cache.new_entry(root, key) as scratch:
            _compile_plugin(Path(compiler), Path(config), scratch)
    return root / key / _LIBRARY


def _compile_plugin(compiler: Path, config: Path, scratch: Path) -> None:
    include = run_tool(config, ["--includedir"]).stdout.decode().strip()
    if not (Path(include) / "llvm" / "Passes" / "PassPlugin.h").is_file():
        raise MissingToolError("llvm-19-dev is needed to build the divergence pass (apt-get install llvm-19-dev)")
    # One translation unit: LLVM's headers take longer than everything else.
    whole = scratch / "all.cpp"
    whole.write_text("".join(f'#include "{name}.cpp"\n' for name in _ALL), encoding="utf-8")
    arguments = ["-std=c++17", "-O1", "-shared", "-fPIC", "-fno-rtti", "-Wall", "-Wextra", "-Wno-unused-parameter"]
    arguments += [f"-I{_SOURCES}", f"-isystem{include}", "-D__STDC_CONSTANT_MACROS", "-D__STDC_LIMIT_MACROS"]
    done = run_tool(compiler, [*arguments, str(whole), "-o", str(scratch / _LIBRARY)])
    if done.status != 0:
        raise CompileError(f"the divergence pass does not compile:\n{done.stderr}")
    whole.unlink()


def plugin_flags(plugin: Path | None) -> list[str]:
    """Flags that load a pass plugin; none without a plugin."""
    return [] if plugin is None else [f"-fpass-plugin={plugin}"]


def plugin_identity(plugin: Path | None) -> bytes:
    """Content of the plugin, for the build key. Raises SourceError if it cannot be read."""
    if plugin is None:
        return b""
    try:
        return plugin.read_bytes()
    except OSError as error:
        raise SourceError(f"pass plugin {plugin} cannot be read: {error.strerror}") from error


def report_environment(report: Path) -> dict[str, str]:
    """Environment of a compiler that shall leave the plugin's report in `report`."""
    return {ENVIRONMENT: str(report)}


def check_object(source: Path, target: Path, report: Path, lld: Path) -> tuple[FunctionReport, ...]:
    """Read the report of one compiled file and hold the object file against it; `lld` finds lines for a message.

    Raises:
        CompileError: there is no report, or a function has conditional branches that the pass never saw.
    """
    if not report.is_file():
        raise CompileError(f"{source}: the pass plugin left no report, so its branches cannot be checked")
    functions = read_report(report)
    for difference in unexplained_branches(target, functions):
        raise CompileError(
            f"{source}: function {demangle(difference.function)} has {difference.found} conditional branches where the "
            f"divergence pass left {difference.seen}: the compiler's back end, or assembly in the source, made one "
            f"that lanes may decide differently ({_places(difference, target, functions, lld)}). "
            "Rewrite what it comes from, or mark the function "
            '__attribute__((annotate("vortex.single_lane"))) if one lane runs it'
        )
    return functions


def _places(difference: BranchDifference, target: Path, functions: tuple[FunctionReport, ...], lld: Path) -> str:
    """Where to look: lines with more branches in the object file than in the report, else all branches."""
    seen = Counter(
        SourceLine(Path(branch.file).name, branch.line)
        for function in functions
        if function.name == difference.function
        for branch in function.branches
    )
    found = branch_lines(lld, target, difference.function, difference.offsets)
    if more := sorted(found - seen):
        return f"from {', '.join(map(str, more))}"
    return f"branches at {', '.join(f'+{at:#x}' for at in difference.offsets)}"
