"""The one exception that ends a run with a sentence instead of a traceback."""

from __future__ import annotations

import traceback


class RunError(Exception):
    """A run that cannot be started or finished; `str()` says what, where and what to do."""


def describe(error: BaseException) -> str:
    """One line for an exception that nobody planned: its kind, its text, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"
