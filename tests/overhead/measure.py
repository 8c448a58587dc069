"""Builds the kernels three ways, runs them, checks their results, counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import Artifacts, compile_kernel

Words = npt.NDArray[np.uint32]

KERNELS = ("guard", "sides", "collatz", "rows", "bisect", "reduce")
_SOURCE = Path(__file__).parent / "kernels.cpp"
_BLOCK, _BLOCKS = 16, 8
_THREADS = _BLOCK * _BLOCKS


@dataclass(frozen=True)
class Cost:
    """Warp instructions of one kernel.

    Attributes:
        kernel: its name.
        splits: pairs of SPLIT and JOIN that the pass inserted.
        preds: PREDs that it inserted.
        bare: without the pass, on one lane, where every branch is uniform.
        passed_alone: with the pass, on one lane.
        hand: SPLIT, JOIN and PRED by hand, on four lanes with data that diverges.
        passed: with the pass, on the same.
    """

    kernel: str
    splits: int
    preds: int
    bare: int
    passed_alone: int
    hand: int
    passed: int

    @property
    def over_bare(self) -> float:
        """Share of instructions that the pass adds."""
        return self.passed_alone / self.bare - 1

    @property
    def over_hand(self) -> float:
        """Share of instructions that the pass takes more than somebody by hand; negative where it takes less."""
        return self.passed / self.hand - 1


def measure(folder: Path) -> list[Cost]:
    """All kernels; images go to `folder`. Raises AssertionError if a kernel computes something wrong."""
    one = HardwareConfig(num_threads=1, num_warps=16)
    four = HardwareConfig()
    bare, passed_alone = _build(folder, one, divergence=False), _build(folder, one)
    hand, passed = _build(folder, four, divergence=False, hand=True), _build(folder, four)
    reports = {report.name: report for report in passed.divergence}
    return [
        Cost(
            kernel,
            reports[kernel].splits,
            reports[kernel].preds,
            _run(bare, kernel, one),
            _run(passed_alone, kernel, one),
            _run(hand, kernel, four),
            _run(passed, kernel, four),
        )
        for kernel in KERNELS
    ]


def _build(folder: Path, hardware: HardwareConfig, divergence: bool = True, hand: bool = False) -> Artifacts:
    defines = {"HAND": "1"} if hand else {}
    return compile_kernel([_SOURCE], None, hardware, defines=defines, divergence=divergence, cache_dir=folder / "cache")


def _run(built: Artifacts, kernel: str, hardware: HardwareConfig) -> int:
    data = np.random.default_rng(8).integers(0, 1000, _THREADS + 64, dtype=np.uint32)
    out = np.zeros(2 * _THREADS + 64, np.uint32)
    out[2 * _THREADS :] = 4 * np.arange(64)
    expected = _expected(kernel, data, out.copy())
    program = Machine(hardware, tier="fast").load(built.vxbin)
    result = program.launch(kernel, _BLOCKS, _BLOCK, [np.uint32(_THREADS - 5), data, out], lmem=4 * _BLOCK)
    wrong = np.nonzero(out != expected)[0]
    assert wrong.size == 0, f"{kernel}: word {wrong[0]} is {out[wrong[0]]}, expected {expected[wrong[0]]}"
    return result.summary.warp_instructions


def _expected(kernel: str, data: Words, out: Words) -> Words:
    for i in range(_THREADS):
        x = int(data[i])
        if kernel == "guard" and i < _THREADS - 5:
            out[i] = 3 * x + 1
        elif kernel == "sides":
            out[i if x & 1 else i + _THREADS] = x * x + 7 if x & 1 else x // 3 + int(data[i + 1])
        elif kernel == "collatz":
            _collatz(x & 31, out, i)
        elif kernel == "rows":
            out[i] = data[x & 15 : (x & 15) + (int(data[i + 1]) & 15)].sum(dtype=np.uint32)
        elif kernel == "bisect":
            out[i] = (x & 255) // 4 if (x & 255) % 4 == 0 else 999
    if kernel == "reduce":
        out[:_BLOCKS] = data[:_THREADS].reshape(_BLOCKS, _BLOCK).sum(axis=1, dtype=np.uint32)
    return out


def _collatz(x: int, out: Words, i: int) -> None:
    """Number of steps, and the last value of 3x + 1 on the way."""
    while x > 1:
        out[i] += 1
        if x & 1:
            x = 3 * x + 1
            out[i + _THREADS] = x
        else:
            x >>= 1
