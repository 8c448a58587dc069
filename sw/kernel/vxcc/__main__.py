"""`python -m sw.kernel.vxcc kernel.cpp -o kernel.vxbin --entry cta_entry`: build a module from kernel sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from config import ConfigError, EntryGeneration, HardwareConfig
from sw.kernel.vxbin import VxbinError
from sw.kernel.vxbin.build import write_atomically
from sw.kernel.vxcc.driver import compile_kernel
from sw.kernel.vxcc.errors import SourceError, VxccError
from sw.kernel.vxcc.explain import explain


def main(arguments: Sequence[str] | None = None) -> int:
    """Build one module; returns the exit status: 0 built, 1 refused."""
    options = _parser().parse_args(arguments)
    try:
        done = compile_kernel(
            options.sources,
            options.out,
            HardwareConfig.load(path=options.config, overrides=_overrides(options.set)),
            EntryGeneration(options.entry),
            options.optimise,
            kernel=options.kernel,
            defines=dict(_definition(text) for text in options.define),
            include_dirs=options.include,
            divergence=not options.no_divergence,
            plugin=options.plugin,
        )
        if options.elf is not None:
            write_atomically(options.elf, done.elf.read_bytes())
    except (VxccError, VxbinError, ConfigError) as error:
        print(f"vxcc: {error}", file=sys.stderr)
        return 1
    print(f"{options.out}: {'from the cache' if done.cached else 'built'}, generation {done.generation.value}")
    for name, pc in done.kernels.items():
        print(f"  {pc:#x} {name}")
    if options.explain:
        explain(done.divergence, Console())
    return 0


def _definition(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value or "1"


def _overrides(settings: Sequence[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if value in ("true", "false"):
            values[name] = value == "true"
            continue
        try:
            values[name] = int(value, 0)
        except ValueError as error:
            raise SourceError(f"--set {setting}: must be name=number, name=true or name=false") from error
    return values


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sw.kernel.vxcc", description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("-o", "--out", required=True, type=Path, help="the .vxbin to write")
    parser.add_argument("--elf", type=Path, help="also keep the linked image with symbols and line numbers")
    parser.add_argument("--entry", choices=[item.value for item in EntryGeneration], default="cta_entry")
    parser.add_argument("--kernel", help="the kernel that an image of generation direct calls")
    parser.add_argument("-O", dest="optimise", default="3", help="optimisation level: 0 1 2 3 s (default 3)")
    parser.add_argument("-D", dest="define", action="append", default=[], help="macro, NAME or NAME=VALUE")
    parser.add_argument("-I", dest="include", action="append", default=[], type=Path, help="folder of headers")
    parser.add_argument("--config", type=Path, help="TOML file of the hardware (default: config/default.toml)")
    parser.add_argument("--set", action="append", default=[], help="hardware parameter, such as num_threads=8")
    parser.add_argument(
        "--explain", action="store_true", help="list each branch: uniform or divergent, why, and what it cost"
    )
    parser.add_argument("--no-divergence", action="store_true", help="no divergence pass: uniform branches only")
    parser.add_argument("--plugin", type=Path, help="another pass plugin for clang in place of the divergence pass")
    return parser


if __name__ == "__main__":
    sys.exit(main())
