"""One result from the runs of a host program on several launch paths, and what must be equal between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from golden_model.follow.difference import Category
from tests.regression.result import Failure, HostCheck, Outcome, RunResult, shortened

CHECK = "paths retire the same"


def join_paths(results: Sequence[RunResult], *, counts_vary: Sequence[str] = ()) -> RunResult:
    """All launches of all paths; a difference between paths that both passed is a failure.

    Args:
        counts_vary: kernels whose number of instructions depends on where and in which order warps run.
    """
    first = results[0]
    if len(results) == 1:
        return first
    checks = [*first.checks, *(check for result in results[1:] for check in result.checks if check not in first.checks)]
    failures = [failure for result in results for failure in result.failures]
    if not failures:
        check = _compare(first, results[1], counts_vary)
        checks.append(check)
        if check.outcome is Outcome.FAIL:
            failures.append(Failure(CHECK, str(Category.COUNT), check.detail, f"{CHECK}\n  {check.detail}"))
    return dataclasses.replace(
        first,
        kernels=tuple(kernel for result in results for kernel in result.kernels),
        checks=tuple(checks),
        failures=tuple(failures),
        wall_seconds=sum(result.wall_seconds for result in results),
        notes=tuple(note for result in results for note in result.notes),
    )


def _compare(left: RunResult, right: RunResult, counts_vary: Sequence[str]) -> HostCheck:
    """Warp instructions launch by launch. Entry code runs once in each warp that is used, and which are is a choice."""
    names = [[kernel.kernel for kernel in result.kernels] for result in (left, right)]
    if names[0] != names[1]:
        return HostCheck(CHECK, Outcome.FAIL, f"the paths launched different kernels: {names[0]} and {names[1]}")
    pairs = list(zip(left.kernels, right.kernels, strict=True))
    excused = [one.kernel in counts_vary and one.instructions != other.instructions for one, other in pairs]
    timed = sorted({one.kernel for (one, _), left_out in zip(pairs, excused, strict=True) if left_out})
    pairs = [pair for pair, left_out in zip(pairs, excused, strict=True) if not left_out]
    for one, other in pairs:
        if one.instructions != other.instructions and one.warps_used == other.warps_used:
            message = (
                f"{one.kernel} retired {one.instructions} warp instructions on path {one.path}, "
                f"{other.instructions} on path {other.path}"
            )
            return HostCheck(CHECK, Outcome.FAIL, message)
    if any(one.instructions != other.instructions for one, other in pairs):
        return HostCheck(
            CHECK, Outcome.NOT_APPLICABLE, "the paths used different numbers of warps, each with entry code"
        )
    if timed and not pairs:
        return HostCheck(CHECK, Outcome.NOT_APPLICABLE, f"{', '.join(timed)}: placement and order decide")
    counts = ", ".join(f"{shortened(one.kernel, 24)} {one.instructions:,}" for one, _ in pairs)
    rest = f"; not compared: {', '.join(timed)}, where placement and order decide" if timed else ""
    return HostCheck(CHECK, Outcome.PASS, f"{counts} warp instructions{rest}")
