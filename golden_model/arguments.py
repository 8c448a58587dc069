"""The argument language of the command line: each `--arg` is one field of the kernel's argument structure.

    u32:7  i32:-7  u64:0x1234       a number (also i8 u8 i16 u16 i64)
    f32:1.5  f64:1e-3               a floating-point number
    in:FILE                         a buffer with the file's bytes; the field is its device address, as u64
    zeros:BYTES                     a buffer of zeros
    iota:COUNT                      a buffer of COUNT u32 words 0, 1, 2 …

Fields have natural C alignment, as test structures do (docs/reference/vortex.md §8.3).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from golden_model.machine import Machine

USER_BASE = 0x1_0000
ALIGNMENT = 64
ARGUMENT_HELP = "one field of the argument structure: u32:N i32:N u64:N f32:X in:FILE zeros:BYTES iota:COUNT"

_NUMBERS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}
_FLOATS = {"f32": "f", "f64": "d"}
_MAX_BUFFER = 1 << 30


class ArgumentError(ValueError):
    """An argument that cannot be understood; one sentence."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number in the argument structure."""

    packed: bytes


@dataclass(frozen=True, slots=True)
class Buffer:
    """Device memory whose address goes into the argument structure."""

    content: bytes


def parse(text: str) -> Value | Buffer:
    """Understand one `--arg`. Raises ArgumentError."""
    kind, separator, rest = text.partition(":")
    if separator and kind in _NUMBERS:
        return Value(_pack(text, _NUMBERS[kind], _integer(text, rest)))
    if separator and kind in _FLOATS:
        try:
            return Value(_pack(text, _FLOATS[kind], float(rest)))
        except ValueError:
            raise ArgumentError(f"--arg {text}: {rest!r} is no number") from None
    if separator and kind == "in":
        try:
            return Buffer(Path(rest).read_bytes())
        except OSError as error:
            raise ArgumentError(f"--arg {text}: the file cannot be read: {error.strerror}") from None
    if separator and kind in ("zeros", "iota"):
        count = _integer(text, rest)
        size = count * (4 if kind == "iota" else 1)
        if not 0 < size <= _MAX_BUFFER:
            raise ArgumentError(f"--arg {text}: a buffer has 1 … {_MAX_BUFFER} bytes")
        return Buffer(bytes(size) if kind == "zeros" else struct.pack(f"<{count}I", *range(count)))
    kinds = ", ".join([*_NUMBERS, *_FLOATS, "in", "zeros", "iota"])
    raise ArgumentError(f"--arg {text}: write KIND:VALUE with KIND one of {kinds}")


@dataclass(slots=True)
class Placed:
    """The arguments in device memory."""

    args_addr: int
    args: bytes
    buffers: dict[int, tuple[int, int]] = field(default_factory=dict)  # argument number -> (address, size)


def place(machine: Machine, arguments: list[Value | Buffer]) -> Placed:
    """Put the argument structure and all buffers into memory, from the lowest user address on."""
    next_free = USER_BASE + _round_up(sum(8 + len(a.packed) if isinstance(a, Value) else 16 for a in arguments) or 8)
    placed = Placed(USER_BASE, b"")
    block = bytearray()
    for number, argument in enumerate(arguments):
        if isinstance(argument, Buffer):
            machine.write(next_free, argument.content)
            machine.host_buffers.add(next_free, len(argument.content))
            placed.buffers[number] = next_free, len(argument.content)
            packed = struct.pack("<Q", next_free)
            next_free += _round_up(len(argument.content))
        else:
            packed = argument.packed
        block += bytes(-len(block) % len(packed)) + packed
    placed.args = bytes(block)
    machine.write(USER_BASE, placed.args)
    machine.host_buffers.add(USER_BASE, len(placed.args))
    return placed


def _round_up(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _integer(text: str, number: str) -> int:
    try:
        return int(number, 0)
    except ValueError:
        raise ArgumentError(f"--arg {text}: {number!r} is no whole number") from None


def _pack(text: str, code: str, value: float) -> bytes:
    try:
        return struct.pack("<" + code, value)
    except (struct.error, OverflowError):
        raise ArgumentError(f"--arg {text}: the value does not fit its type") from None
