"""A: atomics lane by lane, reservations, and what hardware may choose (docs/reference/vortex.md §2.14)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config import HardwareConfig
from golden_model import FindingKind, StepError
from golden_model.step import Adoption
from tests.unit.golden_program import OUT, bare_warp, launch_of, machine_with, program, words

A32 = HardwareConfig(ext_a=True)
A64 = HardwareConfig(ext_a=True, xlen=64)


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


OPERATIONS: dict[str, Callable[[int, int, int], int]] = {
    "amoadd": lambda old, new, bits: old + new,
    "amoswap": lambda old, new, bits: new,
    "amoxor": lambda old, new, bits: old ^ new,
    "amoor": lambda old, new, bits: old | new,
    "amoand": lambda old, new, bits: old & new,
    "amomin": lambda old, new, bits: min(signed(old, bits), signed(new, bits)),
    "amomax": lambda old, new, bits: max(signed(old, bits), signed(new, bits)),
    "amominu": lambda old, new, bits: min(old, new),
    "amomaxu": lambda old, new, bits: max(old, new),
}
VALUES = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1234_5678]


@pytest.mark.parametrize("config", [A32, A64])
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation(name: str, config: HardwareConfig) -> None:
    forms = [("w", 32)] + ([("d", 64)] if config.xlen == 64 else [])
    for letter, bits in forms:
        for old in VALUES:
            for operand in VALUES:
                wide = (old << 32 | old) if bits == 64 else old
                machine, warp = bare_warp(f"{name}.{letter} a2, a1, (a0)", 0b0010, config)
                machine.write(OUT, wide.to_bytes(bits // 8, "little"))
                warp.regs[10] = [OUT] * 4
                warp.regs[11] = [operand << (bits - 32) | operand] * 4
                step = warp.step()
                low = warp.regs[11][1] & (1 << bits) - 1
                assert step.result[1] == signed(wide, bits) & warp.xlen.mask
                expected = OPERATIONS[name](wide, low, bits) & (1 << bits) - 1
                assert int.from_bytes(machine.read(OUT, bits // 8), "little") == expected, (
                    name,
                    hex(old),
                    hex(operand),
                )


def test_lanes_on_one_word_are_serialised() -> None:
    machine, warp = bare_warp("amoadd.w a2, a1, (a0)", config=A32)
    warp.regs[10], warp.regs[11] = [OUT] * 4, [1, 10, 100, 1000]
    assert warp.step().result == [0, 1, 11, 111]
    assert words(machine, 1) == [1111]


def test_the_order_is_the_hardwares() -> None:
    machine, warp = bare_warp("amoswap.w a2, a1, (a0)", config=A32)
    warp.regs[10], warp.regs[11] = [OUT] * 4, [1, 2, 3, 4]
    assert warp.step(Adoption(lane_order=(2, 0, 3, 1))).result == [3, 4, 0, 1]
    assert words(machine, 1) == [2]
    warp.pc -= 4
    with pytest.raises(StepError, match="no order"):
        warp.step(Adoption(lane_order=(0, 1, 2)))


def test_what_is_refused() -> None:
    for address, kind in ((OUT + 2, FindingKind.MISALIGNED_ACCESS), (A32.lmem_base, FindingKind.ILLEGAL_INSTRUCTION)):
        for source in ("amoadd.w a2, a1, (a0)", "lr.w a2, (a0)", "sc.w a2, a1, (a0)"):
            machine, warp = bare_warp(source, config=A32)
            warp.regs[10] = [address] * 4
            assert warp.step().fault is not None
            assert machine.findings.kinds() == {kind}


def test_illegal_without_the_extension() -> None:
    _, warp = bare_warp("amoadd.w a2, a1, (a0)", config=HardwareConfig(ext_a=False))
    assert warp.step().fault is not None


# ------------------------------------------------------------------ LR and SC


def reservation(middle: str, mask: int = 1) -> tuple[list[int], int]:
    """Result of SC after LR and `middle`; a3 holds a word of the same line, a4 one of another."""
    machine, warp = bare_warp(f"lr.w a2, (a0)\n {middle}\n sc.w a5, a1, (a0)", mask, A32)
    warp.regs[10], warp.regs[11], warp.regs[13], warp.regs[14] = [OUT] * 4, [7] * 4, [OUT + 60] * 4, [OUT + 64] * 4
    warp.step()
    for _ in range(middle.count("\n") + bool(middle)):
        if "tmc" in middle:
            warp.regs[28], warp.regs[29] = [2] * 4, [1] * 4
        warp.step()
    step = warp.step()
    return [step.result[i] for i in warp.lanes], words(machine, 1)[0]


def test_sc_succeeds_after_lr() -> None:
    assert reservation("") == ([0], 7)
    assert reservation("sw a1, 0(a4)") == ([0], 7), "another line"
    assert reservation("sw a1, 0(a3)") == ([0], 7), "the own hart's store on the line"


def test_another_hart_on_the_line_breaks_it() -> None:
    assert reservation("tmc t3\n sw a1, 0(a3)\n tmc t4") == ([1], 0)
    assert reservation("tmc t3\n amoadd.w a6, a1, (a3)\n tmc t4") == ([1], 0)
    assert reservation("tmc t3\n sw a1, 0(a4)\n tmc t4") == ([0], 7)


def test_sc_without_lr_and_twice() -> None:
    _, warp = bare_warp("sc.w a2, a1, (a0)\n lr.w a3, (a0)\n sc.w a2, a1, (a0)\n sc.w a2, a1, (a0)", 1, A32)
    warp.regs[10] = [OUT] * 4
    results = [warp.step().result[0] for _ in range(4)]
    assert [results[0], results[2], results[3]] == [1, 0, 1]


def test_of_two_lanes_on_one_line_one_wins() -> None:
    result, value = reservation("", 0b11)
    assert (result, value) == ([0, 1], 7)


def test_a_spurious_failure_can_be_adopted() -> None:
    machine, warp = bare_warp("lr.w a2, (a0)\n sc.w a5, a1, (a0)", 1, A32)
    warp.regs[10], warp.regs[11] = [OUT] * 4, [7] * 4
    warp.step()
    step = warp.step(Adoption(sc_failed=1))
    assert (step.result[0], step.adopted, words(machine, 1)) == (1, "sc", [0])


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_counters_over_all_harts(tier: str) -> None:
    """Every hart adds 1 with AMOADD, and lane by lane 1 with an LR/SC loop."""
    kernel = """
        li t0, 1
        amoadd.w t1, t0, (a0)
        addi a1, a0, 64
        csrr s1, active_threads
        li s2, 1
    lane:
        and t2, s1, s2
        beqz t2, next
        tmc t2
    again:
        lr.w t3, (a1)
        addi t3, t3, 1
        sc.w t4, t3, (a1)
        bnez t4, again
        tmc s1
    next:
        slli s2, s2, 1
        li t5, 16
        bne s2, t5, lane
        ret
    """
    image = program(kernel)
    machine = machine_with(image, HardwareConfig(ext_a=True, num_cores=2))
    machine.tier = "fast" if tier == "fast" else "readable"
    machine.launch(launch_of(image, grid=(6, 1, 1), block=(16, 1, 1)))
    machine.run(100_000)
    assert not machine.findings
    assert (words(machine, 1), words(machine, 1, OUT + 64)) == ([96], [96])


def test_undefined_memory_makes_the_old_value_undefined_in_its_lane_only() -> None:
    machine, warp = bare_warp("amoadd.w a2, a1, (a0)", config=A32)
    machine.write(OUT, (7).to_bytes(4, "little") * 4)
    machine.memory.define(OUT + 8, 4, defined=False)
    warp.regs[10], warp.regs[11] = [OUT, OUT + 4, OUT + 8, OUT + 12], [1, 1, 1, 1]
    step = warp.step()
    assert step.undefined == 0b0100
    assert machine.memory.undefined(OUT, 16) == bytes(8) + b"\xff" * 4 + bytes(4)
