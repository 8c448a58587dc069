"""The re-validation of entry generations on a few kernels, and each of its checks failing once."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from config import EntryGeneration
from tests.entry_revalidation.__main__ import compressed, kernel_row, main, weakness
from tests.entry_revalidation.compare import GENERATIONS, Measured, differences, measure
from tests.regression.catalogue import find_test

SMALL = find_test("reduce").sizes.smoke


@pytest.fixture(scope="module")
def runs() -> list[Measured]:
    return kernel_row("reduce", SMALL).runs


def test_generations_agree(runs: list[Measured]) -> None:
    test = find_test("reduce")
    assert differences(test, runs) == []
    assert [run.split.in_window for run in runs] == [24 * words for words in (5, 4, 3)]
    assert all(run.split.reused > 12 and run.split.prologue > 0 for run in runs)
    instructions = [sum(kernel.instructions for kernel in run.result.kernels) for run in runs]
    parts = [run.split.prologue + run.split.in_window + run.split.kernel.total() for run in runs]
    assert parts == instructions


def test_a_legacy_program_has_its_own_generation() -> None:
    row = kernel_row("basic", find_test("basic").sizes.smoke)
    assert row.differences == []
    assert len(row.runs) == 1


def test_a_different_number_of_instructions_is_found(runs: list[Measured]) -> None:
    longer = _longer(runs[1], launch=1)
    found = differences(find_test("reduce"), [runs[0], longer])
    assert len(found) == 1
    assert found[0].startswith("reduce: ")
    assert found[0].endswith(f"warp instructions of reduce (launch 1) in cta_entry, {longer.split.kernel[1]} in s11")


def test_only_a_kernel_whose_count_varies_may_take_another_number_of_instructions(runs: list[Measured]) -> None:
    longer = _longer(runs[1], launch=1)
    test = find_test("reduce")
    assert differences(dataclasses.replace(test, counts_vary=("reduce",)), [runs[0], longer]) == []
    assert len(differences(dataclasses.replace(test, counts_vary=("another",)), [runs[0], longer])) == 1


def _longer(run: Measured, launch: int) -> Measured:
    """The same run with one instruction more of the kernel."""
    kernel = run.split.kernel.copy()
    kernel[launch] += 1
    return dataclasses.replace(run, split=dataclasses.replace(run.split, kernel=kernel))


@pytest.mark.parametrize("change", [1, -1])
def test_a_block_that_is_called_twice_or_never_is_found(runs: list[Measured], change: int) -> None:
    called = runs[0].split.called.copy()
    first = next(iter(called))
    if change > 0:
        called[first] += 1
    else:
        for place in [place for place in called if place[:2] == first[:2]]:
            del called[place]
    broken = dataclasses.replace(runs[0], split=dataclasses.replace(runs[0].split, called=called))
    assert "blocks were called" in differences(find_test("reduce"), [broken])[0]


def test_a_short_instruction_in_the_window_is_found(runs: list[Measured]) -> None:
    found = differences(find_test("reduce"), [dataclasses.replace(runs[0], full_size=False)])
    assert found == ["reduce in cta_entry: the dispatch window holds an instruction that has not four bytes"]


def test_a_wrong_result_is_found() -> None:
    run = measure("clobber_saved", EntryGeneration.S11)
    assert "calls 0xdead0000" in differences(find_test("clobber_saved"), [run])[0]


@pytest.mark.parametrize("entry", GENERATIONS, ids=lambda entry: entry.value)
def test_saved_registers_need_not_survive_but_in_s11(entry: EntryGeneration) -> None:
    assert weakness(entry).passed == (entry is not EntryGeneration.S11)


@pytest.mark.parametrize("entry", GENERATIONS, ids=lambda entry: entry.value)
def test_the_window_among_compressed_code(entry: EntryGeneration, tmp_path: Path) -> None:
    found = compressed(entry, tmp_path)
    assert found.compressed
    assert found.good


def test_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["SIZE=smoke", "TESTS=fence", f"OUT={tmp_path / 'report.md'}"]) == 0
    assert "fence: agrees" in capsys.readouterr().out
    assert "1 kernels, 0 of them with the legacy library: all agree." in (tmp_path / "report.md").read_text()
