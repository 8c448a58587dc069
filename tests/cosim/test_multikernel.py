"""multikernel in lockstep: what the project promises for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hw.tb.run.launcher import RESET_SEED
from tests.cosim.runs import assert_lockstep, figure, run
from tests.regression.result import Outcome

Report = Callable[[str], None]

# Hardware choices that multikernel may leave open: where CTAs go, and spills of registers that nobody wrote.
ALLOWED = {"placement", "undefined memory", "undefined store"}


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"ENTRY": "s11"},
        {"ENTRY": "direct"},
        {"MEM": "hostile"},
        {"MEM": "ordered"},
        {"MEM": "hostile", "ENTRY": "s11"},
        {"WARPS": "2", "THREADS": "2"},
        {"CORES": "2", "WARPS": "8", "THREADS": "8"},
        {"CORES": "2", "WARPS": "8", "THREADS": "8", "MEM": "hostile", "ENTRY": "direct"},
    ],
    ids=lambda knobs: " ".join(knobs.values()) or "default",
)
def test_configurations(knobs: dict[str, str], tmp_path: Path, report_figure: Report) -> None:
    result = run(tmp_path, **knobs)
    assert_lockstep(result)
    assert sorted(kernel.kernel for kernel in result.kernels) == ["acc_k", "add_k", "mul_k"]
    assert set(result.adopted) <= ALLOWED
    names = Outcome.NOT_APPLICABLE if knobs.get("ENTRY") == "direct" else Outcome.PASS
    assert [check.outcome for check in result.checks] == [names, names]
    report_figure(figure(result))


@pytest.mark.parametrize("seed", range(2, 8))
def test_seeds(seed: int, tmp_path: Path) -> None:
    result = run(tmp_path, SEED=str(seed), MEM="hostile" if seed % 2 else "kind", N="64")
    assert_lockstep(result)


def test_every_order_of_launch_is_among_the_seeds(tmp_path: Path) -> None:
    orders = set()
    for seed in range(2, 8):
        result = run(tmp_path, backend="golden", SEED=str(seed), N="16")
        assert result.passed
        orders.add(tuple(kernel.kernel for kernel in result.kernels))
    assert len(orders) == 6


def test_values_of_registers_without_reset_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers without reset start with random values; whatever these are, every figure of a run is the same."""
    seen = set()
    for values in ("11", "12"):
        monkeypatch.setenv(RESET_SEED, values)
        result = run(tmp_path / values, N="64", LAUNCH="both")
        assert_lockstep(result)
        seen.add(
            tuple(
                (kernel.instructions, kernel.cycles, kernel.axi_transactions, str(kernel.adopted))
                for kernel in result.kernels
            )
        )
    assert len(seen) == 1


def test_figures_at_a_fixed_latency(tmp_path: Path, report_figure: Report) -> None:
    """One core, four warps of four lanes, every read answered after 20 cycles."""
    result = run(tmp_path, policy="fixed20")
    assert_lockstep(result)
    assert result.instructions / result.cycles >= 0.30
    for kernel in result.kernels:
        assert kernel.max_warps_in_flight >= 2
        assert kernel.icache_hits > 0
        assert kernel.dcache_hits > 0
    report_figure("fixed latency of 20 cycles: " + figure(result))
