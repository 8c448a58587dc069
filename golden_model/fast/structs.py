"""Structures that C and Python see alike."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

_SIZES: dict[str, Any] = {
    "u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32, "i32": ctypes.c_int32,
    "u64": ctypes.c_uint64, "i64": ctypes.c_int64, "pointer": ctypes.c_uint64,
}  # fmt: skip


@dataclass
class Struct:
    """A C structure: rows of (C declaration without dimensions, size, dimensions or structure)."""

    name: str
    c_text: str
    python: Any = field(default=None)


def struct(name: str, rows: list[tuple[str, str, tuple[int, ...]]], known: dict[str, Any]) -> Struct:
    """`rows`: (type, name, dimensions); a type `T*` is a pointer."""
    lines, fields = [], []
    for kind, field_name, dims in rows:
        base = "pointer" if kind.endswith("*") else kind
        python: Any = known.get(base) or _SIZES[base]
        for dim in reversed(dims):
            python = python * dim
        fields.append((field_name, python))
        lines.append(f"  {kind} {field_name}{''.join(f'[{dim}]' for dim in dims)};")
    made = type(name, (ctypes.Structure,), {"_fields_": fields})
    known[name] = made
    return Struct(name, f"typedef struct {name} {{\n" + "\n".join(lines) + f"\n}} {name};", made)
