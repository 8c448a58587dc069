"""The `.vxbin` file format: writer, strict loader and generation detection; imports nothing of the project.

Format and rules: docs/reference/vortex.md §7. Command line: `python -m sw.kernel.vxbin build|info|check`.
"""

from sw.kernel.vxbin import errors
from sw.kernel.vxbin.build import build, build_from_elf
from sw.kernel.vxbin.errors import VxbinBuildError, VxbinError, VxbinFormatError
from sw.kernel.vxbin.format import FOOTER_MAGIC, HEADER_SIZE, Entry, encode
from sw.kernel.vxbin.generation import Generation, detect_generation
from sw.kernel.vxbin.loader import MemoryLayout, Vxbin, load

__all__ = [
    "FOOTER_MAGIC",
    "HEADER_SIZE",
    "Entry",
    "Generation",
    "MemoryLayout",
    "Vxbin",
    "VxbinBuildError",
    "VxbinError",
    "VxbinFormatError",
    "build",
    "build_from_elf",
    "detect_generation",
    "encode",
    "errors",
    "load",
]
