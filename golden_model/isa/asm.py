"""A small assembler derived from the instruction table, for tests and hand-written programs.

`encode` makes one word; `assemble` takes lines with labels, comments, `.word`, `.zero` and the usual
pseudo-instructions (docs: golden_model/isa/README.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from golden_model.isa.bits import sign_extend
from golden_model.isa.operands import Kind, OperandError
from golden_model.isa.table import find


class AsmError(ValueError):
    """Text that is no program; the message names the line."""


def encode(name: str, *operands: int | str, xlen: int = 32) -> int:
    """Word of one instruction; operands in assembler order, registers and CSRs by name or number.

    `encode("addi", "a0", "a1", -4)`, `encode("lw", "a0", 8, "sp")`, `encode("beq", "a0", "zero", 16)` (byte offset).
    Raises AsmError for an unknown mnemonic, OperandError for an operand that does not fit.
    """
    instruction = find(name, xlen)
    if instruction is None:
        raise AsmError(f"unknown instruction {name!r} for XLEN={xlen}")
    if len(operands) == len(instruction.operands) - 1 and instruction.operands[-1].kind is Kind.ROUNDING:
        operands = (*operands, "dyn")
    if len(operands) != len(instruction.operands):
        raise AsmError(f"{name} takes {len(instruction.operands)} operands ({instruction.syntax}), got {len(operands)}")
    word = instruction.match
    for operand, value in zip(instruction.operands, operands, strict=True):
        word |= operand.checked(operand.parse(value) if isinstance(value, str) else value)
    return word


def assemble(source: str, base: int = 0, xlen: int = 32) -> bytes:
    """Machine code of a program that starts at address `base`. Raises AsmError with the line number."""
    words, _ = assemble_with_labels(source, base, xlen)
    return words


def assemble_with_labels(source: str, base: int = 0, xlen: int = 32) -> tuple[bytes, dict[str, int]]:
    """Machine code and the address of every label."""
    labels: dict[str, int] = {}
    statements: list[tuple[int, int, str, list[str]]] = []  # line, address, mnemonic, operands
    address = base
    for number, text in enumerate(source.splitlines(), 1):
        line = re.split(r"#|//|;", text, maxsplit=1)[0].strip()
        while match := re.match(r"([A-Za-z_.][\w.]*):", line):
            if match[1] in labels:
                raise AsmError(f"line {number}: label {match[1]} is defined twice")
            labels[match[1]] = address
            line = line[match.end() :].strip()
        if not line:
            continue
        mnemonic, _, rest = line.partition(" ")
        operands = [part for part in re.split(r"[,()\s]+", rest.strip()) if part]
        for name, parts in _expand(mnemonic.lower(), operands, number):
            statements.append((number, address, name, parts))
            address += _size(name, parts, number)
    code = bytearray()
    for number, address, name, parts in statements:
        try:
            code += _emit(name, parts, address, labels, xlen)
        except (AsmError, OperandError, ValueError) as error:
            raise AsmError(f"line {number}: {name} {', '.join(parts)}: {error}") from None
    return bytes(code), labels


def _size(name: str, parts: list[str], number: int) -> int:
    if name not in (".zero", ".word"):
        return 4
    if len(parts) != 1 or (name == ".zero" and not parts[0].isdecimal()):
        raise AsmError(f"line {number}: {name} takes one number")
    return int(parts[0]) if name == ".zero" else 4


def _emit(name: str, parts: list[str], address: int, labels: dict[str, int], xlen: int) -> bytes:
    if name == ".zero":
        return bytes(int(parts[0]))
    if name == ".word":
        value = labels[parts[0]] if parts[0] in labels else int(parts[0], 0)
        return (value & 0xFFFF_FFFF).to_bytes(4, "little")
    instruction = find(name, xlen)
    if instruction is None:
        raise AsmError("unknown instruction")
    values: list[int | str] = []
    for position, part in enumerate(parts):
        operand = instruction.operands[position] if position < len(instruction.operands) else None
        if operand is not None and operand.kind is Kind.OFFSET and part in labels:
            values.append(labels[part] - address)
        elif match := re.fullmatch(r"%(hi|lo|pcrel_hi|pcrel_lo):(.+)", part):
            values.append(_relocate(match[1], match[2], address, labels))
        else:
            values.append(part)
    return encode(name, *values, xlen=xlen).to_bytes(4, "little")


def _relocate(kind: str, text: str, address: int, labels: dict[str, int]) -> int:
    """Upper or lower part of a constant or label; pcrel_lo stands right after its pcrel_hi."""
    value = labels[text] if text in labels else int(text, 0)
    if kind.startswith("pcrel"):
        value -= address if kind == "pcrel_hi" else address - 4
    if kind.endswith("lo"):
        return sign_extend(value, 12)
    return (value + 0x800 >> 12) & 0xFFFFF


# ------------------------------------------------------------------ pseudo-instructions

Expansion = list[tuple[str, list[str]]]


def _li(parts: Sequence[str], number: int) -> Expansion:
    """Constants of 32 bits; one instruction if it fits in 12."""
    if len(parts) != 2:
        raise AsmError(f"line {number}: li takes a register and a constant")
    register, text = parts
    try:
        value = int(text, 0)
    except ValueError:
        return [("lui", [register, f"%hi:{text}"]), ("addi", [register, register, f"%lo:{text}"])]
    if not -(1 << 31) <= value < 1 << 32:
        raise AsmError(f"line {number}: li takes a 32-bit constant, got {text}")
    signed = sign_extend(value, 32)
    if -2048 <= signed < 2048:
        return [("addi", [register, "zero", str(signed)])]
    return [("lui", [register, f"%hi:{text}"]), ("addi", [register, register, f"%lo:{text}"])]


def _fixed(*rows: tuple[str, str]) -> Callable[[Sequence[str], int], Expansion]:
    """Expansion in which {0}, {1} … stand for the operands."""

    def expand(parts: Sequence[str], number: int) -> Expansion:
        try:
            return [(name, template.format(*parts).split()) for name, template in rows]
        except IndexError:
            raise AsmError(f"line {number}: too few operands") from None

    return expand


_PSEUDO: dict[str, Callable[[Sequence[str], int], Expansion]] = {
    "li": _li,
    "lla": _fixed(("auipc", "{0} %pcrel_hi:{1}"), ("addi", "{0} {0} %pcrel_lo:{1}")),
    "mv": _fixed(("addi", "{0} {1} 0")),
    "nop": _fixed(("addi", "zero zero 0")),
    "not": _fixed(("xori", "{0} {1} -1")),
    "neg": _fixed(("sub", "{0} zero {1}")),
    "seqz": _fixed(("sltiu", "{0} {1} 1")),
    "snez": _fixed(("sltu", "{0} zero {1}")),
    "j": _fixed(("jal", "zero {0}")),
    "call": _fixed(("jal", "ra {0}")),
    "jr": _fixed(("jalr", "zero 0 {0}")),
    "ret": _fixed(("jalr", "zero 0 ra")),
    "beqz": _fixed(("beq", "{0} zero {1}")),
    "bnez": _fixed(("bne", "{0} zero {1}")),
    "csrr": _fixed(("csrrs", "{0} {1} zero")),
    "csrw": _fixed(("csrrw", "zero {0} {1}")),
    "csrwi": _fixed(("csrrwi", "zero {0} {1}")),
}


def _expand(mnemonic: str, operands: list[str], number: int) -> Expansion:
    expansion = _PSEUDO.get(mnemonic)
    return expansion(operands, number) if expansion else [(mnemonic, operands)]
