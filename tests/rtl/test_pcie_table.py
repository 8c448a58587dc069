"""vx_table_reader against the golden image table: good ones, every way to be bad, changed bytes, the resulting map."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from golden_model.device import DeviceConfig
from golden_model.device.config import TABLE_BASE
from golden_model.device.image_table import (
    TableEntry,
    TableError,
    TableProblem,
    check_covered,
    encode_table,
    read_table,
)
from golden_model.memory import Memory
from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

ENTRIES = 64
TABLES = 400
EDGES = (0, 1, 2, 3, 0x10, 0xFFFF_FFFF, 0x1_0000_0000, 1 << 63, (1 << 64) - 1)


def random_table(rng: Random, vram_size: int, count: int) -> list[TableEntry]:
    """A good table of `count` entries: places in VRAM shuffled, gaps and adjacency at random."""
    sizes = [rng.randint(1, rng.choice((1, 30, 3000))) for _ in range(count)]
    offsets, at = [], 0
    for size in sizes:
        offsets.append(at)
        at += size + rng.choice((0, 0, 1, 100))
    places = list(zip(sizes, offsets, strict=True))
    rng.shuffle(places)
    entries = []
    vma = rng.choice((0, 0x1_0000, 0x8000_0000))
    for size, offset in places:
        entries.append(TableEntry(vma, offset, size))
        vma += size + rng.choice((0, 0, 1, 100))
    return entries


def mutated(rng: Random, entries: list[TableEntry], xlen: int, vram_size: int) -> bytes:
    """The table's bytes, often with a field changed to an edge."""
    table = bytearray(encode_table(entries))
    chosen = rng.random()
    if chosen < 0.15:
        word = rng.randrange(4)
        good = struct.unpack_from("<I", table, 4 * word)[0]
        value = rng.choice((good ^ 1 << rng.randrange(32), 0, good + 1, 64, 65, 0xFFFF_FFFF))
        struct.pack_into("<I", table, 4 * word, value & 0xFFFF_FFFF)
    elif chosen < 0.7 and entries:
        index, part = rng.randrange(len(entries)), rng.randrange(3)
        at = 16 + 24 * index + 8 * part
        good = struct.unpack_from("<Q", table, at)[0]
        other = rng.choice(entries)
        entry = entries[index]
        near = (
            *(good + 1, good - 1, other.vma, other.vma_end, other.vram_offset, other.vram_end, entry.size),
            *((1 << xlen) - entry.vma, (1 << xlen) - entry.size, vram_size - entry.size, vram_size - entry.vram_offset),
            *(TABLE_BASE, TABLE_BASE - entry.size, TABLE_BASE + 16 + 24 * len(entries)),
        )
        value = rng.choice((*near, *(one + 1 for one in near), *(one - 1 for one in near), *EDGES))
        struct.pack_into("<Q", table, at, value % (1 << 64))
    return bytes(table)


@cocotb.test()
async def random_tables(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    config = DeviceConfig(runner.hardware(), vram_size=runner.parameter("VRAM_SIZE", 0), table_entries=ENTRIES)
    xlen = config.hardware.xlen
    for name in ("abort", "start", "start_raw", "rsp_valid", "rsp_err"):
        getattr(dut, name).value = 0
    dut.show.value = 1
    await start_clock_and_reset(dut)
    seen: set[TableProblem] = set()
    good = failures = 0
    for number in range(TABLES):
        entries = random_table(rng, config.vram_size, rng.choice((0, 1, 2, 3, 5, ENTRIES)))
        vram = Memory(config.vram_size)
        table = mutated(rng, entries, xlen, config.vram_size)
        vram.write(TABLE_BASE, table + rng.randbytes(200))
        inside = [entry.vma + rng.randrange(entry.size) for entry in entries] or [0]
        kernel, startup, args = (
            rng.choice(inside) if rng.random() < 0.9 else rng.choice(inside) + rng.choice((1, 40, 1 << 32))
            for _ in range(3)
        )
        args = rng.choice((0, args))
        problem: TableProblem | None = None
        expected: list[TableEntry] = []
        try:
            expected = read_table(vram, config)
            check_covered(expected, kernel, startup, args)
        except TableError as error:
            problem = error.problem
            seen.add(problem)
        raw = rng.random() < 0.05
        if raw:
            problem, expected = None, [TableEntry(0, 0, config.vram_size)]
        fails = rng.random() < 0.1  # memory answers one read of it with an error
        bad, failed = await judge(dut, rng, vram, kernel, startup, args, raw, fails)
        failures += failed
        assert bad == (failed or problem is not None), f"table {number}: {problem}, failed {failed}, {table.hex()}"
        if problem is None and not failed:
            good += 1
            assert int(dut.map_count.value) == len(expected)
            for index, entry in enumerate(expected):
                map_entry = (dut.map_vma[index], dut.map_last[index], dut.map_offset[index])
                values = tuple(int(signal.value) for signal in map_entry)
                assert values == (entry.vma, entry.vma_end - 1, entry.vram_offset), (number, index)
    dut.show.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    assert int(dut.map_count.value) == 0
    missing = set(TableProblem) - seen - {TableProblem.OUTSIDE_VRAM, TableProblem.BEYOND_REGION}
    assert good > 40 and failures > 10 and not missing, (good, failures, missing)


async def judge(
    dut: Any, rng: Random, vram: Memory, kernel: int, startup: int, args: int, raw: bool, fails: bool
) -> tuple[bool, bool]:
    """Start, serve the reads; the verdict, and whether a read was answered with an error."""
    dut.kernel.value, dut.startup.value, dut.args.value = kernel, startup, args
    (dut.start_raw if raw else dut.start).value = 1
    await RisingEdge(dut.clk)
    dut.start.value = dut.start_raw.value = 0
    wait = 0
    failed = False
    for _ in range(4000):
        await RisingEdge(dut.clk)
        if dut.done.value:
            return bool(dut.bad.value), failed
        dut.rsp_valid.value = 0
        wait -= 1
        if dut.cl_valid.value and wait < -1:
            block = int(dut.cl_block.value)
            dut.rsp_data.value = int.from_bytes(vram.read(64 * block, 64), "little")
            dut.rsp_valid.value = 1
            error = fails and rng.random() < 0.5
            dut.rsp_err.value = int(error)
            failed |= error
            wait = rng.randrange(3)
    raise AssertionError("no verdict")


@pytest.mark.parametrize("xlen", [32, 64])
def test_table_reader(xlen: int) -> None:
    hardware = {"xlen": xlen, "axi_addr_width": 32 if xlen == 32 else 48}
    parameters = {"ENTRIES": ENTRIES, "VRAM_SIZE": TABLE_BASE + 0x8000}
    runner.run(runner.Block("vx_table_reader", hardware=hardware, parameters=parameters), __name__)
