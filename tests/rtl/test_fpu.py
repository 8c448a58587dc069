"""vx_fpu_pipe and vx_fpu_divsqrt against SoftFloat: a short share of `make test-fpu`, and a fault that it must find."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rtl.fpu import campaign, model
from tests.rtl.fpu.faults import FAULTS
from tests.rtl.fpu.golden import golden_lane
from tests.rtl.fpu.operations import ANY, OPERATIONS

VECTORS = 20_000  # of each operation and mode
SEED = 1
CORNERS = (0, 1, 0x7F_FFFF, 0x80_0000, 0x3F80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000, 0x7FFF_FFFF)


@pytest.mark.xdist_group("fpu")
def test_against_softfloat(report_figure: Callable[[str], None]) -> None:
    library = model.build()
    found: list[str] = []
    vectors, flags = 0, 0
    for part in campaign.parts(SEED):
        outcome = campaign.run_part(library, part, VECTORS * (10 if part.op == ANY else 1))
        found += campaign.problems(part, outcome)
        assert outcome.waited > 100, f"{part.name}: responses were hardly ever stalled"
        vectors += outcome.vectors
        flags |= outcome.flags_seen
    assert not found, "\n".join(found[:20])
    assert flags == 0x1F, f"only these flags were ever expected: {campaign.flag_names(flags)}"
    report_figure(f"floating-point unit: {vectors:,} vectors against SoftFloat, 0 differences (seed {SEED})")


@pytest.mark.xdist_group("fpu")
def test_finds_a_fault(tmp_path: Path) -> None:
    fault = FAULTS[0]  # `make test-fpu` seeds them all
    library = model.build(fault.seed(tmp_path))
    assert any(not campaign.run_part(library, part, VECTORS).clean for part in campaign.parts(SEED)), fault.name


@pytest.mark.xdist_group("fpu")
def test_oracle_agrees_with_golden_model() -> None:
    """Two expectations that know nothing of each other; also for what SoftFloat does not have."""
    library, rng = model.build(), random.Random(SEED)
    value, flags = ctypes.c_uint64(), ctypes.c_uint32()
    for operation in OPERATIONS:
        golden = golden_lane(operation)
        for _ in range(300):
            a, b, c = (rng.choice(CORNERS) | rng.choice((0, 1 << 31)) for _ in range(3))
            mode = rng.randrange(5)
            library.fpu_expected(operation.number, mode, a, b, c, ctypes.byref(value), ctypes.byref(flags))
            wanted, raised = golden(a, b, c, mode)
            bits = 64 if operation.wide else 32
            seen = (value.value & (1 << bits) - 1, flags.value)
            assert seen == (wanted & (1 << bits) - 1, raised), f"{operation.name} {a:#x} {b:#x} {c:#x} mode {mode}"
