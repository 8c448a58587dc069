"""The instruction set: each instruction defined once; decoder, disassembler and assembler derive from the table."""

from golden_model.isa.decode import Decoded, Decoder
from golden_model.isa.instruction import Extension, Instruction, Unit
from golden_model.isa.table import BY_NAME, INSTRUCTIONS

__all__ = ["BY_NAME", "INSTRUCTIONS", "Decoded", "Decoder", "Extension", "Instruction", "Unit"]
