"""Legality of counter values that are taken over from the design (CSRs MCYCLE, MINSTRET, ACTIVE_WARPS)."""

from __future__ import annotations

from golden_model.follow.compare import Mismatch, masked
from golden_model.follow.difference import Category
from golden_model.follow.instruction import Instruction
from golden_model.follow.track import Track
from golden_model.step import Step

MCYCLE, MINSTRET, MCYCLEH, MINSTRETH, ACTIVE_WARPS = 0xB00, 0xB02, 0xB80, 0xB82, 0xCC3
# The stamps of a record and the counter may be taken at neighbouring clock edges.
SLACK_CYCLES = 2


def check_counter_read(track: Track, step: Step, ins: Instruction, num_warps: int, xlen: int) -> Mismatch | None:
    """Check one adopted CSR value against what the records say; remembers it for the next read of this warp."""
    value = ins.data[ins.wmask.bit_length() - 1]
    number = step.instr >> 20 & 0xFFF
    if any(ins.data[lane] != value for lane in range(len(ins.data)) if ins.wmask >> lane & 1):
        return Mismatch(
            "counter value",
            Category.RESULT,
            "lanes read different values of one counter",
            value,
            masked(ins.data, ins.wmask),
        )
    if number == ACTIVE_WARPS:
        if value >> num_warps or not value >> track.wid & 1:
            return Mismatch(
                "active warps",
                Category.RESULT,
                f"the mask must contain warp {track.wid}, which reads it, and only warps below {num_warps}",
                f"bit {track.wid} set",
                value,
            )
        return None
    before = track.counter_reads.get(number)
    track.counter_reads[number] = (value, ins.issue_cycle, ins.cycle)
    if before is None:
        return None
    old, issued, committed = before
    grown = (value - old) & ((1 << xlen) - 1)
    if number == MCYCLE:
        lowest = max(0, ins.issue_cycle - committed - SLACK_CYCLES)
        highest = ins.cycle - issued + SLACK_CYCLES
        if not lowest <= grown <= highest:
            return Mismatch(
                "mcycle",
                Category.RESULT,
                f"MCYCLE grew by {grown} between two reads that lie {lowest} to {highest} cycles apart",
                f"{lowest} to {highest} cycles",
                grown,
            )
    elif grown >> (xlen - 1):
        return Mismatch("counter value", Category.RESULT, "the counter ran backwards", old, value)
    return None
