"""One file of random programs, for both sides: a kernel each for the device, one table of functions for the host."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tests.divergence.generator import INPUT_WORDS

Words = npt.NDArray[np.uint32]


class Text(Protocol):
    """A program: functions of its own, one of them `name`(thread, uniform value, input words)."""

    @property
    def name(self) -> str: ...

    @property
    def seed(self) -> int: ...

    @property
    def text(self) -> str: ...


_COMMON = """#include <stdint.h>
typedef uint32_t u32;
#define NOINLINE __attribute__((noinline))
"""
_DEVICE = """#include <vx_spawn2.h>
struct args_t { u32 n; u32 total; uint64_t data; uint64_t out; };
"""
_KERNEL = """__kernel void k_{name}(const args_t *args) {{
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= args->total) return;
  ((u32 *)(uintptr_t)args->out)[t] = {name}(t, args->n, (const u32 *)(uintptr_t)args->data);
}}
"""
_HOST = """extern "C" void h_{name}(u32 n, u32 total, const u32 *data, u32 *out) {{
  for (u32 t = 0; t < total; ++t) out[t] = {name}(t, n, data);
}}
"""


def device_source(programs: Sequence[Text]) -> str:
    """The file for the kernel compiler; kernel k_<name> runs program <name>."""
    body = "".join(program.text + _KERNEL.format(name=program.name) for program in programs)
    return _COMMON + _DEVICE + body


def host_source(programs: Sequence[Text]) -> str:
    """The file for the host's compiler."""
    return _COMMON + "".join(program.text + _HOST.format(name=program.name) for program in programs)


class HostPrograms:
    """The programs as the host's compiler understands them. Raises CalledProcessError if it refuses them."""

    def __init__(self, programs: Sequence[Text], folder: Path) -> None:
        source, library = folder / "host.cpp", folder / "host.so"
        source.write_text(host_source(programs), encoding="utf-8")
        # Another compiler than the device's, and no optimisation: what it gets wrong is not what the other does.
        # A program whose order of evaluation is open has no expected result.
        options = ["-std=c++17", "-O0", "-Werror=sequence-point", "-shared", "-fPIC"]
        command = ["g++", *options, str(source), "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        self._library = ctypes.CDLL(str(library))

    def run(self, program: Text, n: int, total: int, data: Words) -> Words:
        """Results of threads 0 to total - 1; `data` has INPUT_WORDS words."""
        assert data.shape == (INPUT_WORDS,)
        out = np.zeros(total, np.uint32)
        pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in (data, out))
        self._library[f"h_{program.name}"](ctypes.c_uint32(n), ctypes.c_uint32(total), *pointers)
        return out
