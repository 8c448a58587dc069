"""Tags in an expression of `--tag` must exist: a misspelt one would silently select nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.nightly.case import Case
from tests.nightly.errors import NightlyError

_OPERATORS = {"and", "or", "not"}


def check_tags(expression: str, cases: Sequence[Case]) -> None:
    """Raises NightlyError: the tag that no suite of this run has, and those that there are."""
    known = {tag for case in cases for tag in case.tags}
    for word in re.findall(r"[^\s()]+", expression):
        if word not in _OPERATORS and word not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise NightlyError(f"--tag {expression!r}: there is no tag {word}; tags of this tier: {listed}")
