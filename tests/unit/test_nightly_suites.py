"""Suites: what a file may say, and which cases come of it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nightly.choose import Entry, choose, every_test
from tests.nightly.errors import NightlyError
from tests.nightly.suite import SUITES_FOLDER, Scale, Tier, load_suite, load_suites
from tests.unit.nightly_cases import TESTS, suite


@pytest.mark.parametrize("folder", [SUITES_FOLDER, SUITES_FOLDER.with_name("external")], ids=lambda path: path.name)
def test_the_catalogue_is_valid(folder: Path) -> None:
    for item in load_suites(folder):
        cases = choose(item, every_test(), night_seed=1).cases
        assert cases
        assert len({case.id for case in cases}) == len(cases)
        for case in cases:
            assert case.config().seed == case.seed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tests = ['*'", "is not TOML"),
        ("tests = ['*']", "description: Field required"),
        ("description = 'd'\ntests = []", "tests: Tuple should have at least 1 item"),
        ("description = 'd'\ntests = ['*']\nspeed = 3", "speed: Extra inputs are not permitted"),
        ("description = 'd'\ntests = ['*']\ntags = ['two words']", "tags.0: String should match pattern"),
        ("description = 'd'\ntests = ['*']\n[axes]\nshape = ['big']", "write CLUSTERSxCOREScWARPSwTHREADSt"),
        ("description = 'd'\ntests = ['*']\n[axes]\nshape = ['1x1c3w4t']", "WARPS=3: must be a power of two"),
        ("description = 'd'\ntests = ['*']\n[axes]\nmemory = ['slow']", "axes.memory.0: Input should be 'kind'"),
        ("description = 'd'\ntests = ['*']\n[budget]\nseconds = 0", "budget.seconds: Input should be greater than 0"),
        ("description = 'd'\ntests = ['*']\n[[expected_failure]]\ntest = 'a'", "expected_failure.0.reason: Field"),
    ],
)
def test_a_wrong_file_is_refused_with_its_field(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(NightlyError, match=r"wrong\.toml") as caught:
        load_suite(path)
    assert message in str(caught.value)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NightlyError, match="cannot be read: No such file"):
        load_suite(tmp_path / "none.toml")


@pytest.mark.parametrize(
    "content",
    [
        {"tests": ["delta"]},
        {"exclude": {"delta": "why"}},
        {"size": {"delta": 3}},
        {"expected_failure": [{"test": "delta", "reason": "why"}]},
    ],
)
def test_a_test_that_does_not_exist_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(NightlyError, match="there is no test delta"):
        choose(suite(**content), TESTS, 1)


def test_a_suite_that_excludes_everything_is_refused() -> None:
    with pytest.raises(NightlyError, match="every test that it names is excluded"):
        choose(suite(exclude={"*": "why"}), TESTS, 1)


def test_the_whole_product_with_fixed_seeds() -> None:
    item = suite(
        axes={"entry": ["s11", "direct"], "memory": ["kind", "hostile"]},
        choice={"fixed_seeds": [3, 4]},
        exclude={"beta": "why"},
        size={"alpha": 9},
    )
    cases = choose(item, TESTS, 1).cases
    assert len(cases) == 2 * 2 * 2 * 2
    assert {case.seed for case in cases} == {3, 4}
    assert {case.test: case.knobs.get("N") for case in cases} == {"alpha": "9", "gamma": None}


def test_copies_through_the_bars_need_the_bars() -> None:
    cases = choose(suite(axes={"launch": ["kmu", "bar"], "copy": ["backdoor", "bar"]}), TESTS, 1).cases
    assert {(case.knobs["LAUNCH"], case.knobs["COPY"]) for case in cases} == {
        ("kmu", "backdoor"),
        ("bar", "backdoor"),
        ("bar", "bar"),
    }


def test_seeds_are_fresh_every_night_and_follow_from_its_seed() -> None:
    item = suite(choice={"seeds": 2})
    first, again, other = (choose(item, TESTS, seed).cases for seed in (1, 1, 2))
    assert first == again
    assert not {case.seed for case in first} & {case.seed for case in other}
    assert len({case.seed for case in first}) == 6


_VALUES = {
    "shape": ["1x1c4w4t", "1x2c4w4t", "1x1c2w8t"],
    "entry": ["cta_entry", "s11", "direct"],
    "launch": ["kmu", "bar"],
    "memory": ["kind", "ordered", "hostile"],
}


@settings(max_examples=30, deadline=None)
@given(
    night=st.integers(0, 1000),
    count=st.integers(0, 60),
    axes=st.fixed_dictionaries(
        {name: st.lists(st.sampled_from(values), min_size=1, unique=True) for name, values in _VALUES.items()}
    ),
)
def test_pairs_cover_every_pair(night: int, count: int, axes: dict[str, list[str]]) -> None:
    cases = choose(suite(axes=axes, choice={"rule": "pairs", "count": count}), TESTS, night).cases
    rows = [(case.test, case.shape, *(case.knobs[knob] for knob in ("ENTRY", "LAUNCH", "MEM"))) for case in cases]
    assert len(set(rows)) == len(rows)
    columns = [list(TESTS), *(axes[name] for name in _VALUES)]
    product = len(list(itertools.product(*columns)))
    assert len(rows) >= min(count, product)
    for first, second in itertools.combinations(range(5), 2):
        assert {(row[first], row[second]) for row in rows} == set(itertools.product(columns[first], columns[second]))


def test_an_expected_failure_matches_only_its_axes() -> None:
    item = suite(
        axes={"entry": ["s11", "direct"]},
        expected_failure=[{"test": "al*", "entry": "s11", "reason": "known"}],
    )
    found = {(case.test, case.knobs["ENTRY"]): case.expected_failure for case in choose(item, TESTS, 1).cases}
    assert [key for key, reason in found.items() if reason] == [("alpha", "s11")]


def test_what_a_processor_cannot_run_is_skipped_and_counted() -> None:
    tests = {"alpha": Entry(), "beta": Entry(unmet=lambda hardware: "too few lanes" * (hardware.num_threads < 8))}
    chosen = choose(suite(axes={"shape": ["1x1c4w4t", "1x1c4w8t"]}), tests, 1)
    assert [(case.test, case.shape[-2:]) for case in chosen.cases] == [("alpha", "4t"), ("alpha", "8t"), ("beta", "8t")]
    assert chosen.skipped == {"too few lanes": 1}


def test_sizes_follow_from_the_scale() -> None:
    tests = {"alpha": Entry({Scale.SMOKE: 5}), "beta": Entry({Scale.SMOKE: 6})}
    cases = choose(suite(scale="smoke", size={"beta": 9}), tests, 1).cases
    assert [case.knobs["N"] for case in cases] == ["5", "9"]
    assert "N" not in choose(suite(), tests, 1).cases[0].knobs


def test_tiers_are_ordered() -> None:
    assert [tier.rank for tier in (Tier.SMOKE, Tier.NIGHTLY, Tier.WEEKLY)] == [0, 1, 2]
