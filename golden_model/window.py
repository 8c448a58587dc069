"""The dispatch window: the last instructions of an image's entry code, where a reused warp re-enters (reference §5.7).

cta_entry, 20 bytes          s11, 16 bytes             direct, 12 bytes
csrr s11, CTA_ENTRY
csrr a0, MSCRATCH            csrr a0, MSCRATCH         csrr a0, MSCRATCH
jalr ra, 0(s11)    ← call    jalr ra, 0(s11)  ← call   jal ra, kernel_main  ← call
wsync                        wsync
tmc x0                       tmc x0                    tmc x0
"""

from __future__ import annotations

from collections.abc import Callable

from config import EntryGeneration
from golden_model.isa.asm import encode
from golden_model.isa.bits import sign_extend
from golden_model.isa.operands import IMM, JUMP, RD, RS1, UPPER
from golden_model.isa.registers import INTEGER_NUMBERS

ReadWord = Callable[[int], int]  # address (multiple of 4) -> instruction word

_READ_ARGUMENT = encode("csrrs", "a0", "mscratch", "zero")
_READ_ENTRY = encode("csrrs", 0, "cta_entry", "zero")  # any rd
_END = encode("tmc", "zero")
_RD_FIELD = 31 << 7
_RA, _S11 = INTEGER_NUMBERS["ra"], INTEGER_NUMBERS["s11"]
_JAL, _JALR, _AUIPC, _LUI, _ADDI = 0x6F, 0x67, 0x17, 0x37, 0x13

GENERATION_OF_REWIND = {generation.rewind: generation for generation in EntryGeneration}


def call_offset(generation: EntryGeneration) -> int:
    """Offset of the call from the start of the window, bytes."""
    return 8 if generation is EntryGeneration.CTA_ENTRY else 4


def is_window(read: ReadWord, start: int, generation: EntryGeneration) -> bool:
    """Whether a dispatch window of that generation begins at `start`."""
    if start < 0:
        return False
    call = start + call_offset(generation)
    if generation is EntryGeneration.CTA_ENTRY and read(start) & ~_RD_FIELD != _READ_ENTRY:
        return False
    call_word = read(call)
    return (
        read(call - 4) == _READ_ARGUMENT
        and call_word & 0x7F in (_JAL, _JALR)
        and RD.decode(call_word) == _RA
        and read(start + generation.rewind - 4) == _END
    )


def is_dispatch_call(read: ReadWord, pc: int, generation: EntryGeneration) -> bool:
    """Whether the instruction at `pc` is the call of a dispatch window."""
    return is_window(read, pc - call_offset(generation), generation)


def stub_target(read: ReadWord, stub: int, mask: int) -> int | None:
    """Kernel that an s11 stub (`lla s11, kernel; j __vx_cta_entry`) at `stub` selects; None if it is no such stub.

    The linker may have turned the AUIPC into a LUI.
    """
    upper, lower, jump = (read(stub + offset) for offset in (0, 4, 8))
    if upper & 0x7F not in (_AUIPC, _LUI) or RD.decode(upper) != _S11:
        return None
    if lower & 0x707F != _ADDI or RD.decode(lower) != _S11 or RS1.decode(lower) != _S11:
        return None
    if jump & 0x7F != _JAL or RD.decode(jump) != 0 or JUMP.decode(jump) == 0:
        return None
    base = stub if upper & 0x7F == _AUIPC else 0
    return (base + sign_extend(UPPER.decode(upper) << 12, 32) + IMM.decode(lower)) & mask
