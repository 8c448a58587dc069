"""Dataclasses to JSON and back, strictly: a file with another shape is refused, never half-read."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import types
import typing
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")


class TypedJsonError(ValueError):
    """The text is not the JSON of the wanted dataclass; the message names the place."""


def write_json(path: Path, value: object) -> None:
    """Write a dataclass to `path`, completely or not at all."""
    write_text(path, json.dumps(_plain(value), indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file completely or not at all, also when another process writes the same one."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.partial")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def read_json(path: Path, kind: type[_T]) -> _T:
    """Read a dataclass of type `kind` from `path`.

    Raises:
        TypedJsonError: the file is missing, is no JSON, or has another shape.
    """
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TypedJsonError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TypedJsonError(f"{path} is not JSON: {error}") from error
    result: _T = _typed(plain, kind, kind.__name__)
    return result


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic):  # a field of a record
        return value.item()
    return value


def _typed(plain: Any, kind: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is object or kind is Any:
        return plain
    if origin in (typing.Union, types.UnionType):
        if plain is None and type(None) in arguments:
            return None
        return _one_of(plain, [item for item in arguments if item is not type(None)], kind, where)
    if origin is tuple and isinstance(plain, list):
        return _typed_tuple(plain, arguments, where)
    if origin is list and isinstance(plain, list):
        return [_typed(item, arguments[0], f"{where}[{index}]") for index, item in enumerate(plain)]
    if origin is dict and isinstance(plain, dict):
        return {key: _typed(item, arguments[1], f"{where}[{key!r}]") for key, item in plain.items()}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _typed_dataclass(plain, kind, where)
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(plain)
        except ValueError as error:
            raise TypedJsonError(f"{where}: {plain!r} is no {kind.__name__}") from error
    if kind is Path and isinstance(plain, str):
        return Path(plain)
    if kind is float and type(plain) is int:
        return float(plain)
    if isinstance(kind, type) and type(plain) is kind:
        return plain
    raise TypedJsonError(f"{where}: expected {kind}, found {plain!r}")


def _one_of(plain: Any, kinds: list[Any], union: Any, where: str) -> Any:
    """The first alternative that the value has; of a single one the error says more."""
    if len(kinds) == 1:
        return _typed(plain, kinds[0], where)
    for kind in kinds:
        with contextlib.suppress(TypedJsonError):
            return _typed(plain, kind, where)
    raise TypedJsonError(f"{where}: expected {union}, found {plain!r}")


def _typed_tuple(plain: list[Any], kinds: tuple[Any, ...], where: str) -> Any:
    """`tuple[X, ...]` of any length, or one element of each kind."""
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(plain)
    if len(kinds) != len(plain):
        raise TypedJsonError(f"{where}: expected {len(kinds)} elements, found {plain!r}")
    return tuple(
        _typed(item, kind, f"{where}[{index}]") for index, (item, kind) in enumerate(zip(plain, kinds, strict=True))
    )


def _typed_dataclass(plain: Any, kind: type, where: str) -> Any:
    if not isinstance(plain, dict):
        raise TypedJsonError(f"{where}: expected the fields of {kind.__name__}, found {plain!r}")
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    if sorted(plain) != sorted(names):
        raise TypedJsonError(f"{where}: expected the fields {', '.join(names)}; found {', '.join(plain)}")
    return kind(**{name: _typed(plain[name], hints[name], f"{where}.{name}") for name in names})
