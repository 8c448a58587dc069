"""vx_pcie_regs against the register table: what is stored, masked, refused, constant, and which effect a write has.

The units behind it are played here: their outputs are random, so a register that reads the wrong one shows.
"""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from golden_model.device.bar0 import constants
from golden_model.device.registers import (
    BY_OFFSET,
    MSIX_PBA,
    MSIX_TABLE,
    REGISTERS,
    Access,
    Effect,
    Guard,
    Register,
    register,
)
from tests.rtl import runner
from tests.rtl.bench import Struct, start_clock_and_reset

VRAM_SIZE = 0x400_0000  # the default of the block
ENTRIES = 64
ACCESSES = 2500
FAULT = Struct((("kind", 4), ("addr", 64), ("pc", 64), ("info", 32)))

# Outputs that are pulses, by the effect of the write that causes them.
PULSES = {
    Effect.ENABLE_INTERRUPT: "irq_write_enable",
    Effect.ACKNOWLEDGE: "irq_acknowledge",
    Effect.CLEAR_ERROR: "clear_errors",
    Effect.CLEAR_OVERFLOW: "clear_overflow",
    Effect.RAISE: "raise",
    Effect.DCR: "dcr_command",
}
OTHER_PULSES = ("refused", "msix_write", "ring", "pop")
STATUS_WIDTHS = {
    "busy": 1,
    "launch_id": 32,
    "irq_status": 4,
    "irq_enable": 4,
    "errors": 4,
    "msix_read": 32,
    "msix_pending": 16,
    "dcr_pending": 1,
    "dcr_response_valid": 1,
    "dcr_response": 32,
    "dma_busy": 1,
    "dma_status": 3,
    "tokens": 16,
    "overflow": 1,
    "token": 32,
}


class Bench:
    """One access at a time, AW and W apart, answers of the launch unit after a while."""

    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.status = dict.fromkeys(STATUS_WIDTHS, 0)
        self.fault = dict.fromkeys(("kind", "addr", "pc", "info"), 0)
        self.seen: dict[str, int] = {}  # pulses in the cycle of the access
        self.dispatches = self.resets = self.starts = 0

    def scramble(self) -> None:
        """Other values on everything that the units report."""
        for name, width in STATUS_WIDTHS.items():
            self.status[name] = self.rng.getrandbits(width)
            getattr(self.dut, name).value = self.status[name]
        self.fault = {name: self.rng.getrandbits(width) for name, width in FAULT.fields}
        self.dut.fault.value = FAULT.pack(self.fault)

    async def cycle(self) -> None:
        dut = self.dut
        dut.dispatch_ack.value = int(bool(dut.dispatch.value) and self.rng.random() < 0.2)
        again = bool(dut.soft_reset.value)  # the request falls with the edge that has just been
        dut.soft_reset.value = int(bool(dut.reset_request.value) and not again and self.rng.random() < 0.2)
        await RisingEdge(dut.clk)
        self.dispatches += int(dut.dispatch.value) & int(dut.dispatch_ack.value)
        self.resets += int(dut.soft_reset.value)
        self.starts += int(dut.dma_start.value)
        if dut.access.value:
            assert not self.seen, "two accesses at a time"
            names = (*PULSES.values(), *OTHER_PULSES)
            self.seen = {name: int(getattr(dut, name).value) for name in names} | {"access": 1}

    async def write(self, address: int, value: int, strobe: int) -> None:
        dut, rng = self.dut, self.rng
        self.seen = {}
        delays = {"aw": rng.randrange(3), "w": rng.randrange(3)}
        dut.awaddr.value, dut.wdata.value, dut.wstrb.value = address, value, strobe
        for _ in range(200):
            for channel in ("aw", "w"):
                getattr(dut, f"{channel}valid").value = int(delays[channel] <= 0)
                delays[channel] -= 1
            await self.cycle()
            if dut.awvalid.value and dut.awready.value:
                assert dut.wvalid.value and dut.wready.value
                break
        dut.awvalid.value = dut.wvalid.value = 0
        await self._finish("bvalid", "bready")

    async def read(self, address: int, size: int) -> int:
        dut = self.dut
        self.seen = {}
        dut.araddr.value, dut.arsize.value, dut.arvalid.value = address, {1: 0, 2: 1, 4: 2}[size], 1
        for _ in range(200):
            await self.cycle()
            if dut.arready.value:
                break
        dut.arvalid.value = 0
        await self._finish("rvalid", "rready")
        return int(dut.rdata.value)

    async def _finish(self, valid: str, ready: str) -> None:
        for _ in range(200):
            getattr(self.dut, ready).value = int(self.rng.random() < 0.6)
            self.dut.msix_settled.value = int(self.rng.random() < 0.7)
            await self.cycle()
            if getattr(self.dut, valid).value and getattr(self.dut, ready).value:
                assert self.seen, "answered before it took effect"
                return
        raise AssertionError("no answer")


@cocotb.test()
async def random_accesses(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    names = "awvalid wvalid arvalid bready rready soft_reset dispatch_ack msix_settled dcr_settled"
    for name in names.split():
        getattr(dut, name).value = 0
    dut.dcr_settled.value = 1
    await start_clock_and_reset(dut)
    bench = Bench(dut, rng)
    fixed = constants(runner.hardware(), VRAM_SIZE, ENTRIES)
    stored: dict[str, int] = {}
    rows = [row for row in REGISTERS if not row.name.startswith("MSIX") or row.name.startswith(("MSIX3_", "MSIX_PBA"))]
    refusals = partial = 0
    for number in range(ACCESSES):
        bench.scramble()
        row = rng.choice(rows) if rng.random() < 0.95 else None
        offset = row.offset if row else rng.choice((0x20, 0x10C, 0x32C, 0x364, 0x41C, 0x608, 0x628, 0xFE100, 0xFF008))
        bar4 = rng.random() < 0.05
        if bar4:
            row, offset = None, rng.choice((0x90, 0x90, 0x94, 0x300))
        address = offset | bar4 << 20
        whole = rng.random() < 0.85
        partial += not whole
        where = f"access {number}, {row.name if row else hex(offset)}"
        if rng.random() < 0.5:
            size = 4 if whole else rng.choice((1, 2))
            value = await bench.read(address + (0 if whole else rng.randrange(0, 4, size)), size)
            expected = _expected(row, bench, fixed, stored) if row and whole else 0
            assert value == expected, f"{where}: read {value:#x} instead of {expected:#x}"
            pops = whole and row is not None and row.effect is Effect.POP_TOKEN
            assert bench.seen["pop"] == pops
            assert not any(bench.seen[name] for name in (*PULSES.values(), "refused", "msix_write", "ring"))
            continue
        value = rng.choice((0, 1, 2, 3, 0xFFFF_FFFF, rng.getrandbits(32)))
        before = (bench.dispatches, bench.resets, bench.starts)
        await bench.write(address, value, 0xF if whole else rng.randrange(15))
        await bench.cycle()
        seen = bench.seen
        busy = {Guard.LAUNCH: bench.status["busy"], Guard.DMA: bench.status["dma_busy"], Guard.NONE: 0}
        refused = bool(row and whole and row.access is not Access.RO and busy[row.guard])
        acts = row is not None and whole and row.access is not Access.RO and not refused
        bad_vector = acts and row is not None and row.effect is Effect.RAISE and value >= 16
        refusals += refused
        assert seen["refused"] == (refused or bad_vector), where
        assert seen["ring"] == (bar4 and whole and offset == 0x90), where
        for effect, name in PULSES.items():
            wanted = value & row.writable if acts and row and row.effect is effect else 0
            if effect is Effect.ENABLE_INTERRUPT:
                wanted = int(acts and row is not None and row.effect is effect)
            if effect is Effect.CLEAR_OVERFLOW:
                wanted >>= 31
            if effect is Effect.RAISE and wanted | (value == 0 and acts and row is not None and row.effect is effect):
                wanted = 0 if bad_vector else 1 << value
            assert seen[name] == wanted, f"{where}: {name} {seen[name]:#x} instead of {wanted:#x}"
        assert seen["msix_write"] == (acts and row is not None and MSIX_TABLE <= row.offset < MSIX_PBA), where
        did = tuple(
            now - then for now, then in zip((bench.dispatches, bench.resets, bench.starts), before, strict=True)
        )
        reset = acts and row is not None and row.effect is Effect.CONTROL and value & 2
        starts = acts and row is not None and row.effect is Effect.DMA and value & 1
        dispatches = acts and row is not None and row.effect is Effect.DISPATCH
        assert did == (bool(dispatches), bool(reset), bool(starts)), f"{where}: {did}"
        if acts and row is not None and row.access is Access.RW:
            stored[row.name] = value & row.writable & row.readable
        if reset:
            stored.clear()
    assert refusals > 60 and partial > 200 and bench.dispatches > 10 and bench.resets > 3


def _expected(row: Register, bench: Bench, fixed: dict[str, int], stored: dict[str, int]) -> int:
    status, fault = bench.status, bench.fault
    if MSIX_TABLE <= row.offset < MSIX_PBA:
        return status["msix_read"]
    shown = {
        "GLOBAL_STATUS": (status["busy"] ^ 1) | status["busy"] << 1 | bool(status["errors"]) << 2,
        "ERROR_STATUS": status["errors"],
        "IRQ_ENABLE": status["irq_enable"],
        "IRQ_STATUS": status["irq_status"],
        "LAUNCH_ID": status["launch_id"],
        "FAULT_KIND": fault["kind"],
        "FAULT_ADDR_LO": fault["addr"] & 0xFFFF_FFFF,
        "FAULT_ADDR_HI": fault["addr"] >> 32,
        "FAULT_PC_LO": fault["pc"] & 0xFFFF_FFFF,
        "FAULT_PC_HI": fault["pc"] >> 32,
        "FAULT_WARP": fault["info"],
        "DCR_CTRL": status["dcr_pending"] << 8 | status["dcr_response_valid"] << 9,
        "DCR_RSP": status["dcr_response"],
        "DMA_STATUS": status["dma_status"],
        "DB_STATUS": status["tokens"] | status["overflow"] << 31,
        "DB_POP": status["token"],
        "MSIX_PBA_LO": status["msix_pending"],
        "MSIX_PBA_HI": 0,
    }
    if row.access in (Access.WO, Access.W1C):
        return 0
    return shown.get(row.name, fixed.get(row.name, stored.get(row.name, 0)))


def test_registers() -> None:
    assert len(BY_OFFSET) == len(REGISTERS) and register("DEV_ID").offset == 0
    runner.run(runner.Block("vx_pcie_regs", parameters={"TABLE_ENTRIES": ENTRIES}), __name__)
