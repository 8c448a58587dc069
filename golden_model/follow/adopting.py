"""Takes over what the design was free to choose in one instruction, and accounts for it."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.compare import Mismatch, has_unknown_flags, lanes_of, masked
from golden_model.follow.counters import check_counter_read
from golden_model.follow.difference import Category
from golden_model.follow.instruction import FaultRow, Instruction, MemoryRow
from golden_model.follow.track import Found, Track
from golden_model.records.layout import FaultKind, RegisterFile
from golden_model.step import Adoption, Step

BLOCK_BYTES = 64


def adopt_result(track: Track, step: Step, ins: Instruction, coverage: Coverage, config: HardwareConfig) -> None:
    """A counter that was read, or lanes whose value the golden model does not know. Raises Found if it is illegal."""
    if step.adopted == "sc":
        return
    if step.adopted:
        problem = check_counter_read(track, step, ins, config.num_warps, config.xlen)
        if problem is not None:
            raise Found(problem, cycle=ins.cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask)
        counter = AdoptedKind.ACTIVE_WARPS if step.adopted == "active_warps" else AdoptedKind.COUNTER
        coverage.adopted[counter] += 1
        return
    kind = AdoptedKind.UNDEFINED_REGISTER if step.memory is None else AdoptedKind.UNDEFINED_MEMORY
    width = config.flen if step.rd_file == RegisterFile.FLOAT else config.xlen
    beyond = [lane for lane in lanes_of(step.undefined) if ins.data[lane] >> width]
    if beyond:
        message = "the result has more bits than the register"
        raise Found(
            Mismatch("lane result", Category.RESULT, message, None, masked(ins.data, step.undefined), beyond),
            cycle=ins.cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask,
        )  # fmt: skip
    for lane in lanes_of(step.undefined):
        track.warp.adopt(step.rd_file, step.rd, lane, ins.data[lane])
        coverage.adopted[kind] += 1
    if has_unknown_flags(step):
        coverage.adopted[AdoptedKind.UNDEFINED_FLAGS] += step.fflags != ins.fflags


def adopt_stores(track: Track, step: Step, records: list[MemoryRow], coverage: Coverage) -> None:
    """Undefined values that went to memory; ascending lanes, so that the highest wins where they overlap."""
    assert step.memory is not None
    ones = (1 << 8 * step.memory.size) - 1
    for record in records:
        for lane in lanes_of(record.mask & step.memory.undefined):
            track.warp.adopt_store(step, lane, record.data[lane] & ones)
            coverage.adopted[AdoptedKind.UNDEFINED_STORE] += 1


def bus_error(track: Track, record: FaultRow, failed: set[int], coverage: Coverage) -> Adoption | None:
    """Whether memory answers with an error is the environment's choice; the bus must have shown it.

    Args:
        failed: numbers of the memory blocks of which a read was answered with an error.
    """
    if record.kind != FaultKind.BUS_READ or record.addr // BLOCK_BYTES not in failed:
        return None
    coverage.adopted[AdoptedKind.BUS_ERROR] += 1
    if record.addr == record.pc and record.uid not in track.memory:
        return Adoption(fetch_error=True)
    return Adoption(load_error=record.addr)
