"""Start-up code of three entry generations: exact words, exact places (docs/reference/vortex.md §5.7, §6.3, §12.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import EntryGeneration
from sw.kernel.vxbin import Generation, detect_generation
from tests.unit.vxcc_image import MULTIKERNEL, Built, build_image, source

BASE = 0x8000_0000
NAMES = ["add_k", "mul_k", "acc_k"]

# From the table of §5.7 and from Appendix A.
CSRR_S11_CTA_ENTRY = 0xCE10_2DF3
CSRR_A0_MSCRATCH = 0x3400_2573
JALR_RA_S11 = 0x000D_80E7
WSYNC = 0x0000_700B
TMC_ZERO = 0x0000_000B


def jal_target(pc: int, word: int) -> int:
    """Target of a JAL, by the bit order of the base instruction set."""
    offset = (word >> 31 << 20) | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
    return pc + offset - (1 << 21 if word >> 31 else 0)


def lla_target(pc: int, auipc: int, addi: int) -> int:
    low = addi >> 20
    return (pc + (auipc & 0xFFFF_F000) + low - (0x1000 if low & 0x800 else 0)) & 0xFFFF_FFFF


def init_words(built: Built) -> list[int]:
    start, size = built.section(".init")
    assert start == BASE
    return [built.word(start + at) for at in range(0, size, 4)]


def test_cta_entry_window() -> None:
    built = build_image(MULTIKERNEL)
    assert built.symbols["_start"] == built.symbols["__vx_cta_entry"] == built.module.min_vma == BASE
    words = init_words(built)
    assert words[-5:] == [CSRR_S11_CTA_ENTRY, CSRR_A0_MSCRATCH, JALR_RA_S11, WSYNC, TMC_ZERO]
    assert words.count(TMC_ZERO) == 1
    assert built.symbols["__vx_window"] == BASE + 4 * len(words) - 20


def test_cta_entry_exports_are_the_functions() -> None:
    built = build_image(MULTIKERNEL)
    assert built.module.has_footer
    assert [entry.name for entry in built.module.entries] == NAMES
    for name in NAMES:
        assert built.module.kernels[name] == built.symbols[name] == built.symbols[f"__vx_kentry_{name}"]
    assert len(set(built.module.kernels.values())) == 3
    assert detect_generation(built.module) is Generation.CTA_ENTRY


def test_s11_window() -> None:
    built = build_image(MULTIKERNEL, entry=EntryGeneration.S11)
    words = init_words(built)
    assert words[-4:] == [CSRR_A0_MSCRATCH, JALR_RA_S11, WSYNC, TMC_ZERO]
    assert words.count(TMC_ZERO) == 1
    assert CSRR_S11_CTA_ENTRY not in words


def test_s11_start_takes_a_weak_kernel_main() -> None:
    built = build_image(MULTIKERNEL, entry=EntryGeneration.S11)
    auipc, addi, jump = built.words("_start", 3)
    assert auipc & 0xFFF == 0xD97
    assert addi & 0xF_FFFF == 0xD_8D93
    assert lla_target(BASE, auipc, addi) == 0
    assert jump & 0xFFF == 0x06F
    assert jal_target(BASE + 8, jump) == built.symbols["__vx_cta_entry"] == BASE + 12


def test_s11_start_finds_kernel_main_if_there_is_one(tmp_path: Path) -> None:
    built = build_image(source(tmp_path, "__kernel void kernel_main(int *p) { *p = 1; }"), entry=EntryGeneration.S11)
    assert lla_target(BASE, *built.words("_start", 2)) == built.symbols["kernel_main"]
    assert [entry.name for entry in built.module.entries] == ["main"]


def test_s11_exports_are_stubs_at_the_start_of_the_text() -> None:
    built = build_image(MULTIKERNEL, entry=EntryGeneration.S11)
    text, _ = built.section(".text")
    assert [entry.name for entry in built.module.entries] == NAMES
    for index, name in enumerate(NAMES):
        stub = text + 12 * index
        assert built.module.kernels[name] == stub, "stubs come first and survive the removal of unused sections"
        auipc, addi, jump = (built.word(stub + at) for at in (0, 4, 8))
        assert auipc & 0xFFF == 0xD97
        assert addi & 0xF_FFFF == 0xD_8D93
        assert lla_target(stub, auipc, addi) == built.symbols[name] != stub
        assert jump & 0xFFF == 0x06F
        assert jal_target(stub + 8, jump) == built.symbols["__vx_cta_entry"]
    assert detect_generation(built.module) is Generation.S11


@pytest.mark.parametrize("name", NAMES)
def test_direct_window_calls_the_chosen_kernel(name: str) -> None:
    built = build_image(MULTIKERNEL, entry=EntryGeneration.DIRECT, kernel=name)
    words = init_words(built)
    assert words[-3] == CSRR_A0_MSCRATCH
    assert words[-2] & 0xFFF == 0x0EF
    assert words[-1] == TMC_ZERO
    assert words.count(TMC_ZERO) == 1
    call = BASE + 4 * (len(words) - 2)
    assert jal_target(call, words[-2]) == built.symbols["kernel_main"] == built.symbols[name]


def test_direct_images_have_no_footer_and_start_at_main() -> None:
    built = build_image(MULTIKERNEL, entry=EntryGeneration.DIRECT, kernel="mul_k")
    assert not built.module.has_footer
    assert built.module.kernels == {"main": BASE}
    assert not [name for name in built.symbols if name.startswith("__vx_kentry_")]
    assert detect_generation(built.module) is Generation.DIRECT


@pytest.mark.parametrize("entry", list(EntryGeneration))
@pytest.mark.parametrize("opt", ["0", "3"])
def test_there_is_no_compressed_code(entry: EntryGeneration, opt: str) -> None:
    built = build_image(MULTIKERNEL, entry=entry, opt=opt, kernel="add_k" if entry is EntryGeneration.DIRECT else None)
    for name in (".init", ".text"):
        start, size = built.section(name)
        assert start % 4 == 0
        assert size % 4 == 0
        assert all(built.word(start + at) & 3 == 3 for at in range(0, size, 4))
    assert built.elf["e_flags"] & 1 == 0
