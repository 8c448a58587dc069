"""Values of signals in the FST files of a run, by cycle: `Waves(folder).changes("*.core.trace_commit.uid", a, b)`."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pywellen

from hw.tb.debug.waves.fst import CYCLE_NS

_MOST_NAMES = 12


class SignalError(ValueError):
    """A signal that is not there, or not unambiguous; one sentence."""


@dataclass(frozen=True)
class Change:
    """A value from a cycle on, until the next one. `edge` is False for a change in the middle of the cycle."""

    cycle: int
    value: int | str
    edge: bool = True


class Waves:
    """One FST file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file: Any = pywellen.Waveform(str(path))
        except Exception as error:  # the library raises several, none of its own
            raise SignalError(f"{path} cannot be read: {error}") from error
        self._vars: dict[str, Any] = {var.full_name: var for var in self._file.all_vars()}

    def names(self, pattern: str = "*") -> list[str]:
        """Full names that match, such as `*.core.trace_commit.*`."""
        return [name for name in self._vars if fnmatchcase(name, _literal(pattern))]

    def changes(self, pattern: str, first: int, last: int) -> list[Change]:
        """Changes of one signal in the cycles `first` to `last`, the value at `first` in front.

        Raises:
            SignalError: no such signal, or several.
        """
        found: list[Change] = []
        before: Change | None = None
        for time, value in self._vars[self._name(pattern)].signal:
            change = Change(time // CYCLE_NS, value, time % CYCLE_NS == 0)
            if change.cycle <= first and (change.cycle < first or change.edge):
                before = change
            elif change.cycle <= last:
                found.append(change)
        return [*([Change(first, before.value)] if before is not None else []), *found]

    def _name(self, pattern: str) -> str:
        found = [pattern] if pattern in self._vars else self.names(pattern)
        if len(found) == 1:
            return found[0]
        if not found:
            raise SignalError(f"{pattern}: no such signal in {self.path}; names('*word*') lists some")
        more = " …" if len(found) > _MOST_NAMES else ""
        raise SignalError(f"{pattern} names {len(found)} signals: {', '.join(found[:_MOST_NAMES])}{more}")


def _literal(pattern: str) -> str:
    """Brackets are indices, not sets of characters."""
    return pattern.replace("[", "[[]")
