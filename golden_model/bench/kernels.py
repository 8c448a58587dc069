"""Speed on compiled kernels: whole launches, dispatch and host copies of results included."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from config import HardwareConfig
from golden_model.diagnosis import ALWAYS, Check, Diagnosis
from golden_model.machine import Machine, Tier
from golden_model.module import Module

_IMAGES = Path(__file__).with_name("images")
Launches = Callable[[Module, int, int], int]  # module, size, lanes -> warp instructions


class WrongResult(AssertionError):
    """A kernel computed something else than numpy."""


def _product(kernel: str, kind: Any) -> Launches:
    def run(module: Module, size: int, lanes: int) -> int:
        """c = a · b of size × size; blocks of `lanes` × 4 threads."""
        random = np.random.default_rng(1)
        a, b = ((random.random((size, size)) * 8).astype(kind) for _ in range(2))
        a.flags.writeable = b.flags.writeable = False
        c = np.zeros((size, size), kind)
        result = module.launch(kernel, (size // lanes, size // 4), (lanes, 4), [np.uint32(size), a, b, c])
        if not result.clean or not np.allclose(c, a @ b, rtol=1e-4):
            raise WrongResult(f"{kernel} of {size} x {size} on {lanes} lanes differs from numpy")
        return result.summary.warp_instructions

    return run


def _three(module: Module, size: int, lanes: int) -> int:
    """The three kernels of one image, each over `size` elements."""
    source, total = np.arange(size, dtype=np.int32), 0
    source.flags.writeable = False
    cubes = (np.arange(16, dtype=np.int32) + 1) ** 3
    window = sum(cubes[(source + step) & 15] for step in range(8))
    expected = {
        "add_k": source + cubes[source & 15],
        "mul_k": source * cubes[source & 15],
        "acc_k": source + window + 0x5A5A,
    }
    for kernel, values in expected.items():
        out = np.zeros(size, np.int32)
        result = module.launch(kernel, size // (4 * lanes), 4 * lanes, [np.uint32(size), source, out])
        if not result.clean or not (out == values).all():
            raise WrongResult(f"{kernel} over {size} elements on {lanes} lanes differs from numpy")
        total += result.summary.warp_instructions
    return total


@dataclass(frozen=True)
class Case:
    """A kernel and the sizes at which the two tiers are measured."""

    name: str
    image: str
    launches: Launches
    readable: int
    fast: int
    ext_f: bool = False


CASES = (
    Case("sgemm", "sgemm", _product("sgemm", np.float32), 32, 256, ext_f=True),
    Case("sgemm 64x64", "sgemm", _product("sgemm", np.float32), 32, 64, ext_f=True),
    Case("sgemm_i", "sgemm_i", _product("sgemm_i", np.uint32), 32, 256),
    Case("multikernel", "multikernel", _three, 256, 65536),
    Case("multikernel 256", "multikernel", _three, 256, 256),
)


def measure(case: Case, lanes: int, tier: Tier, size: int, races: bool = False) -> Callable[[], tuple[int, float]]:
    """A function that runs the case once: (warp instructions, CPU seconds). Raises ValueError without the tier."""
    machine = Machine(HardwareConfig(num_threads=lanes, ext_f=case.ext_f), tier=tier)
    if races:
        machine.diagnosis = Diagnosis(machine, ALWAYS | {Check.RACES})
    module = machine.load(_IMAGES / f"{case.image}.vxbin")
    machine.warm_up()
    if machine.tier_note:
        raise ValueError(machine.tier_note)

    def once() -> tuple[int, float]:
        began = time.process_time()
        instructions = case.launches(module, size, lanes)
        return instructions, time.process_time() - began

    return once
