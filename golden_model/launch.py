"""From a launch as the host states it to the DCR writes that program it (docs/reference/vortex.md §4.7, §8.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from config import EntryGeneration, HardwareConfig
from golden_model import kmu
from golden_model.code import Image
from golden_model.cta import Dim3
from golden_model.errors import LaunchError


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch. Addresses in bytes, dims in CTAs (grid, cluster) and threads (block)."""

    kernel_pc: int  # becomes CTA_ENTRY
    startup_pc: int  # image entry; the stub's address in the s11 generation
    args_addr: int = 0  # becomes MSCRATCH, then a0
    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)
    lmem: int = 0  # bytes of local memory per CTA
    cluster: Dim3 = (1, 1, 1)


def entry_points(image: Image, kernel: str, entry: EntryGeneration) -> tuple[int, int]:
    """(STARTUP_ADDR, KERNEL_ENTRY) of a named kernel. Raises LaunchError if the image has no such kernel.

    The image begins with its entry code; only an s11 image with stubs is entered at the kernel's stub.
    """
    if kernel not in image.kernels:
        raise LaunchError(f"the image has no kernel {kernel!r}; it has: {', '.join(image.kernels) or 'none'}")
    pc = image.kernels[kernel]
    return (pc, pc) if entry is EntryGeneration.S11 else (image.min_vma, pc)


def legacy_launch(image: Image, args_addr: int, config: HardwareConfig) -> Launch:
    """An image of the legacy library, which starts its warps with WSPAWN: one block on each core, entered at its
    beginning (docs/reference/vortex.md §12.3). Raises LaunchError if the processor has no WSPAWN.
    """
    if not config.ext_simt_full:
        raise LaunchError(
            "the image starts its warps with WSPAWN (legacy library), which this processor does not have: "
            "ext_simt_full in the library, --full on the command line"
        )
    start, cores = image.min_vma, config.total_cores
    return Launch(start, start, args_addr, grid=(cores, 1, 1), block=(config.num_threads, 1, 1))


def check(launch: Launch, config: HardwareConfig) -> None:
    """Refuse what the hardware cannot run. Raises LaunchError with one sentence."""
    for name, dims in (("grid", launch.grid), ("block", launch.block), ("cluster", launch.cluster)):
        for axis, value in zip("xyz", dims, strict=True):
            if not 1 <= value < 1 << 32:
                raise LaunchError(f"{name} {axis}={value}: every dimension must be between 1 and 2**32 - 1")
    threads = math.prod(launch.block)
    if threads > config.core_threads:
        raise LaunchError(
            f"block {_dims(launch.block)} has {threads} threads, but a core has only {config.core_threads} "
            f"({config.num_warps} warps of {config.num_threads} lanes)"
        )
    for axis, blocks, step in zip("xyz", launch.grid, launch.cluster, strict=True):
        if blocks % step:
            raise LaunchError(f"grid {axis}={blocks} is not a multiple of cluster {axis}={step}")
    if not 0 <= launch.lmem <= config.lmem_size:
        raise LaunchError(f"a block wants {launch.lmem} bytes of local memory, but a core has {config.lmem_size}")
    members, usable = math.prod(launch.cluster), usable_slots(launch.lmem, config)
    if members > usable:
        raise LaunchError(
            f"cluster {_dims(launch.cluster)} has {members} blocks that must run on one core at a time, but a core "
            f"has room for {usable} of them"
        )


def usable_slots(lmem: int, config: HardwareConfig) -> int:
    """CTAs that one core holds at a time, as far as slots and local memory decide."""
    stride = (lmem + 63) & ~63
    return config.num_warps if stride == 0 else max(1, min(config.num_warps, config.lmem_size // stride))


def warp_step(block: Dim3, lanes: int) -> Dim3:
    """Increment of the thread index from one warp to the next."""
    x, y, z = block
    return lanes % x, lanes // x % y, lanes // (x * y) % z


def dcr_writes(launch: Launch, config: HardwareConfig, entry: EntryGeneration) -> list[tuple[int, int]]:
    """(address, value) of every DCR write of a launch, in the host's order; `start` follows."""
    check(launch, config)

    def halves(base: int, address: int) -> list[tuple[int, int]]:
        return [(base, address & 0xFFFF_FFFF), (base + 1, address >> 32)]

    def dims(base: int, values: Dim3) -> list[tuple[int, int]]:
        return [(base + axis, value) for axis, value in enumerate(values)]

    return [
        (kmu.REWIND, entry.rewind),
        *halves(kmu.STARTUP_ADDR, launch.startup_pc),
        *halves(kmu.KERNEL_ENTRY, launch.kernel_pc),
        *halves(kmu.STARTUP_ARG, launch.args_addr),
        *dims(kmu.BLOCK_DIM, launch.block),
        *dims(kmu.GRID_DIM, launch.grid),
        (kmu.LMEM_SIZE, launch.lmem),
        (kmu.BLOCK_SIZE, math.prod(launch.block)),
        *dims(kmu.WARP_STEP, warp_step(launch.block, config.num_threads)),
        *dims(kmu.CLUSTER_DIM, launch.cluster),
    ]


def _dims(dims: Dim3) -> str:
    return "x".join(str(value) for value in dims)
