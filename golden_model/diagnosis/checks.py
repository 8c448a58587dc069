"""What can be looked for: groups of findings that are switched together (docs/diagnosis.md)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from golden_model.findings import FindingKind as K


class CheckError(ValueError):
    """A name that is no check; one sentence."""


class Check(Enum):
    """A group of findings; the value is its name on the command line."""

    DIVERGENCE = "divergence"
    IPDOM = "ipdom"
    BARRIER = "barrier"
    UNDEFINED = "undefined"
    DISPATCH = "dispatch"
    FETCH = "fetch"
    ENCODING = "encoding"
    ALIGNMENT = "alignment"
    BUS = "bus"
    RACES = "races"
    BOUNDS = "bounds"
    STACK = "stack"
    SELFMOD = "selfmod"
    STALE = "stale"
    HANG = "hang"

    @property
    def kinds(self) -> frozenset[K]:
        """The findings of this check."""
        return _KINDS[self]


_KINDS: dict[Check, frozenset[K]] = {
    Check.DIVERGENCE: frozenset({K.DIVERGENT_BRANCH, K.DIVERGENT_JUMP}),
    Check.IPDOM: frozenset({K.IPDOM_OVERFLOW, K.IPDOM_MISMATCH, K.DIFFERENT_JOINS, K.IPDOM_NOT_EMPTY}),
    Check.BARRIER: frozenset({K.BARRIER_COUNT}),
    Check.UNDEFINED: frozenset(kind for kind in K if kind.value.startswith("undefined-")),
    Check.DISPATCH: frozenset({K.WRONG_DISPATCH_CALL, K.MALFORMED_WINDOW}),
    Check.FETCH: frozenset({K.FETCH_OUTSIDE_IMAGE, K.FETCH_FAULT}),
    Check.ENCODING: frozenset({K.ILLEGAL_INSTRUCTION}),
    Check.ALIGNMENT: frozenset({K.MISALIGNED_ACCESS}),
    Check.BUS: frozenset({K.BUS_FAULT}),
    Check.RACES: frozenset({K.RACE_LANE, K.RACE_WARP, K.RACE_CTA, K.RACE_CORE}),
    Check.BOUNDS: frozenset({K.OUT_OF_BOUNDS}),
    Check.STACK: frozenset({K.STALE_STACK_POINTER}),
    Check.SELFMOD: frozenset({K.SELF_MODIFYING_CODE}),
    Check.STALE: frozenset(),  # makes leftovers of earlier blocks undefined; the findings are those of UNDEFINED
    Check.HANG: frozenset({K.BARRIER_DEADLOCK, K.SPIN_LIVELOCK}),
}

EXTRA = frozenset({Check.RACES, Check.BOUNDS, Check.STACK, Check.SELFMOD, Check.STALE, Check.HANG})
ALWAYS = frozenset(Check) - EXTRA  # the model looks for these in any case, in both tiers and in step with a design

_BY_NAME = {check.value: check for check in Check}


def parse_checks(names: Iterable[str]) -> frozenset[Check]:
    """Checks of comma-separated names; `all` means every one. Raises CheckError for an unknown name."""
    found: set[Check] = set()
    for text in names:
        for name in filter(None, (part.strip() for part in text.split(","))):
            if name == "all":
                found |= set(Check)
            elif name in _BY_NAME:
                found.add(_BY_NAME[name])
            else:
                raise CheckError(f"there is no check {name!r}; the checks are all, {', '.join(_BY_NAME)}")
    return frozenset(found)


def selected(check: Iterable[str], no_check: Iterable[str]) -> frozenset[Check]:
    """ALWAYS and the named ones, without those switched off. Raises CheckError."""
    return (ALWAYS | parse_checks(check)) - parse_checks(no_check)
