"""The one exception that ends a run with a sentence instead of a traceback."""

from __future__ import annotations


class RunError(Exception):
    """A run that cannot be started or finished; `str()` says what, where and what to do."""
