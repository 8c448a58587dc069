"""Values that cross boundaries, what they are when nobody says otherwise, and what a processor is after reset."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from config import HardwareConfig
from golden_model import (
    barrier,
    code,
    core,
    csr,
    cta,
    dispatch,
    findings,
    ipdom,
    kmu,
    launch,
    memory,
    ranges,
    scheduler,
    step,
    threads,
    warp,
    window,
)  # fmt: skip
from golden_model.core import Core
from golden_model.isa import bits, decode, instruction, operands
from golden_model.launch import Launch
from golden_model.machine import Machine
from golden_model.records.layout import MemoryOp, MemorySpace, RegisterFile
from golden_model.step import Adoption, MemoryAccess, Step
from tests.unit.golden_program import BASE, OUT, bare_warp, machine_with, program

MODULES: tuple[ModuleType, ...] = (
    barrier, code, core, csr, cta, dispatch, findings, ipdom, kmu, launch, memory, ranges, scheduler, step, threads,
    warp, window, bits, decode, instruction, operands,
)  # fmt: skip
# State and what is filled in while an instruction executes; everything else is a value that nobody may change.
MUTABLE = {
    "BarrierEntry", "ResidentCta", "IpdomEntry", "Adoption", "MemoryAccess", "BarrierEvent", "IpdomEvent", "Fault",
    "Step", "Finding",
}  # fmt: skip


def _dataclasses() -> Iterator[type]:
    for module in MODULES:
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__ and dataclasses.is_dataclass(kind):
                yield kind


@pytest.mark.parametrize("kind", list(_dataclasses()), ids=lambda kind: kind.__name__)
def test_values_do_not_change_and_grow_no_fields(kind: type) -> None:
    made: Any = object.__new__(kind)
    with pytest.raises((AttributeError, TypeError)):  # slots=True: a misspelt field is an error
        object.__setattr__(made, "no_such_field", 1)
    name = dataclasses.fields(kind)[0].name
    if kind.__name__ in MUTABLE:
        setattr(made, name, 1)
        assert getattr(made, name) == 1
    else:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, name, 1)


def test_the_list_of_what_may_change_is_complete() -> None:
    assert {kind.__name__ for kind in _dataclasses()} >= MUTABLE


def defaults(kind: type) -> dict[str, object]:
    return {field.name: field.default for field in dataclasses.fields(kind) if field.default is not dataclasses.MISSING}


def test_defaults() -> None:
    one = (1, 1, 1)
    assert defaults(launch.Launch) == {"args_addr": 0, "grid": one, "block": one, "lmem": 0, "cluster": one}
    assert defaults(scheduler.Watch) == {"step": None, "progress": None, "every": 20_000_000}
    assert defaults(barrier.BarrierEntry) == dict.fromkeys(
        ("count", "waiters", "phase", "participants", "events", "arrived"), 0
    )
    assert defaults(ipdom.IpdomEntry) == {"second": False, "first_join": 0}
    assert defaults(dispatch.ResidentCta) == {"started": 0, "next_base": (0, 0, 0)}
    assert defaults(memory.Parts) == {"obstacle": ""}
    assert defaults(csr.Csr) == {
        "write": None, "ignores_writes": False, "choice": False, "undefined": None, "changes": False, "of_cta": False,
        "of_launch": False,
    }  # fmt: skip
    assert defaults(instruction.Instruction) == {
        "extension": instruction.Extension.I, "lane": None, "size": 0, "signed": False, "xlens": (32, 64),
        "float_lane": None, "source": None,
    }  # fmt: skip
    assert defaults(Adoption) == {
        "csr_value": None, "load_error": None, "fetch_error": False, "lane_order": None, "sc_failed": 0,
    }  # fmt: skip
    assert MemoryAccess(MemoryOp.LOAD, MemorySpace.IO, 4, 1).addr == []


def test_a_step_says_nothing_until_told() -> None:
    quiet = Step(0, 0, 0, BASE, 0x13, "addi", 1, BASE + 4, 1)
    expected = {
        "slot": 0, "launch": 0, "wmask": 0, "rd_file": RegisterFile.NONE, "rd": 0, "result": [], "undefined": 0,
        "is_control": False, "fflags": 0, "adopted": "", "memory": None, "barrier": None, "ipdom": None, "fault": None,
        "retry": False, "warp_ended": False, "retired_slot": None, "findings": [],
    }  # fmt: skip
    assert {name: getattr(quiet, name) for name in expected} == expected


# ------------------------------------------------------------------ after reset

CONFIG = HardwareConfig(num_cores=2, num_warps=4, num_threads=4, num_barriers=8)


@pytest.mark.parametrize("again", [False, True])
def test_a_processor_after_reset(again: bool) -> None:
    """Registers hold 0 that means nothing, but for x0; nothing runs, waits or counts (reference §3, §4.5)."""
    machine = Machine(CONFIG)
    if again:
        image, running = bare_warp("nop\n nop", config=CONFIG)
        machine = image
        running.step()
        machine.reset()
    assert (machine.launch_id, machine.locked_core, machine.busy, machine.next_cta()) == (0, None, False, None)
    for number, one in enumerate(machine.cores):
        assert (one.core_id, one.launch_id, one.rewind, one.mcycle, one.minstret) == (number, 0, 20, 0, 0)
        assert (one.active_warps, one.busy, one.dispatcher.pending) == (0, False, None)
        assert (one.dispatcher.slots, one.dispatcher.initialised, one.dispatcher.tail) == ([None] * 4, 0, 0)
        assert one.reservations is machine.cores[0].reservations and not one.reservations.any
        assert one.global_barriers is machine.cores[0].global_barriers and not one.global_barriers.busy
        assert len(one.barriers.entries) == 32
        assert all(entry.fields() == (0,) * 6 for entry in one.barriers.entries)
        for wid, each in enumerate(one.warps):
            _is_fresh(each, number, wid)


def _is_fresh(each: warp.Warp, number: int, wid: int) -> None:
    state = {
        "wid": wid, "first_hart": (4 * number + wid) * 4, "num_lanes": 4, "full_mask": 15, "pc_mask": 0xFFFF_FFFC,
        "undef": [0] + [15] * 31, "fundef": [15] * 32, "regs": [[0] * 4] * 32, "fregs": [[0] * 4] * 32,
        "csr_storage": {}, "fcsr": 0, "flen": 32, "box": 0, "saved_mask": 0, "pc": 0, "uid": 0, "blocked": False,
        "retrying": False, "spawned": False, "adoption": None, "slot": 0, "rank": 0, "resident": None, "cta_mask": 0,
        "thread_idx": [(0, 0, 0)] * 4, "tmask": 0, "lanes": (), "last": 0, "active": False,
    }  # fmt: skip
    assert {name: getattr(each, name) for name in state} == state
    assert (len(each.ipdom), each.ipdom.depth) == (0, 3)


def test_a_core_on_its_own() -> None:
    """Without a machine it has reservations and barriers across cores of its own."""
    whole = Machine(CONFIG)
    alone = Core(1, CONFIG, whole.memory, whole.code, whole.findings, whole.host_buffers)
    assert not alone.reservations.any and not alone.global_barriers.busy
    assert alone.lmem.size == CONFIG.lmem_base + CONFIG.lmem_size


def test_wide_float_registers_are_boxed_in_ones() -> None:
    each = Machine(HardwareConfig(flen=64)).cores[0].warps[0]
    assert (each.flen, each.box) == (64, 0xFFFF_FFFF_0000_0000)


# ------------------------------------------------------------------ CSRs, one by one

STORED = {0x300: "mstatus", 0x305: "mtvec", 0x340: "mscratch", 0x341: "mepc", 0x342: "mcause", 0x343: "mtval"}
FLOAT = {0x001: "fflags", 0x002: "frm", 0x003: "fcsr"}
IGNORED = {
    0x180: "satp", 0x302: "medeleg", 0x303: "mideleg", 0x304: "mie", 0x3A0: "pmpcfg0", 0x3B0: "pmpaddr0",
    0x744: "mnstatus",
}  # fmt: skip
FIXED = {
    0x301: "misa", 0xF11: "mvendorid", 0xF12: "marchid", 0xF13: "mimpid", 0xF14: "mhartid", 0xCC0: "thread_id",
    0xCC1: "warp_id", 0xCC2: "core_id", 0xFC0: "num_threads", 0xFC1: "num_warps", 0xFC2: "num_cores",
    0xFC3: "local_mem_base", 0xFC4: "num_barriers", 0xB01: "mpm1", **{0xB00 + n: f"mpm{n}" for n in range(3, 32)},
}  # fmt: skip
HIGH_FIXED = {0xB81: "mpm1h", **{0xB80 + n: f"mpm{n}h" for n in range(3, 32)}}
CHOSEN = {0xB00: "mcycle", 0xB02: "minstret", 0xCC3: "active_warps"}
HIGH_CHOSEN = {0xB80: "mcycleh", 0xB82: "minstreth"}
MASK = {0xCC4: "active_threads"}
OF_CTA = {
    0xCD0: "cta_id", 0xCD1: "cta_rank", 0xCD3: "cta_thread_id_x", 0xCD4: "cta_thread_id_y", 0xCD5: "cta_thread_id_z",
    0xCD6: "cta_block_id_x", 0xCD7: "cta_block_id_y", 0xCD8: "cta_block_id_z", 0xCDF: "cta_lmem_addr",
}  # fmt: skip
OF_LAUNCH = {
    0xCD2: "cta_size", 0xCD9: "cta_block_dim_x", 0xCDA: "cta_block_dim_y", 0xCDB: "cta_block_dim_z",
    0xCDC: "cta_grid_dim_x", 0xCDD: "cta_grid_dim_y", 0xCDE: "cta_grid_dim_z", 0xCE0: "cta_cluster_size",
    0xCE1: "cta_entry",
}  # fmt: skip


@pytest.mark.parametrize("xlen", [32, 64])
def test_rules_of_every_register(xlen: int) -> None:
    """Number, name, who may write it, what hardware may choose and when the value may change (reference §3)."""
    narrow = xlen == 32
    chosen = CHOSEN | (HIGH_CHOSEN if narrow else {})
    named = STORED | FLOAT | IGNORED | FIXED | chosen | MASK | OF_CTA | OF_LAUNCH | (HIGH_FIXED if narrow else {})
    rows = csr.build_csrs(HardwareConfig(xlen=xlen))
    assert {number: row.name for number, row in rows.items()} == named
    for number, row in rows.items():
        assert row.number == number
        assert (row.write is not None) == (number in STORED | FLOAT), row.name
        assert row.ignores_writes == (number in IGNORED), row.name
        assert row.choice == (number in chosen), row.name
        assert row.changes == (number in STORED | FLOAT | chosen | MASK), row.name
        assert (row.of_cta, row.of_launch) == (number in OF_CTA | OF_LAUNCH, number in OF_LAUNCH), row.name
        assert (row.undefined is not None) == (number in (0xCD3, 0xCD4, 0xCD5)), row.name


def test_constants_are_those_of_the_configuration() -> None:
    config = HardwareConfig(
        num_clusters=2, num_cores=3, socket_size=1, num_warps=8, num_threads=2, num_barriers=16, lmem_log_size=13
    )
    machine, each = bare_warp("nop", 0b11, config)
    rows = machine.cores[0].csrs
    expected = {0xFC0: 2, 0xFC1: 8, 0xFC2: 6, 0xFC3: 0xFFFF_0000, 0xFC4: 16, **dict.fromkeys(IGNORED, 0)}
    expected |= dict.fromkeys((0xB01, 0xB81, *range(0xB03, 0xB20), *range(0xB83, 0xBA0), 0xF11, 0xF12, 0xF13), 0)
    for number, value in expected.items():
        assert rows[number].read_lanes(each, Step(0, 0, 0, 0, 0, "", 3, 0, 3)) == ([value] * 2, 0), hex(number)


def test_bits_of_the_float_registers() -> None:
    """FFLAGS has five bits, FRM three, FCSR both; a write of one leaves the other (reference §3.2)."""
    _, each = bare_warp("nop")
    rows = each.core.csrs
    values = []
    for number in (0x001, 0x002, 0x003):
        for before, operand in ((0, 0xFFFF_FFFF), (0xFF, 0), (0b101_01010, 0b11111_010_10101)):
            write = rows[number].write
            assert write is not None
            each.fcsr = before
            write(each, operand)
            values.append(each.fcsr)
    assert values == [0x1F, 0xE0, 0b101_10101, 0xE0, 0x1F, 0b101_01010, 0xFF, 0, 0b010_10101]
    each.fcsr = 0b110_01101
    assert [rows[number].read(each, 0) for number in (0x001, 0x002, 0x003)] == [0b01101, 0b110, 0b110_01101]


def test_counters_over_32_bits() -> None:
    _, each = bare_warp("nop")
    rows, here = each.core.csrs, Step(0, 0, 0, 0, 0, "", 15, 0, 15)
    each.core.mcycle, each.core.minstret = (1 << 44) + 0xABC_1234_5678, (1 << 44) + 0x123_8765_4321
    assert [rows[n].read_lanes(each, here)[0][0] for n in (0xB00, 0xB80, 0xB02, 0xB82)] == [
        0x1234_5678, 0xABC, 0x8765_4321, 0x123,
    ]  # fmt: skip
    _, wide = bare_warp("nop", config=HardwareConfig(xlen=64))
    wide.core.mcycle = (1 << 44) + 0xABC_1234_5678
    assert wide.core.csrs[0xB00].read_lanes(wide, here)[0][0] == 0xABC_1234_5678


def test_an_adopted_value_is_cut_to_the_register() -> None:
    for xlen in (32, 64):
        _, each = bare_warp("nop", 0b0110, HardwareConfig(xlen=xlen))
        each.adoption = Adoption(csr_value=0x1_2345_6789_ABCD_EF01)
        here = Step(0, 0, 0, 0, 0, "", 15, 0, 15)
        values, undefined = each.core.csrs[0xB00].read_lanes(each, here)
        assert values[1:3] == [0x1_2345_6789_ABCD_EF01 & (1 << xlen) - 1] * 2
        assert (undefined, here.adopted) == (0, "mcycle")


def test_cta_registers_of_one_warp() -> None:
    """Reference §3.4: every register with a value of its own, in the last warp of a block that is not the first."""
    image = program("ret")
    machine = machine_with(image, HardwareConfig(num_warps=8))
    machine.launch(Launch(image.kernels["k"], BASE, OUT, (4, 6, 5), (3, 2, 2), 100, (2, 1, 1)))
    core = machine.cores[0]
    for _ in range(2):
        for _ in range(35):
            machine.kmu.take()
        machine.accept_cta(0)
        for _ in range(3):
            core.start_warp()
    each = core.warps[5]
    # CTA 71: pairs along x, 12 pairs a layer, so layer 2; pair 35 = 11 of the layer: x 2…3, y 5; the second of it.
    expected = {
        0xCD0: 1, 0xCD1: 2, 0xCD2: 3, 0xCD6: 3, 0xCD7: 5, 0xCD8: 2, 0xCD9: 3, 0xCDA: 2, 0xCDB: 2, 0xCDC: 4, 0xCDD: 6,
        0xCDE: 5, 0xCDF: 0xFFFF_0000 + 128, 0xCE0: 2, 0xCE1: image.kernels["k"], 0xCC1: 5,
    }  # fmt: skip
    values = {number: core.csrs[number].read(each, 0) for number in expected}
    assert values == expected
    threads = [tuple(core.csrs[number].read(each, lane) for number in (0xCD3, 0xCD4, 0xCD5)) for lane in range(4)]
    assert threads == [(2, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1)]
