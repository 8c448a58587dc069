"""`python -m sw.kernel.vxbin build|info|check`: make, show and validate `.vxbin` files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sw.kernel.vxbin.build import build_from_elf, read_file, write_atomically
from sw.kernel.vxbin.errors import VxbinError
from sw.kernel.vxbin.generation import detect_generation
from sw.kernel.vxbin.loader import MemoryLayout, Vxbin, load


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 good, 1 refused file."""
    options = _parser().parse_args(arguments)
    layout = MemoryLayout(xlen=options.xlen, harts=options.harts)
    try:
        if options.command == "build":
            data = build_from_elf(read_file(Path(options.elf)), options.elf)
            if not options.force:
                load(data, layout=layout)
            write_atomically(Path(options.out), data)
            print(f"{options.out}: {len(data)} bytes")
        elif options.command == "info":
            _show(options.file, load(options.file, layout=layout))
        else:
            for name in options.files:
                _check(name, layout)
    except VxbinError as error:
        print(f"vxbin: {error}", file=sys.stderr)
        return 1
    return 0


def _check(name: str, layout: MemoryLayout) -> None:
    """Validate a `.vxbin`, or an ELF file by way of the `.vxbin` that it makes. Raises VxbinError."""
    content = read_file(Path(name))
    elf = content.startswith(b"\x7fELF")
    module = load(build_from_elf(content, name) if elf else name, layout=layout)
    for warning in module.warnings:
        print(f"{name}: warning: {warning}")
    what = "makes a good module" if elf else "good"
    print(f"{name}: {what}, entry generation {detect_generation(module).value}, kernels {', '.join(module.kernels)}")


def _show(name: str, module: Vxbin) -> None:
    print(f"{name}: {module.min_vma:#x}..{module.max_vma:#x}, image {len(module.image)} bytes")
    print(f"entry generation (from the code): {detect_generation(module).value}")
    print("footer: " + ("yes" if module.has_footer else "no (single kernel at min_vma)"))
    for kernel, pc in module.kernels.items():
        listed = any(entry.name == kernel for entry in module.entries)
        print(f"  {pc:#x} {kernel}{'' if listed or not module.has_footer else ' (alias)'}")
    for warning in module.warnings:
        print(f"warning: {warning}")


def _positive(text: str) -> int:
    value = int(text, 0)
    if value < 1:
        raise ValueError
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sw.kernel.vxbin", description=__doc__)
    parser.add_argument("--xlen", type=int, choices=(32, 64), default=32)
    parser.add_argument(
        "--harts", type=_positive, default=16, help="lanes of the processor, whose stacks must stay free"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("build", help="make a .vxbin from an ELF file")
    command.add_argument("elf")
    command.add_argument("out")
    command.add_argument("--force", action="store_true", help="write it even if the strict loader refuses it")
    command = commands.add_parser("info", help="show header, kernels and entry generation")
    command.add_argument("file")
    command = commands.add_parser("check", help="validate .vxbin or ELF files by every rule, from any compiler")
    command.add_argument("files", nargs="+")
    return parser


if __name__ == "__main__":
    sys.exit(main())
