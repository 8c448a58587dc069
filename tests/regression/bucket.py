"""The class of a failure: equal causes have equal classes, whatever the numbers of the run."""

from __future__ import annotations

import re

from tests.regression.result import RunResult

NOTHING_RUN = "nothing was run"


def bucket_of(check: str, kernel: str, message: str) -> str:
    """A failure without what differs from case to case: numbers, addresses, paths."""
    text = message.strip().split("\n")[0]
    text = re.sub(r"(?<!\w)/\S+", "PATH", text)
    text = re.sub(r"0x[0-9a-fA-F_]+|\b\d[\d,.]*\b", "#", text)
    return f"{check}: {kernel + ': ' if kernel and kernel not in text else ''}{text}"


def first_difference(result: RunResult) -> str:
    """Class of a run for comparing runs of different shapes: lists of numbers count as one. Empty for a pass."""
    if result.passed:
        return ""
    if not result.failures:
        return NOTHING_RUN
    first = result.failures[0]
    text = bucket_of(first.check, first.kernel, first.message)
    return re.sub(r"#(?:(?:, | and | )#)+", "#", text).replace("lanes #", "lane #")
