"""Instruction words as text, derived from the instruction table."""

from __future__ import annotations

from golden_model.isa.table import identify


def disassemble(word: int, pc: int | None = None, xlen: int = 32) -> str:
    """Assembler text of one word, e.g. `addi a0, a0, -1`; with `pc`, jump targets are absolute addresses.

    A word that is no instruction becomes `.word 0x…`.
    """
    instruction = identify(word, xlen)
    if instruction is None:
        return f".word {word:#010x}"
    values = {operand.name: operand.format(operand.decode(word), pc, xlen) for operand in instruction.operands}
    return f"{instruction.name} {instruction.syntax.format_map(values)}".rstrip()
