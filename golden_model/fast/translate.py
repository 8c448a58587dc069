"""From a Python definition to a C function, by its syntax tree.

Every function is specialised on what is known of its arguments: Python objects (the width, the lane function, the size
of an access) disappear, integers keep their range, the machine's state becomes pointers (golden_model/fast/state.py).
Ranges of variables are found by repeating the translation until they no longer grow.

The translated definitions execute the case without findings. Where a definition would report, fault or refuse, the C
function says "not me" (`m->bail`) and must have changed nothing: the readable tier then executes that instruction. The
translator refuses a definition that could change state first.
"""

from __future__ import annotations

import inspect
import textwrap
from ast import FunctionDef, parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from golden_model.fast.state import State
from golden_model.fast.values import Const, Int, Lanes, Obj, Record, Untranslatable, Value, ctype

# Kinds that every C function can reach, and the parameter by which it does.
IMPLICIT = {"machine": "m", "core": "c", "barriers": "c", "warp": "w", "ipdom": "w", "step": "w", "op": "op"}


@dataclass
class Function:
    """One C function: a Python function for one kind of arguments."""

    name: str
    text: str = ""
    returns: Value | None = None
    return_type: str = "void"
    may_bail: bool = False
    effects: bool = False
    needs: list[Function] = field(default_factory=list)


def storage(value: Int | Lanes) -> str:
    """C type of a variable or array element."""
    return "u32" if value.range.lo >= 0 and value.range.hi < 1 << 32 else ctype(value.range)


class Translation:
    """All functions of one configuration; each pair of function and argument kinds is translated once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.lanes = state.lanes
        self._functions: dict[tuple[object, ...], Function] = {}
        self._active: set[tuple[object, ...]] = set()
        self._alive: list[object] = []  # objects whose id is part of a key
        self._trees: dict[object, FunctionDef] = {}

    def function(self, python: Callable[..., Any], arguments: list[Value]) -> Function:
        """C function for a call with these arguments. Raises Untranslatable with the function's name."""
        from golden_model.fast.body import Body

        key = (python, *(self._key(argument) for argument in arguments))
        if key in self._functions:
            return self._functions[key]
        if key in self._active:
            raise Untranslatable(f"{python.__qualname__} calls itself")
        self._active.add(key)
        function = Function(f"f{len(self._functions) + len(self._active)}_{python.__name__}")
        try:
            Body(self, python, self.tree(python), arguments, function).translate()
        except Untranslatable as problem:
            message = str(problem)
            if not message.startswith("golden_model") and "cannot be translated" not in message:
                message = f"{python.__module__}.{python.__qualname__} cannot be translated to C: {message}"
            raise Untranslatable(message) from None
        finally:
            self._active.discard(key)
        self._functions[key] = function
        return function

    def tree(self, python: Callable[..., Any]) -> FunctionDef:
        """Syntax tree of a function."""
        if python not in self._trees:
            try:
                node = parse(textwrap.dedent(inspect.getsource(python))).body[0]
            except (OSError, TypeError, SyntaxError) as problem:
                raise Untranslatable(f"its source cannot be read ({problem})") from None
            if not isinstance(node, FunctionDef):
                raise Untranslatable("only plain functions (def) are translated")
            self._trees[python] = node
        return self._trees[python]

    def _key(self, argument: Value) -> object:
        if isinstance(argument, Const):
            if isinstance(argument.value, int | str | None):
                return ("const", type(argument.value), argument.value)
            self._alive.append(argument.value)
            return ("object", id(argument.value))
        if isinstance(argument, Int):
            return ("int", argument.range)
        if isinstance(argument, Lanes):
            return ("lanes", argument.range, argument.element)
        if isinstance(argument, Obj):
            return ("state", argument.kind, id(argument.info))
        raise Untranslatable("a tuple or record cannot be an argument")


def unify(values: list[Value]) -> Value | None:
    """What a function returns if it returns one of these. None = nothing."""
    values = [v for v in values if not (isinstance(v, Const) and v.value is None)] or []
    if not values:
        return None
    first = values[0]
    if isinstance(first, Record):
        columns = []
        for position, name in enumerate(first.names):
            column = [v.items[position] for v in values if isinstance(v, Record) and v.names == first.names]
            joined = unify(column)
            if len(column) != len(values) or joined is None:
                raise Untranslatable(f"returns records that differ in {name}")
            columns.append(joined)
        return Record(first.names, tuple(columns))
    if isinstance(first, Obj | Lanes):
        if any(type(v) is not type(first) for v in values):
            raise Untranslatable("returns values of different kinds")
        return first
    joined = as_int(first)
    for other in values[1:]:
        joined = Int("", joined.range.join(as_int(other).range))
    return joined


def as_int(value: Value) -> Int:
    """The value as an integer. Raises Untranslatable for anything else."""
    from golden_model.fast.values import constant

    if isinstance(value, Int):
        return value
    if isinstance(value, Const) and isinstance(value.value, int):
        return constant(int(value.value))
    raise Untranslatable(f"an integer is needed, not {value}")
