"""What mutants of the model had to themselves: what a step says of itself, undefined values, corner cases."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import FindingKind
from tests.unit.golden_program import OUT, bare_warp

FULL = HardwareConfig(ext_packed=True)
UNWRITTEN = 0x7_0000


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("jal ra, x\nx: nop", True),
        ("jalr ra, 0(s0)", True),
        ("beq s0, s0, x\nx: nop", True),
        ("ecall", True),
        ("ebreak", True),
        ("mret", True),
        ("tmc s1", True),
        ("join zero", True),
        ("add s0, s0, s0", False),
        ("lw t0, 0(s2)", False),
    ],
)
def test_control_instructions_say_so(text: str, control: bool) -> None:
    _, warp = bare_warp(text, 0xF, FULL)
    warp.regs[8], warp.regs[9], warp.regs[18] = [0x8000_0000] * 4, [15] * 4, [OUT] * 4
    assert warp.step().is_control is control


def test_a_trap_clears_mtval_and_says_where() -> None:
    _, warp = bare_warp("csrw mtval, s0\n ecall", 0xF, FULL)
    warp.regs[8] = [77] * 4
    assert (warp.step().pc, warp.csr_storage[0x343]) == (0x8000_0000, 77)
    warp.step()
    assert {n: warp.csr_storage[n] for n in (0x341, 0x342, 0x343)} == {0x341: 0x8000_0004, 0x342: 11, 0x343: 0}


def test_lanes_with_an_undefined_target_do_not_count_as_divergent() -> None:
    machine, warp = bare_warp("jalr ra, 0(s0)")
    warp.regs[8], warp.undef[8] = [4, 8, 8, 8], 0b0001
    step = warp.step()
    assert [(f.kind, f.lanes) for f in step.findings] == [(FindingKind.UNDEFINED_JUMP, 1)]
    machine, warp = bare_warp("jalr ra, 0(s0)")
    warp.regs[8], warp.undef[8] = [4, 4, 8, 8], 0b0001
    kinds = {f.kind: f.lanes for f in warp.step().findings}
    assert kinds == {FindingKind.UNDEFINED_JUMP: 1, FindingKind.DIVERGENT_JUMP: 0b0010}
    machine, warp = bare_warp("jalr ra, 0(s0)")
    warp.regs[8], warp.undef[8] = [8, 4, 8, 8], 0b0010
    assert {f.kind for f in warp.step().findings} == {FindingKind.UNDEFINED_JUMP}
    assert machine.findings


def test_two_lanes_diverge_and_join() -> None:
    _, warp = bare_warp("split t0, s0\n join t0\n join t0", 0b11, HardwareConfig(num_threads=2))
    warp.regs[8] = [1, 0]
    masks = [(step.tmask, step.next_mask) for step in (warp.step() for _ in range(3))]
    assert masks == [(0b11, 0b01), (0b01, 0b10), (0b10, 0b11)]


def test_lr_of_memory_never_written_is_undefined_in_its_lane() -> None:
    machine, warp = bare_warp("lr.w t0, (s0)", 0xF, FULL)
    machine.write(UNWRITTEN, bytes(4))
    machine.write(UNWRITTEN + 8, (0x8000_0005).to_bytes(4, "little"))
    warp.regs[8] = [UNWRITTEN + 4 * i for i in range(4)]
    step = warp.step()
    assert (step.undefined, warp.undef[5]) == (0b1010, 0b1010)
    assert step.result[2] == 0x8000_0005


def test_lr_extends_the_sign_of_a_word() -> None:
    machine, warp = bare_warp("lr.w t0, (s0)", 1, HardwareConfig(xlen=64, ext_a=True))
    for word, value in ((0x8000_0000, 0xFFFF_FFFF_8000_0000), (0x7FFF_FFFF, 0x7FFF_FFFF), (0x4000_0000, 0x4000_0000)):
        machine.write(UNWRITTEN, word.to_bytes(4, "little"))
        warp.pc, warp.regs[8] = 0x8000_0000, [UNWRITTEN] * 4
        warp.step()
        assert warp.regs[5][0] == value


def test_sc_that_fails_stores_nothing_undefined() -> None:
    _, warp = bare_warp("sc.w t0, s1, (s0)", 0xF, FULL)
    warp.regs[8], warp.undef[9] = [OUT + 64 * i for i in range(4)], 0xF
    step = warp.step()
    assert step.memory is not None
    assert (step.memory.mask, step.memory.undefined, step.result) == (0, 0, [1, 1, 1, 1])


@pytest.mark.parametrize("source", range(4))
def test_wgather_takes_undefined_values_along(source: int) -> None:
    """The lane behind the source gets rs1, and so on; each with what is known of it."""
    for place, register in enumerate((11, 12, 13), 1):
        _, warp = bare_warp(f"wgather a0, a1, a2, a3, {source}", 0xF, FULL)
        warp.undef[register] = 1 << source
        warp.step()
        assert warp.undef[10] == 1 << (source + place) % 4


def test_packed_load_of_memory_never_written() -> None:
    machine, warp = bare_warp("packlb.f f1, s0, s1", 0xF, FULL)
    machine.write(UNWRITTEN, bytes(64))
    warp.regs[8], warp.regs[9] = [UNWRITTEN, UNWRITTEN + 61, UNWRITTEN, UNWRITTEN + 62], [1] * 4
    assert warp.step().undefined == 0b1010


def test_expect_tx_counts_events_without_the_mark() -> None:
    machine, warp = bare_warp("bar.arrive t0, s0, s1", 0xF, FULL)
    warp.regs[8], warp.regs[9] = [0x100] * 4, [0x8000_0003] * 4
    warp.step()
    assert machine.cores[0].barriers.entry(0x100).events == 3


def test_a_bad_window_is_reported_with_the_place_where_the_cta_ended() -> None:
    machine, warp = bare_warp("nop")
    assert not warp.core.check_window(0, 0x8000_0100, 3)
    (finding,) = list(machine.findings)
    assert (finding.pc, finding.lanes) == (0x8000_0100, 3)
    assert "reused 20 bytes before 0x80000114" in finding.detail
