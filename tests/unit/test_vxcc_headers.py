"""Intrinsics against the reference encodings of docs/reference/vortex.md §2.2 and Appendix A."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import HardwareConfig
from tests.unit.vxcc_image import Built, build_image, source

A0, A1, A2, A3, A4 = 10, 11, 12, 13, 14
_FIELDS = {"rd": 7, "rs1": 15, "rs2": 20, "rs3": 27}


def encoded(reference: int, **registers: int) -> int:
    """A word of Appendix A with other registers in the named fields."""
    word = reference
    for name, number in registers.items():
        word = word & ~(31 << _FIELDS[name]) | number << _FIELDS[name]
    return word


# Function of (a0, a1, a2, a3) returning in a0; words of Appendix A, registers replaced by those of the convention.
CASES = [
    ("void", "vx_tmc((int)a)", [encoded(0x0005_000B, rs1=A0)]),
    ("void", "vx_tmc_zero()", [0x0000_000B]),
    ("void", "vx_wspawn((int)a, (void (*)())b)", [encoded(0x00B5_100B, rs1=A0, rs2=A1)]),
    ("int", "return vx_split((int)a)", [encoded(0x0005_260B, rd=A0, rs1=A0)]),
    ("int", "return vx_split_n((int)a)", [encoded(0x0015_260B, rd=A0, rs1=A0)]),
    ("void", "vx_join((int)a)", [encoded(0x0006_300B, rs1=A0)]),
    ("void", "vx_barrier((int)a, (int)b)", [encoded(0x00B5_400B, rs1=A0, rs2=A1)]),
    ("void", "vx_pred((int)a, (int)b)", [encoded(0x00B5_500B, rs1=A0, rs2=A1)]),
    ("void", "vx_pred_n((int)a, (int)b)", [encoded(0x00B5_508B, rs1=A0, rs2=A1)]),
    ("int", "return vx_barrier_arrive((int)a, (int)b)", [encoded(0x00B5_660B, rd=A0, rs1=A0, rs2=A1)]),
    ("void", "vx_barrier_wait((int)a, (int)b)", [encoded(0x00B5_600B, rs1=A0, rs2=A1)]),
    ("void", "vx_wsync()", [0x0000_700B]),
    ("void", "vx_fence()", [0x0FF0_000F]),
    ("size_t", "return vx_vote_all((int)a)", [encoded(0x0205_060B, rd=A0, rs1=A0)]),
    ("size_t", "return vx_vote_any((int)a)", [encoded(0x0205_160B, rd=A0, rs1=A0)]),
    ("size_t", "return vx_vote_uni((int)a)", [encoded(0x0205_260B, rd=A0, rs1=A0)]),
    ("size_t", "return vx_vote_ballot((int)a)", [encoded(0x0205_360B, rd=A0, rs1=A0)]),
    ("int", "return vx_thread_id()", [0xCC00_2573]),
    ("int", "return vx_warp_id()", [0xCC10_2573]),
    ("int", "return vx_core_id()", [0xCC20_2573]),
    ("size_t", "return vx_active_warps()", [0xCC30_2573]),
    ("size_t", "return vx_active_threads()", [0xCC40_2573]),
    ("int", "return vx_num_threads()", [0xFC00_2573]),
    ("int", "return vx_num_warps()", [0xFC10_2573]),
    ("int", "return vx_num_cores()", [0xFC20_2573]),
    ("int", "return vx_num_barriers()", [0xFC40_2573]),
    ("int", "return vx_hart_id()", [0xF140_2573]),
    ("uint32_t", "return threadIdx.x", [0xCD30_2573]),
    ("uint32_t", "return threadIdx.y", [0xCD40_2573]),
    ("uint32_t", "return threadIdx.z", [0xCD50_2573]),
    ("uint32_t", "return blockIdx.x", [0xCD60_2573]),
    ("uint32_t", "return blockIdx.z", [0xCD80_2573]),
    ("uint32_t", "return blockDim.x", [0xCD90_2573]),
    ("uint32_t", "return blockDim.z", [0xCDB0_2573]),
    ("uint32_t", "return gridDim.x", [0xCDC0_2573]),
    ("uint32_t", "return gridDim.z", [0xCDE0_2573]),
    ("uint32_t", "return get_local_group_id()", [0xCD00_2573]),
    ("uint32_t", "return get_sub_group_id()", [0xCD10_2573]),
    ("uint32_t", "return get_num_sub_groups()", [0xCD20_2573]),
    ("uint32_t", "return get_cluster_size()", [0xCE00_2573]),
    ("void *", "return __local_mem()", [0xCDF0_2573]),
    ("size_t", "return csr_read(0x340)", [0x3400_2573]),
    ("void", "csr_write(0x340, a)", [0x3405_1073]),
    ("void", "csr_write(0x340, 31)", [0x340F_D073]),
    ("void", "csr_set(0x341, 5)", [0x3412_E073]),
    ("void", "csr_clear(0x341, a)", [0x3415_3073]),
    ("size_t", "return csr_swap(0x342, a)", [0x3425_1573]),
    ("size_t", "return csr_read_set(0x342, 0)", [0x3420_6573]),
    ("size_t", "return csr_read_clear(0x343, 7)", [0x3433_F573]),
    ("void", "vx_mret()", [0x3020_0073]),
]


def compiled(tmp_path: Path, functions: list[tuple[str, str]], hardware: HardwareConfig | None = None) -> Built:
    text = "#include <vx_barrier.h>\n"
    for index, (kind, body) in enumerate(functions):
        text += (
            f'extern "C" __attribute__((used, retain)) {kind} f{index}'
            f"(size_t a, size_t b, size_t c, size_t d) {{ (void)a; (void)b; (void)c; (void)d; {body}; }}\n"
        )
    return build_image(source(tmp_path, text + "__kernel void k(int *p) { *p = 1; }"), hardware=hardware)


def test_each_wrapper_is_its_instruction(tmp_path: Path) -> None:
    built = compiled(tmp_path, [(kind, body) for kind, body, _ in CASES])
    wrong = [
        f"{body}: {[f'{word:08x}' for word in found]}, expected {[f'{word:08x}' for word in words]}"
        for index, (_, body, words) in enumerate(CASES)
        if (found := built.words(f"f{index}", len(words))) != words
    ]
    assert not wrong, "\n".join(wrong)


def contains(built: Built, symbol: str, mask: int, value: int, count: int = 12) -> bool:
    return any(word & mask == value for word in built.words(symbol, count))


def test_shuffles_pack_their_operand(tmp_path: Path) -> None:
    names = ["vx_shfl_up", "vx_shfl_down", "vx_shfl_bfly", "vx_shfl_idx"]
    built = compiled(tmp_path, [("size_t", f"return {name}(a, 1, 3, 0x3C)") for name in names])
    for index in range(4):
        # lui a1, 0x3c; addi a1, a1, 0xc1 (0x3C << 12 | 3 << 6 | 1); then the shuffle
        assert built.words(f"f{index}", 3) == [0x0003_C5B7, 0x0C15_8593, 0x02B5_450B + (index << 12)]


def test_gathers(tmp_path: Path) -> None:
    body = [("size_t", f"return vx_wgather_from({lane}, a, b, c, d)") for lane in range(4)]
    built = compiled(tmp_path, [*body, ("size_t", "return vx_wgather(a, b, c, d)")])
    for index in range(4):
        # rd a0, rs1 a1, rs2 a2, rs3 a3, funct2 = source lane
        word = A3 << 27 | index << 25 | A2 << 20 | A1 << 15 | A0 << 7 | 0x2B
        assert built.words(f"f{index}", 1) == [word]
    assert built.words("f4", 1) == built.words("f0", 1)


def test_transpose_rotates_its_operands(tmp_path: Path) -> None:
    body = "size_t x, y, z, w; vx_transpose4(a, b, c, d, x, y, z, w); ((volatile size_t *)a)[0] = x ^ y ^ z ^ w"
    built = compiled(tmp_path, [("void", body)])
    gathers = [word for word in built.words("f0", 16) if word & 0x7F == 0x2B]
    operands = [(word >> 25 & 3, word >> 15 & 31, word >> 20 & 31, word >> 27) for word in gathers]
    rotations = {
        (0, A1, A2, A3),
        (1, A2, A3, A0),
        (2, A3, A0, A1),
        (3, A0, A1, A2),
    }
    assert set(operands) == rotations


def test_barrier_classes_build_their_ids(tmp_path: Path) -> None:
    built = compiled(
        tmp_path,
        [
            ("uint32_t", "return vortex::barrier(2, 4).id()"),
            ("uint32_t", "return vortex::gbarrier(3, 4).id()"),
            ("uint32_t", "return vortex::group_barrier(5, 4).id()"),
            ("void", "vortex::barrier(1).arrive_and_wait()"),
            ("void", "vortex::barrier(1, 2).expect_tx(3)"),
            ("void", "__syncthreads()"),
        ],
    )
    # csrr a0, CTA_ID; addi a0, a0, 0x200
    assert built.words("f0", 2) == [0xCD00_2573, 0x2005_0513]
    assert built.words("f1", 2) == [0x8000_0537, 0x3005_0513]  # 0x80000300
    assert built.words("f2", 1) == [0x5000_0513]
    assert contains(built, "f3", 0xFE00_7FFF, 0x0000_400B)
    # the phase goes to a register other than x0, else the word would be BAR.WAIT
    assert contains(built, "f4", 0xFE00_707F, 0x0000_600B)
    assert not contains(built, "f4", 0xFE00_7FFF, 0x0000_600B)
    assert contains(built, "f5", 0xFE00_7FFF, 0x0000_400B)


def test_cycle_counter_reads_high_low_high(tmp_path: Path) -> None:
    built = compiled(
        tmp_path,
        [
            ("uint64_t", "return vx_rdcycle()"),
            ("uint64_t", "return vx_rdcycle_sync()"),
            ("uint32_t", "return vx_rdcycle_sync_begin().lo"),
            ("uint32_t", "return vx_rdcycle_sync_end().lo"),
        ],
    )

    def counters(name: str, count: int) -> list[int]:
        return [word >> 20 for word in built.words(name, count) if word & 0x7F == 0x73]

    assert counters("f0", 5)[:3] == [0xB80, 0xB00, 0xB80]
    assert built.words("f1", 1) == [0x0000_700B]
    assert counters("f2", 3) == [0xB80, 0xB00]
    assert counters("f3", 3) == [0xB00, 0xB80]


def test_packed_loads_exist_only_with_float_registers(tmp_path: Path) -> None:
    guard = "\n#if defined(__riscv_flen)\nreturn vx_packlb_f((const void *)a, b);\n#else\nreturn 0;\n#endif\n"
    half = guard.replace("packlb", "packlh")
    with_float = compiled(tmp_path, [("float", guard), ("float", half)], HardwareConfig())
    assert with_float.words("f0", 1) == [0x08B5_150B]  # packlb.f fa0, a0, a1
    assert with_float.words("f1", 1) == [0x08B5_250B]
    without = compiled(tmp_path, [("float", guard)], HardwareConfig(ext_f=False))
    assert without.words("f0", 1) == [0x0000_0513]


@pytest.mark.parametrize("header", ["VX_types.h", "vx_intrinsics.h"])
def test_c_sources_may_include(tmp_path: Path, header: str) -> None:
    helper = tmp_path / "helper.c"
    helper.write_text(f"#include <{header}>\nint helper(void) {{ return VX_CSR_CTA_ENTRY; }}\n")
    text = 'extern "C" int helper(void);\n__kernel void k(int *p) { *p = helper(); }'
    built = build_image(source(tmp_path, text), helper)
    assert built.module.kernels["k"] == built.symbols["k"]


def test_memory_map_has_the_values_of_the_table(tmp_path: Path) -> None:
    checks = {
        "VX_MEM_IO_BASE_ADDR": 0x40,
        "VX_MEM_IO_COUT_ADDR": 0x40,
        "VX_MEM_IO_COUT_SIZE": 0x8300,
        "VX_MEM_IO_EXIT_CODE": 0x8348,
        "VX_MEM_USER_BASE_ADDR": 0x10000,
        "VX_MEM_STACK_BASE_ADDR": 0xFFFF0000,
        "VX_MEM_LMEM_BASE_ADDR": 0xFFFF0000,
        "VX_MEM_STACK_LOG2_SIZE": 13,
        "VX_DCR_CLUSTER_DIM_Z": 0x23,
        "VX_DCR_STARTUP_ADDR0": 0x10,
        "VX_DCR_GRID_DIM_X": 0x19,
        "VX_DCR_WARP_STEP_X": 0x1E,
    }
    text = "".join(f'static_assert({name} == {value:#x}, "{name}");\n' for name, value in checks.items())
    build_image(source(tmp_path, text + "__kernel void k(int *p) { *p = 1; }"))
