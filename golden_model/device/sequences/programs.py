"""Small position-independent kernels for command sequences: each has one outcome, whatever the timing of the cores.

Every thread of a launch stores the same values, and no register is used that was not written, so that any hardware must
agree with the model bit by bit without a probe.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from golden_model.isa.asm import assemble

PRIVATE_ADDR = 0xD000_0000  # no sequence maps it: private memory


class Program(Enum):
    """What a kernel does; the value is its number and thus its place."""

    STORE = 0  # stores KERNEL_ADDR 4 bytes above its argument address
    KEEP = 1  # stores its argument address to private memory
    RECALL = 2  # copies that word of private memory 8 bytes above its argument address
    LOOP = 3  # never ends
    ILLEGAL = 4
    MISALIGNED = 5
    JUMP_TO_ZERO = 6
    ECHO = 7  # copies the word 12 bytes above its argument address 4 bytes up: the host may change it between launches


# Five instructions each: a warp that is reused starts over 20 bytes before the end (docs/reference/vortex.md §5.7).
_BODIES = {
    Program.STORE: "csrr t1, cta_entry; csrr a0, mscratch; sw t1, 4(a0); nop; tmc zero",
    Program.KEEP: f"csrr a0, mscratch; lui t0, {PRIVATE_ADDR >> 12:#x}; sw a0, 0(t0); nop; tmc zero",
    Program.RECALL: f"csrr a0, mscratch; lui t0, {PRIVATE_ADDR >> 12:#x}; lw t1, 0(t0); sw t1, 8(a0); tmc zero",
    Program.LOOP: "loop: j loop; nop; nop; nop; tmc zero",
    Program.ILLEGAL: ".word 0; nop; nop; nop; tmc zero",
    Program.MISALIGNED: "csrr a0, mscratch; lw t0, 1(a0); nop; nop; tmc zero",
    Program.JUMP_TO_ZERO: "jr zero; nop; nop; nop; tmc zero",
    Program.ECHO: "csrr a0, mscratch; lw t1, 12(a0); sw t1, 16(a0); nop; tmc zero",
}

PROGRAM_SIZE = 64
KERNEL_OFFSET = 32  # a second copy: KERNEL_ADDR differs from STARTUP_ADDR, and warps may start at either


@cache
def code() -> bytes:
    """All programs, each twice in `PROGRAM_SIZE` bytes."""
    image = b""
    for program in Program:
        words = assemble(_BODIES[program].replace(";", "\n"))
        image += (words + bytes(KERNEL_OFFSET - len(words))) * 2
    return image


def place(program: Program, base: int) -> tuple[int, int]:
    """(STARTUP_ADDR, KERNEL_ADDR) of a program when `code` is at `base`."""
    startup = base + PROGRAM_SIZE * program.value
    return startup, startup + KERNEL_OFFSET
