"""Atomics: the design decides in which order the lanes are served, and whether an SC fails without a reason.

With several cores memory may also serve another core between two records of one atomic. Such an atomic is performed in
parts: the golden warp executes it for the lanes of one part, and stays where it is until the last.
"""

from __future__ import annotations

from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.compare import lanes_of
from golden_model.follow.instruction import Instruction, MemoryRow
from golden_model.follow.orders import Orders
from golden_model.follow.track import Begun, Track
from golden_model.reservations import LINE_BITS
from golden_model.step import Adoption, Step
from golden_model.warp import Warp

_FUNCT5_SC = 3


def step_atomic(track: Track, ins: Instruction, orders: Orders, coverage: Coverage) -> Step | None:
    """Step an atomic with the choices that its MEMORY records show, and count what was taken over.

    Returns None, after having performed what has its turn, if other instructions come before the rest.
    """
    warp, records = track.warp, track.memory.get(ins.uid, [])
    choice = _choice(warp, ins.instr, records)
    if choice is None:  # the comparison finds what is wrong
        return warp.step()
    if len(records) > 1:
        now, left = orders.parts(track, ins.uid)
        if now < left and _perform_part(track, choice, records, now):
            orders.part_done(now)
            return None
    reserved = _reserved_lines(warp)
    if track.begun is None:
        step = warp.step(choice)
    else:
        step = _step_lanes(warp, choice, warp.tmask & ~track.begun.lanes)
        _merge(step, track.begun)
        track.begun = None
    _account(choice, step, reserved, coverage)
    return step


def _perform_part(track: Track, choice: Adoption, records: list[MemoryRow], count: int) -> bool:
    """Perform the next `count` records of an atomic; False if that would leave no lane for later."""
    warp, begun = track.warp, track.begun or Begun()
    lanes = 0  # none in the record of an SC that did not store
    for record in records[begun.records : begun.records + count]:
        lanes |= record.mask
    if begun.lanes | lanes == warp.tmask:
        return False
    if lanes:
        pc, uid = warp.pc, warp.uid
        begun.steps.append(_step_lanes(warp, choice, lanes))
        warp.pc, warp.uid = pc, uid
        warp.core.minstret -= 1
    begun.records += count
    begun.lanes |= lanes
    track.begun = begun
    return True


def _step_lanes(warp: Warp, choice: Adoption, lanes: int) -> Step:
    """Step the instruction as if the warp had these lanes only."""
    tmask = warp.tmask
    warp.set_mask(lanes)
    order = tuple(lane for lane in choice.lane_order or () if lanes >> lane & 1)
    step = warp.step(Adoption(lane_order=order, sc_failed=choice.sc_failed & lanes))
    if step.fault is None:
        warp.set_mask(tmask)
        step.next_mask = tmask
    return step


def _merge(step: Step, begun: Begun) -> None:
    """Make the step of the last part one of all lanes."""
    access = step.memory
    for part in begun.steps:
        step.tmask |= part.tmask
        step.wmask |= part.wmask
        step.undefined |= part.undefined
        step.findings[:0] = part.findings
        if access is None or part.memory is None:
            continue
        access.mask |= part.memory.mask
        access.undefined |= part.memory.undefined
        for lane in lanes_of(part.tmask):
            access.addr[lane] = part.memory.addr[lane]
            if access.data:
                access.data[lane] = part.memory.data[lane]
            if part.wmask:
                step.result[lane] = part.result[lane]


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
