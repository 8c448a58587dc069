"""The writer follows the five rules of docs/reference/vortex.md §7.2; expectations are written out by hand."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from sw.kernel.vxbin import VxbinBuildError, build, build_from_elf, load
from tests.unit.vxbin_elf import (
    ABSOLUTE,
    BASE,
    FUNC,
    LOCAL,
    NOBITS,
    OBJECT,
    UNDEFINED,
    WEAK,
    ElfFile,
    ElfSection,
    ElfSymbol,
    program,
)

CODE = bytes(range(1, 65))


def header(min_vma: int, max_vma: int) -> bytes:
    return struct.pack("<QQ", min_vma, max_vma)


def test_without_kernel_symbols_the_file_is_header_and_image() -> None:
    assert build_from_elf(program([ElfSymbol("main", BASE)]).to_bytes()) == header(BASE, BASE + 128) + CODE


def test_image_is_padded_up_to_edata() -> None:
    data = build_from_elf(program([], edata=BASE + 80).to_bytes())
    assert data == header(BASE, BASE + 128) + CODE + bytes(16)


def test_image_longer_than_edata_is_kept() -> None:
    assert build_from_elf(program([], edata=BASE + 4).to_bytes()) == header(BASE, BASE + 128) + CODE


def test_max_vma_is_the_higher_of_segments_and_end() -> None:
    low_end = build_from_elf(program([], end=BASE + 8).to_bytes())
    assert low_end[:16] == header(BASE, BASE + 64)
    elf = program([], end=BASE + 0x100)
    elf.sections.append(ElfSection(BASE + 0x200, kind=NOBITS, size=0x40))
    assert build_from_elf(elf.to_bytes())[:16] == header(BASE, BASE + 0x240)


def test_gaps_between_sections_are_zero_and_bss_is_not_in_the_image() -> None:
    elf = program([], edata=BASE + 0x60, end=BASE + 0x100)
    elf.sections.insert(0, ElfSection(BASE + 0x50, b"DATA"))  # file order is not address order
    elf.sections.append(ElfSection(BASE + 0x80, kind=NOBITS, size=0x80))
    assert build_from_elf(elf.to_bytes()) == header(BASE, BASE + 0x100) + CODE + bytes(16) + b"DATA" + bytes(12)


def test_sections_that_are_not_loaded_are_left_out() -> None:
    elf = program([])
    elf.sections.append(ElfSection(0, b"debug information", flags=0, segment=False))
    assert build_from_elf(elf.to_bytes()) == header(BASE, BASE + 128) + CODE


def test_addresses_are_virtual_not_physical() -> None:
    elf = ElfFile(
        [ElfSection(BASE, CODE, load=0x1000), ElfSection(BASE + 0x50, b"DATA", load=0x9000)],
        [ElfSymbol("_edata", BASE + 0x54), ElfSymbol("_end", BASE + 0x60)],
    )
    assert build_from_elf(elf.to_bytes()) == header(BASE, BASE + 0x60) + CODE + bytes(16) + b"DATA"


def test_footer_lists_kernels_in_symbol_table_order_and_renames_kernel_main() -> None:
    symbols = [
        ElfSymbol("__vx_kentry_zeta", BASE + 8),
        ElfSymbol("unrelated", BASE + 4),
        ElfSymbol("__vx_kentry_kernel_main", BASE + 16),
        ElfSymbol("__vx_kentry_alpha", BASE + 12),
    ]
    footer = (
        b"zetamainalpha"
        + struct.pack("<IHHQ", 0, 4, 0, BASE + 8)
        + struct.pack("<IHHQ", 4, 4, 0, BASE + 16)
        + struct.pack("<IHHQ", 8, 5, 0, BASE + 12)
        + struct.pack("<I", 3)
        + b"VXSYMTAB"
    )
    assert build_from_elf(program(symbols).to_bytes()) == header(BASE, BASE + 128) + CODE + footer


def test_duplicate_local_and_undefined_symbols_count_and_the_first_name_wins() -> None:
    symbols = [
        ElfSymbol("__vx_kentry_local_k", BASE + 20, binding=LOCAL, kind=FUNC),
        ElfSymbol("__vx_kentry_twice", BASE + 24, kind=OBJECT),
        ElfSymbol("__vx_kentry_absent", 0, section=UNDEFINED, binding=WEAK),
        ElfSymbol("__vx_kentry_twice", BASE + 28),
        ElfSymbol("__vx_kentry_fixed", 0x1234, section=ABSOLUTE),
        ElfSymbol("__vx_kentry_main", BASE + 32),
        ElfSymbol("__vx_kentry_kernel_main", BASE + 36),  # becomes main, which is there already
    ]
    footer = (
        b"local_ktwiceabsentfixedmain"
        + struct.pack("<IHHQ", 0, 7, 0, BASE + 20)
        + struct.pack("<IHHQ", 7, 5, 0, BASE + 24)
        + struct.pack("<IHHQ", 12, 6, 0, 0)
        + struct.pack("<IHHQ", 18, 5, 0, 0x1234)
        + struct.pack("<IHHQ", 23, 4, 0, BASE + 32)
        + struct.pack("<I", 5)
        + b"VXSYMTAB"
    )
    assert build_from_elf(program(symbols).to_bytes()) == header(BASE, BASE + 128) + CODE + footer


def test_dynamic_symbols_come_first_wherever_their_table_is() -> None:
    elf = program([ElfSymbol("__vx_kentry_static", BASE + 4), ElfSymbol("__vx_kentry_both", BASE + 8)])
    elf.dynamic_symbols = [ElfSymbol("__vx_kentry_both", BASE + 12), ElfSymbol("__vx_kentry_dynamic", BASE + 16)]
    module = load(build_from_elf(elf.to_bytes()))
    assert [(entry.name, entry.pc - BASE) for entry in module.entries] == [("both", 12), ("dynamic", 16), ("static", 4)]


def test_sixty_four_bit_files() -> None:
    base = 0x1_8000_0000
    elf = ElfFile(
        [ElfSection(base, CODE)],
        [ElfSymbol("_edata", base + 64), ElfSymbol("_end", base + 80), ElfSymbol("__vx_kentry_k", base + 4)],
        wide=True,
    )
    module = load(build_from_elf(elf.to_bytes()), xlen=64)
    assert (module.min_vma, module.max_vma, module.image) == (base, base + 80, CODE)
    assert module.kernels == {"k": base + 4, "main": base + 4}


@pytest.mark.parametrize(
    ("elf", "words"),
    [
        pytest.param(ElfFile([], [ElfSymbol("_edata"), ElfSymbol("_end")]), "no LOAD segment", id="nothing-to-load"),
        pytest.param(ElfFile([ElfSection(BASE, CODE)], [ElfSymbol("_end", BASE)]), "no symbol _edata", id="no-edata"),
        pytest.param(ElfFile([ElfSection(BASE, CODE)], [ElfSymbol("_edata", BASE)]), "no symbol _end", id="no-end"),
        pytest.param(
            ElfFile([ElfSection(BASE, CODE)], [ElfSymbol("_edata", 0, UNDEFINED), ElfSymbol("_end", BASE)]),
            "no symbol _edata",
            id="undefined-edata",
        ),
        pytest.param(
            ElfFile([ElfSection(BASE, kind=NOBITS, size=64)], [ElfSymbol("_edata", BASE), ElfSymbol("_end", BASE)]),
            "no section with content",
            id="only-bss",
        ),
        pytest.param(ElfFile([ElfSection(BASE, CODE)], machine=62), "not for RISC-V", id="other-machine"),
        pytest.param(ElfFile([ElfSection(BASE, CODE)], strip_sections=True), "no symbol _edata", id="stripped"),
        pytest.param(
            ElfFile(
                [ElfSection(0x1_0000, CODE), ElfSection(0xF000_0000, CODE)],
                [ElfSymbol("_edata", 0x1_0040), ElfSymbol("_end", 0xF000_0040)],
            ),
            "spread over",
            id="huge-gap",
        ),
        pytest.param(program([], edata=0xFFFF_FFFF), "_edata 0xffffffff", id="edata-far-away"),
        pytest.param(program([ElfSymbol("__vx_kentry_\udcff", BASE)]), "not UTF-8", id="name-not-utf8"),
        pytest.param(program([ElfSymbol("__vx_kentry_" + "n" * 65536, BASE)]), "longer than 65535", id="name-too-long"),
    ],
)
def test_unusable_elf_is_one_sentence(elf: ElfFile, words: str) -> None:
    with pytest.raises(VxbinBuildError, match=words) as caught:
        build_from_elf(elf.to_bytes(), "k.elf")
    assert "k.elf" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"not an ELF file at all", program([]).to_bytes()[:60]])
def test_broken_elf_is_one_sentence(content: bytes) -> None:
    with pytest.raises(VxbinBuildError, match=r"k\.elf"):
        build_from_elf(content, "k.elf")


def test_every_truncation_and_byte_flip_of_an_elf_is_handled() -> None:
    """Damaged input gives a file or a VxbinBuildError, never another exception."""
    good = program([ElfSymbol("__vx_kentry_k", BASE + 4)]).to_bytes()
    refused = 0
    for size in range(0, len(good), 3):
        try:
            build_from_elf(good[:size])
        except VxbinBuildError:
            refused += 1
    for at in range(len(good)):
        value = (0x00, 0xFF, good[at] ^ 0x80)[at % 3]
        try:
            build_from_elf(good[:at] + bytes([value]) + good[at + 1 :])
        except VxbinBuildError:
            refused += 1
    assert refused > 100


def test_output_is_untouched_when_the_input_is_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "k.elf", tmp_path / "k.vxbin"
    source.write_bytes(ElfFile([ElfSection(BASE, CODE)]).to_bytes())
    target.write_bytes(b"old")
    with pytest.raises(VxbinBuildError):
        build(source, target)
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.elf", "k.vxbin"]


def test_written_file_is_what_build_returns(tmp_path: Path) -> None:
    source, target = tmp_path / "k.elf", tmp_path / "k.vxbin"
    source.write_bytes(program([]).to_bytes())
    assert build(source, target) == target.read_bytes() == header(BASE, BASE + 128) + CODE


OBJCOPY = next(
    filter(None, map(shutil.which, ("llvm-objcopy-19", "llvm-objcopy", "riscv64-unknown-elf-objcopy"))), None
)


@pytest.mark.skipif(OBJCOPY is None, reason="no objcopy to compare the flat image with")
def test_flat_image_equals_objcopy(tmp_path: Path) -> None:
    elf = program([], edata=BASE + 0x54)
    elf.sections.append(ElfSection(BASE + 0x50, b"DATA"))
    elf.sections.append(ElfSection(BASE + 0x60, kind=NOBITS, size=16))
    source, flat = tmp_path / "k.elf", tmp_path / "k.bin"
    source.write_bytes(elf.to_bytes())
    subprocess.run([str(OBJCOPY), "-O", "binary", str(source), str(flat)], check=True)
    assert build_from_elf(source.read_bytes())[16:] == flat.read_bytes()
