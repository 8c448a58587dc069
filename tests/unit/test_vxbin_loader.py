"""The strict loader: the worked example byte for byte, and every rule of docs/reference/vortex.md §7.4 broken once."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sw.kernel.vxbin import Entry, MemoryLayout, VxbinError, VxbinFormatError, encode, errors, load

BASE = 0x8000_0000
IMAGE = bytes(range(256)) + bytes(range(64))  # 0x140 bytes
MAGIC = b"VXSYMTAB"

# The example at the end of §7.4, typed from the text.
WORKED_EXAMPLE = (
    bytes.fromhex("00 00 00 80 00 00 00 00  80 01 00 80 00 00 00 00")
    + IMAGE
    + bytes.fromhex("61 64 64 5F 6B 6D 75 6C 5F 6B")
    + bytes.fromhex("00 00 00 00 05 00 00 00 A0 00 00 80 00 00 00 00")
    + bytes.fromhex("05 00 00 00 05 00 00 00 D0 00 00 80 00 00 00 00")
    + bytes.fromhex("02 00 00 00 56 58 53 59 4D 54 41 42")
)


def test_worked_example_is_read() -> None:
    assert len(WORKED_EXAMPLE) == 0x186
    module = load(WORKED_EXAMPLE)
    assert module.min_vma == 0x8000_0000
    assert module.max_vma == 0x8000_0180
    assert module.image == IMAGE
    assert module.kernels == {"add_k": 0x8000_00A0, "mul_k": 0x8000_00D0}
    assert module.has_footer
    assert module.warnings == ()


def test_worked_example_is_written() -> None:
    entries = [Entry("add_k", 0x8000_00A0), Entry("mul_k", 0x8000_00D0)]
    assert encode(0x8000_0000, 0x8000_0180, IMAGE, entries) == WORKED_EXAMPLE


def raw(
    *,
    low: int = BASE,
    high: int = BASE + 0x180,
    image: bytes = IMAGE,
    names: bytes = b"ab",
    table: list[tuple[int, int, int, int]] | None = None,
    count: int | None = None,
) -> bytes:
    """A file with a footer whose fields are all free: entries are (name_off, name_len, pad, pc)."""
    entries = [(0, 2, 0, BASE + 4)] if table is None else table
    packed = b"".join(struct.pack("<IHHQ", *entry) for entry in entries)
    trailer = struct.pack("<I", len(entries) if count is None else count) + MAGIC
    return struct.pack("<QQ", low, high) + image + names + packed + trailer


def legacy(low: int = BASE, high: int = BASE + 0x180, image: bytes = IMAGE) -> bytes:
    return struct.pack("<QQ", low, high) + image


ENTRY_AT = 16 + len(IMAGE) + 2  # first entry of raw() with its default names
COUNT_AT = ENTRY_AT + 16

MALFORMED = [
    ("empty file", b"", errors.TruncatedHeaderError, 0, 0),
    ("fifteen bytes", bytes(15), errors.TruncatedHeaderError, 0, 15),
    ("max equals min", legacy(high=BASE), errors.EmptyRangeError, 8, BASE),
    ("max below min", legacy(high=BASE - 1), errors.EmptyRangeError, 8, BASE - 1),
    ("max above 2^32", legacy(high=(1 << 32) + 1), errors.RangeOverflowError, 8, (1 << 32) + 1),
    ("min below user base", legacy(low=0xFFFC), errors.BelowUserBaseError, 0, 0xFFFC),
    ("min in the I/O window", legacy(low=0x40), errors.BelowUserBaseError, 0, 0x40),
    ("min zero", legacy(low=0), errors.BelowUserBaseError, 0, 0),
    ("stack of hart 15", legacy(0xFFFC_0000, 0xFFFD_0001), errors.OverlapsStacksError, 8, 0xFFFD_0001),
    ("stack of hart 0", legacy(0xFFFE_F000, 0xFFFE_FFFF), errors.OverlapsStacksError, 8, 0xFFFE_FFFF),
    ("local memory", legacy(0xFFFF_0000, 0xFFFF_0140), errors.OverlapsLmemError, 8, 0xFFFF_0140),
    ("last word of local memory", legacy(0xFFFF_3FFC, 0xFFFF_5000), errors.OverlapsLmemError, 8, 0xFFFF_5000),
    ("no image, no footer", legacy(image=b""), errors.EmptyImageError, 16, 0),
    ("no image, footer", raw(image=b""), errors.EmptyImageError, 16, 0),
    ("no image, footer of no entries", raw(image=b"", names=b"", table=[]), errors.EmptyImageError, 16, 0),
    ("image above max", legacy(high=BASE + 0x13F), errors.ImageTooLargeError, 8, BASE + 0x13F),
    ("image above max, footer", raw(high=BASE + 0x13F), errors.ImageTooLargeError, 8, BASE + 0x13F),
    ("magic in 24 bytes", legacy(image=MAGIC), errors.FooterTruncatedError, 16, 24),
    ("magic in 27 bytes", legacy(image=b"\1\0\0" + MAGIC), errors.FooterTruncatedError, 19, 27),
    ("too many entries by one", raw(image=b"", names=b"", count=2), errors.FooterCountError, 32, 2),
    ("2^32-1 entries", raw(count=0xFFFF_FFFF), errors.FooterCountError, COUNT_AT, 0xFFFF_FFFF),
    ("2^28 entries", raw(count=1 << 28), errors.FooterCountError, COUNT_AT, 1 << 28),
    ("name one byte too long", raw(image=b"", table=[(0, 3, 0, BASE)]), errors.NameOutsideBlobError, 18, 0),
    ("name offset 2^32-1", raw(table=[(0xFFFF_FFFF, 1, 0, BASE)]), errors.NameOutsideBlobError, ENTRY_AT, 0xFFFF_FFFF),
    ("empty name", raw(table=[(0, 0, 0, BASE)], names=b""), errors.EmptyNameError, 16 + 0x140 + 4, 0),
    ("name of one NUL", raw(names=b"a\0"), errors.NameWithNulError, 16 + 0x140, b"a\0"),
    ("name not UTF-8", raw(names=b"a\xff"), errors.NameNotUtf8Error, 16 + 0x141, b"a\xff"),
    ("surrogate in a name", raw(names=b"\xed\xa0\x80", table=[(0, 3, 0, BASE)]), errors.NameNotUtf8Error, 0x150, None),
    (
        "duplicate names",
        raw(names=b"abab", table=[(0, 2, 0, BASE), (2, 2, 0, BASE + 4)]),
        errors.DuplicateNameError,
        16 + 0x140 + 4 + 16,
        b"ab",
    ),
    ("pad not zero", raw(table=[(0, 2, 1, BASE)]), errors.PadNotZeroError, ENTRY_AT + 6, 1),
    ("PC below the image", raw(table=[(0, 2, 0, BASE - 4)]), errors.PcOutsideImageError, ENTRY_AT + 8, BASE - 4),
    ("PC at the end", raw(table=[(0, 2, 0, BASE + 0x140)]), errors.PcOutsideImageError, ENTRY_AT + 8, BASE + 0x140),
    ("PC zero", raw(table=[(0, 2, 0, 0)]), errors.PcOutsideImageError, ENTRY_AT + 8, 0),
    ("PC 2^64-4", raw(table=[(0, 2, 0, (1 << 64) - 4)]), errors.PcOutsideImageError, ENTRY_AT + 8, (1 << 64) - 4),
    ("PC odd", raw(table=[(0, 2, 0, BASE + 5)]), errors.PcMisalignedError, ENTRY_AT + 8, BASE + 5),
    ("PC halfword", raw(table=[(0, 2, 0, BASE + 6)]), errors.PcMisalignedError, ENTRY_AT + 8, BASE + 6),
]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "kind", "offset", "value"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED]
)
def test_each_rule_has_its_own_error(
    data: bytes, kind: type[VxbinFormatError], offset: int, value: int | bytes | None
) -> None:
    with pytest.raises(VxbinFormatError) as caught:
        load(data)
    assert type(caught.value) is kind
    assert caught.value.offset == offset
    text = str(caught.value)
    assert f"file offset {offset:#x}" in text
    assert "\n" not in text
    if value is not None:
        assert caught.value.value == value
        assert (f"{value:#x}" if isinstance(value, int) else repr(value)) in text


def test_every_error_class_is_reached() -> None:
    """A rule that no case of this file breaks would be untested."""
    leaves = {item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, VxbinFormatError)}
    reached = {case[2] for case in MALFORMED} | {errors.OverlapsPageTablesError}
    assert leaves - {VxbinFormatError} == reached


def test_page_tables_count_only_with_virtual_memory() -> None:
    data = legacy(0xF000_0000, 0xF000_1000)
    assert load(data).min_vma == 0xF000_0000
    with pytest.raises(errors.OverlapsPageTablesError):
        load(data, layout=MemoryLayout(virtual_memory=True))


def test_image_that_ends_beyond_64_bits() -> None:
    low = (1 << 64) - 0x100
    with pytest.raises(errors.RangeOverflowError) as caught:
        load(legacy(low, (1 << 64) - 1), xlen=64)
    assert caught.value.offset == 0


def test_more_harts_have_more_stacks() -> None:
    data = legacy(0xFFFC_0000, 0xFFFC_0140)
    assert load(data, harts=16).min_vma == 0xFFFC_0000
    with pytest.raises(errors.OverlapsStacksError):
        load(data, harts=32)


def test_halfword_kernels_are_right_with_compressed_code() -> None:
    data = raw(table=[(0, 2, 0, BASE + 6)])
    assert load(data, layout=MemoryLayout(compressed=True)).kernels["ab"] == BASE + 6


def test_legacy_file_has_main_at_its_start() -> None:
    module = load(legacy())
    assert (module.has_footer, module.kernels, module.image) == (False, {"main": BASE}, IMAGE)


def test_single_kernel_is_also_main_at_its_own_address() -> None:
    assert load(raw()).kernels == {"ab": BASE + 4, "main": BASE + 4}


def test_no_alias_for_several_kernels_or_for_main_itself() -> None:
    assert load(raw(names=b"main", table=[(0, 4, 0, BASE + 8)])).kernels == {"main": BASE + 8}
    two = raw(names=b"ab", table=[(0, 1, 0, BASE), (1, 1, 0, BASE + 4)])
    assert load(two).kernels == {"a": BASE, "b": BASE + 4}


def test_footer_of_no_entries_has_no_kernel_at_all() -> None:
    module = load(raw(names=b"", table=[]))
    assert (module.has_footer, module.kernels, module.image) == (True, {}, IMAGE)


def test_unusual_start_address_is_a_warning() -> None:
    module = load(legacy(0x9000_0000, 0x9000_0140))
    assert len(module.warnings) == 1
    assert "0x90000000" in module.warnings[0]
    assert load(legacy(0x9000_0000, 0x9000_0140), startup_addr=0x9000_0000).warnings == ()


def test_load_reads_paths_too(tmp_path: Path) -> None:
    path = tmp_path / "k.vxbin"
    path.write_bytes(WORKED_EXAMPLE)
    assert load(path) == load(str(path)) == load(WORKED_EXAMPLE)
    with pytest.raises(VxbinError, match="cannot be read: No such file"):
        load(tmp_path / "absent.vxbin")
    with pytest.raises(VxbinError, match="cannot be read: Is a directory"):
        load(tmp_path)


NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(data=st.data())
@settings(max_examples=200)
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    image = data.draw(st.binary(min_size=4, max_size=200).filter(lambda text: not text.endswith(MAGIC)))
    names = data.draw(st.lists(NAMES, unique=True, max_size=6))
    pcs = st.integers(0, (len(image) - 1) // 4).map(lambda word: BASE + 4 * word)
    entries = tuple(Entry(name, data.draw(pcs)) for name in names)
    high = BASE + len(image) + data.draw(st.integers(0, 1000))
    module = load(encode(BASE, high, image, entries))
    assert (module.min_vma, module.max_vma, module.image) == (BASE, high, image)
    assert module.entries == entries
    expected = {entry.name: entry.pc for entry in entries} if entries else {"main": BASE}
    if len(entries) == 1:
        expected.setdefault("main", entries[0].pc)
    assert module.kernels == expected


@given(st.one_of(st.binary(max_size=80), st.binary(max_size=60).map(lambda head: head + MAGIC)))
@settings(max_examples=500)
def test_noise_is_refused_or_loaded_never_a_crash(noise: bytes) -> None:
    for data in (noise, struct.pack("<QQ", BASE, BASE + 0x100) + noise):
        try:
            module = load(data)
        except VxbinFormatError:
            continue
        assert len(module.image) <= len(data) - 16


@given(at=st.integers(0, len(WORKED_EXAMPLE) - 1), value=st.integers(0, 255))
@settings(max_examples=500)
def test_damaged_example_is_refused_or_loaded(at: int, value: int) -> None:
    damaged = WORKED_EXAMPLE[:at] + bytes([value]) + WORKED_EXAMPLE[at + 1 :]
    try:
        module = load(damaged)
    except VxbinFormatError:
        return
    assert all(module.min_vma <= pc < module.min_vma + len(module.image) for pc in module.kernels.values())
