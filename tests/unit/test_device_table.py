"""The image table: every way to be bad by itself, and validation against a naive model (docs/reference/pcie_bar.md)."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model.device import TABLE_BASE, DeviceConfig, TableEntry, TableProblem, encode_table
from golden_model.device.image_table import TableError, check_covered, read_table
from golden_model.memory import Memory

CONFIG = DeviceConfig()
VRAM = CONFIG.vram_size
GOOD = [TableEntry(0x1_0000, 0x5001, 0x33), TableEntry(0x8000_0000, 0x6000, 0x1000)]


def problem_of(table: bytes, config: DeviceConfig = CONFIG) -> TableProblem | None:
    vram = Memory(config.vram_size)
    if config.vram_size > TABLE_BASE:
        vram.write(TABLE_BASE, table[: config.vram_size - TABLE_BASE])
    try:
        read_table(vram, config)
    except TableError as error:
        return error.problem
    return None


def test_layout_of_the_bytes() -> None:
    table = encode_table(GOOD)
    assert table[:16] == bytes.fromhex("51584256 01000000 02000000 00000000")
    assert table[16:40] == struct.pack("<QQQ", 0x1_0000, 0x5001, 0x33)
    assert TABLE_BASE == 0x03FF_0000
    vram = Memory(VRAM)
    vram.write(TABLE_BASE, table)
    assert read_table(vram, CONFIG) == GOOD


LAST = TableEntry(0xA000_0000, 0x9000, 0x10)
BAD = [
    ("WRONG_MAGIC", b"QXBv" + encode_table(GOOD)[4:]),
    ("WRONG_MAGIC", bytes(64)),
    ("WRONG_VERSION", encode_table(GOOD)[:4] + bytes(4) + encode_table(GOOD)[8:]),
    ("WRONG_VERSION", encode_table(GOOD)[:4] + struct.pack("<I", 2) + encode_table(GOOD)[8:]),
    ("BEYOND_REGION", encode_table(GOOD)[:8] + struct.pack("<I", 2731) + encode_table(GOOD)[12:]),
    ("BEYOND_REGION", encode_table(GOOD)[:8] + struct.pack("<I", 0xFFFF_FFFF) + encode_table(GOOD)[12:]),
    ("BEYOND_HARDWARE", encode_table(GOOD)[:8] + struct.pack("<I", 65) + encode_table(GOOD)[12:]),
    ("EMPTY_ENTRY", encode_table([*GOOD, TableEntry(0xA000_0000, 0x9000, 0)])),
    ("LEAVES_VRAM", encode_table([*GOOD, TableEntry(0xA000_0000, VRAM - 1, 2)])),
    ("LEAVES_VRAM", encode_table([*GOOD, TableEntry(0xA000_0000, (1 << 64) - 1, 2)])),  # the sum wraps 64 bits
    ("WRAPS", encode_table([*GOOD, TableEntry(0xFFFF_FFFF, 0x9000, 2)])),
    ("WRAPS", encode_table([*GOOD, TableEntry(1 << 32, 0x9000, 1)])),
    ("WRAPS", encode_table([*GOOD, TableEntry((1 << 64) - 1, 0x9000, 2)])),
    ("OVERLAPS_TABLE", encode_table([*GOOD, TableEntry(0xA000_0000, TABLE_BASE - 1, 2)])),
    ("OVERLAPS_TABLE", encode_table([*GOOD, TableEntry(0xA000_0000, TABLE_BASE + 16 + 3 * 24 - 1, 1)])),
    ("OUT_OF_ORDER", encode_table(GOOD[::-1])),
    ("OVERLAP_VMA", encode_table([*GOOD, TableEntry(0x8000_0FFF, 0x9000, 2)])),
    ("OVERLAP_VMA", encode_table([GOOD[0], TableEntry(0x1_0000, 0x9000, 1)])),
    ("OVERLAP_VRAM", encode_table([*GOOD, TableEntry(0xA000_0000, 0x6FFF, 1)])),
    ("OVERLAP_VRAM", encode_table([*GOOD, TableEntry(0xA000_0000, 0x5000, 2)])),  # with one that is not its neighbour
]


@pytest.mark.parametrize(("name", "table"), BAD)
def test_bad_tables(name: str, table: bytes) -> None:
    assert problem_of(table) is TableProblem[name]


GOOD_EDGES = [
    [],
    [TableEntry(0, 0, TABLE_BASE)],
    [TableEntry(0xFFFF_FFFF, 0, 1)],
    [TableEntry(0, 0x10, 1), TableEntry(1, 0x11, 1)],  # adjacent in both
    [TableEntry(0, TABLE_BASE + 16 + 24, VRAM - TABLE_BASE - 40)],  # the rest of the table's region
    [TableEntry(16 * index, 8 * (63 - index), 8) for index in range(64)],
]


@pytest.mark.parametrize("entries", GOOD_EDGES)
def test_good_tables_at_the_edge(entries: list[TableEntry]) -> None:
    assert problem_of(encode_table(entries)) is None


def test_reserved_word_is_not_looked_at() -> None:
    table = encode_table(GOOD)
    assert problem_of(table[:12] + b"\xff\xff\xff\xff" + table[16:]) is None


@pytest.mark.parametrize("vram", [0x10_0000, 0x03FF_0000])
def test_without_vram_at_the_table_no_vortex_launch(vram: int) -> None:
    assert problem_of(encode_table([]), DeviceConfig(vram_size=vram)) is TableProblem.OUTSIDE_VRAM


def test_table_that_runs_out_of_vram() -> None:
    config = DeviceConfig(vram_size=TABLE_BASE + 0x1000, table_entries=255)
    entries = [TableEntry(64 * index, 64 * index, 64) for index in range(171)]
    assert problem_of(encode_table(entries), config) is TableProblem.OUTSIDE_VRAM
    assert problem_of(encode_table(entries[:170]), config) is None


def test_address_space_of_xlen_64() -> None:
    config = DeviceConfig(HardwareConfig(xlen=64, axi_addr_width=48))
    assert problem_of(encode_table([TableEntry(1 << 40, 0, 16), TableEntry((1 << 64) - 16, 16, 16)]), config) is None
    assert problem_of(encode_table([TableEntry((1 << 64) - 16, 0, 17)]), config) is TableProblem.WRAPS


@pytest.mark.parametrize(
    ("kernel", "startup", "args", "name"),
    [
        (0x8000_0000, 0x8000_0FFC, 0x1_0000, None),
        (0x8000_0000, 0x8000_0000, 0, None),
        (0x8000_1000, 0x8000_0000, 0, "KERNEL_NOT_COVERED"),
        (0x8000_0000, 0x7FFF_FFFC, 0, "STARTUP_NOT_COVERED"),
        (0x8000_0000, 0x8000_0000, 0x1_0034, "ARGS_NOT_COVERED"),
    ],
)
def test_addresses_must_be_covered(kernel: int, startup: int, args: int, name: str | None) -> None:
    if name is None:
        check_covered(GOOD, kernel, startup, args)
        return
    with pytest.raises(TableError) as caught:
        check_covered(GOOD, kernel, startup, args)
    assert caught.value.problem is TableProblem[name]


# ---------------------------------------------------------------------- against a naive model

_ENTRY = st.builds(TableEntry, st.integers(0, 40), st.integers(0, 40), st.integers(0, 8))
_EDGY = st.builds(
    TableEntry,
    st.sampled_from([0, 0xFFFF_FFF8, 0xFFFF_FFFF, 1 << 32, (1 << 64) - 4]),
    st.sampled_from([0, TABLE_BASE - 4, TABLE_BASE, TABLE_BASE + 60, VRAM - 4, VRAM, (1 << 64) - 4]),
    st.sampled_from([0, 1, 4, 5, 8, 1 << 40]),
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.one_of(_ENTRY, _EDGY), max_size=5).flatmap(
        lambda rows: st.sampled_from([rows, sorted(rows, key=lambda row: row.vma)])
    )
)
def test_verdict_equals_the_naive_one(entries: list[TableEntry]) -> None:
    """Byte sets instead of comparisons of bounds."""
    assert (problem_of(encode_table(entries)) is None) == _naively_good(entries)


def _naively_good(entries: list[TableEntry]) -> bool:
    if any(entry.size == 0 or entry.size > 64 for entry in entries):  # 2^40 never fits
        return False
    table = set(range(TABLE_BASE, TABLE_BASE + 16 + 24 * len(entries)))
    vmas: set[int] = set()
    offsets: set[int] = set()
    for entry in entries:
        mine = set(range(entry.vma, entry.vma + entry.size))
        bytes_of = set(range(entry.vram_offset, entry.vram_offset + entry.size))
        if max(mine) > 0xFFFF_FFFF or max(bytes_of) >= VRAM:
            return False
        if mine & vmas or bytes_of & offsets or bytes_of & table:
            return False
        vmas |= mine
        offsets |= bytes_of
    return [entry.vma for entry in entries] == sorted(entry.vma for entry in entries)
