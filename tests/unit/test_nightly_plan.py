"""Plans: chunks, folders of runs, selection."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from tests.nightly.changed import reached
from tests.nightly.errors import NightlyError
from tests.nightly.plan import PLAN, make_chunks, make_folder, read_plan, write_plan
from tests.nightly.select import check_tags
from tests.unit.nightly_cases import case, plan

_NOW = datetime.datetime(2026, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)


def test_a_chunk_has_one_model_and_a_bounded_length() -> None:
    cases = [case(seed=seed, shape=shape) for seed in range(40) for shape in ("1x1c4w4t", "1x2c4w4t")]
    chunks = make_chunks(cases, {cases[0].name: 10.0})
    assert {item.id for chunk in chunks for item in chunk.cases} == {item.id for item in cases}
    assert all(len({item.model for item in chunk.cases}) == 1 for chunk in chunks)
    assert max(len(chunk.cases) for chunk in chunks if chunk.cases[0].shape == "1x1c4w4t") == 4
    assert max(len(chunk.cases) for chunk in chunks if chunk.cases[0].shape == "1x2c4w4t") == 22
    assert len({chunk.name for chunk in chunks}) == len(chunks)


def test_models_of_one_shape_are_kept_apart() -> None:
    foreign = case().model_copy(update={"knobs": {**case().knobs, "RTL_FILELIST": "core.f"}})
    chunks = make_chunks([case(), foreign], {})
    assert sorted(chunk.name for chunk in chunks) == ["1x1c4w4t.0", "1x1c4w4t.0.2"]


def test_the_longest_chunk_comes_first() -> None:
    short, long = case(test="short"), case(test="long", shape="1x2c4w4t")
    assert make_chunks([short, long], {long.name: 40.0})[0].cases == (long,)


def test_two_runs_of_one_second_get_two_folders(tmp_path: Path) -> None:
    names = [make_folder(tmp_path / "deep", _NOW).name for _ in range(3)]
    assert names == ["20260203-040506", "20260203-040506-2", "20260203-040506-3"]


def test_a_file_in_the_place_of_the_folder_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(NightlyError, match=r"results cannot be written to .*results: "):
        make_folder(tmp_path / "results", _NOW)


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = plan([case(), case(test="beta")])
    write_plan(tmp_path, written)
    assert read_plan(tmp_path) == written


def test_a_missing_or_damaged_plan_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NightlyError, match="there is no run nothing"):
        read_plan(tmp_path / "nothing")
    (tmp_path / PLAN).write_text("{")
    with pytest.raises(NightlyError, match="is damaged"):
        read_plan(tmp_path)


def test_a_tag_that_no_suite_has_is_named() -> None:
    check_tags("t and not t", [case()])
    with pytest.raises(NightlyError, match="there is no tag kernals; tags of this tier: t"):
        check_tags("t and (kernals)", [case()])


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["tests/kernels/alpha/kernel.cpp"], ["alpha"]),
        (["docs/README.md", "tests/unit/test_x.py", "CHANGELOG.md"], []),
        (["tests/kernels/alpha/host.py", "hw/rtl/vx_core.sv"], ["alpha", "beta"]),
        (["tests/kernels/README.md"], ["alpha", "beta"]),
        ([], []),
    ],
)
def test_a_change_reaches_its_kernel_or_everything(files: list[str], expected: list[str]) -> None:
    assert [item.test for item in reached([case(), case(test="beta")], files)] == expected
