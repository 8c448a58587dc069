"""The three kernels of multikernel as Python functions for the scripted backend."""

from __future__ import annotations

import struct

from sw.runtime.messages import Launch
from tests.unit.scripted_backend import KernelFunction, ScriptedBackend


def _cube(index: int) -> int:
    return ((index & 15) + 1) ** 3


def _value(kernel: str, index: int, source: int) -> int:
    if kernel == "add_k":
        return source + _cube(index)
    if kernel == "mul_k":
        return source * _cube(index)
    return source + sum(_cube(index + step) for step in range(8)) + 0x5A5A


def multikernel_functions(
    *, wrong_index: int = -1, overrun: bool = False, clobber_source: bool = False
) -> dict[str, KernelFunction]:
    """Right kernels, or kernels with one fault: a wrong element, a store behind the end, a changed input."""

    def run(backend: ScriptedBackend, launch: Launch) -> None:
        count, src, dst = struct.unpack("<I4xQQ", backend.load(launch.arg_addr, 24))
        sources = struct.unpack(f"<{count}i", backend.load(src, 4 * count))
        values = [_value(launch.kernel, index, source) for index, source in enumerate(sources)]
        if 0 <= wrong_index < count:
            values[wrong_index] ^= 1
        backend.store(dst, struct.pack(f"<{count}i", *values))
        if overrun:
            backend.store(dst + 4 * count, b"\0")
        if clobber_source:
            backend.store(src, b"\x77")

    return dict.fromkeys(("add_k", "mul_k", "acc_k"), run)
