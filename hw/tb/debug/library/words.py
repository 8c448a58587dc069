"""What is in an instruction word, looked up once for each word that occurs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.isa.disasm import disassemble
from golden_model.isa.instruction import Unit
from golden_model.isa.operands import Kind
from golden_model.isa.registers import FLOAT_NAMES, INTEGER_NAMES
from golden_model.isa.table import identify
from golden_model.records.layout import RegisterFile

SOURCES = 3  # source registers of an instruction, at most
NO_REGISTER = -1
FLOAT_BASE = 32  # number of f0 in the joint numbering of both files
UNITS = tuple(unit.value for unit in Unit)
_DESTINATIONS = ("rd", "frd")


@dataclass(frozen=True)
class Word:
    """One instruction word.

    Attributes:
        name: mnemonic; `.word` if it is none.
        sources: registers that it reads, integer 1 … 31 and float 32 … 63 (x0 is no source).
        unit: index in `UNITS`; -1 unknown.
    """

    name: str
    sources: tuple[int, ...]
    unit: int


@lru_cache(maxsize=1 << 16)
def word(bits: int, xlen: int = 32) -> Word:
    """Take one word apart."""
    instruction = identify(bits, xlen)
    if instruction is None:
        return Word(".word", (), -1)
    sources = []
    for operand in instruction.operands:
        if operand.name in _DESTINATIONS or operand.kind not in (Kind.INTEGER_REGISTER, Kind.FLOAT_REGISTER):
            continue
        number = operand.decode(bits)
        register = number + (FLOAT_BASE if operand.kind is Kind.FLOAT_REGISTER else 0)
        if register and register not in sources:
            sources.append(register)
    return Word(instruction.name, tuple(sources[:SOURCES]), UNITS.index(instruction.unit.value))


@lru_cache(maxsize=1 << 16)
def text(bits: int, pc: int, xlen: int = 32) -> str:
    """Disassembly at an address."""
    return disassemble(bits, pc, xlen)


def register_name(register: int) -> str:
    """psABI name of a register in the joint numbering."""
    return FLOAT_NAMES[register - FLOAT_BASE] if register >= FLOAT_BASE else INTEGER_NAMES[register]


def destinations(rd: npt.NDArray[Any], rd_file: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Register that each row writes, in the joint numbering; NO_REGISTER where none."""
    register = rd.astype(np.int64) + FLOAT_BASE * (rd_file == RegisterFile.FLOAT)
    return np.where((rd_file == RegisterFile.NONE) | (register == 0), NO_REGISTER, register)


def decode_all(words: npt.NDArray[Any], xlen: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sources, shape (rows, SOURCES) padded with NO_REGISTER, and units, shape (rows,)."""
    if not len(words):
        return np.zeros((0, SOURCES), np.int64), np.zeros(0, np.int64)
    different, inverse = np.unique(words, return_inverse=True)
    found = [word(bits, xlen) for bits in different.tolist()]
    padded = [[*item.sources, *[NO_REGISTER] * (SOURCES - len(item.sources))] for item in found]
    return np.array(padded, np.int64)[inverse], np.array([item.unit for item in found], np.int64)[inverse]
