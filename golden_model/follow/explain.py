"""Turns a mismatch into a `Difference` that a person can start from: history, operands, transactions, symbols."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from config import HardwareConfig
from golden_model.follow.compare import lanes_of, masked, register_name
from golden_model.follow.difference import Difference, ExecutedInstruction, OperandWriter, Transaction
from golden_model.follow.track import Executed, Found, Track
from golden_model.isa.disasm import disassemble
from golden_model.isa.operands import Kind as OperandKind
from golden_model.isa.table import identify
from golden_model.records.layout import AxiChannel, MemoryOp, RegisterFile
from golden_model.records.ring import Records
from golden_model.step import Step

BLOCK_BYTES = 64
AXI_RECORDS_KEPT = 100_000
TRANSACTIONS_SHOWN = 4


class SourceLocation(NamedTuple):
    """Where an address lies in the program; None where it is not known."""

    symbol: str | None
    source: str | None


Symbolizer = Callable[[int], SourceLocation]


class Explainer:
    """Builds differences; keeps the last AXI records for that."""

    def __init__(self, config: HardwareConfig, symbolize: Symbolizer | None) -> None:
        self._config = config
        self._symbolize = symbolize
        self._axi: deque[Records] = deque()
        self._axi_kept = 0

    def remember_axi(self, records: Records) -> None:
        """Keep the last AXI records; as a copy, since a batch may be a view of a ring."""
        if not len(records):
            return
        records = records[-AXI_RECORDS_KEPT:].copy()
        self._axi.append(records)
        self._axi_kept += len(records)
        while self._axi_kept > AXI_RECORDS_KEPT and len(self._axi) > 1:
            self._axi_kept -= len(self._axi.popleft())

    def difference(self, found: Found, launch: int) -> Difference:
        """The whole report of one mismatch."""
        mismatch, track, step, cta = found.mismatch, found.track, found.step, found.cta
        result = Difference(
            check=mismatch.check,
            category=mismatch.category,
            message=mismatch.message,
            launch=launch,
            cycle=found.cycle,
            block=found.block,
            slot=found.slot,
            rank=found.rank,
            lanes=mismatch.lanes,
            uid=found.uid,
            pc=found.pc,
            expected=mismatch.expected,
            actual=mismatch.actual,
            tmask_actual=found.tmask,
            num_lanes=self._config.num_threads,
            notes=list(found.notes),
        )
        if cta is not None:
            result.core, result.slot = cta.core, cta.slot if result.slot is None else result.slot
        if track is not None:
            result.core, result.warp = track.core, track.wid
            result.slot = track.warp.slot if result.slot is None else result.slot
            result.block = result.block or track.block
            result.rank = track.rank if result.rank is None else result.rank
            result.history = [self._executed(entry) for entry in track.history]
        if step is not None:
            self._add_step(result, found, step)
        elif cta is not None and cta.pc and result.pc is None:
            result.pc = cta.pc
        if result.pc is not None and self._symbolize is not None:
            result.symbol, result.source = self._symbolize(result.pc)
        return result

    def _add_step(self, result: Difference, found: Found, step: Step) -> None:
        result.uid, result.pc, result.tmask_expected = step.uid, step.pc, step.tmask
        result.disassembly = f"{disassemble(step.instr, step.pc, self._config.xlen)}   ({step.instr:#010x})"
        if found.track is not None:
            result.writers = self._writers(found.track, step)
        if step.memory is not None and step.memory.op == MemoryOp.LOAD:
            # Of the lanes that differ, or of all lanes if none is singled out.
            lanes = result.lanes or lanes_of(step.memory.mask)
            blocks = {step.memory.addr[lane] // BLOCK_BYTES * BLOCK_BYTES for lane in lanes}
            result.transactions = self._transactions(blocks, found.cycle)
            if not result.transactions:
                result.notes.append(
                    "no AXI read of the loaded address is in the records kept: the data came from a cache or LMEM"
                )

    def _executed(self, entry: Executed) -> ExecutedInstruction:
        step, cycle = entry
        return ExecutedInstruction(
            uid=step.uid,
            cycle=cycle,
            pc=step.pc,
            instr=step.instr,
            disassembly=disassemble(step.instr, step.pc, self._config.xlen),
            tmask=step.tmask,
            result=_effect(step),
        )

    def _writers(self, track: Track, step: Step) -> list[OperandWriter]:
        """Source registers of the instruction and the instruction that wrote each last."""
        instruction = identify(step.instr, self._config.xlen)
        if instruction is None:
            return []
        writers: list[OperandWriter] = []
        for operand in instruction.operands:
            if operand.name not in ("rs1", "rs2", "rs3") or operand.kind is not OperandKind.INTEGER_REGISTER:
                continue
            number = operand.decode(step.instr)
            entry = track.writers[number]
            if number == 0:
                continue
            name = register_name(RegisterFile.INTEGER, number)
            if entry is None:
                writers.append(OperandWriter(name, None, None, None, "", []))
                continue
            by, cycle = entry
            writers.append(
                OperandWriter(
                    register=name,
                    uid=by.uid,
                    cycle=cycle,
                    pc=by.pc,
                    disassembly=disassemble(by.instr, by.pc, self._config.xlen),
                    values=masked(by.result, by.wmask),
                )
            )
        return writers

    def _transactions(self, blocks: set[int], cycle: int) -> list[Transaction]:
        """The last AXI reads of any of `blocks` that were answered at or before `cycle`."""
        requests: dict[tuple[int, int], deque[tuple[int, int]]] = {}
        found: list[Transaction] = []
        for records in self._axi:
            chosen = records[(records["channel"] == AxiChannel.AR) | (records["channel"] == AxiChannel.R)]
            for record in chosen:
                key = (int(record["bank"]), int(record["id"]))
                if int(record["cycle"]) > cycle:
                    continue
                if record["channel"] == AxiChannel.AR:
                    requests.setdefault(key, deque()).append((int(record["addr"]), int(record["cycle"])))
                    continue
                queue = requests.get(key)
                if not queue:
                    continue
                address, requested = queue.popleft()
                if address // BLOCK_BYTES * BLOCK_BYTES in blocks:
                    data = record["data"].tobytes().hex()
                    found.append(Transaction(*key, address, requested, int(record["cycle"]), data))
        return found[-TRANSACTIONS_SHOWN:]


def _effect(step: Step) -> str:
    """Short text of what a step did."""
    if step.fault is not None:
        return f"fault: {step.fault.detail}"
    parts = []
    if step.wmask:
        values = " ".join("-" if value is None else f"{value:x}" for value in masked(step.result, step.wmask))
        parts.append(f"{register_name(step.rd_file, step.rd)} <- {values}")
    if step.memory is not None and step.memory.op != MemoryOp.FENCE:
        addresses = " ".join(
            "-" if value is None else f"{value:x}" for value in masked(step.memory.addr, step.memory.mask)
        )
        parts.append(f"{step.memory.op.name.lower()} at {addresses}")
        if step.memory.op == MemoryOp.STORE:
            parts.append(
                "data " + " ".join("-" if v is None else f"{v:x}" for v in masked(step.memory.data, step.memory.mask))
            )
    if step.is_control and (step.next_pc != step.pc + 4 or step.next_mask != step.tmask):
        parts.append(f"to {step.next_pc:#x} mask {step.next_mask:#x}")
    return ", ".join(parts)
