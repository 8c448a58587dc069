"""Everything that the records say at their end, read once, with the names that reports use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from config import HardwareConfig
from golden_model.follow.explain import Symbolizer
from golden_model.hang.barriers import Barrier, WarpId, barriers
from golden_model.hang.blocks import Blocks, blocks
from golden_model.hang.bus import open_requests
from golden_model.hang.report import OpenRequest
from golden_model.hang.spin import Spin, spin_of
from golden_model.hang.warps import Warp, warps
from golden_model.isa.disasm import disassemble
from golden_model.isa.instruction import Unit
from golden_model.isa.operands import Kind as OperandKind
from golden_model.isa.registers import FLOAT_NAMES, INTEGER_NAMES
from golden_model.isa.table import identify
from golden_model.records.layout import CommitFlag, Kind
from golden_model.records.ring import Records

_UNITS = {Unit.LOAD: "LSU", Unit.STORE: "LSU", Unit.ATOMIC: "LSU", Unit.FENCE: "LSU", Unit.FLOAT: "FPU"}
_UNITS |= {Unit.CSR: "SFU", Unit.SIMT: "SFU", Unit.MULDIV: "multiplier/divider"}


@dataclass
class Scene:
    """Records of a run, as a person would look at them. `patience`: cycles after which something has stopped."""

    batch: Mapping[Kind, Records]
    config: HardwareConfig
    cycle: int
    patience: int
    symbolize: Symbolizer | None = None

    @cached_property
    def warps(self) -> dict[WarpId, Warp]:
        return warps(self.batch)

    @cached_property
    def barriers(self) -> list[Barrier]:
        return barriers(self.batch, self.config)

    @cached_property
    def blocks(self) -> Blocks:
        return blocks(self.batch, self.config)

    @cached_property
    def requests(self) -> list[OpenRequest]:
        return open_requests(self.batch)

    @cached_property
    def _words(self) -> dict[int, int]:
        commits = self.batch.get(Kind.COMMIT)
        if commits is None:
            return {}
        commits = commits[(commits["flags"] & CommitFlag.LAST) != 0]
        return dict(zip(commits["pc"].tolist(), commits["instr"].tolist(), strict=True))

    @cached_property
    def _spins(self) -> dict[WarpId, Spin | None]:
        return {}

    def stopped(self, cycle: int | None) -> bool:
        """Whether something that happened last in that cycle has stopped."""
        return cycle is None or self.cycle - cycle >= self.patience

    def barrier_of(self, warp: Warp) -> Barrier | None:
        """The barrier that holds a warp."""
        return next((barrier for barrier in self.barriers if (warp.core, warp.wid) in barrier.waiting), None)

    def spin(self, warp: Warp) -> Spin | None:
        """The loop in which a warp gets nowhere."""
        key = (warp.core, warp.wid)
        if key not in self._spins:
            self._spins[key] = spin_of(warp.in_order)
        return self._spins[key]

    def place(self, pc: int | None) -> str:
        """Address with symbol, source line and instruction, as far as they are known."""
        if pc is None:
            return ""
        text = f"{pc:#010x}"
        if self.symbolize is not None:
            symbol, source = self.symbolize(pc)
            text += f" <{symbol}>" if symbol else ""
            text += f" {source}" if source else ""
        word = self._words.get(pc)
        return text + (f" `{disassemble(word, pc, self.config.xlen)}`" if word is not None else "")

    def owed(self, pc: int | None) -> str:
        """Register and unit of the instruction at `pc`; empty if it never committed anywhere."""
        word = self._words.get(pc) if pc is not None else None
        instruction = identify(word, self.config.xlen) if word is not None else None
        if instruction is None or word is None:
            return ""
        unit = _UNITS.get(instruction.unit, "ALU")
        for operand in instruction.operands:
            if operand.name == "rd":
                names = INTEGER_NAMES if operand.kind is OperandKind.INTEGER_REGISTER else FLOAT_NAMES
                return f"register {names[operand.decode(word)]}, which the {unit} owes"
        return f"an instruction in the {unit}"
