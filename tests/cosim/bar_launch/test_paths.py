"""The same kernels through the KMU agent and through the BARs, in one process of one model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cosim.runs import assert_lockstep, figure, run
from tests.regression.paths import CHECK
from tests.regression.result import Outcome


@pytest.mark.parametrize(
    "knobs",
    [{}, {"ENTRY": "s11"}, {"ENTRY": "direct"}, {"MEM": "hostile", "N": "64", "COPY": "bar"}],
    ids=lambda knobs: " ".join(knobs.values()) or "default",
)
def test_multikernel_on_both_paths(knobs: dict[str, str], tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    result = run(tmp_path, **{"LAUNCH": "both", "N": "128", **knobs})
    assert_lockstep(result)
    assert [kernel.path for kernel in result.kernels] == ["kmu"] * 3 + ["bar"] * 3
    kmu, bar = result.kernels[:3], result.kernels[3:]
    assert [(kernel.kernel, kernel.instructions) for kernel in kmu] == [
        (kernel.kernel, kernel.instructions) for kernel in bar
    ]
    assert [check.outcome for check in result.checks if check.name == CHECK] == [Outcome.PASS]
    report_figure(figure(result))


def test_other_kernels_take_the_bars_by_default(tmp_path: Path) -> None:
    result = run(tmp_path, TEST="lmem_reduce", LAUNCH="", N="64", CORES="2", WARPS="8", THREADS="8")
    assert_lockstep(result)
    assert {kernel.path for kernel in result.kernels} == {"bar"}
