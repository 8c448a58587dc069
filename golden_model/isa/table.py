"""The table of all instructions. Order matters only where one encoding contains another: the narrower comes first."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.isa.alu import ALU
from golden_model.isa.atomic import ATOMIC
from golden_model.isa.control import CONTROL
from golden_model.isa.csr import CSR_INSTRUCTIONS
from golden_model.isa.floating import FLOAT
from golden_model.isa.instruction import Instruction
from golden_model.isa.lanes import LANES
from golden_model.isa.memory import MEMORY
from golden_model.isa.muldiv import MULDIV
from golden_model.isa.rv64 import RV64
from golden_model.isa.simt import SIMT

INSTRUCTIONS: tuple[Instruction, ...] = (
    *ALU,
    *MULDIV,
    *RV64,
    *CONTROL,
    *MEMORY,
    *CSR_INSTRUCTIONS,
    *SIMT,
    *LANES,
    *ATOMIC,
    *FLOAT,
)

# RV32 rows win where RV32 and RV64 differ (shift amounts); `find` takes the width into account.
BY_NAME: dict[str, Instruction] = {instruction.name: instruction for instruction in reversed(INSTRUCTIONS)}


def legal(instruction: Instruction, config: HardwareConfig) -> bool:
    """Whether the configuration has this instruction."""
    return config.xlen in instruction.xlens and instruction.extension.enabled(config)


def find(name: str, xlen: int = 32) -> Instruction | None:
    """The instruction of that mnemonic at that width, or None."""
    return next((row for row in INSTRUCTIONS if row.name == name and xlen in row.xlens), None)


def identify(word: int, xlen: int = 32) -> Instruction | None:
    """The instruction that a word encodes, whatever the configuration enables."""
    return next((row for row in INSTRUCTIONS if xlen in row.xlens and row.matches(word)), None)
