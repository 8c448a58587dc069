"""Linked images: sections, thread-local storage, constructors, exported names (docs/reference/vortex.md §6.2, §6.6)."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from config import EntryGeneration, HardwareConfig
from sw.kernel.vxcc import ImageError, SourceError, compile_kernel
from sw.kernel.vxcc.flags import REPO_ROOT, mabi, march
from sw.kernel.vxcc.image import check_image
from tests.unit.vxcc_image import MULTIKERNEL, build_image, source

BASE = 0x8000_0000


def built_elf(path: Path, entry: EntryGeneration = EntryGeneration.CTA_ENTRY, kernel: str | None = None) -> bytes:
    return compile_kernel([path], entry=entry, kernel=kernel).elf.read_bytes()


def test_bss_is_reserved_and_not_in_the_file() -> None:
    built = build_image(MULTIKERNEL)
    assert len(built.module.image) == built.symbols["_edata"] - BASE
    assert built.module.max_vma == built.symbols["_end"]
    assert built.symbols["_edata"] % 64 == 0
    assert built.symbols["__bss_start"] == built.symbols["_edata"] <= built.symbols["g_cubes"]
    assert built.symbols["g_cubes"] + 64 <= built.symbols["_end"]


@pytest.mark.parametrize("data", [0, 0x200, 0x1000])
@pytest.mark.parametrize("bss", [0, 0x3000])
def test_global_pointer_follows_its_formula(tmp_path: Path, data: int, bss: int) -> None:
    text = f"char data[{data + 4}] = {{1}};\nint small = 5;\nchar bss[{bss + 4}];\n"
    symbols = build_image(
        source(tmp_path, text + "__kernel void k(int *p) { *p = data[*p] + bss[*p] + small; data[*p] = 1; }")
    ).symbols
    assert symbols["__global_pointer"] == min(
        symbols["__SDATA_BEGIN__"] + 0x800, max(symbols["__DATA_BEGIN__"] + 0x800, symbols["__BSS_END__"] - 0x800)
    )


TLS_CASES = [
    ("none", "", 0, 0, 0, 0),
    ("data only", "thread_local int32_t a = 7;", 4, 4, 0, 4),
    ("bss only", "thread_local int32_t b;", 0, 0, 4, 4),
    ("bss of eight bytes", "thread_local int64_t b;", 0, 0, 8, 8),
    ("both", "thread_local int32_t a = 7; thread_local int64_t b;", 4, 8, 8, 16),
    ("data padded to words", "thread_local char a = 7; thread_local char b;", 4, 4, 4, 8),
    ("over-aligned", "alignas(32) thread_local int32_t b; thread_local int32_t a = 7;", 4, 32, 4, 64),
    ("aligned beyond a line", "alignas(256) thread_local int32_t b;", 0, 0, 4, 256),
]


@pytest.mark.parametrize(
    ("text", "data", "offset", "bss", "block"), [c[1:] for c in TLS_CASES], ids=[c[0] for c in TLS_CASES]
)
def test_thread_local_layout(tmp_path: Path, text: str, data: int, offset: int, bss: int, block: int) -> None:
    uses = "".join(f"{name} += *p; " for name in "ab" if f" {name}" in text.replace(";", " ;"))
    built = build_image(source(tmp_path, f"int other = 1;\n{text}\n__kernel void k(int *p) {{ {uses}*p = other++; }}"))
    symbols = built.symbols
    assert symbols["__tdata_size"] == data
    assert symbols["__tdata_end"] - symbols["__tdata_start"] == data
    assert symbols["__tbss_size"] == bss
    assert symbols["__tls_block_size"] == block
    if bss:
        assert symbols["__tbss_offset"] == offset == symbols["b"]
    if data:
        assert symbols["a"] == 0
        at = symbols["__tdata_start"] - BASE
        assert built.module.image[at] == 7
    segments = [segment for segment in built.elf.iter_segments() if segment["p_type"] == "PT_TLS"]
    assert len(segments) == 1
    if text:
        assert segments[0]["p_vaddr"] == symbols["__tdata_start"]
        assert symbols["_end"] % segments[0]["p_align"] == 0
        assert block % segments[0]["p_align"] == 0


def test_constructors_are_sorted_by_priority_over_all_files(tmp_path: Path) -> None:
    late = """
extern volatile int order;
__attribute__((constructor(300))) static void third() { order = 3; }
__attribute__((constructor)) static void last() { order = 4; }"""
    early = """
volatile int order;
__attribute__((constructor(200))) static void second() { order = 2; }
__attribute__((constructor(101))) static void first() { order = 1; }
__kernel void k(int *p) { *p = order; }"""
    built = build_image(source(tmp_path, late, "late.cpp"), source(tmp_path, early, "early.cpp"))
    start, end = built.symbols["__init_array_start"], built.symbols["__init_array_end"]
    names = ["_ZL5firstv", "_ZL6secondv", "_ZL5thirdv", "_ZL4lastv"]
    pointers = struct.unpack(f"<{(end - start) // 4}I", built.module.image[start - BASE : end - BASE])
    assert list(pointers) == [built.symbols[name] for name in names]


def test_thread_local_data_of_another_file_needs_no_table(tmp_path: Path) -> None:
    one = source(tmp_path, "extern __thread int shared;\n__kernel void k(int *p) { *p = shared; }")
    two = source(tmp_path, "__thread int shared = 3;", "two.cpp")
    built = build_image(one, two)
    assert built.symbols["shared"] == 0
    assert built.elf.get_section_by_name(".got") is None


def test_no_path_of_this_machine_is_in_the_image() -> None:
    assert str(REPO_ROOT).encode() not in built_elf(MULTIKERNEL)


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_damaged_window_is_refused(entry: EntryGeneration) -> None:
    kernel = "add_k" if entry is EntryGeneration.DIRECT else None
    content = built_elf(MULTIKERNEL, entry, kernel)
    built = build_image(MULTIKERNEL, entry=entry, kernel=kernel)
    check_image(content, entry)
    start, end = built.symbols["__vx_window"], built.symbols["__vx_window_end"]
    window = built.module.image[start - BASE : end - BASE]
    assert content.count(window) == 1
    for word in range(len(window) // 4):
        damaged = bytearray(window)
        damaged[4 * word] ^= 0x80  # a bit of rd or of the opcode
        with pytest.raises(
            ImageError, match=f"the dispatch window at {start:#x} is not that of generation {entry.value}"
        ):
            check_image(content.replace(window, bytes(damaged)), entry)
    for other in set(EntryGeneration) - {entry}:
        with pytest.raises(ImageError, match=f"not that of generation {other.value}"):
            check_image(content, other)


def test_destructors_are_accepted_and_never_registered(tmp_path: Path) -> None:
    text = """
struct thing { int value; thing() : value(1) {} ~thing() { value = 0; } };
thing t;
__kernel void k(int *p) { *p = t.value; }"""
    assert "__cxa_atexit" in build_image(source(tmp_path, text)).symbols


def test_unused_functions_and_library_parts_are_removed(tmp_path: Path) -> None:
    text = "__attribute__((noinline)) void unused(int *p) { *p = 2; }\n__kernel void k(int *p) { *p = 1; }"
    symbols = build_image(source(tmp_path, text)).symbols
    assert "k" in symbols
    assert "_Z6unusedPi" not in symbols
    assert not {"memcpy", "memset", "memcmp", "memmove", "__cxa_atexit"} & set(symbols)


def test_memory_functions_are_linked_when_used(tmp_path: Path) -> None:
    text = "struct big { int v[200]; };\n__kernel void k(big *p) { p[1] = p[0]; }"
    assert "memcpy" in build_image(source(tmp_path, text)).symbols


def test_kernels_of_several_files_with_helpers(tmp_path: Path) -> None:
    one = source(tmp_path, 'extern "C" int helper(int);\n__kernel void one_k(int *p) { *p = helper(1); }', "one.cpp")
    two = tmp_path / "helper.c"
    two.write_text("int helper(int x) { return x * 5; }\n")
    three = source(
        tmp_path, "static void local(int *p) { *p = 3; }\n__kernel void b_k(int *p) { local(p); }"
        "\n__kernel void a_k(int *p) { *p = 4; }", "three.cpp",
    )  # fmt: skip
    built = build_image(one, two, three)
    assert [entry.name for entry in built.module.entries] == ["one_k", "b_k", "a_k"]


def test_kernel_main_is_exported_as_main(tmp_path: Path) -> None:
    built = build_image(source(tmp_path, "__kernel void kernel_main(int *p) { *p = 1; }"))
    assert built.module.kernels == {"main": built.symbols["kernel_main"]}


def test_same_kernel_twice_is_refused(tmp_path: Path) -> None:
    text = "__kernel void k(int *p) { *p = 1; }"
    with pytest.raises(SourceError, match="kernel k is defined in two source files"):
        build_image(source(tmp_path, text, "one.cpp"), source(tmp_path, text, "two.cpp"))


def test_a_source_without_kernels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"kernel\.cpp: no function is marked __kernel"):
        build_image(source(tmp_path, "void k(int *p) { *p = 1; }"))


@pytest.mark.parametrize(
    ("kernel", "entry", "words"),
    [
        (None, EntryGeneration.DIRECT, "holds one kernel and the sources define add_k, mul_k, acc_k"),
        ("sub_k", EntryGeneration.DIRECT, "no kernel sub_k; the sources define add_k, mul_k, acc_k"),
        ("add_k", EntryGeneration.S11, "only for generation direct; s11 exports all"),
    ],
)
def test_choice_of_a_kernel(kernel: str | None, entry: EntryGeneration, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        build_image(MULTIKERNEL, entry=entry, kernel=kernel)


def test_direct_needs_no_choice_for_a_single_kernel(tmp_path: Path) -> None:
    built = build_image(source(tmp_path, "__kernel void k(int *p) { *p = 1; }"), entry=EntryGeneration.DIRECT)
    assert built.symbols["kernel_main"] == built.symbols["k"]


@pytest.mark.parametrize(
    ("hardware", "arch", "abi"),
    [
        (HardwareConfig(ext_f=False), "rv32ima_zicsr_zifencei_zicond", "ilp32"),
        (HardwareConfig(ext_f=False, ext_m=False, ext_zicond=False, ext_a=False), "rv32i_zicsr_zifencei", "ilp32"),
        (HardwareConfig(ext_f=False, ext_a=False), "rv32im_zicsr_zifencei_zicond", "ilp32"),
        (HardwareConfig(), "rv32imaf_zicsr_zifencei_zicond", "ilp32f"),
        (HardwareConfig(flen=64), "rv32imafd_zicsr_zifencei_zicond", "ilp32d"),
        (HardwareConfig(ext_f=False, flen=64), "rv32ima_zicsr_zifencei_zicond", "ilp32"),
    ],
)
def test_instruction_set_is_that_of_the_hardware(hardware: HardwareConfig, arch: str, abi: str) -> None:
    assert (march(hardware), mabi(hardware)) == (arch, abi)


@pytest.mark.parametrize(
    "hardware",
    [HardwareConfig(), HardwareConfig(ext_m=False, ext_zicond=False, ext_a=False), HardwareConfig(ext_f=False)],
)
def test_image_says_what_it_was_built_for(tmp_path: Path, hardware: HardwareConfig) -> None:
    built = build_image(source(tmp_path, "__kernel void k(int *p) { *p += 1; }"), hardware=hardware)
    attributes = built.elf.get_section_by_name(".riscv.attributes")
    assert attributes is not None
    text = attributes.data()
    arch = next(part for part in text.split(b"\0") if b"rv32" in part).decode()
    letters = {
        part.rstrip("0123456789").rstrip("p").rstrip("0123456789") for part in arch[arch.index("rv32") + 4 :].split("_")
    }
    expected = {"i", "zicsr", "zifencei"} | ({"m", "zmmul"} if hardware.ext_m else set())
    expected |= {"zicond"} if hardware.ext_zicond else set()
    expected |= {"f"} if hardware.ext_f else set()
    expected |= {"a"} if hardware.ext_a else set()
    assert letters == expected


def test_start_address_and_stack_come_from_the_configuration() -> None:
    built = build_image(MULTIKERNEL, hardware=HardwareConfig(startup_addr=0x9000_0000, stack_base_addr=0xFFF0_0000))
    assert built.module.min_vma == 0x9000_0000
    assert 0xFFF0_0137 in built.words("__vx_cta_entry", 20)  # lui sp, 0xfff00


def test_a_sixty_four_bit_image_may_lie_above_four_gigabytes() -> None:
    hardware = HardwareConfig(xlen=64, startup_addr=0x1_8000_0000, stack_base_addr=0x1_FFFF_0000, axi_addr_width=48)
    built = build_image(MULTIKERNEL, hardware=hardware)
    assert built.module.min_vma == 0x1_8000_0000
    assert min(built.module.kernels.values()) > 0x1_8000_0000
