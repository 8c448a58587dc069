"""Atomics: the design decides in which order the lanes are served, and whether an SC fails without a reason."""

from __future__ import annotations

from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.compare import lanes_of
from golden_model.follow.instruction import Instruction, MemoryRow
from golden_model.follow.track import Track
from golden_model.reservations import LINE_BITS
from golden_model.step import Adoption, Step
from golden_model.warp import Warp

_FUNCT5_SC = 3


def step_atomic(track: Track, ins: Instruction, coverage: Coverage) -> Step:
    """Step an atomic with the choices that its MEMORY records show, and count what was taken over."""
    choice = _choice(track.warp, ins.instr, track.memory.get(ins.uid, []))
    reserved = _reserved_lines(track.warp)
    step = track.warp.step(choice)
    if choice is not None:
        _account(choice, step, reserved, coverage)
    return step


def _choice(warp: Warp, instr: int, records: list[MemoryRow]) -> Adoption | None:
    """Order of the lanes and failures of SC, as the records show them; None if they show nothing that is possible."""
    if not records:
        return None
    served: list[int] = []
    for record in records:
        served += lanes_of(record.mask)
    rest = [lane for lane in warp.lanes if lane not in served]
    if len(set(served)) != len(served) or len(served) + len(rest) != len(warp.lanes):
        return None
    if instr >> 27 == _FUNCT5_SC:
        return Adoption(lane_order=(*served, *rest), sc_failed=sum(1 << lane for lane in rest))
    return None if rest else Adoption(lane_order=tuple(served))


def _reserved_lines(warp: Warp) -> dict[int, int | None]:
    """Line that each active lane has reserved; to be asked before an SC."""
    return {lane: warp.core.reservations.line(warp.first_hart + lane) for lane in warp.lanes}


def _account(choice: Adoption, step: Step, reserved: dict[int, int | None], coverage: Coverage) -> None:
    """Count what an atomic took over; `reserved` is what was reserved before it."""
    if step.memory is None or step.fault is not None:
        return
    if step.adopted != "sc":
        order = choice.lane_order or ()
        coverage.adopted[AdoptedKind.LANE_ORDER] += list(order) != sorted(order)
        return
    lines = {lane: step.memory.addr[lane] >> LINE_BITS for lane in reserved}
    stored = {lines[lane] for lane in lanes_of(step.memory.mask)}
    coverage.adopted[AdoptedKind.SC_FAILURE] += sum(
        reserved[lane] == lines[lane] and lines[lane] not in stored for lane in lanes_of(choice.sc_failed)
    )
