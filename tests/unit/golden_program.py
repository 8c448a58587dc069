"""Small programs for the golden model: an image around a kernel, and machines that have it loaded."""

from __future__ import annotations

from dataclasses import dataclass

from config import EntryGeneration, HardwareConfig
from golden_model import Launch, Machine
from golden_model.isa.asm import assemble_with_labels
from golden_model.machine import Tier
from golden_model.warp import Warp

BASE = 0x8000_0000
ARGS = 0x1_0000
OUT = 0x2_0000

# Entry code of the newest generation: all lanes get a stack pointer, then the 20-byte window.
PROLOGUE = """
_start:
    csrr t0, active_threads
    csrw mtval, t0
    li t0, -1
    tmc t0
    csrr t1, mhartid
    li sp, 0xffff0000
    slli t1, t1, 13
    sub sp, sp, t1
    csrr t0, mtval
    tmc t0
"""
WINDOWS = {
    EntryGeneration.CTA_ENTRY: "window: csrr s11, cta_entry\n csrr a0, mscratch\n jalr ra, 0(s11)\n wsync\n tmc zero\n",
    EntryGeneration.S11: "window: csrr a0, mscratch\n jalr ra, 0(s11)\n wsync\n tmc zero\n",
    EntryGeneration.DIRECT: "window: csrr a0, mscratch\n jal ra, kernel\n tmc zero\n",
}


@dataclass(frozen=True)
class Program:
    """An assembled image, in the shape that `Machine.load_image` wants."""

    image: bytes
    labels: dict[str, int]
    kernels: dict[str, int]
    min_vma: int = BASE

    @property
    def max_vma(self) -> int:
        return self.min_vma + len(self.image) + 64  # a little .bss


def program(
    kernel: str,
    entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
    prologue: str = PROLOGUE,
    xlen: int = 32,
) -> Program:
    """Image with entry code and one kernel `k`, whose body ends with its own `ret`.

    In generation s11 a stub selects it. More kernels can be labels `kernel_<name>` in the body.
    """
    source = prologue + WINDOWS[entry] + "kernel:\n" + kernel
    if entry is EntryGeneration.S11:
        source += "\nstub_k: lla s11, kernel\n j _start\n"
        source = source.replace("t0", "t2").replace("tmc t2", "tmc t2")
    code, labels = assemble_with_labels(source, BASE, xlen)
    kernels = {"k": labels["stub_k" if entry is EntryGeneration.S11 else "kernel"]}
    kernels |= {name.removeprefix("kernel_"): pc for name, pc in labels.items() if name.startswith("kernel_")}
    return Program(code, labels, kernels)


def machine_with(
    image: Program,
    config: HardwareConfig | None = None,
    entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
    tier: Tier = "readable",
) -> Machine:
    """A machine with the image loaded and a zeroed output buffer of the host at OUT."""
    machine = Machine(config or HardwareConfig(), entry, tier=tier)
    machine.load_image(image)
    machine.write(OUT, bytes(0x1000))
    machine.host_buffers.add(OUT, 0x1000)
    return machine


def launch_of(
    image: Program,
    kernel: str = "k",
    entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (4, 1, 1),
    lmem: int = 0,
    cluster: tuple[int, int, int] = (1, 1, 1),
) -> Launch:
    """A launch of one kernel with the output buffer's address in MSCRATCH."""
    pc = image.kernels[kernel]
    startup = pc if entry is EntryGeneration.S11 else image.min_vma
    return Launch(pc, startup, OUT, grid, block, lmem, cluster)


def run_kernel(
    kernel: str,
    config: HardwareConfig | None = None,
    grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (4, 1, 1),
    lmem: int = 0,
    tier: Tier = "readable",
) -> Machine:
    """Run one launch of a kernel to its end; a0 holds OUT."""
    image = program(kernel)
    machine = machine_with(image, config, tier=tier)
    machine.launch(launch_of(image, grid=grid, block=block, lmem=lmem))
    machine.run(100_000)
    return machine


def words(machine: Machine, count: int, addr: int = OUT) -> list[int]:
    """Unsigned 32-bit words of memory."""
    data = machine.read(addr, 4 * count)
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def bare_warp(source: str, mask: int = 0xF, config: HardwareConfig | None = None) -> tuple[Machine, Warp]:
    """Warp 0 about to execute `source`, with the given thread mask and every register defined as 0."""
    hardware = config or HardwareConfig()
    code, labels = assemble_with_labels(source, BASE, hardware.xlen)
    image = Program(code, labels, {"k": BASE})
    machine = machine_with(image, hardware)
    machine.launch(launch_of(image, block=(hardware.num_threads, 1, 1)))
    machine.accept_cta(0)
    machine.cores[0].start_warp(0)
    warp = machine.cores[0].warps[0]
    warp.undef = [0] * 32
    warp.set_mask(mask)
    return machine, warp
