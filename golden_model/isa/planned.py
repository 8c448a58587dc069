"""Encodings whose semantics come with later work: the assembler and disassembler know them, executing one is illegal.

To give one its semantics, move its row to the file of its kind (votes and shuffles to a new `lanes.py`, WSPAWN and
the asynchronous barriers to `simt.py`, traps to `control.py`) and replace PLANNED by the extension that enables it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.isa.instruction import Extension, Instruction, Unit
from golden_model.isa.simt import custom

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp


def execute_planned(warp: Warp, op: Decoded, step: Step) -> None:
    """Never reached: no configuration decodes a planned instruction."""
    warp.illegal(step, f"{op.name} is not implemented")


def _planned(name: str, fixed: tuple[int, int], syntax: str, unit: Unit = Unit.SIMT) -> Instruction:
    return Instruction(name, *fixed, syntax, unit, execute_planned, Extension.PLANNED)


PLANNED: list[Instruction] = [
    _planned("wspawn", custom(1), "{rs1}, {rs2}"),
    # rd = x0 is BAR.WAIT, any other rd BAR.ARRIVE: the narrower row comes first.
    _planned("bar.wait", custom(6, zeros=31 << 7), "{rs1}, {rs2}"),
    _planned("bar.arrive", custom(6), "{rd}, {rs1}, {rs2}"),
    _planned("vote.all", custom(0, 1), "{rd}, {rs1}"),
    _planned("vote.any", custom(1, 1), "{rd}, {rs1}"),
    _planned("vote.uni", custom(2, 1), "{rd}, {rs1}"),
    _planned("vote.ballot", custom(3, 1), "{rd}, {rs1}"),
    _planned("shfl.up", custom(4, 1), "{rd}, {rs1}, {rs2}"),
    _planned("shfl.down", custom(5, 1), "{rd}, {rs1}, {rs2}"),
    _planned("shfl.bfly", custom(6, 1), "{rd}, {rs1}, {rs2}"),
    _planned("shfl.idx", custom(7, 1), "{rd}, {rs1}, {rs2}"),
    _planned("packlb.f", custom(1, 4), "{frd}, {rs1}, {rs2}", Unit.LOAD),
    _planned("packlh.f", custom(2, 4), "{frd}, {rs1}, {rs2}", Unit.LOAD),
    _planned("wgather", (0x0000707F, 0x0000002B), "{rd}, {rs1}, {rs2}, {rs3}, {lane}"),
    _planned("ecall", (0xFFFFFFFF, 0x00000073), "", Unit.CSR),
    _planned("ebreak", (0xFFFFFFFF, 0x00100073), "", Unit.CSR),
    _planned("mret", (0xFFFFFFFF, 0x30200073), "", Unit.CSR),
]
