"""Takes over what the design was free to choose in one instruction, and accounts for it."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.compare import lanes_of
from golden_model.follow.counters import check_counter_read
from golden_model.follow.instruction import Instruction, MemoryRow
from golden_model.follow.track import Found, Track
from golden_model.step import Step

_OPCODE_LOAD = 0x03


def adopt_result(track: Track, step: Step, ins: Instruction, coverage: Coverage, config: HardwareConfig) -> None:
    """A counter that was read, or lanes whose value the golden model does not know. Raises Found if it is illegal."""
    if step.adopted:
        problem = check_counter_read(track, step, ins, config.num_warps, config.xlen)
        if problem is not None:
            raise Found(problem, cycle=ins.cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask)
        counter = AdoptedKind.ACTIVE_WARPS if step.adopted == "active_warps" else AdoptedKind.COUNTER
        coverage.adopted[counter] += 1
        return
    loaded = step.instr & 0x7F == _OPCODE_LOAD
    kind = AdoptedKind.UNDEFINED_MEMORY if loaded else AdoptedKind.UNDEFINED_REGISTER
    for lane in lanes_of(step.undefined):
        track.warp.adopt(step.rd_file, step.rd, lane, ins.data[lane])
        coverage.adopted[kind] += 1


def adopt_stores(track: Track, step: Step, records: list[MemoryRow], coverage: Coverage) -> None:
    """Undefined values that went to memory; ascending lanes, so that the highest wins where they overlap."""
    assert step.memory is not None
    ones = (1 << 8 * step.memory.size) - 1
    for record in records:
        for lane in lanes_of(record.mask & step.memory.undefined):
            track.warp.adopt_store(step, lane, record.data[lane] & ones)
            coverage.adopted[AdoptedKind.UNDEFINED_STORE] += 1
