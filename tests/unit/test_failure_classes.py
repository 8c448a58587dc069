"""Which class a failure gets."""

from __future__ import annotations

import pytest

from golden_model.follow.difference import Category, Difference
from golden_model.hang import HangReport, HangVerdict
from tests.regression.failure.probable import probable
from tests.regression.failure.report import Cause, Context


@pytest.mark.parametrize(
    ("check", "category", "cause"),
    [
        ("finding race-warp", Category.KERNEL, Cause.KERNEL_RACE),
        ("finding divergent-branch", Category.KERNEL, Cause.KERNEL_DIVERGENCE),
        ("finding different-joins", Category.KERNEL, Cause.KERNEL_DIVERGENCE),
        ("finding out-of-bounds", Category.KERNEL, Cause.KERNEL),
        ("thread mask", Category.CONTROL, Cause.RTL_CONTROL),
        ("barrier released early", Category.BARRIER, Cause.RTL_CONTROL),
        ("cta slot", Category.DISPATCH, Cause.RTL_CONTROL),
        ("lane result", Category.RESULT, Cause.RTL_RESULT),
        ("memory order", Category.MEMORY, Cause.RTL_CONTROL),
        ("final memory", Category.MEMORY, Cause.MEMORY_PROTOCOL),
        ("axi id", Category.AXI, Cause.MEMORY_PROTOCOL),
        ("host-expectation", Category.HOST, Cause.HOST),
        ("interrupt", Category.DEVICE, Cause.RTL_CONTROL),
    ],
)
def test_classes(check: str, category: Category, cause: Cause) -> None:
    found = probable(check, Difference(check, category, "message"), Context(), None)
    assert found.cause is cause
    assert found.evidence


def test_a_store_that_the_lsu_sent_wrong_is_a_result() -> None:
    difference = Difference("store data", Category.MEMORY, "message", uid=5)
    assert probable("store data", difference, Context(), None).cause is Cause.RTL_RESULT


def test_classes_of_hangs() -> None:
    for verdict, cause in (
        (HangVerdict.KERNEL_LIVELOCK, Cause.KERNEL),
        (HangVerdict.RTL_DEADLOCK, Cause.RTL_CONTROL),
        (HangVerdict.UNDECIDED, Cause.UNKNOWN),
    ):
        assert probable("hang", None, Context(), HangReport(verdict, "root", 1)).cause is cause
    assert probable("simulator", None, Context(), None).cause is Cause.UNKNOWN
