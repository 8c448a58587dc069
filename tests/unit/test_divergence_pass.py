"""The divergence pass: what it finds uniform, what it inserts, and that lanes compute what the source says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import Artifacts, CompileError, compile_kernel
from tests.unit.vxcc_image import source

_HEAD = """
struct args_t { uint32_t n; uint32_t x; uint64_t in; uint64_t out; };
#define NOINLINE __attribute__((noinline))
#define IN(i) ((const uint32_t *)(uintptr_t)args->in)[i]
#define OUT(i) ((uint32_t *)(uintptr_t)args->out)[i]
"""
_INDEX = "uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;"


def build(folder: Path, text: str, opt: str = "3", lanes: int = 4, divergence: bool = True) -> Artifacts:
    hardware = dataclasses.replace(HardwareConfig(), num_threads=lanes)
    return compile_kernel(
        [source(folder, _HEAD + text)], hardware=hardware, opt=opt, cache_dir=folder / "cache", divergence=divergence
    )


def kernel(body: str) -> str:
    return f"__kernel void k(const args_t *args) {{ {_INDEX} {body} }}"


def inserted(built: Artifacts, function: str = "k") -> tuple[int, int]:
    """(SPLITs, PREDs) of a function."""
    (report,) = [item for item in built.divergence if item.name == function]
    return report.splits, report.preds


def run(built: Artifacts, lanes: int, n: int, x: int, data: np.ndarray, count: int = 32) -> np.ndarray:
    out = np.zeros(count, np.uint32)
    machine = Machine(dataclasses.replace(HardwareConfig(), num_threads=lanes))
    result = machine.load(built.vxbin).launch(
        "k", count // (2 * lanes), 2 * lanes, [np.uint32(n), np.uint32(x), data, out]
    )
    assert result.findings == ()
    return out


DATA = np.random.default_rng(7).integers(0, 100, 64, dtype=np.uint32)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Branches that cannot become selects: each side stores.
        ("if (args->n > 3) OUT(i) = 1; else OUT(i + 64) = 2;", (0, 0)),
        ("if (blockIdx.x & 1) OUT(i) = 1; else OUT(i + 64) = 2;", (0, 0)),
        ("if (IN(args->x)) OUT(i) = 1; else OUT(i + 64) = 2;", (0, 0)),
        ("if (vx_vote_any(i & 1)) OUT(i) = 1; else OUT(i + 64) = 2;", (0, 0)),
        ("uint32_t s = 0; for (uint32_t j = 0; j < args->n; ++j) s += IN(j + i); OUT(i) = s;", (0, 0)),
        ("if (threadIdx.x & 1) OUT(i) = 1; else OUT(i + 64) = 2;", (2, 0)),
        ("if (IN(i)) OUT(i) = 1;", (1, 0)),
        ("if (*(volatile const uint32_t *)(uintptr_t)args->in) OUT(i) = 1;", (1, 0)),
        ("uint32_t s = 0; for (uint32_t j = i; j != 0; j >>= 1) s += IN(j); OUT(i) = s;", (1, 1)),
        ("__UNIFORM__ uint32_t u = IN(i); if (u) OUT(i) = 1; else OUT(i + 64) = 2;", (0, 0)),
    ],
    ids=["argument", "block", "uniform load", "vote", "uniform loop", "thread", "load", "volatile", "loop", "promise"],
)
def test_what_is_inserted(body: str, expected: tuple[int, int], tmp_path: Path) -> None:
    assert inserted(build(tmp_path, kernel(body))) == expected


def test_parameters_are_uniform_if_every_call_says_so(tmp_path: Path) -> None:
    body = "if (a) OUT(i) = 1; else OUT(i + 64) = 2;"
    helper = f"NOINLINE static void h(const args_t *args, uint32_t a, uint32_t i) {{ {body} }}"
    uniform = build(tmp_path, helper + kernel("h(args, args->n, i); h(args, args->x, i + 1);"))
    assert [inserted(uniform, item.name) for item in uniform.divergence if item.name != "k"] == [(0, 0)]
    mixed = build(tmp_path, helper + kernel("h(args, args->n, i); h(args, i & 1, i + 1);"))
    assert [inserted(mixed, item.name) for item in mixed.divergence if item.name != "k"] == [(2, 0)]


def test_reasons_name_the_source_and_its_line(tmp_path: Path) -> None:
    text = kernel("if (args->n > 3)\nOUT(i) = 1;\nif (IN(i) > 4)\nOUT(i + 64) = 2;")
    (report,) = build(tmp_path, text).divergence
    by_kind = {branch.divergent: branch for branch in report.branches}
    assert by_kind[True].line == by_kind[False].line + 2
    assert "threadIdx" in by_kind[True].why or "load" in by_kind[True].why
    assert "parameter 1" in by_kind[False].why or "load from a uniform address" in by_kind[False].why


@pytest.mark.parametrize("opt", ["0", "1", "2", "3", "s"])
@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_lanes_compute_what_the_source_says(opt: str, lanes: int, tmp_path: Path) -> None:
    text = "NOINLINE static uint32_t steps(uint32_t v) { uint32_t s = 0;" + (
        "while (v > 1) { if (v & 1) v = 3 * v + 1; else v >>= 1; if (++s > 50) return 999; } return s; }"
    )
    text += kernel(
        "if (i >= args->n) return; uint32_t r = 0;"
        "for (uint32_t j = 0; j < (i & 7); ++j) { if ((i + j) % 3 == 0) continue; if (IN(j) == i) break;"
        " r += steps(IN(i + j)); }"
        "switch (i & 3) { case 0: r += 5; break; case 1: r ^= 77; [[fallthrough]]; case 2: r *= 3; } OUT(i) = r;"
    )

    def steps(value: int) -> int:
        count = 0
        while value > 1:
            value = 3 * value + 1 if value & 1 else value >> 1
            count += 1
            if count > 50:
                return 999
        return count

    expected = np.zeros(32, np.uint32)
    for i in range(29):
        r = 0
        for j in range(i & 7):
            if (i + j) % 3 == 0:
                continue
            if int(DATA[j]) == i:
                break
            r += steps(int(DATA[i + j]))
        r = {0: r + 5, 1: (r ^ 77) * 3, 2: r * 3}.get(i & 3, r)
        expected[i] = r & 0xFFFFFFFF
    assert run(build(tmp_path, text, opt, lanes), lanes, 29, 0, DATA).tolist() == expected.tolist()


def test_without_the_pass_the_same_source_is_wrong(tmp_path: Path) -> None:
    text = kernel('if (threadIdx.x & 1) { __asm__ volatile(""); OUT(i) = 1; } else OUT(i) = 2;')
    expected = [2, 1] * 16
    assert run(build(tmp_path, text), 4, 0, 0, DATA).tolist() == expected
    built = build(tmp_path, text, divergence=False)
    machine = Machine(HardwareConfig())
    out = np.zeros(32, np.uint32)
    machine.load(built.vxbin).launch("k", 4, 8, [np.uint32(0), np.uint32(0), DATA, out])
    assert out.tolist() != expected


def test_a_branch_that_the_pass_has_not_seen_fails_the_build(tmp_path: Path) -> None:
    text = kernel('if (IN(i)) OUT(i) = 1; __asm__ volatile("beqz %0, 1f\\n nop\\n1:" : : "r"(i));')
    with pytest.raises(
        CompileError, match=r"function k has \d+ conditional branches where the divergence pass left \d"
    ):
        build(tmp_path, text)


def test_a_function_for_one_lane_is_left_alone(tmp_path: Path) -> None:
    helper = (
        "VX_SINGLE_LANE static void h(const args_t *args, uint32_t i) { if (IN(i)) OUT(i) = 1; else OUT(i + 64) = 2; }"
    )
    built = build(tmp_path, helper + kernel("h(args, i);"))
    assert [inserted(built, item.name) for item in built.divergence if item.name != "k"] == [(0, 0)]
