"""The other kernels in lockstep, on two shapes and under hostile memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cosim.runs import assert_lockstep, figure, run

SIZES = {"amo": "32", "saxpy": "125", "sgemm": "16", "sgemm_i": "16"}  # saxpy: the last warp is partial


@pytest.mark.parametrize("name", ["amo", "lmem_reduce", "lmem_tree", "saxpy", "sgemm", "sgemm_i", "vecadd_i"])
@pytest.mark.parametrize(
    "knobs", [{}, {"MEM": "hostile", "WARPS": "2", "THREADS": "2"}], ids=["default", "2w2t-hostile"]
)
def test_kernels(name: str, knobs: dict[str, str], tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    result = run(tmp_path, **{"TEST": name, "N": SIZES.get(name, "128"), **knobs})
    assert_lockstep(result)
    report_figure(figure(result))
