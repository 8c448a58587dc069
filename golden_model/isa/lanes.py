"""Between the lanes of a warp: votes, shuffles and WGATHER (docs/reference/vortex.md §2.9 to §2.11)."""

# ruff: noqa: D103 - a lane function is named after its instruction and shorter than any docstring
from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Extension, Instruction, LaneFunction, Unit
from golden_model.isa.simt import custom

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp


# ------------------------------------------------------------------ votes: (active lanes, lanes with a 1) -> result


def vote_all(active: int, ones: int, x: Xlen) -> int:
    return int(ones == active)


def vote_any(active: int, ones: int, x: Xlen) -> int:
    return int(ones != 0)


def vote_uni(active: int, ones: int, x: Xlen) -> int:
    return int(ones == active or ones == 0)


def vote_ballot(active: int, ones: int, x: Xlen) -> int:
    return ones


def execute_vote(warp: Warp, op: Decoded, step: Step) -> None:
    """Every active lane's rd ← the vote over bit 0 of rs1; undefined everywhere if one active lane's rs1 is."""
    vote, values = op.lane, warp.regs[op.rs1]
    assert vote is not None
    ones = 0
    for i in warp.lanes:
        if values[i] & 1:
            ones |= 1 << i
    undefined = warp.full_mask if warp.undef[op.rs1] & warp.tmask else 0
    warp.write(step, op.rd, [vote(warp.tmask, ones, warp.xlen)] * warp.num_lanes, undefined)


# ------------------------------------------------------------------ shuffles: (lane, {m, c, b}) -> source lane or -1

# Hardware looks at as many low bits of b, c and m as a lane number has.


def shuffle_up(lane: int, bits: int, segment: int, clamp: int) -> int:
    source = lane - bits
    return source if source >= (lane & segment) else -1


def shuffle_down(lane: int, bits: int, segment: int, clamp: int) -> int:
    source = lane + bits
    return source if source <= (lane & segment | clamp & ~segment) else -1


def shuffle_bfly(lane: int, bits: int, segment: int, clamp: int) -> int:
    source = lane ^ bits
    return source if source <= (lane & segment | clamp & ~segment) else -1


def shuffle_idx(lane: int, bits: int, segment: int, clamp: int) -> int:
    source = lane & segment | bits & ~segment
    return source if source <= (lane & segment | clamp & ~segment) else -1


def execute_shuffle(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← rs1 of the source lane; own rs1 if the source is out of its segment or inactive."""
    source_of = op.source
    assert source_of is not None
    values, packed, low = warp.regs[op.rs1], warp.regs[op.rs2], warp.num_lanes - 1
    unknown = warp.undef[op.rs1]
    undefined = warp.undef[op.rs2]
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        word = packed[i]
        source = source_of(i, word & low, word >> 12 & low, word >> 6 & low)
        chosen = i
        if source >= 0 and warp.tmask >> (source & low) & 1:
            chosen = source & low
        result[i] = values[chosen]
        if unknown >> chosen & 1:
            undefined |= 1 << i
    warp.write(step, op.rd, result, undefined)


# ------------------------------------------------------------------ WGATHER


def execute_wgather(warp: Warp, op: Decoded, step: Step) -> None:
    """In each group of four lanes, lane S hands rs1, rs2, rs3 to the three lanes after it (cyclically), active or not.

    An inactive source lane is replaced by the last active lane of the warp. The source lane keeps its rd.
    """
    if warp.num_lanes == 1:
        warp.write_lanes(step, op.rd, warp.regs[op.rs1], warp.undef[op.rs1], 1)
        return
    first, second, third = warp.regs[op.rs1], warp.regs[op.rs2], warp.regs[op.rs3]
    result = [0] * warp.num_lanes
    mask, undefined = 0, 0
    for i in range(warp.num_lanes):
        source = i & ~3 | op.imm
        place = (i - op.imm) & 3
        if not warp.tmask >> source & 1:
            source = warp.last
        if place == 1:
            result[i] = first[source]
            undefined |= (warp.undef[op.rs1] >> source & 1) << i
        if place == 2:
            result[i] = second[source]
            undefined |= (warp.undef[op.rs2] >> source & 1) << i
        if place == 3:
            result[i] = third[source]
            undefined |= (warp.undef[op.rs3] >> source & 1) << i
        if place:
            mask |= 1 << i
    warp.write_lanes(step, op.rd, result, undefined, mask)


def _vote(name: str, funct3: int, vote: LaneFunction) -> Instruction:
    return Instruction(name, *custom(funct3, 1), "{rd}, {rs1}", Unit.SIMT, execute_vote, Extension.SIMT_FULL, lane=vote)


def _shuffle(name: str, funct3: int, row: str) -> Instruction:
    source = {"up": shuffle_up, "down": shuffle_down, "bfly": shuffle_bfly, "idx": shuffle_idx}[row]
    syntax = "{rd}, {rs1}, {rs2}"
    return Instruction(name, *custom(funct3, 1), syntax, Unit.SIMT, execute_shuffle, Extension.SIMT_FULL, source=source)


LANES: list[Instruction] = [
    _vote("vote.all", 0, vote_all),
    _vote("vote.any", 1, vote_any),
    _vote("vote.uni", 2, vote_uni),
    _vote("vote.ballot", 3, vote_ballot),
    _shuffle("shfl.up", 4, "up"),
    _shuffle("shfl.down", 5, "down"),
    _shuffle("shfl.bfly", 6, "bfly"),
    _shuffle("shfl.idx", 7, "idx"),
    Instruction(
        "wgather",
        0x0000707F,
        0x0000002B,
        "{rd}, {rs1}, {rs2}, {rs3}, {lane}",
        Unit.SIMT,
        execute_wgather,
        Extension.SIMT_FULL,
    ),
]
