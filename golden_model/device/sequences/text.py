"""Sequences as text, one command a line, and back: for reports, and for replaying what was shrunk.

Reset enable=true
Do ReadRegister bar=0x0 offset=0x104 size=0x4
Dispatch program=STORE vortex=true table=none grid=0x1,0x1,0x1 …
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable
from enum import Enum
from types import NoneType
from typing import Any

from golden_model.device.sequences import actions as action_types
from golden_model.device.sequences import commands as command_types

_NONE = "none"


class SequenceError(ValueError):
    """Text that is no command; the message names the line."""


def to_text(commands: Iterable[command_types.Command]) -> str:
    """One line a command."""
    return "".join(f"{_line(command)}\n" for command in commands)


def from_text(text: str) -> list[command_types.Command]:
    """The commands; empty lines and lines that begin with # are skipped. Raises SequenceError."""
    found: list[command_types.Command] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "Do":
                found.append(command_types.Do(_build(action_types.Action, words[1:])))
            else:
                found.append(_build(command_types.Command, words))
        except (KeyError, ValueError, TypeError) as error:
            raise SequenceError(f"line {number} is no command: {line!r} ({error})") from error
    return found


def _line(command: Any) -> str:
    if isinstance(command, command_types.Do):
        return f"Do {_line(command.action)}"
    fields = (f"{field.name}={_show(getattr(command, field.name))}" for field in dataclasses.fields(command))
    return " ".join([type(command).__name__, *fields])


def _show(value: object) -> str:
    match value:
        case None:
            return _NONE
        case bool():
            return "true" if value else "false"
        case Enum():
            return value.name
        case int():
            return hex(value)
        case bytes():
            return value.hex() or "empty"
        case tuple():
            return ",".join(_show(item) for item in value)
    raise TypeError(f"{value!r} cannot be written")


def _build(union: Any, words: list[str]) -> Any:
    kinds = {kind.__name__: kind for kind in typing.get_args(union)}
    kind = kinds[words[0]]
    hints = typing.get_type_hints(kind)
    given = dict(word.split("=", 1) for word in words[1:])
    return kind(**{name: _parse(text, hints[name]) for name, text in given.items()})


def _parse(text: str, kind: Any) -> Any:
    options = [option for option in typing.get_args(kind) if option is not NoneType]
    if NoneType in typing.get_args(kind):
        return None if text == _NONE else _parse(text, options[0])
    if typing.get_origin(kind) is tuple:
        return tuple(_parse(part, option) for part, option in zip(text.split(","), options, strict=True))
    if kind is bool:
        return {"true": True, "false": False}[text]
    if kind is bytes:
        return b"" if text == "empty" else bytes.fromhex(text)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind[text]
    return int(text, 0)
