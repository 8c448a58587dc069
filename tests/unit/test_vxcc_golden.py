"""Compiled kernels on the golden model: start-up code, exports and headers do what they must when they run."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from config import EntryGeneration, HardwareConfig
from golden_model.findings import FindingKind
from golden_model.launch import Launch, entry_points
from golden_model.machine import Machine
from tests.unit.vxcc_image import KERNELS, MULTIKERNEL, Built, build_image, source

Words = npt.NDArray[np.int32]
ARGS, SRC, OTHER, DST = 0x1_0000, 0x2_0000, 0x3_0000, 0x4_0000
SMALL = HardwareConfig()
WIDE = HardwareConfig(num_cores=2, num_warps=8, num_threads=8)
TINY = HardwareConfig(num_warps=2, num_threads=2)
CUBES = (np.arange(16, dtype=np.int64) + 1) ** 3


@dataclass
class Run:
    """A machine with one module, launched any number of times."""

    machine: Machine
    built: Built
    entry: EntryGeneration

    @classmethod
    def of(
        cls,
        path: Path,
        entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
        hardware: HardwareConfig = SMALL,
        kernel: str | None = None,
        opt: str = "3",
    ) -> Run:
        chosen = kernel if entry is EntryGeneration.DIRECT else None
        built = build_image(path, entry=entry, hardware=hardware, kernel=chosen, opt=opt)
        machine = Machine(hardware, entry)
        machine.load_image(built.module)
        return cls(machine, built, entry)

    def launch(self, kernel: str, args: bytes, grid: int, block: int | tuple[int, int], lmem: int = 0) -> None:
        name = "main" if self.entry is EntryGeneration.DIRECT else kernel
        startup, pc = entry_points(self.built.module, name, self.entry)
        self.machine.write(ARGS, args)
        x, y = (block, 1) if isinstance(block, int) else block
        blocks = (grid, grid if y > 1 else 1, 1)
        self.machine.launch(Launch(pc, startup, ARGS, blocks, (x, y, 1), lmem))
        self.machine.run(2_000_000, seed=1)

    def put(self, address: int, values: Words) -> None:
        self.machine.write(address, values.tobytes())

    def get(self, address: int, count: int) -> Words:
        return np.frombuffer(self.machine.read(address, 4 * count), dtype=np.int32)

    def kinds(self) -> set[FindingKind]:
        return set(self.machine.findings.kinds())


def expected(kernel: str, count: int) -> Words:
    index = np.arange(count)
    total = sum(CUBES[(index + step) & 15] for step in range(8))
    values = {"add_k": index + CUBES[index & 15], "mul_k": index * CUBES[index & 15], "acc_k": index + total + 0x5A5A}
    return np.asarray(values[kernel], dtype=np.int32)


def multikernel(run: Run, kernel: str, grid: int, block: int, count: int | None = None) -> Words:
    threads = grid * block
    run.put(SRC, np.arange(threads, dtype=np.int32))
    run.put(DST, np.full(threads, -1, dtype=np.int32))
    run.launch(kernel, struct.pack("<I4xQQ", threads if count is None else count, SRC, DST), grid, block)
    return run.get(DST, threads)


@pytest.mark.parametrize("entry", list(EntryGeneration))
@pytest.mark.parametrize("kernel", ["add_k", "mul_k", "acc_k"])
@pytest.mark.parametrize("hardware", [SMALL, WIDE, TINY], ids=HardwareConfig.label)
def test_multikernel(entry: EntryGeneration, kernel: str, hardware: HardwareConfig) -> None:
    run = Run.of(MULTIKERNEL, entry, hardware, kernel)
    grid = 128 // hardware.core_threads * 2
    assert (
        multikernel(run, kernel, grid, hardware.core_threads) == expected(kernel, grid * hardware.core_threads)
    ).all()
    assert run.kinds() == set()


@pytest.mark.parametrize("opt", ["0", "1", "2", "s"])
def test_multikernel_at_other_optimisation_levels(opt: str) -> None:
    run = Run.of(MULTIKERNEL, opt=opt)
    assert (multikernel(run, "acc_k", 8, 16) == expected("acc_k", 128)).all()
    assert run.kinds() == set()


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_lanes_idle_in_the_first_cta_are_ready_for_the_next(entry: EntryGeneration) -> None:
    """Blocks of 6 or 9 threads leave lanes idle, and which warp is the partial one changes from block to block.

    Without the prologue's full mask those lanes would have no sp, no tp and, in generation s11, no kernel address.
    """
    for block in (6, 9):
        run = Run.of(MULTIKERNEL, entry, kernel="acc_k")
        assert (multikernel(run, "acc_k", 20, block) == expected("acc_k", 20 * block)).all()
        assert run.kinds() == set()


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_the_mask_is_that_of_the_block_again_after_the_prologue(entry: EntryGeneration, tmp_path: Path) -> None:
    """A block of three threads on four lanes: the fourth lane ran the prologue and must not run the kernel."""
    text = """
__kernel void k(const uint64_t *args) {
  ((int32_t *)(uintptr_t)*args)[vx_thread_id()] = (int32_t)vx_active_threads();
}"""
    run = Run.of(source(tmp_path, text), entry)
    run.put(DST, np.full(4, -1, dtype=np.int32))
    run.launch("k", struct.pack("<Q", DST), 1, 3)
    assert list(run.get(DST, 4)) == [0b111, 0b111, 0b111, -1]


def test_blocks_beyond_the_count_do_nothing() -> None:
    run = Run.of(MULTIKERNEL)
    result = multikernel(run, "add_k", 4, 16, count=32)
    assert (result[:32] == expected("add_k", 32)).all()
    assert (result[32:] == -1).all()
    assert run.kinds() == set()


def test_kernels_after_each_other_on_one_machine() -> None:
    run = Run.of(MULTIKERNEL)
    for kernel in ("mul_k", "acc_k", "add_k", "acc_k"):
        assert (multikernel(run, kernel, 8, 16) == expected(kernel, 128)).all()
    assert run.kinds() == set()


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_without_the_m_extension(entry: EntryGeneration, tmp_path: Path) -> None:
    """The prologue then multiplies by additions; every hart must still have a block of its own."""
    text = """
thread_local int32_t mine = 40;
thread_local int32_t more[4];
__kernel void k(const uint64_t *args) {
  uint32_t i = threadIdx.x + (blockIdx.x << 4);
  volatile int32_t *own = &mine;
  volatile int32_t *rest = more;
  *own = (int32_t)i; rest[3] = (int32_t)(i + i);
  __syncthreads();
  ((int32_t *)(uintptr_t)*args)[i] = *own + rest[3] + rest[0];
}"""
    run = Run.of(source(tmp_path, text), entry, HardwareConfig(ext_m=False))
    run.launch("k", struct.pack("<Q", DST), 2, 16)
    assert (run.get(DST, 32) == 3 * np.arange(32)).all()
    assert run.kinds() == set()


def test_thread_local_data_starts_from_its_template(tmp_path: Path) -> None:
    text = """
thread_local char letter = 'x';
thread_local int16_t half = -7;
thread_local int32_t word = 1000;
thread_local int64_t wide;
__kernel void k(const uint64_t *args) {
  uint32_t i = threadIdx.x + blockIdx.x * blockDim.x;
  auto dst = (int32_t *)(uintptr_t)*args;
  volatile char *a = &letter; volatile int16_t *b = &half; volatile int64_t *c = &wide;
  volatile int32_t *d = &word;
  dst[i] = *a + *b + (int32_t)*c + *d;
}"""
    run = Run.of(source(tmp_path, text))
    run.machine.write(run.built.module.max_vma, b"\xff" * 1024)  # memory after the image is not zero by itself
    run.launch("k", struct.pack("<Q", DST), 1, 16)
    assert (run.get(DST, 16) == ord("x") - 7 + 1000).all()


def test_local_statics_are_initialised_at_their_first_use(tmp_path: Path) -> None:
    text = """
__attribute__((noinline)) int32_t next(int32_t start) { static int32_t first = start * 3; return first; }
__kernel void k(const uint64_t *args) {
  ((int32_t *)(uintptr_t)*args)[threadIdx.x] = next(7) + next(900);
}"""
    run = Run.of(source(tmp_path, text))
    run.launch("k", struct.pack("<Q", DST), 1, 4)
    assert (run.get(DST, 4) == 42).all()


def test_vector_addition() -> None:
    run = Run.of(KERNELS / "vecadd_i" / "kernel.cpp")
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-(2**31), 2**31, 128, dtype=np.int32) for _ in range(2))
    run.put(SRC, a)
    run.put(OTHER, b)
    run.launch("vecadd_i", struct.pack("<I4xQQQ", 128, SRC, OTHER, DST), 8, 16)
    assert (run.get(DST, 128) == a + b).all()
    assert run.kinds() == set()


def test_matrix_product() -> None:
    run = Run.of(KERNELS / "sgemm_i" / "kernel.cpp")
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-(2**31), 2**31, (8, 8), dtype=np.int32) for _ in range(2))
    run.put(SRC, a)
    run.put(OTHER, b)
    run.launch("sgemm_i", struct.pack("<I4xQQQ", 8, SRC, OTHER, DST), 2, (4, 4))
    assert (run.get(DST, 64).reshape(8, 8) == a @ b).all()
    assert run.kinds() == set()


@pytest.mark.parametrize("block", [1, 2, 4, 8, 16])
def test_sum_through_local_memory(block: int) -> None:
    run = Run.of(KERNELS / "lmem_reduce" / "kernel.cpp")
    values = np.random.default_rng(9).integers(-(2**31), 2**31, (6, block), dtype=np.int32)
    run.put(SRC, values)
    run.launch("lmem_reduce", struct.pack("<QQ", SRC, DST), 6, block, lmem=4 * block)
    sums = values.sum(axis=1, dtype=np.int32)
    assert (run.get(DST, 6 * block).reshape(6, block) == sums[:, None]).all()
    assert run.kinds() == set()


def test_divergent_branch_is_found() -> None:
    run = Run.of(KERNELS / "divergent_bad" / "kernel.cpp")
    run.put(SRC, np.arange(32, dtype=np.int32))
    run.launch("divergent_bad", struct.pack("<QQ", SRC, DST), 2, 16)
    assert FindingKind.DIVERGENT_BRANCH in run.kinds()


def clobber(entry: EntryGeneration, grid: int) -> tuple[Run, Words]:
    run = Run.of(KERNELS / "clobber_s11" / "kernel.cpp", entry, kernel="clobber_s11")
    run.put(SRC, np.arange(16 * grid, dtype=np.int32))
    run.launch("clobber_s11", struct.pack("<QQ", SRC, DST), grid, 16)
    return run, run.get(DST, 16 * grid)


def test_clobbered_s11_is_harmless_where_the_window_reloads_it() -> None:
    for entry in (EntryGeneration.CTA_ENTRY, EntryGeneration.DIRECT):
        run, result = clobber(entry, 3)
        assert (result == np.arange(48) + 1).all()
        assert run.kinds() == set()


def test_clobbered_s11_is_found_when_a_warp_is_reused() -> None:
    run, result = clobber(EntryGeneration.S11, 1)
    assert (result == np.arange(16) + 1).all()
    assert run.kinds() == set(), "the first CTA of each warp is right"
    run, _ = clobber(EntryGeneration.S11, 2)
    assert run.kinds() & {FindingKind.WRONG_DISPATCH_CALL, FindingKind.FETCH_OUTSIDE_IMAGE}


def test_absent_kernel_main_of_s11_is_a_fetch_at_zero() -> None:
    """Launching the image at its start instead of at a stub takes the weak symbol, which is 0."""
    run = Run.of(MULTIKERNEL, EntryGeneration.S11)
    base = run.built.module.min_vma
    run.machine.launch(Launch(base, base, ARGS, (1, 1, 1), (4, 1, 1)))
    run.machine.run(10_000, seed=1)
    assert FindingKind.FETCH_FAULT in run.kinds()


def test_memory_functions(tmp_path: Path) -> None:
    text = """
extern "C" { void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
             void *memmove(void *, const void *, size_t); int memcmp(const void *, const void *, size_t); }
__kernel void k(const uint64_t *args) {
  auto p = (unsigned char *)(uintptr_t)args[0];
  volatile size_t n = 9;
  for (int i = 0; i < 40; ++i) p[i] = (unsigned char)i;
  memcpy(p + 100, p + 1, n);
  memset(p + 120, 0xAB, n);
  memmove(p + 3, p, n);       // overlapping, upwards
  memmove(p + 20, p + 22, n); // overlapping, downwards
  auto out = (int32_t *)(p + 200);
  // In memory, because the compiler itself compares constant strings.
  auto low = p + 300, equal = p + 310, high = p + 320;
  for (size_t i = 0; i < n; ++i) low[i] = equal[i] = high[i] = p[i];
  equal[8] += 1; high[0] += 1; high[8] -= 1;
  out[0] = memcmp(low, equal, n);
  out[1] = memcmp(low, equal, n - 1);
  out[2] = memcmp(high, equal, n);
}"""
    run = Run.of(source(tmp_path, text))
    run.launch("k", struct.pack("<Q", DST), 1, 1)
    memory = run.machine.read(DST, 212)
    model = bytearray(range(40))
    model[3:12] = bytes(range(9))
    model[20:29] = model[22:31]
    assert memory[:40] == model
    assert memory[100:109] == bytes(range(1, 10))
    assert memory[120:129] == b"\xab" * 9
    assert [np.sign(value) for value in struct.unpack("<3i", memory[200:212])] == [-1, 0, 1]
