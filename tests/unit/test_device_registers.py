"""BAR0's register map against docs/reference/pcie_bar.md: offsets, access kinds, reset values, odd accesses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from config import ConfigError, HardwareConfig
from golden_model.device import REGISTERS, DeviceConfig
from golden_model.device.registers import BY_NAME, Access, Guard, markdown
from tests.unit import device_bench as b
from tests.unit.device_bench import Bench, told

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "pcie_bar.md"

# Name and offset of every register, as the page's table lists them.
OFFSETS = {
    "DEV_ID": 0x0, "DEV_VERSION": 0x4, "DEV_CAPS": 0x8, "VRAM_SIZE_LO": 0xC, "VRAM_SIZE_HI": 0x10, "DEV_CAPS2": 0x14,
    "ISA_FLAGS_LO": 0x18, "ISA_FLAGS_HI": 0x1C, "GLOBAL_CTRL": 0x100, "GLOBAL_STATUS": 0x104, "ERROR_STATUS": 0x108,
    "IRQ_ENABLE": 0x200, "IRQ_STATUS": 0x204, "IRQ_ACK": 0x208, "KERNEL_ADDR_LO": 0x300, "KERNEL_ADDR_HI": 0x304,
    "KERNEL_ARGS_LO": 0x308, "KERNEL_ARGS_HI": 0x30C, "GRID_DIM_X": 0x310, "GRID_DIM_Y": 0x314, "GRID_DIM_Z": 0x318,
    "BLOCK_DIM_X": 0x31C, "BLOCK_DIM_Y": 0x320, "BLOCK_DIM_Z": 0x324, "SHARED_MEM_SIZE": 0x328, "DISPATCH": 0x330,
    "MAX_CYCLES_LO": 0x340, "MAX_CYCLES_HI": 0x344, "STARTUP_ADDR_LO": 0x350, "STARTUP_ADDR_HI": 0x354,
    "CLUSTER_DIM_X": 0x358, "CLUSTER_DIM_Y": 0x35C, "CLUSTER_DIM_Z": 0x360, "LAUNCH_ID": 0x370, "FAULT_KIND": 0x380,
    "FAULT_ADDR_LO": 0x384, "FAULT_ADDR_HI": 0x388, "FAULT_PC_LO": 0x38C, "FAULT_PC_HI": 0x390, "FAULT_WARP": 0x394,
    "DCR_ADDR": 0x3A0, "DCR_DATA": 0x3A4, "DCR_CTRL": 0x3A8, "DCR_RSP": 0x3AC, "DMA_SRC_LO": 0x400, "DMA_SRC_HI": 0x404,
    "DMA_DST_LO": 0x408, "DMA_DST_HI": 0x40C, "DMA_SIZE": 0x410, "DMA_CTRL": 0x414, "DMA_STATUS": 0x418,
    "DB_STATUS": 0x600, "DB_POP": 0x604, "RELEASE_ADDR_LO": 0x610, "RELEASE_ADDR_HI": 0x614,
    "RELEASE_PAYLOAD_LO": 0x618, "RELEASE_PAYLOAD_HI": 0x61C, "RELEASE_CTRL": 0x620, "RAISE": 0x624,
}  # fmt: skip

_HALVES = "KERNEL_ADDR KERNEL_ARGS MAX_CYCLES STARTUP_ADDR DMA_SRC DMA_DST RELEASE_ADDR RELEASE_PAYLOAD"
_AXES = "GRID_DIM BLOCK_DIM CLUSTER_DIM"
WHOLE_WORDS = [
    *(f"{name}_{half}" for name in _HALVES.split() for half in ("LO", "HI")),
    *(f"{name}_{axis}" for name in _AXES.split() for axis in "XYZ"),
    *("SHARED_MEM_SIZE", "DCR_DATA", "DMA_SIZE"),
]
_READ_ONLY = (
    "DEV_ID DEV_VERSION DEV_CAPS VRAM_SIZE_LO VRAM_SIZE_HI DEV_CAPS2 ISA_FLAGS_LO ISA_FLAGS_HI GLOBAL_STATUS "
    "IRQ_STATUS LAUNCH_ID FAULT_KIND FAULT_ADDR_LO FAULT_ADDR_HI FAULT_PC_LO FAULT_PC_HI FAULT_WARP DMA_STATUS DCR_RSP"
)
READ_ONLY = _READ_ONLY.split()


def test_map_is_the_page_s() -> None:
    known = {row.name: row.offset for row in REGISTERS if not row.name.startswith("MSIX")}
    assert known == OFFSETS


def test_page_names_every_offset() -> None:
    """The page and the list above are about the same registers."""
    table = PAGE.read_text(encoding="utf-8").split("## BAR0 registers")[1].split("Rules:")[0]
    first_column = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| 0x"))
    named = {int(text, 16) for text in re.findall(r"0x([0-9A-Fa-f]{4})\b", first_column)}
    assert {offset for offset in named if offset < 0x600} <= set(OFFSETS.values())
    assert len(named) > 30


def test_identification() -> None:
    bench = Bench(config=DeviceConfig(HardwareConfig(num_clusters=2, num_cores=4, num_warps=8, num_threads=16)))
    assert bench.read(0x0) == 0x47505055
    assert bench.read(0x4) == 0x00010000
    assert bench.read(0x8) == 8 | 8 << 8 | 16 << 16
    assert bench.read64(0xC) == 64 << 20
    assert bench.read(0x14) == 14 | 32 << 8 | 2 << 16 | 64 << 24
    assert bench.read(0x18) == 0x4090_1120 | 1  # RV32IMF of docs/reference/vortex.md §3.2, with A
    assert bench.read(0x1C) == 0b11_0011  # caches, local memory, Zicond


def test_less_vram_than_the_window() -> None:
    assert told(vram_size=0x20_0000).read64(0xC) == 0x20_0000
    with pytest.raises(ConfigError, match="vram_size"):
        DeviceConfig(vram_size=65 << 20)


@pytest.mark.parametrize(
    ("build", "what"),
    [
        ({"vram_size": 0x1234}, "vram_size"),
        ({"table_entries": 63}, "table_entries"),
        ({"table_entries": 256}, "table_entries"),
        ({"dma_piece": 48}, "dma_piece"),
        ({"hardware": HardwareConfig(num_clusters=16, num_cores=16)}, "256 cores"),
    ],
)
def test_builds_that_cannot_exist(build: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        DeviceConfig(**build)


@pytest.mark.parametrize("name", WHOLE_WORDS)
def test_rw_registers_keep_all_bits(name: str) -> None:
    bench = Bench()
    for value in (0xFFFF_FFFF, 0x1234_5678, 0):
        bench.write(OFFSETS[name], value)
        assert bench.read(OFFSETS[name]) == value
    assert bench.errors == 0


@pytest.mark.parametrize("name", READ_ONLY)
def test_writes_to_read_only_registers_are_ignored(name: str) -> None:
    bench = Bench()
    before = bench.read(OFFSETS[name])
    bench.write(OFFSETS[name], 0xFFFF_FFFF)
    assert bench.read(OFFSETS[name]) == before
    assert bench.errors == 0


@pytest.mark.parametrize(
    ("offset", "written", "read"),
    [
        (b.IRQ_ENABLE, 0xFFFF_FFFF, 0xF),
        (b.DCR_ADDR, 0xFFFF_FFFF, 0xFFF),
        (b.DMA_CTRL, 0xFFFF_FFFE, 6),  # without START
        (b.RELEASE_CTRL, 0xFFFF_FFFF, 0xF),
        (b.GLOBAL_CTRL, 0xFFFF_FFFD, 1),  # without RESET
        (b.MSIX_TABLE, 0xFFFF_FFFF, 0xFFFF_FFFC),
        (b.MSIX_TABLE + 12, 0xFFFF_FFFF, 1),
    ],
)
def test_narrow_registers_drop_other_bits(offset: int, written: int, read: int) -> None:
    bench = Bench()
    bench.write(offset, written)
    assert bench.read(offset) == read
    assert bench.errors == 0


@pytest.mark.parametrize(
    "offset", [0x20, 0xFC, 0x10C, 0x20C, 0x32C, 0x374, 0x41C, 0x608, 0x6FC, 0x1000, 0xFE100, 0xFFFFC]
)
def test_unlisted_offsets_read_0_and_ignore_writes(offset: int) -> None:
    bench = Bench()
    bench.write(offset, 0xFFFF_FFFF)
    assert bench.read(offset) == 0
    assert bench.errors == 0 and bench.status == b.READY


@pytest.mark.parametrize("strobe", range(15))
def test_partial_writes_are_ignored(strobe: int) -> None:
    bench = Bench()
    bench.device.bar0_write(b.GRID_DIM, 0x1234_5678, strobe)
    bench.device.bar0_write(b.DISPATCH, 1, strobe)  # would be refused
    bench.device.bar4_write(0x90, 7, strobe)
    assert bench.read(b.GRID_DIM) == 0
    assert bench.read(b.DB_STATUS) == 0
    assert bench.errors == 0


@pytest.mark.parametrize(("offset", "size"), [(0, 1), (0, 2), (1, 1), (2, 2), (3, 1), (1, 4), (2, 4), (0, 8)])
def test_sub_word_reads_give_0_without_side_effects(offset: int, size: int) -> None:
    bench = Bench()
    assert bench.device.bar0_read(0x0 + offset, size) == 0
    bench.device.bar4_write(0x90, 7)
    assert bench.device.bar0_read(b.DB_POP + offset, size) == 0
    assert bench.read(b.DB_POP) == 7


def test_outside_the_bar_is_the_caller_s_error() -> None:
    bench = Bench()
    with pytest.raises(ValueError, match="outside BAR0"):
        bench.read(1 << 20)
    with pytest.raises(ValueError, match="outside BAR4"):
        bench.device.bar4_write(1 << 16, 0)


def test_reset_brings_every_register_back() -> None:
    fresh = Bench()
    fresh.write(b.GLOBAL_CTRL, 2)
    expected = {row.name: fresh.read(row.offset) for row in REGISTERS}
    assert expected["GLOBAL_CTRL"] == 0 and expected["GLOBAL_STATUS"] == b.READY
    assert all(expected[name] == 0 for name in WHOLE_WORDS)
    assert expected["MSIX0_CTRL"] == expected["MSIX15_CTRL"] == 1

    used = Bench()
    used.unmask()
    used.stage()
    used.dispatch()
    for row in REGISTERS:
        if row.name not in ("GLOBAL_CTRL", "DISPATCH", "DMA_CTRL"):
            used.write(row.offset, 0xFFFF_FFFF)
    used.device.bar4_write(0x90, 1)
    used.dma(True, 0, 0, 0)
    assert {row.name: used.read(row.offset) for row in REGISTERS} != expected
    used.write(b.GLOBAL_CTRL, 3)  # RESET wins over ENABLE in the same write
    assert {row.name: used.read(row.offset) for row in REGISTERS} == expected


def test_reset_is_self_clearing() -> None:
    bench = Bench()
    bench.write(b.GLOBAL_CTRL, 2)
    assert bench.read(b.GLOBAL_CTRL) == 0
    bench.write(b.GLOBAL_CTRL, 1)
    assert bench.read(b.GLOBAL_CTRL) == 1


def test_write_only_registers_read_0() -> None:
    bench = Bench()
    assert [bench.read(offset) for offset in (b.DISPATCH, b.IRQ_ACK, b.RAISE)] == [0, 0, 0]


def test_table_rows_are_consistent() -> None:
    assert len({row.offset for row in REGISTERS}) == len(REGISTERS) == len(BY_NAME)
    for row in REGISTERS:
        assert row.offset % 4 == 0
        assert row.access is not Access.RO or row.writable == 0
        assert row.reset is None or row.reset & ~row.readable == 0, row.name
        covered = 0
        for item in row.fields:
            assert not covered & item.mask
            covered |= item.mask
    refused = {row.name for row in REGISTERS if row.guard is Guard.LAUNCH}
    assert refused == {
        name for name in OFFSETS if name.startswith(("KERNEL_", "GRID_", "BLOCK_")) or name == "SHARED_MEM_SIZE"
    }
    assert {row.name for row in REGISTERS if row.guard is Guard.DMA} == {
        name for name in OFFSETS if name.startswith("DMA_") and name != "DMA_STATUS"
    }


def test_reset_values_of_the_table_are_what_reads_give() -> None:
    bench = Bench()
    bench.write(b.GLOBAL_CTRL, 2)
    for row in REGISTERS:
        if row.reset is not None:
            assert bench.read(row.offset) == row.reset, row.name


def test_table_for_the_docs() -> None:
    text = markdown()
    assert all(f"| {name} |" in text for name in OFFSETS)
