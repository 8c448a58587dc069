"""Which columns of somebody else's CSV are ours, and how its numbers are written.

A mapping is a TOML file:

    separator = ","            # optional
    base = 10                  # of numbers without a prefix; 0x… and 0b… are always understood

    [columns]
    pc = "PC"                                    # our column = "their title"
    tmask = { title = "mask", base = 2 }         # 1010: the highest lane stands left
    result = "rd{lane}"                          # one cell a lane: rd0, rd1, …
    addr = { title = "addresses", split = " " }  # all lanes in one cell, lane 0 first; `-` or nothing = no value

Columns that are not named are not compared. Without a mapping our own titles are expected (columns.py).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from golden_model.trace.columns import BY_NAME, COLUMNS

_LANES = 64
_EMPTY = ("", "-", "x", "X")


class MappingError(ValueError):
    """A mapping that cannot be understood; one sentence."""


@dataclass(frozen=True)
class Rule:
    """Where one column comes from."""

    title: str  # may hold {lane}
    base: int = 10
    split: str = ""  # separator of lanes inside one cell


@dataclass(frozen=True)
class Source:
    """A column and the cells of a line that hold it."""

    name: str
    title: str
    values: Callable[[list[str]], list[int | None]]  # cells of a line -> one value, or one a lane


@dataclass(frozen=True)
class Mapping:
    """Rules by our column names."""

    rules: dict[str, Rule] = field(default_factory=dict)
    separator: str = ","
    partial: bool = False  # columns that are missing are no error

    @classmethod
    def of_own_names(cls) -> Mapping:
        """The titles that `trace --csv` writes."""
        rules = {c.name: Rule(c.name + "{lane}" if c.lanes else c.name) for c in COLUMNS}
        return cls(rules, partial=True)

    def sources(self, places: dict[str, int]) -> list[Source]:
        """How to read the mapped columns from a file with these titles. Raises MappingError."""
        found = []
        for name, rule in self.rules.items():
            titles = [rule.title]
            if "{lane}" in rule.title:
                titles = [t for lane in range(_LANES) if (t := rule.title.replace("{lane}", str(lane))) in places]
            cells = [places[title] for title in titles if title in places]
            if cells:
                found.append(Source(name, rule.title, _reader(cells, rule)))
            elif not self.partial:
                raise MappingError(f"there is no column {rule.title!r} for {name}; there are: {', '.join(places)}")
        if not found:
            raise MappingError(f"no column is known; there are: {', '.join(places)}. Map them with a mapping file")
        return found


def _reader(cells: list[int], rule: Rule) -> Callable[[list[str]], list[int | None]]:
    if rule.split:
        at, separator = cells[0], rule.split
        return lambda line: [_number(part, rule.base) for part in line[at].split(separator)]
    return lambda line: [_number(line[cell], rule.base) for cell in cells]


def _number(text: str, base: int) -> int | None:
    text = text.strip()
    if text in _EMPTY:
        return None
    try:
        return int(text, 0 if text[:2].lower() in ("0x", "0b") else base)
    except ValueError:
        raise ValueError(f"{text!r} is no whole number in base {base}") from None


def load_mapping(path: Path) -> Mapping:
    """Read a mapping file. Raises MappingError."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MappingError(f"{path} cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MappingError(f"{path} is no TOML: {error}") from None
    unknown = set(table) - {"separator", "base", "columns"}
    if unknown:
        raise MappingError(f"{path}: {sorted(unknown)[0]!r} is unknown; a mapping has separator, base and [columns]")
    base, separator, columns = table.get("base", 10), table.get("separator", ","), table.get("columns")
    if not isinstance(columns, dict) or not columns:
        raise MappingError(f"{path}: [columns] is missing; it says which of their titles is which of our columns")
    if not isinstance(separator, str) or len(separator) != 1:
        raise MappingError(f"{path}: separator={separator!r} must be one character")
    return Mapping({name: _rule(path, name, value, base) for name, value in columns.items()}, separator)


def _rule(path: Path, name: str, value: Any, base: Any) -> Rule:
    if name not in BY_NAME:
        raise MappingError(f"{path}: {name!r} is no column of ours; they are: {', '.join(BY_NAME)}")
    entry = {"title": value} if isinstance(value, str) else value
    if (
        not isinstance(entry, dict)
        or set(entry) - {"title", "base", "split"}
        or not isinstance(entry.get("title"), str)
    ):
        raise MappingError(f'{path}: {name} must be "their title" or {{ title = …, base = …, split = … }}')
    rule = Rule(entry["title"], entry.get("base", base), entry.get("split", ""))
    if not isinstance(rule.base, int) or not 2 <= rule.base <= 36:
        raise MappingError(f"{path}: {name}: base={rule.base!r} must be a number between 2 and 36")
    if not isinstance(rule.split, str):
        raise MappingError(f"{path}: {name}: split={rule.split!r} must be text")
    if not BY_NAME[name].lanes and ("{lane}" in rule.title or rule.split):
        raise MappingError(f"{path}: {name} is one value a row, not one a lane")
    return rule
