"""Values of signals in the FST files of a run, by cycle: `Waves(folder).changes("*.core.trace_commit.uid", a, b)`."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pywellen

from hw.tb.debug.waves.fst import CYCLE_NS, time_span

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
        span = time_span(path)
        self.first, self.last = -(-span[0] // CYCLE_NS), span[1] // CYCLE_NS

    def __repr__(self) -> str:
        return f"{self.path.name}: cycles {self.first} to {self.last}, {len(self._vars):,} signals"

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


class WaveSet:
    """Every traced window of a run, and of its second run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[Path, Waves] = {}

    def windows(self) -> list[Waves]:
        """What is there now, by its first cycle."""
        files = {*self._folder.glob("waves*.fst"), *self._folder.glob("debug/*.fst")}
        for path in files - self._opened.keys():
            self._opened[path] = Waves(path)
        return sorted((waves for path, waves in self._opened.items() if path in files), key=lambda waves: waves.first)

    def changes(self, pattern: str, first: int, last: int) -> list[Change]:
        """As `Waves.changes`, from the window that has these cycles. Raises SignalError."""
        windows = self.windows()
        for waves in windows:
            if waves.first <= first and last <= waves.last:
                return waves.changes(pattern, first, last)
        spans = ", ".join(f"{waves.first} to {waves.last}" for waves in windows) or "none"
        raise SignalError(
            f"cycles {first} to {last} were not traced (traced: {spans}); make debug RUN=<id> FROM={first} TO={last}"
        )
