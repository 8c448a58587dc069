"""History, flaky cases, drift, and the difference of two runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.nightly.compare import compare_runs
from tests.nightly.errors import NightlyError
from tests.nightly.history import History, Sample
from tests.nightly.record import Record, Verdict
from tests.nightly.summary import summarise
from tests.nightly.trend import MIN_RUNS, drifts, flaky
from tests.unit.nightly_cases import case, plan, record


def _sample(run: int, cycles: int = 1000, verdict: str = "pass", seed: int = 1, speed: float = 1e6) -> Sample:
    name = "s-alpha-1x1c4w4t-cta_entry-kmu-kind"
    return Sample(f"r{run}", f"commit{run}", name, seed, verdict, cycles, 1.0, speed)


def test_a_run_is_kept_and_a_resumed_one_replaces_it(tmp_path: Path) -> None:
    history = History(tmp_path)
    one, two = case(), case(test="beta")
    history.add(plan([one, two]), [record(one)])
    history.add(plan([one, two]), [record(one), record(two, Verdict.FAIL)])
    history.add(plan([one], run="r2", day=2), [record(one)])
    runs = History(tmp_path).runs(10)
    assert [(run.id, run.cases, run.passed, run.cycles) for run in runs] == [("r1", 2, 1, 1000), ("r2", 1, 1, 500)]
    assert runs[0].speed == 1000.0
    assert [sample.run for sample in history.samples(1)] == ["r2"]
    assert {sample.name for sample in history.samples(10, before="r2")} == {one.name, two.name}
    assert history.expected_seconds() == {one.name: 1.5, two.name: 1.5}


def test_a_run_in_which_nothing_finished_is_kept(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add(plan([case()]), [])
    assert [(run.cases, run.speed) for run in history.runs(5)] == [(0, 0.0)]


@pytest.mark.parametrize("url", ["nonsense", "nodb://x/y", "sqlite:////no/such/folder/x.sqlite"])
def test_a_database_that_cannot_be_opened_is_a_sentence(url: str) -> None:
    with pytest.raises(NightlyError, match=r"^history "):
        History(url)


def test_a_file_that_is_no_database_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite").write_text("no database at all, but long enough to be read as one" * 20)
    with pytest.raises(NightlyError, match="not a database"):
        History(tmp_path)


def test_one_seed_with_two_verdicts_on_one_commit_is_flaky() -> None:
    same = [_sample(1), _sample(2, verdict="fail")]
    moved = [Sample(**{**vars(sample), "commit": "c"}) for sample in same]
    assert flaky(same) == []  # the commit changed
    assert [(item.seed, item.verdicts) for item in flaky(moved)] == [(1, ("fail", "pass"))]
    assert flaky([moved[0], Sample(**{**vars(moved[1]), "seed": 2})]) == []


def test_drift_is_what_leaves_the_noise() -> None:
    noisy = [_sample(run, cycles=1000 + 20 * (run % 3)) for run in range(9)]
    assert drifts(noisy, [_sample(9, cycles=1060)]) == []
    (found,) = drifts(noisy, [_sample(9, cycles=1500)])
    assert (found.figure, found.now, found.since, found.until) == ("cycles", 1500, "commit8", "commit9")
    assert found.change == pytest.approx(1500 / 1020 - 1)


def test_drift_of_simulation_speed_is_by_shape() -> None:
    steady = [_sample(run) for run in range(6)]
    assert drifts(steady, [_sample(6, speed=0.9e6)]) == []
    (found,) = drifts(steady, [_sample(6, speed=0.5e6)])
    assert (found.name, found.figure) == ("1x1c4w4t", "simulated cycles/s")


def test_few_runs_and_failures_say_nothing_about_drift() -> None:
    assert drifts([_sample(run) for run in range(MIN_RUNS - 1)], [_sample(9, cycles=9000)]) == []
    assert drifts([_sample(run) for run in range(9)], [_sample(9, cycles=9000, verdict="fail")]) == []


def test_a_summary_names_what_is_flaky_and_what_drifted(tmp_path: Path) -> None:
    history, one = History(tmp_path), case()
    for day in range(MIN_RUNS + 1):
        history.add(plan([one], run=f"r{day}", day=day, commit=f"{day}"), [record(one)])
    now = plan([one], run="now", day=20, commit="5")
    records = [record(one, Verdict.FAIL, cycles=9, flaky=True)]
    history.add(now, records)
    summary = summarise(now, records, 1, history)
    assert not summary.good
    assert {item.verdicts for item in summary.flaky} == {("fail", "another one alone"), ("fail", "pass")}
    slow = [record(one, cycles=900)]
    history.add(now, slow)
    assert [drift.now for drift in summarise(now, slow, 1, history).drifts if drift.figure == "cycles"] == [900]


def test_buckets_gather_equal_causes_and_the_largest_is_first() -> None:
    cases = [case(test=name) for name in ("alpha", "beta", "gamma", "delta")]
    records = [record(item, Verdict.FAIL, bucket="b") for item in cases[:1]]
    records += [record(item, Verdict.FAIL, bucket="a") for item in cases[1:3]] + [record(cases[3])]
    summary = summarise(plan(cases), records, 5, None)
    assert [(bucket.first, len(bucket.records)) for bucket in summary.buckets] == [("a", 2), ("b", 1)]
    assert (summary.left, summary.counts) == (1, {"pass": 1, "fail": 3})


@pytest.mark.parametrize(("records", "selected", "good"), [(0, 0, False), (1, 1, True), (1, 2, False)])
def test_good_means_that_all_of_something_ran(records: int, selected: int, good: bool) -> None:
    done = [record(case())][:records]
    assert summarise(plan([case()]), done, selected, None).good is good


def test_a_run_in_which_everything_was_skipped_is_not_good() -> None:
    cases = [case(), case(test="beta")]
    skipped = [record(item, Verdict.SKIPPED, message="too small") for item in cases]
    summary = summarise(plan(cases), skipped, 2, None)
    assert (summary.good, summary.skipped) == (False, {"too small": 2})
    assert summarise(plan(cases), [skipped[0], record(cases[1])], 2, None).good


def test_the_difference_of_two_runs() -> None:
    names = ("same", "new", "fixed", "still", "slow", "gone")
    before: list[Record] = [
        record(case(test=name), Verdict.FAIL if name in ("fixed", "still") else Verdict.PASS) for name in names
    ]
    now = [record(case(test=name), Verdict.FAIL if name in ("new", "still") else Verdict.PASS) for name in names[:4]]
    now += [record(case(test="slow"), cycles=600), record(case(test="added"))]
    found = compare_runs(before, now)
    assert [[item.case.test for item in group] for group in (found.broken, found.fixed, found.still)] == [
        ["new"],
        ["fixed"],
        ["still"],
    ]
    assert [(item.before, item.now) for item in found.moved] == [(500, 600)]
    assert [name.split("-")[1] for name in (*found.only_before, *found.only_now)] == ["gone", "added"]


def test_nightlies_that_start_together_make_one_history(tmp_path: Path) -> None:
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        with ThreadPoolExecutor(8) as pool:
            for made in [pool.submit(History, folder) for _ in range(8)]:
                made.result()
