"""Two launch paths of one host program must retire the same warp instructions."""

from __future__ import annotations

import dataclasses

from tests.regression.paths import CHECK, join_paths
from tests.regression.result import KernelResult, Outcome, RunResult


def _run(path: str, *kernels: tuple[str, int, int]) -> RunResult:
    rows = tuple(
        KernelResult(name, number, Outcome.PASS, "4x16", instructions=count, warps_used=warps, path=path)
        for number, (name, count, warps) in enumerate(kernels)
    )
    return RunResult("multikernel", "cosim", {}, "make", rows)


KMU = _run("kmu", ("add_k", 100, 4), ("mul_k", 200, 4))


def test_equal_counts_pass_and_all_launches_are_there() -> None:
    joined = join_paths([KMU, _run("bar", ("add_k", 100, 4), ("mul_k", 200, 4))])
    assert joined.passed
    assert [(kernel.path, kernel.kernel) for kernel in joined.kernels] == [
        ("kmu", "add_k"), ("kmu", "mul_k"), ("bar", "add_k"), ("bar", "mul_k"),
    ]  # fmt: skip
    assert [(check.name, check.outcome) for check in joined.checks] == [(CHECK, Outcome.PASS)]


def test_another_count_fails_and_is_named() -> None:
    joined = join_paths([KMU, _run("bar", ("add_k", 100, 4), ("mul_k", 201, 4))])
    assert not joined.passed
    assert [failure.message for failure in joined.failures] == [
        "mul_k retired 200 warp instructions on path kmu, 201 on path bar"
    ]


def test_a_kernel_that_retries_may_differ_in_its_count_and_the_others_may_not() -> None:
    other = _run("bar", ("add_k", 100, 4), ("mul_k", 201, 4))
    joined = join_paths([KMU, other], counts_vary=["mul_k"])
    assert joined.passed
    assert [(check.outcome, "not compared: mul_k" in check.detail) for check in joined.checks] == [(Outcome.PASS, True)]
    assert not join_paths([KMU, other], counts_vary=["add_k"]).passed
    assert not join_paths([KMU, _run("bar", ("add_k", 100, 4))], counts_vary=["mul_k"]).passed


def test_with_nothing_but_retries_nothing_is_compared() -> None:
    joined = join_paths([KMU, _run("bar", ("add_k", 101, 4), ("mul_k", 201, 4))], counts_vary=["add_k", "mul_k"])
    assert [check.outcome for check in joined.checks] == [Outcome.NOT_APPLICABLE]


def test_other_kernels_fail() -> None:
    joined = join_paths([KMU, _run("bar", ("add_k", 100, 4))])
    assert not joined.passed
    assert "different kernels" in joined.failures[0].message


def test_with_another_number_of_warps_entry_code_makes_counts_incomparable() -> None:
    joined = join_paths([KMU, _run("bar", ("add_k", 100, 4), ("mul_k", 180, 3))])
    assert joined.passed
    assert [check.outcome for check in joined.checks] == [Outcome.NOT_APPLICABLE]


def test_a_path_that_failed_is_reported_alone() -> None:
    bad = dataclasses.replace(KMU, failures=join_paths([KMU, _run("bar", ("add_k", 1, 4), ("mul_k", 1, 4))]).failures)
    joined = join_paths([KMU, bad])
    assert not joined.passed
    assert joined.failures == bad.failures
