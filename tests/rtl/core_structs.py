"""Layouts of the packed structs of hw/rtl/core/vx_core_pkg.sv, and the operation codes; written down a second time like
those of structs.py."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tests.rtl.bench import Struct
from tests.rtl.structs import Layouts

UID = 32
REG = 6


class Unit(IntEnum):
    ALU = 0
    MUL = 1
    DIV = 2
    LSU = 3
    SFU = 4
    FPU = 5
    FDIV = 6


class Alu(IntEnum):
    ADD = 0
    SUB = 1
    SLL = 2
    SLT = 3
    SLTU = 4
    XOR = 5
    SRL = 6
    SRA = 7
    OR = 8
    AND = 9
    CZERO_EQZ = 10
    CZERO_NEZ = 11
    LUI = 12
    JAL = 13
    JALR = 14
    BEQ = 15
    BNE = 16
    BLT = 17
    BGE = 18
    BLTU = 19
    BGEU = 20


class Sfu(IntEnum):
    TMC = 0
    SPLIT = 1
    JOIN = 2
    PRED = 3
    BAR = 4
    WSYNC = 5
    CSRRW = 6
    CSRRS = 7
    CSRRC = 8
    ILLEGAL = 9
    WSPAWN = 10
    BAR_ARRIVE = 11
    BAR_WAIT = 12
    TRAP = 13
    RETURN = 14
    VOTE = 15
    SHUFFLE = 16
    WGATHER = 17


class Amo(IntEnum):
    NONE = 0
    LR = 1
    SC = 2
    SWAP = 3
    ADD = 4
    XOR = 5
    OR = 6
    AND = 7
    MIN = 8
    MAX = 9
    MINU = 10
    MAXU = 11


class Fault(IntEnum):
    NONE = 0
    BUS_READ = 1
    ILLEGAL = 3
    FETCH = 4
    MISALIGNED = 6


DECODED = Struct(
    [
        ("unit", 3),
        ("op", 7),
        ("is_word", 1),
        ("use_pc", 1),
        ("use_imm", 1),
        ("imm", 32),
        ("rd", REG),
        ("rs1", REG),
        ("rs2", REG),
        ("rs3", REG),
        ("use_rd", 1),
        ("use_rs1", 1),
        ("use_rs2", 1),
        ("use_rs3", 1),
        ("drain", 1),
        ("alone", 1),
    ]
)


def lsu_op(
    *,
    store: bool = False,
    fence: bool = False,
    unsigned: bool = False,
    log_size: int = 0,
    atomic: bool = False,
    pieces: bool = False,
) -> int:
    return pieces << 6 | atomic << 5 | fence << 4 | store << 3 | unsigned << 2 | log_size


@dataclass(frozen=True)
class CoreLayouts(Layouts):
    """Structs of the pipeline for one configuration."""

    @property
    def exec(self) -> Struct:
        config = self.config
        return Struct(
            [
                ("wid", self.wid),
                ("uid", UID),
                ("pc", config.xlen),
                ("tmask", config.num_threads),
                ("dec", DECODED.width),
                ("rs1", config.num_threads * config.xlen),
                ("rs2", config.num_threads * config.xlen),
                ("rs3", config.num_threads * config.xlen),
            ]
        )

    @property
    def commit(self) -> Struct:
        config = self.config
        return Struct(
            [
                ("wid", self.wid),
                ("uid", UID),
                ("pc", config.xlen),
                ("tmask", config.num_threads),
                ("use_rd", 1),
                ("rd", REG),
                ("data", config.num_threads * config.xlen),
                ("fault", 4),
                ("fault_addr", config.xlen),
            ]
        )

    @property
    def ibuf_entry(self) -> Struct:
        return Struct([("dec", DECODED.width), ("pc", self.config.xlen), ("instr", 32)])
