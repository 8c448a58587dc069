"""From an instruction word to its operands and semantics."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.isa.instruction import Executor, FloatFunction, Instruction, LaneFunction, SourceFunction
from golden_model.isa.operands import CSR, IMMEDIATES
from golden_model.isa.table import INSTRUCTIONS, legal


class Decoded:
    """One instruction word, taken apart once and executed often."""

    __slots__ = (
        "csr",
        "execute",
        "float_lane",
        "imm",
        "instruction",
        "lane",
        "name",
        "rd",
        "rm",
        "rs1",
        "rs2",
        "rs3",
        "size",
        "source",
        "word",
    )  # fmt: skip

    def __init__(self, instruction: Instruction, word: int) -> None:
        self.instruction = instruction
        self.word = word
        self.name = instruction.name
        self.execute: Executor = instruction.execute
        self.lane: LaneFunction | None = instruction.lane
        self.float_lane: FloatFunction | None = instruction.float_lane
        self.source: SourceFunction | None = instruction.source
        self.size = instruction.size
        self.rd = word >> 7 & 31
        self.rs1 = word >> 15 & 31
        self.rs2 = word >> 20 & 31
        self.rs3 = word >> 27 & 31
        self.rm = word >> 12 & 7
        self.csr = CSR.decode(word)
        self.imm = next((operand.decode(word) for operand in instruction.operands if operand in IMMEDIATES), 0)


class Decoder:
    """Decoder of one configuration; remembers every word it has seen."""

    def __init__(self, config: HardwareConfig) -> None:
        by_opcode: dict[int, list[Instruction]] = {}
        for instruction in INSTRUCTIONS:
            if legal(instruction, config):
                by_opcode.setdefault(instruction.match & 0x7F, []).append(instruction)
        self._by_opcode = by_opcode
        self._known: dict[int, Decoded | None] = {}

    def decode(self, word: int) -> Decoded | None:
        """The decoded word, or None if the configuration has no such instruction."""
        if word not in self._known:
            candidates = self._by_opcode.get(word & 0x7F, ())
            found = next((instruction for instruction in candidates if instruction.matches(word)), None)
            self._known[word] = Decoded(found, word) if found else None
        return self._known[word]
