"""A share of the random divergent programs: `python -m tests.divergence` runs as many as wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sw.kernel.vxcc import compile_kernel
from tests.divergence import campaign
from tests.divergence.generator import Program

_SEEDS = range(9000, 9006)
_KEPT = Path(campaign.__file__).parent / "kept"
# Each kept program with the level at which it went wrong.
_FOUND = {"uniform_loop": "3", "constant_branch": "0", "constant_chain": "0", "unchosen_side": "1"}


def test_equal_seeds_give_equal_programs() -> None:
    assert Program("p", 3).text == Program("p", 3).text
    assert Program("p", 3).text != Program("p", 4).text


@pytest.mark.parametrize(("level", "lanes"), [("0", (4,)), ("1", (8,)), ("2", (32,)), ("3", (1, 4)), ("s", (8,))])
def test_lanes_agree_with_the_host(level: str, lanes: tuple[int, ...], report_figure: Callable[[str], None]) -> None:
    found = campaign.run_programs(_SEEDS, level, lanes, campaign.SIZES[level])
    assert [str(failure) for failure in found if not failure.refused] == []
    report_figure(
        f"divergent programs -O{level}: seeds {_SEEDS.start} to {_SEEDS.stop - 1} on {lanes} lanes equal to the host, "
        f"{len(found)} refused for their stack"
    )


@pytest.mark.parametrize(("name", "level"), _FOUND.items())
def test_what_was_found_stays_mended(name: str, level: str) -> None:
    assert [str(failure) for failure in campaign.run_kept(_KEPT / f"{name}.inc", level, (1, 4))] == []


def test_every_kept_program_is_run() -> None:
    assert {path.stem for path in _KEPT.iterdir()} == _FOUND.keys()


def test_without_the_pass_programs_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.divergence.campaign.compile_kernel",
        lambda *args, **options: compile_kernel(*args, **options, divergence=False),
    )
    found = campaign.run_programs(_SEEDS[:2], "3", (4,))
    assert {failure.seed for failure in found} == set(_SEEDS[:2])
