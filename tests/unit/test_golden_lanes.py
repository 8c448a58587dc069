"""Votes, shuffles, WGATHER and packed loads (docs/reference/vortex.md §2.9 to §2.11)."""

from __future__ import annotations

import random

import pytest

from config import HardwareConfig
from golden_model import FindingKind
from golden_model.records.layout import FaultKind
from golden_model.step import Adoption
from tests.unit.golden_program import OUT, bare_warp

FULL = HardwareConfig()


def test_votes_for_every_mask_and_predicate() -> None:
    _, warp = bare_warp("vote.all a1, a0\n vote.any a2, a0\n vote.uni a3, a0\n vote.ballot a4, a0", config=FULL)
    start = warp.pc
    for mask in range(1, 16):
        for bits in range(16):
            warp.set_mask(mask)
            warp.pc = start
            warp.regs[10] = [(bits >> i & 1) | (0xFFFE if i % 2 else 0) for i in range(4)]  # bit 0 counts alone
            active = [bits >> i & 1 for i in range(4) if mask >> i & 1]
            ballot = bits & mask
            for expected in (int(all(active)), int(any(active)), int(len(set(active)) == 1), ballot):
                step = warp.step()
                assert step.wmask == mask
                assert {step.result[i] for i in warp.lanes} == {expected}, (step.name, mask, bits)


def test_a_vote_over_an_undefined_lane_is_undefined() -> None:
    _, warp = bare_warp("vote.any a1, a0", config=FULL)
    warp.undef[10] = 0b0100
    assert warp.step().undefined == 0xF
    warp.set_mask(0b1011)
    warp.pc -= 4
    assert warp.step().undefined == 0


def expected_source(name: str, lane: int, word: int, lanes: int) -> int | None:
    """Table of §2.10 with hardware's field width."""
    low = lanes - 1
    b, c, m = word & low, word >> 6 & low, word >> 12 & low
    first = lane & m
    last = first | (c & ~m & low)
    source, valid = {
        "up": (lane - b, lane - b >= first),
        "down": (lane + b, lane + b <= last),
        "bfly": (lane ^ b, lane ^ b <= last),
        "idx": (first | (b & ~m & low), (first | (b & ~m & low)) <= last),
    }[name]
    return source if valid else None


@pytest.mark.parametrize("name", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("lanes", [4, 8])
def test_shuffles(name: str, lanes: int) -> None:
    config = HardwareConfig(ext_simt_full=True, num_threads=lanes)
    _, warp = bare_warp(f"shfl.{name} a2, a0, a1", config=config)
    rng = random.Random(name)
    words = [b | c << 6 | m << 12 for b in range(4) for c in range(4) for m in range(4)] if lanes == 4 else []
    words += [rng.getrandbits(32) for _ in range(300)]
    start = warp.pc
    for word in words:
        for mask in (warp.full_mask, rng.randrange(1, 1 << lanes)):
            warp.set_mask(mask)
            warp.pc = start
            warp.regs[10] = [100 + i for i in range(lanes)]
            warp.regs[11] = [word if rng.random() < 0.8 else rng.getrandbits(18) for _ in range(lanes)]
            step = warp.step()
            for i in warp.lanes:
                source = expected_source(name, i, warp.regs[11][i], lanes)
                if source is None or not mask >> source & 1:
                    source = i
                assert step.result[i] == 100 + source, (hex(warp.regs[11][i]), i, bin(mask))


def test_a_shuffle_brings_the_undefined_along() -> None:
    _, warp = bare_warp("shfl.idx a2, a0, a1", config=FULL)
    warp.regs[11] = [2 | 3 << 6] * 4
    warp.undef[10] = 0b0100
    assert warp.step().undefined == 0xF
    warp.undef[10] = 0b1000
    warp.pc -= 4
    assert warp.step().undefined == 0


@pytest.mark.parametrize("source", range(4))
def test_wgather(source: int) -> None:
    config = HardwareConfig(ext_simt_full=True, num_threads=8)
    _, warp = bare_warp(f"wgather a4, a0, a1, a2, {source}", 0b0101_1111, config)
    for register, base in ((10, 100), (11, 200), (12, 300), (14, 900)):
        warp.regs[register] = [base + i for i in range(8)]
    step = warp.step()
    for i in range(8):
        place = (i % 4 - source) % 4
        giver = i // 4 * 4 + source
        if not 0b0101_1111 >> giver & 1:
            giver = 6  # the last active lane
        expected = 900 + i if place == 0 else 100 * place + giver
        assert warp.regs[14][i] == expected, i
        assert step.wmask >> i & 1 == (place != 0), "active or not"


def test_wgather_of_one_lane() -> None:
    _, warp = bare_warp("wgather a4, a0, a1, a2, 2", 1, HardwareConfig(num_threads=1, ext_simt_full=True))
    warp.regs[10] = [7]
    warp.step()
    assert warp.regs[14] == [7]


def test_packed_loads() -> None:
    machine, warp = bare_warp("packlb.f fa2, a0, a1\n packlh.f fa3, a0, a1\n packlh.f fa3, a0, a1", config=FULL)
    machine.write(OUT, bytes(range(1, 65)))
    warp.regs[10] = [OUT, OUT + 8, OUT + 8, OUT + 1]
    warp.regs[11] = [1, 0, 0xFFFFFFFE, 3]
    assert warp.step().result == [0x04030201, 0x09090909, 0x03050709, 0x0B080502]
    warp.set_mask(0b0111)
    warp.regs[11] = [2, 0, 0xFFFFFFFE, 0]
    assert warp.step().result[:3] == [0x04030201, 0x0A090A09, 0x08070A09]
    warp.set_mask(0b1111)
    step = warp.step()
    assert step.fault is not None
    assert machine.findings.kinds() == {FindingKind.MISALIGNED_ACCESS}


def test_bus_error_of_a_packed_load() -> None:
    """Memory may answer any piece of any active lane with an error, and nothing else."""
    for failed, faults in ((OUT + 3 * 8, True), (OUT + 12, False), (OUT + 0x100 + 8, False), (OUT + 0x200 - 8, True)):
        machine, warp = bare_warp("packlb.f fa2, a0, a1", config=FULL)
        machine.write(OUT, bytes(0x240))
        warp.regs[10] = [OUT, OUT + 0x100, OUT + 0x200, OUT]
        warp.regs[11] = [8, 8, 0xFFFFFFF8, 8]
        warp.set_mask(0b0101)
        step = warp.step(Adoption(load_error=failed))
        assert (step.fault is not None) == faults, hex(failed)
        assert step.wmask == (0 if faults else 0b0101)
        if step.fault is not None:
            assert (step.fault.kind, step.fault.addr) == (FaultKind.BUS_READ, failed)


def test_illegal_without_the_extension() -> None:
    for source in ("vote.any a0, a1", "shfl.up a0, a1, a2", "wgather a0, a1, a2, a3, 0", "packlb.f fa0, a0, a1",
                   "ecall", "wspawn a0, a1", "bar.arrive a0, a1, a2", "bar.wait a0, a1", "mret"):  # fmt: skip
        _, warp = bare_warp(source, config=HardwareConfig(ext_simt_full=False))
        assert warp.step().fault is not None, source
