"""Compiler driver for kernels: sources in, `.vxbin` out. `python -m sw.kernel.vxcc kernel.cpp -o kernel.vxbin`."""

from sw.kernel.vxcc.driver import Artifacts, compile_kernel
from sw.kernel.vxcc.errors import CompileError, ImageError, LinkError, MissingToolError, SourceError, VxccError
from sw.kernel.vxcc.toolchain import Toolchain

__all__ = [
    "Artifacts",
    "CompileError",
    "ImageError",
    "LinkError",
    "MissingToolError",
    "SourceError",
    "Toolchain",
    "VxccError",
    "compile_kernel",
]
