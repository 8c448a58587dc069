"""CSRs: values, access rules, and what is illegal (docs/reference/vortex.md §3)."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import Adoption, FindingKind, Step
from golden_model.csr import build_csrs
from golden_model.isa.registers import CSR_NUMBERS
from golden_model.records.layout import FaultKind
from tests.unit.golden_program import BASE, OUT, bare_warp, launch_of, machine_with, program

IGNORED = ["satp", "medeleg", "mideleg", "mie", "pmpcfg0", "pmpaddr0", "mnstatus"]
STORED = ["mstatus", "mtvec", "mscratch", "mepc", "mcause", "mtval"]
READ_ONLY = [
    "misa",
    "mvendorid",
    "mhartid",
    "thread_id",
    "active_threads",
    "num_cores",
    "cta_id",
    "cta_entry",
    "mcycle",
    "minstreth",
]


def read(name: str, mask: int = 0xF) -> Step:
    _, warp = bare_warp(f"csrr a0, {name}", mask)
    return warp.step()


def test_identity_of_every_hart() -> None:
    """Two clusters of two cores: hart id, core id and the constants."""
    config = HardwareConfig(num_clusters=2, num_cores=2, num_warps=2, num_threads=4)
    names = ["mhartid", "core_id", "warp_id", "thread_id", "num_cores", "num_warps", "num_threads"]
    image = program("\n".join(f"csrr a1, {name}" for name in names) + "\nret", prologue="_start:\n")
    machine = machine_with(image, config)
    machine.launch(launch_of(image, grid=(4, 1, 1), block=(8, 1, 1)))
    harts: set[int] = set()
    for core in machine.cores:
        machine.accept_cta(core.core_id)
        for warp in core.warps:
            core.start_warp()
            for _ in range(3):
                warp.step()
            values = [warp.step().result for _ in names]
            harts |= set(values[0])
            first = (core.core_id * 2 + warp.wid) * 4
            assert values[0] == [first, first + 1, first + 2, first + 3]
            assert values[1:] == [[core.core_id] * 4, [warp.wid] * 4, [0, 1, 2, 3], [4] * 4, [2] * 4, [4] * 4]
    assert harts == set(range(config.total_harts))


def test_constants() -> None:
    expected = {"local_mem_base": 0xFFFF0000, "num_barriers": 8, "misa": 0x40901121, "mvendorid": 0, "marchid": 0,
                "mimpid": 0, **dict.fromkeys(IGNORED, 0)}  # fmt: skip
    for name, value in expected.items():
        assert read(name).result == [value] * 4, name
    for number in (0xB01, 0xB81, 0xB03, 0xB1F, 0xB83, 0xB9F):
        assert read(hex(number)).result == [0] * 4


def test_active_threads_is_the_mask() -> None:
    assert read("active_threads", 0b0101).result[2] == 0b0101


@pytest.mark.parametrize("name", STORED)
def test_stored_registers(name: str) -> None:
    _, warp = bare_warp(
        f"csrrw a2, {name}, a0\ncsrrs a2, {name}, a1\ncsrrc a2, {name}, a3\ncsrr a2, {name}", mask=0b0110
    )
    warp.regs[10] = [1, 2, 0xF0F0F0F0, 4]
    warp.regs[11] = [0xFF, 0xFF, 0x0000000F, 0xFF]
    warp.regs[13] = [0, 0, 0xF0000000, 0]
    start = OUT if name == "mscratch" else 0
    values = [warp.step().result[1:3] for _ in range(4)]
    assert values == [[start] * 2, [0xF0F0F0F0] * 2, [0xF0F0F0FF] * 2, [0x00F0F0FF] * 2], (
        "old value, last active lane's operand"
    )


def test_immediate_forms() -> None:
    _, warp = bare_warp("csrrwi a0, mepc, 31\ncsrrsi a0, mepc, 0\ncsrrci a0, mepc, 5\ncsrr a0, mepc")
    assert [warp.step().result[0] for _ in range(4)] == [0, 31, 31, 26]


def test_registers_belong_to_one_warp() -> None:
    machine, warp = bare_warp("csrrwi zero, mtvec, 8")
    warp.step()
    other = machine.cores[0].warps[1]
    assert 0x305 not in other.csr_storage


@pytest.mark.parametrize("name", READ_ONLY)
def test_writes_to_read_only_registers_are_illegal(name: str) -> None:
    for source in (
        f"csrrw zero, {name}, zero",
        f"csrrwi zero, {name}, 0",
        f"csrrsi a0, {name}, 1",
        f"csrrc a0, {name}, a1",
    ):
        machine, warp = bare_warp(source)
        warp.regs[11] = [1] * 4
        step = warp.step()
        assert step.fault is not None, source
        assert (step.fault.kind, step.fault.addr) == (FaultKind.ILLEGAL_INSTRUCTION, BASE)
        assert (step.wmask, step.next_mask, warp.active) == (0, 0, False)
        assert machine.findings.kinds() == {FindingKind.ILLEGAL_INSTRUCTION}


@pytest.mark.parametrize("name", READ_ONLY)
def test_set_and_clear_of_nothing_only_read(name: str) -> None:
    """The operand's value counts, not the register number."""
    for source in (f"csrrs a0, {name}, a1", f"csrrc a0, {name}, a1", f"csrrsi a0, {name}, 0"):
        machine, warp = bare_warp(source)
        assert warp.step().fault is None
        assert not machine.findings


@pytest.mark.parametrize("name", IGNORED)
def test_writes_to_ignored_registers_are_dropped(name: str) -> None:
    machine, warp = bare_warp(f"csrrw a0, {name}, a1\ncsrr a0, {name}")
    warp.regs[11] = [0xFFFFFFFF] * 4
    assert warp.step().result == [0] * 4
    assert warp.step().result == [0] * 4
    assert not machine.findings


@pytest.mark.parametrize(
    "number", [0x000, 0x001, 0x002, 0x003, 0x306, 0x7CE, 0xB20, 0xBA0, 0xC00, 0xCC5, 0xCE2, 0xF15, 0xFC5]
)
def test_unknown_registers_are_illegal_even_to_read(number: int) -> None:
    """Numbers 1 to 3 are the float CSRs, which do not exist while EXT_F is off."""
    machine, warp = bare_warp(f"csrr zero, {number}", config=HardwareConfig(ext_f=False))
    step = warp.step()
    assert step.fault is not None
    assert step.fault.kind is FaultKind.ILLEGAL_INSTRUCTION
    assert "does not exist" in step.fault.detail
    assert machine.findings.kinds() == {FindingKind.ILLEGAL_INSTRUCTION}


def test_float_registers_share_fcsr() -> None:
    config = HardwareConfig(ext_f=True)
    _, warp = bare_warp(
        "csrrwi zero, frm, 5\ncsrrwi zero, fflags, 31\ncsrr a0, fcsr\ncsrrwi a0, fcsr, 0\ncsrr a0, frm", config=config
    )
    warp.step()
    warp.step()
    assert warp.step().result == [0xBF] * 4
    warp.step()
    assert warp.step().result == [0] * 4


def test_every_named_register_exists() -> None:
    numbers = set(build_csrs(HardwareConfig(ext_f=True)))
    assert set(CSR_NUMBERS.values()) <= numbers
    assert len(numbers) == len(CSR_NUMBERS) + 2 * 30, "the rest are the counters that read 0"
    assert 0xB80 not in build_csrs(HardwareConfig(xlen=64, stack_base_addr=0x1_FFFF_0000))


# ------------------------------------------------------------------ what hardware may choose


@pytest.mark.parametrize(("name", "value"), [("mcycle", 0x12345678), ("minstreth", 7), ("active_warps", 0b1011)])
def test_adopted_values(name: str, value: int) -> None:
    _, warp = bare_warp(f"csrr a0, {name}")
    step = warp.step(Adoption(csr_value=value))
    assert step.result == [value] * 4
    assert step.adopted == name
    assert step.undefined == 0


def test_nothing_else_is_adopted() -> None:
    _, warp = bare_warp("csrr a0, mhartid\naddi a0, zero, 1\ncsrr a0, mcycle")
    assert warp.step(Adoption(csr_value=99)).result == [0, 1, 2, 3]
    assert warp.step(Adoption(csr_value=99)).result == [1] * 4
    step = warp.step()
    assert step.adopted == "mcycle"
    assert step.result != [99] * 4, "an adoption lasts for one step"


def test_minstret_counts_this_cores_instructions() -> None:
    machine, warp = bare_warp("nop\nnop\ncsrr a0, minstret")
    warp.step()
    warp.step()
    assert warp.step().result == [2] * 4
    assert machine.cores[0].minstret == 3
    assert machine.dcr_read(0x001, 2 << 16) == 3


def test_counters_are_44_bits_wide() -> None:
    machine, warp = bare_warp("csrr a0, minstreth\ncsrr a0, minstret")
    machine.cores[0].minstret = (1 << 44) + (5 << 32) + 9
    assert warp.step().result == [5] * 4
    assert warp.step().result == [10] * 4
