"""C++ declarations from ctypes structures and Python enums, so that an interface with C++ is written down once."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

_CPP_TYPE: dict[type, str] = {
    ctypes.c_uint8: "uint8_t",
    ctypes.c_uint16: "uint16_t",
    ctypes.c_uint32: "uint32_t",
    ctypes.c_uint64: "uint64_t",
}


def cpp_header(enums: Sequence[type[IntEnum]], structures: Sequence[type[ctypes.Structure]], origin: str) -> str:
    """A header that declares `enums` and `structures` in namespace vx, with a static_assert on every size.

    Args:
        origin: the Python file that defines them, named in the header's first line.

    Raises:
        TypeError: a field has a type that has no fixed-width C++ name here.
    """
    out = [f"// Generated from {origin}; do not edit.", "#pragma once", "#include <cstdint>", "namespace vx {"]
    for enum in enums:
        members = ", ".join(f"{member.name} = {member.value}" for member in enum)
        out.append(f"namespace {enum.__name__} {{ enum : uint32_t {{ {members} }}; }}")
    for structure in structures:
        out.append(f"struct {structure.__name__} {{")
        out.extend(f"  {_declaration(str(field[0]), _field_type(field))};" for field in structure._fields_)
        out.append("};")
        size = ctypes.sizeof(structure)
        out.append(f'static_assert(sizeof({structure.__name__}) == {size}, "layout differs from ctypes");')
    out.append("}  // namespace vx")
    return "\n".join(out) + "\n"


def _field_type(field: Sequence[object]) -> type:
    kind = field[1]
    assert isinstance(kind, type)
    return kind


def _declaration(name: str, kind: type) -> str:
    if issubclass(kind, ctypes.Array):
        element: Any = kind._type_
        return f"{_declaration(name, element)}[{kind._length_}]"
    if issubclass(kind, ctypes.Structure):
        return f"{kind.__name__} {name}"
    if kind not in _CPP_TYPE:
        raise TypeError(f"field {name} has type {kind.__name__}, which has no fixed-width C++ name")
    return f"{_CPP_TYPE[kind]} {name}"
