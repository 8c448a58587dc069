"""Loads, stores and fences of a warp: what they do, what they say of themselves, and when they fault."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import FindingKind
from golden_model.records.layout import FaultKind, MemoryOp, MemorySpace
from golden_model.step import Adoption, MemoryAccess
from tests.unit.golden_program import BASE, OUT, bare_warp

F64 = HardwareConfig(flen=64, ext_packed=True)
LMEM = 0xFFFF_0000


@pytest.mark.parametrize("config", [HardwareConfig(), F64], ids=["flen32", "flen64"])
@pytest.mark.parametrize("space", [OUT, LMEM, 0x40])
def test_float_loads_and_stores(config: HardwareConfig, space: int) -> None:
    """FLW boxes where registers are wider; FSW takes the low word whatever stands above it."""
    _, warp = bare_warp("flw fa2, -4(a0)\n fsw fa2, 12(a0)\n fsw fa3, 12(a0)", 0b0110, config)
    warp.fundef = [0] * 32
    warp.fregs[12], warp.fregs[13] = [77] * 4, [0x1234_5678_9ABC_DEF0] * 4
    warp.regs[10] = [space + 4 + 32 * lane for lane in range(4)]
    memory = warp.core.memory_at(space)
    for lane in range(4):
        memory.store(space + 32 * lane, 4, 0x8000_0001 + lane, False)
    step = warp.step()
    box = config.flen == 64 and 0xFFFF_FFFF_0000_0000
    assert warp.fregs[12] == [77, 0x8000_0002 | box, 0x8000_0003 | box, 77]
    assert (step.rd_file.name, step.rd, step.wmask, step.undefined) == ("FLOAT", 12, 0b0110, 0)
    kind = {OUT: MemorySpace.GLOBAL, LMEM: MemorySpace.LMEM, 0x40: MemorySpace.IO}[space]
    access = step.memory
    assert access is not None
    assert (access.op, access.space, access.size, access.mask) == (MemoryOp.LOAD, kind, 4, 0b0110)
    assert (access.addr[1:3], access.data) == ([space + 32, space + 64], [])
    for data in ([0x8000_0002, 0x8000_0003], [0x9ABC_DEF0] * 2):
        access = warp.step().memory
        assert access is not None
        assert (access.op, access.space, access.size, access.mask) == (MemoryOp.STORE, kind, 4, 0b0110)
        assert (access.addr[1:3], access.data[1:3]) == ([space + 48, space + 80], data)
        assert [memory.load(space + 48, 4), memory.load(space + 80, 4)] == [(data[0], False), (data[1], False)]


@pytest.mark.parametrize(("name", "size", "parts"), [("packlb.f", 1, 4), ("packlh.f", 2, 2)])
@pytest.mark.parametrize("config", [HardwareConfig(ext_packed=True), F64], ids=["flen32", "flen64"])
def test_packed_loads(name: str, size: int, parts: int, config: HardwareConfig) -> None:
    machine, warp = bare_warp(f"{name} fa2, a0, a1", 0b1101, config)
    content = bytes((7 * i + 129) & 0xFF for i in range(256))
    machine.write(OUT, content)
    warp.regs[10], warp.regs[11] = [OUT + 40, OUT, OUT + 96, OUT + 100], [2, 1, -6 & 0xFFFF_FFFF, 0]
    step = warp.step()
    for lane, (base, stride) in {0: (40, 2), 2: (96, -6), 3: (100, 0)}.items():
        pieces = [content[base + k * stride :][:size] for k in range(parts)]
        expected = int.from_bytes(b"".join(pieces), "little") | (0xFFFF_FFFF << 32 if config.flen == 64 else 0)
        assert step.result[lane] == expected
    assert step.memory == MemoryAccess(MemoryOp.LOAD, MemorySpace.GLOBAL, size, 0b1101, warp.regs[10])
    assert (step.wmask, step.undefined, step.fault) == (0b1101, 0, None)


def test_packed_loads_that_fault() -> None:
    """Misaligned in any piece, or outside memory, which only wide addresses can be; lanes that are off do not count."""
    _, warp = bare_warp("packlh.f fa2, a0, a1", 0b1011, F64)
    warp.regs[10], warp.regs[11] = [OUT, OUT + 2, OUT + 1, OUT + 8], [2, 3, 1, 2]
    step = warp.step()
    assert step.fault is not None
    assert (step.fault.kind, step.fault.addr) == (FaultKind.MISALIGNED, OUT + 5)
    assert f"lane 1 accesses 2 bytes at {OUT + 5:#x}, not a multiple of 2" in step.fault.detail
    wide = HardwareConfig(xlen=64, flen=64, ext_packed=True)
    for base, ok in ((1 << 33, False), ((1 << 33) - 4, True)):
        _, warp = bare_warp("packlb.f fa2, a0, a1", 0b0001, wide)
        warp.regs[10], warp.regs[11] = [base] * 4, [1] * 4
        step = warp.step()
        assert (step.fault is None) is ok
        if step.fault is not None:
            assert (step.fault.kind, step.fault.addr) == (FaultKind.BUS_READ, 1 << 33)


@pytest.mark.parametrize(("source", "kind"), [
    ("lw a2, 0(a0)", FaultKind.BUS_READ), ("ld a2, 0(a0)", FaultKind.BUS_READ), ("flw fa2, 0(a0)", FaultKind.BUS_READ),
    ("sw a2, 0(a0)", FaultKind.BUS_WRITE), ("sd a2, 0(a0)", FaultKind.BUS_WRITE),
    ("fsw fa2, 0(a0)", FaultKind.BUS_WRITE), ("amoadd.d a2, a1, (a0)", FaultKind.BUS_WRITE),
    ("sc.w a2, a1, (a0)", FaultKind.BUS_WRITE),
])  # fmt: skip
def test_outside_memory(source: str, kind: FaultKind) -> None:
    """33 address bits at XLEN 64: the last word is memory; the lowest lane that is outside is named."""
    config = HardwareConfig(xlen=64, flen=64)
    _, warp = bare_warp(source, 0b1110, config)
    warp.regs[10] = [1 << 40, (1 << 33) - 8, 1 << 33, (1 << 33) + 8]
    step = warp.step()
    assert step.fault is not None
    assert (step.fault.kind, step.fault.addr) == (kind, 1 << 33)
    assert "lane 2" in step.fault.detail
    assert (step.memory, step.wmask, warp.active) == (None, 0, False)
    _, warp = bare_warp(source, 0b1110, config)
    warp.regs[10] = [1 << 40] + [(1 << 33) - 8] * 3
    assert warp.step().fault is None


@pytest.mark.parametrize("source", ["lw a2, 0(a0)", "lh a2, 0(a0)", "flw fa2, 0(a0)"])
def test_memory_may_answer_a_load_with_an_error(source: str) -> None:
    """A follower says at which address; it is a fault of the lanes that load there, and of nobody else."""
    for failed, faulty in ((OUT + 4, True), (OUT + 8, False), (OUT + 12, False), (None, False)):
        machine, warp = bare_warp(source, 0b0011)
        warp.regs[10] = [OUT, OUT + 4, OUT + 12, OUT + 12]
        warp.regs[12] = [9] * 4
        step = warp.step(Adoption(load_error=failed))
        assert (step.fault is not None) is faulty
        if step.fault is not None:
            assert (step.fault.kind, step.fault.addr) == (FaultKind.BUS_READ, failed)
            assert (step.wmask, step.next_mask, warp.regs[12]) == (0, 0, [9] * 4)
            assert machine.findings.kinds() == {FindingKind.BUS_FAULT}
    machine, warp = bare_warp("sw a2, 0(a0)\n amoadd.w a2, a1, (a0)")
    warp.regs[10] = [OUT] * 4
    assert [warp.step(Adoption(load_error=OUT)).fault for _ in range(2)] == [None, None], "no load"


@pytest.mark.parametrize(("name", "size", "parts"), [("packlb.f", 1, 4), ("packlh.f", 2, 2)])
def test_memory_may_answer_a_part_of_a_packed_load_with_an_error(name: str, size: int, parts: int) -> None:
    bases, strides = [OUT, OUT + 32, OUT + 64, OUT + 96], [2, 4, -6 & 0xFFFF_FFFF, 0]
    mine = {(bases[lane] + k * strides[lane]) & 0xFFFF_FFFF for lane in (0, 2, 3) for k in range(parts)}
    for failed in (None, *range(OUT - 8, OUT + 112, size)):
        machine, warp = bare_warp(f"{name} fa2, a0, a1", 0b1101)
        warp.regs[10], warp.regs[11], warp.fregs[12] = bases, strides, [9] * 4
        step = warp.step(Adoption(load_error=failed))
        assert (step.fault is not None) == (failed in mine), failed
        assert step.memory is not None and step.memory.mask == 0b1101
        if step.fault is not None:
            assert (step.fault.kind, step.fault.addr) == (FaultKind.BUS_READ, failed)
            assert (step.wmask, step.next_mask, warp.fregs[12]) == (0, 0, [9] * 4)
            assert machine.findings.kinds() == {FindingKind.BUS_FAULT}


def test_memory_may_answer_a_fetch_with_an_error() -> None:
    machine, warp = bare_warp("nop\n nop")
    assert warp.step(Adoption(fetch_error=False)).fault is None
    step = warp.step(Adoption(fetch_error=True))
    assert step.fault is not None
    assert (step.fault.kind, step.fault.addr, step.name) == (FaultKind.BUS_READ, BASE + 4, "fetch")
    assert (warp.uid, machine.cores[0].minstret, warp.active) == (1, 1, False)


@pytest.mark.parametrize("op", ["lw a2, 0(a0)", "sw a2, 0(a0)"])
def test_the_space_is_that_of_the_lowest_active_lane(op: str) -> None:
    _, warp = bare_warp(op, 0b1100)
    warp.regs[10] = [OUT, OUT, LMEM, OUT]
    access = warp.step().memory
    assert access is not None and access.space is MemorySpace.LMEM


def test_host_buffers_are_no_local_memory() -> None:
    machine, warp = bare_warp("sw a1, 0(a0)")
    machine.host_buffers.add(LMEM, 64)
    warp.regs[10], warp.undef[11] = [LMEM] * 4, 15
    assert not warp.step().findings
    core = machine.cores[0]
    assert [core.is_host_buffer(a) for a in (OUT - 1, OUT, OUT + 0xFFF, OUT + 0x1000, LMEM)] == [
        False, True, True, False, False,
    ]  # fmt: skip
    assert [core.is_local(a) for a in (LMEM - 1, LMEM, LMEM + 16383, LMEM + 16384)] == [False, True, True, False]
    assert core.prepared_at(LMEM) is core.lmem and core.prepared_at(OUT) is machine.memory


@pytest.mark.parametrize("source", ["fence", "fence.i"])
def test_a_fence_is_an_access_without_addresses(source: str) -> None:
    _, warp = bare_warp(source, 0b0101)
    assert warp.step().memory == MemoryAccess(MemoryOp.FENCE, MemorySpace.GLOBAL, 0, 0b0101)
