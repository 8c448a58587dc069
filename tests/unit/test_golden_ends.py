"""What ends or holds a warp: the IPDOM stack, reservations, faults, WSPAWN, a start (docs/reference/vortex.md §2)."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import Adoption, FindingKind, Launch, StepError
from golden_model.ipdom import IpdomEntry, IpdomStack
from golden_model.records.layout import FaultKind, IpdomOp
from golden_model.reservations import Reservations
from golden_model.step import IpdomEvent
from tests.unit.golden_program import BASE, bare_warp, launch_of, machine_with, program

# ------------------------------------------------------------------ divergence


def test_a_stack_takes_as_much_as_it_is_deep() -> None:
    stack = IpdomStack(2)
    assert stack.top() is None
    assert [stack.push(15, 4 * i) for i in range(3)] == [True, True, False]
    assert (len(stack), stack.top()) == (2, IpdomEntry(15, 4, False, 0))
    assert stack.pop() == IpdomEntry(15, 4) and len(stack) == 1
    stack.clear()
    assert len(stack) == 0 and stack.push(1, 8)


def test_what_split_and_join_say_of_the_stack() -> None:
    _, warp = bare_warp("split a2, a0\n split a3, a0\n nop\n join a2")
    warp.regs[10] = [1, 0, 0, 0]
    after = BASE + 4
    step = warp.step()
    assert (step.ipdom, step.next_mask) == (IpdomEvent(IpdomOp.PUSH, 0, 15, after), 1)
    assert (warp.step().ipdom, warp.regs[13][0]) == (None, 1), "uniform: nothing is pushed"
    warp.step()
    step = warp.step()
    assert (step.ipdom, step.next_mask, step.next_pc) == (IpdomEvent(IpdomOp.FLIP, 1, 15, after), 14, after)
    warp.pc = BASE + 12
    step = warp.step()
    assert (step.ipdom, step.next_mask, step.next_pc) == (IpdomEvent(IpdomOp.POP, 1, 15, after), 15, BASE + 16)
    assert len(warp.ipdom) == 0


@pytest.mark.parametrize("pointer", [0, 1, 2, 3, 7])
def test_join_with_any_pointer_over_two_open_splits(pointer: int) -> None:
    """2 = nothing open since; 1 = the innermost; others do not nest, a finding, and the innermost is closed anyway."""
    _, warp = bare_warp("join a0")
    for pc in (8, 12):
        warp.ipdom.push(15, BASE + pc)
    warp.set_mask(3)
    warp.regs[10] = [pointer] * 4
    step = warp.step()
    kinds = {finding.kind: finding.lanes for finding in step.findings}
    assert kinds == ({} if pointer in (1, 2) else {FindingKind.IPDOM_MISMATCH: 3})
    assert step.fault is None
    if pointer == 2:
        assert (step.ipdom, step.next_mask, step.next_pc) == (None, 3, BASE + 4)
    else:
        assert (step.next_mask, step.next_pc) == (12, BASE + 12)


def test_one_lane_ignores_the_pointer() -> None:
    machine, warp = bare_warp("join a0\n split a1, a0", 1, HardwareConfig(num_threads=1))
    warp.regs[10] = [5]
    assert warp.step().fault is None
    assert warp.step().result == [0]
    assert not machine.findings


# ------------------------------------------------------------------ reservations


def test_reservations_are_one_line_a_hart() -> None:
    _, warp = bare_warp("nop")
    held = Reservations()
    warp.set_mask(0b0101)
    held.reserve(warp, [0x1000, 0x5000, 0x103F, 0])
    assert [held.line(hart) for hart in range(4)] == [0x40, None, 0x40, None] and held.any
    warp.set_mask(0b0001)
    held.stored(warp, [0x1040, 0, 0, 0])
    assert [held.line(hart) for hart in (0, 2)] == [0x40, 0x40], "another line"
    held.stored(warp, [0x1000, 0, 0, 0])
    assert [held.line(hart) for hart in (0, 2)] == [0x40, None], "the own one stays"
    assert held.conditional(warp, [0x1040, 0, 0, 0]) == 1, "not the line that was reserved"
    assert held.line(0) is None and not held.any
    assert held.conditional(warp, [0x1000, 0, 0, 0]) == 1, "nothing reserved"


def test_sc_refused_by_hardware_uses_the_reservation_up() -> None:
    _, warp = bare_warp("nop")
    held = Reservations()
    for refused, failed in ((0, 0b1110), (0b0001, 0b1101), (0b0011, 0b1011), (0b1111, 0b1111)):
        held.reserve(warp, [0x1000] * 4)
        warp.adoption = Adoption(sc_failed=refused)
        assert held.conditional(warp, [0x1000] * 4) == failed, bin(refused)
        assert not held.any
    held.reserve(warp, [0x1000, 0x1040, 0x1080, 0x10C0])
    warp.adoption = Adoption(sc_failed=0b0100, lane_order=(3, 2, 1, 0))
    assert held.conditional(warp, [0x1000, 0x1040, 0x1080, 0x10C0]) == 0b0100


def test_an_order_must_be_one_of_the_active_lanes() -> None:
    _, warp = bare_warp("nop", 0b1011)
    assert warp.atomic_order() == (0, 1, 3)
    for order, good in (((3, 0, 1), True), ((0, 1), False), ((0, 1, 2), False), ((0, 1, 3, 3), False)):
        warp.adoption = Adoption(lane_order=order)
        if good:
            assert warp.atomic_order() == order
        else:
            with pytest.raises(StepError, match="are no order of the active lanes"):
                warp.atomic_order()


# ------------------------------------------------------------------ faults and ends


def test_a_fetch_fault_names_the_last_call() -> None:
    """`jr zero` in a function: the finding names the call whose return address is in ra, if it is in an image."""
    _, warp = bare_warp("call f\n nop\nf: jr zero")
    warp.step()
    warp.step()
    step = warp.step()
    (finding,) = step.findings
    assert (finding.kind, finding.pc) == (FindingKind.FETCH_FAULT, 0)
    site = finding.other
    assert site is not None
    assert (site.what, site.pc, site.core, site.warp) == ("last call", BASE, 0, 0)
    for undefined, target in ((0b1000, BASE + 4), (0, BASE), (0, 3), (0, BASE + 0x1000)):
        _, warp = bare_warp("jr zero")
        warp.regs[1], warp.undef[1] = [BASE + 4] * 3 + [target], undefined
        warp.step()
        (finding,) = warp.step().findings
        assert finding.other is None, (undefined, hex(target))
    _, warp = bare_warp("jr zero")
    warp.regs[1], warp.undef[1] = [0, 0, 0, BASE + 4], 0b0111
    warp.step()
    (finding,) = warp.step().findings
    assert finding.other is not None and finding.other.pc == BASE


@pytest.mark.parametrize(("pc", "where"), [(0, "at 0"), ((1 << 33) - 4, ""), (1 << 33, "at 0x200000000, outside")])
def test_fetches_at_the_borders_of_memory(pc: int, where: str) -> None:
    machine, warp = bare_warp("nop", config=HardwareConfig(xlen=64))
    warp.pc = pc
    machine.write((1 << 33) - 4, (0x13).to_bytes(4, "little"))
    step = warp.step()
    if not where:
        assert step.fault is None and step.name == "addi"
        assert [finding.kind for finding in step.findings] == [FindingKind.FETCH_OUTSIDE_IMAGE]
        assert step.findings[0].lanes == 15
        return
    assert step.fault is not None
    assert (step.fault.kind, step.fault.addr, step.instr, step.next_pc) == (FaultKind.FETCH, pc, 0, pc + 4)
    assert step.fault.detail == f"instruction fetch {where}" + (" memory" if pc else "")
    assert (warp.uid, warp.pc, warp.active, step.warp_ended) == (0, pc + 4, False, True)


def test_an_illegal_instruction_says_its_word() -> None:
    machine, warp = bare_warp(".word 0xffffffff\n nop")
    step = warp.step()
    assert (step.name, step.instr, warp.uid, machine.cores[0].minstret) == ("illegal", 0xFFFF_FFFF, 1, 1)
    assert step.fault is not None and step.fault.detail == "0xffffffff is no instruction of this configuration"
    assert step.fault.addr == BASE


def test_the_last_warp_gives_the_slot_back() -> None:
    image = program("ret", prologue="_start: tmc zero\n")
    machine = machine_with(image)
    machine.launch(launch_of(image, grid=(2, 1, 1), block=(8, 1, 1)))
    core = machine.cores[0]
    for _ in range(2):
        machine.accept_cta(0)
        core.start_warp()
        core.start_warp()
    assert [warp.step().retired_slot for warp in (core.warps[0], core.warps[3], core.warps[1], core.warps[2])] == [
        None, None, 0, 1,
    ]  # fmt: skip


def test_an_open_split_at_the_end_is_found_but_not_after_a_fault() -> None:
    for source, kinds in (
        ("split a2, a0\n tmc zero", {FindingKind.IPDOM_NOT_EMPTY}),
        ("split a2, a0\n .word 0", {FindingKind.ILLEGAL_INSTRUCTION}),
    ):
        machine, warp = bare_warp(source)
        warp.regs[10] = [1, 0, 0, 0]
        warp.step()
        warp.step()
        assert machine.findings.kinds() == kinds
        if FindingKind.IPDOM_NOT_EMPTY in kinds:
            (finding,) = machine.findings
            assert f"1 open SPLIT(s), the innermost before {BASE + 4:#x}" in finding.detail and finding.lanes == 1


def test_a_spawned_warp() -> None:
    """Lane 0 alone, MSCRATCH of its spawner, no CTA of its own; its end frees no slot (reference §2.4)."""
    machine, warp = bare_warp("wspawn a0, a1\n nop\nx: tmc zero")
    warp.csr_storage[0x340] = 0x1234
    warp.regs[10], warp.regs[11] = [0, 0, 0, 3], [0, 0, 0, BASE + 11]
    others = machine.cores[0].warps[1:]
    others[0].ipdom.push(15, 4)
    others[0].blocked = True
    step = warp.step()
    assert step.is_control and not step.retry
    assert [other.tmask for other in others] == [1, 1, 0], "three warps in all, the spawner among them"
    for other in others[:2]:
        assert (other.pc, other.spawned, other.csr_storage[0x340], len(other.ipdom)) == (BASE + 8, True, 0x1234, 0)
        assert (other.blocked, other.retrying, other.resident is warp.resident) == (False, False, True)
    assert others[0].step().retired_slot is None
    slots = machine.cores[0].dispatcher.slots
    assert slots[0] is warp.resident and slots[0] is not None and slots[0].live == 1


def test_wspawn_counts_beyond_the_core_start_all_warps() -> None:
    for count, started in ((0, 0), (1, 0), (2, 1), (4, 3), (5, 3), (0xFFFF_FFFF, 3)):
        machine, warp = bare_warp("wspawn a0, a1")
        warp.regs[10], warp.regs[11] = [count] * 4, [BASE] * 4
        warp.step()
        assert sum(other.active for other in machine.cores[0].warps) == 1 + started


def test_a_retry_is_no_instruction() -> None:
    machine, warp = bare_warp("wspawn a0, a1")
    machine.cores[0].warps[2].set_mask(1)
    step = warp.step()
    assert step.retry and warp.retrying
    assert (warp.pc, warp.uid, machine.cores[0].minstret) == (BASE, 0, 0)
    machine.cores[0].warps[2].set_mask(0)
    assert not warp.step().retry and not warp.retrying
    assert (warp.pc, warp.uid, machine.cores[0].minstret) == (BASE + 4, 1, 1)


def test_a_start_takes_what_the_cta_says() -> None:
    """PC and MSCRATCH are cut to the machine; what a warp waited for before is over."""
    image = program("ret")
    machine = machine_with(image)
    machine.launch(Launch(image.kernels["k"], BASE + 3, 0x7_0001_0000, block=(6, 1, 1)))
    core = machine.cores[0]
    machine.accept_cta(0)
    warp = core.warps[2]
    warp.blocked = warp.retrying = warp.spawned = True
    warp.ipdom.push(1, 4)
    core.start_warp(0)
    core.start_warp(2)
    assert (warp.pc, warp.csr_storage[0x340], warp.tmask, warp.cta_mask) == (BASE, 0x0001_0000, 3, 3)
    assert (warp.blocked, warp.retrying, warp.spawned, len(warp.ipdom)) == (False, False, False, 0)
    assert (warp.slot, warp.rank, warp.thread_idx[:2]) == (0, 1, [(4, 0, 0), (5, 0, 0)])


def test_a_warp_that_never_had_a_cta_has_no_cta_registers() -> None:
    machine, _ = bare_warp("nop")
    with pytest.raises(StepError, match="core 0 warp 3 was never given a CTA"):
        _ = machine.cores[0].warps[3].current_cta


def test_a_warp_without_a_cta_ends_for_itself() -> None:
    """As one would that a debugger made active."""
    machine, first = bare_warp("tmc zero")
    warp = machine.cores[0].warps[3]
    warp.pc = BASE
    warp.set_mask(2)
    warp.undef = [0] * 32
    step = warp.step()
    assert (step.warp_ended, step.retired_slot, warp.active) == (True, None, False)
    warp.spawn(machine.cores[0].warps[2], BASE + 5)
    assert (warp.csr_storage[0x340], warp.pc, warp.tmask, warp.resident) == (0, BASE + 4, 1, None)
    assert first.active


@pytest.mark.parametrize("xlen", [32, 64])
def test_the_window_before_address_20_is_at_the_end_of_the_address_space(xlen: int) -> None:
    machine, _ = bare_warp("nop", config=HardwareConfig(xlen=xlen))
    core = machine.cores[0]
    machine.launch(Launch(BASE, BASE, grid=(2, 1, 1), block=(4, 1, 1))) if not machine.busy else None
    dispatcher = core.dispatcher
    resident = dispatcher.slots[0]
    assert resident is not None
    resident.started, dispatcher.pending = 0, resident
    start = dispatcher.start_message(dispatcher.assign(), 0, 4, 20)
    assert (start.pc, start.first_use) == ((1 << xlen) - 16, False)


def test_a_window_that_is_there_is_no_finding() -> None:
    image = program("ret")
    machine = machine_with(image)
    core = machine.cores[0]
    assert core.check_window(0, image.labels["window"], 15) and not machine.findings
    assert not core.check_window(0, image.labels["window"] + 4, 15) and machine.findings
