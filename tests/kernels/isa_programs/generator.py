"""Assembly programs that execute every instruction and CSR of the supported set under full and partial masks.

The text is written for the stock assembler with the custom instructions as `.insn`, so that the encodings come from
a tool that knows nothing of the golden model. Each program is one kernel: for every mask it narrows the thread mask,
runs one *body* and restores the mask. Results need no check in the program: lockstep compares every lane of them.

Float instructions are their own program; it sets every rounding mode in frm and reads the flags after each group.

Register use: s0 args block, s1 per-lane scratch (64 bytes of global memory), s2 per-lane LMEM scratch, s3 saved mask,
s4 return address of the kernel, s5 return address of the body, s6 table of operands. t3..t6 and a0..a7 are free.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from tests.kernels.isa_programs.extensions import EXTENSIONS
from tests.kernels.isa_programs.float_body import float_body
from tests.kernels.isa_programs.writer import OPERANDS, Writer

CORNERS = [0, 1, 2, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x55555555, 0xAAAAAAAA, 0x0000FFFF, 0xFFFF0000, 31, 32]

SCRATCH_BYTES = 64  # of one lane, in global memory and in LMEM

ALU_REGISTER = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and"]
ALU_IMMEDIATE = ["addi", "slti", "sltiu", "xori", "ori", "andi"]
SHIFT_IMMEDIATE = ["slli", "srli", "srai"]
MULTIPLY_DIVIDE = ["mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"]
BRANCHES = ["beq", "bne", "blt", "bge", "bltu", "bgeu"]
LOADS = [("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4)]
STORES = [("sb", 1), ("sh", 2), ("sw", 4)]

# CSRs that may be read by device code; counters differ from run to run and are adopted after a check.
READ_ONLY_CSRS = {
    "MISA": 0x301, "MVENDORID": 0xF11, "MARCHID": 0xF12, "MIMPID": 0xF13, "MHARTID": 0xF14,
    "THREAD_ID": 0xCC0, "WARP_ID": 0xCC1, "CORE_ID": 0xCC2, "ACTIVE_WARPS": 0xCC3, "ACTIVE_THREADS": 0xCC4,
    "NUM_THREADS": 0xFC0, "NUM_WARPS": 0xFC1, "NUM_CORES": 0xFC2, "LOCAL_MEM_BASE": 0xFC3, "NUM_BARRIERS": 0xFC4,
    "CTA_ID": 0xCD0, "CTA_RANK": 0xCD1, "CTA_SIZE": 0xCD2, "CTA_THREAD_ID_X": 0xCD3, "CTA_THREAD_ID_Y": 0xCD4,
    "CTA_THREAD_ID_Z": 0xCD5, "CTA_BLOCK_ID_X": 0xCD6, "CTA_BLOCK_ID_Y": 0xCD7, "CTA_BLOCK_ID_Z": 0xCD8,
    "CTA_BLOCK_DIM_X": 0xCD9, "CTA_BLOCK_DIM_Y": 0xCDA, "CTA_BLOCK_DIM_Z": 0xCDB, "CTA_GRID_DIM_X": 0xCDC,
    "CTA_GRID_DIM_Y": 0xCDD, "CTA_GRID_DIM_Z": 0xCDE, "CTA_LMEM_ADDR": 0xCDF, "CTA_CLUSTER_SIZE": 0xCE0,
    "CTA_ENTRY": 0xCE1, "MCYCLE": 0xB00, "MCYCLEH": 0xB80, "MINSTRET": 0xB02, "MINSTRETH": 0xB82,
}  # fmt: skip
WRITABLE_CSRS = {
    "MSTATUS": 0x300, "MTVEC": 0x305, "MEPC": 0x341, "MCAUSE": 0x342, "MTVAL": 0x343,
}  # fmt: skip
# Class-dependent counters, low and high halves: zero for device code.
MPM_CSRS = [base + index for base in (0xB00, 0xB80) for index in (1, *range(3, 32))]
WRITE_IGNORED_CSRS = {
    "SATP": 0x180, "MEDELEG": 0x302, "MIDELEG": 0x303, "MIE": 0x304, "PMPCFG0": 0x3A0, "PMPADDR0": 0x3B0,
    "MNSTATUS": 0x744,
}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """One kernel in assembly; `kernel` is its exported name."""

    name: str
    text: str

    @property
    def kernel(self) -> str:
        return f"{self.name}_k"


def masks(num_threads: int, seed: int) -> list[int]:
    """Every lane, each corner mask and a few random ones; each has at least one lane."""
    full = (1 << num_threads) - 1
    generator = random.Random(seed)
    chosen = [full, 1, 1 << (num_threads - 1), full & 0x55555555, full & 0xAAAAAAAA]
    chosen += [generator.randint(1, full) for _ in range(3)]
    unique = dict.fromkeys(mask for mask in chosen if mask)
    return list(unique)


def _alu(write: Writer) -> None:
    for mnemonic in ALU_REGISTER:
        for _ in range(3):
            write.operand("a1")
            write.operand("a2")
            write(f"{mnemonic} a3, a1, a2")
        write(f"{mnemonic} a3, a1, x0")
        write(f"{mnemonic} x0, a1, a2")
    for mnemonic in ALU_IMMEDIATE:
        for immediate in (0, 1, -1, 2047, -2048, write.random.randint(-2048, 2047)):
            write.operand("a1")
            write(f"{mnemonic} a3, a1, {immediate}")
    for mnemonic in SHIFT_IMMEDIATE:
        for amount in (0, 1, 31, write.random.randrange(32)):
            write.operand("a1")
            write(f"{mnemonic} a3, a1, {amount}")
    for mnemonic in ("lui", "auipc"):
        for immediate in (0, 1, 0xFFFFF, write.random.randrange(1 << 20)):
            write(f"{mnemonic} a3, {immediate}")
    for funct3 in (5, 7):  # czero.eqz, czero.nez
        write.operand("a1")
        write.operand("a2")
        write("andi a2, a2, 1")
        write(f".insn r 0x33, {funct3}, 7, a3, a1, a2")
        write(f".insn r 0x33, {funct3}, 7, a3, a1, x0")


def _multiply_divide(write: Writer) -> None:
    for mnemonic in MULTIPLY_DIVIDE:
        for _ in range(4):
            write.operand("a1")
            write.operand("a2")
            write(f"{mnemonic} a3, a1, a2")
        write(f"{mnemonic} a4, a3, a1")  # depends on the one before
        write(f"{mnemonic} a4, a1, x0")
    write("lui a1, 0x80000")
    write("li a2, -1")
    for mnemonic in MULTIPLY_DIVIDE:
        write(f"{mnemonic} a3, a1, a2")


def _branches(write: Writer) -> None:
    for mnemonic in BRANCHES:
        for left, right in ((0, 0), (1, 2), (2, 1), (-1, 1), (1, -1), (-2, -1)):
            over = write.label()
            write(f"li a1, {left}")
            write(f"li a2, {right}")
            write(f"{mnemonic} a1, a2, {over}")
            write("addi a3, x0, 1")
            write.place(over)
    backward, out, entry = write.label(), write.label(), write.label()
    write(f"jal x0, {entry}")
    write.place(backward)
    write(f"jal a4, {out}")
    write.place(entry)
    write(f"jal a5, {backward}")
    write.place(out)
    for offset in (0, 1, 2, 3):  # low target bits are dropped
        landing = write.label()
        write(f"lla a1, {landing}")
        write(f"jalr a2, {offset}(a1)")
        write("addi a3, x0, 2")
        write.place(landing)
    countdown = write.label()
    write("li a1, 5")
    write.place(countdown)
    write("addi a1, a1, -1")
    write(f"bnez a1, {countdown}")


def _memory(write: Writer) -> None:
    for base in ("s1", "s2"):  # global memory, LMEM
        for word in range(16):
            write.operand("a1")
            write(f"sw a1, {4 * word}({base})")
        for mnemonic, size in STORES:
            for _ in range(3):
                write.operand("a1")
                write(f"{mnemonic} a1, {size * write.random.randrange(64 // size)}({base})")
        for mnemonic, size in LOADS:
            for _ in range(3):
                write(f"{mnemonic} a2, {size * write.random.randrange(64 // size)}({base})")
                write("add a3, a2, a3")
        write("sw a3, 8(s1)")
        write(f"sw a2, 4({base})")
        write(f"lw a4, 4({base})")  # a load sees the store before it
        write("fence iorw, iorw")
        write(f"lhu a4, 6({base})")
        write("fence.i")
    write("li a5, 0x200")  # the I/O window, a word per lane of the console's data area
    write("csrr a6, 0xcc0")
    write("slli a6, a6, 2")
    write("add a5, a5, a6")
    write("sw a6, 0x100(a5)")
    write("lw a7, 0x100(a5)")
    write(".insn r 0x0B, 7, 0, x0, x0, x0")  # wsync


def _csrs(write: Writer) -> None:
    for number in READ_ONLY_CSRS.values():
        write(f"csrrs a1, {number:#x}, x0")
        write(f"csrrc a2, {number:#x}, x0")
        write("add a3, a1, a2" if number not in {0xB00, 0xB80, 0xB02, 0xB82, 0xCC3} else "nop")
    for number in MPM_CSRS:
        write(f"csrrs a1, {number:#x}, x0")
    for number in (*WRITABLE_CSRS.values(), *WRITE_IGNORED_CSRS.values()):
        write(f"li a1, {write.random.randrange(1 << 31)}")
        write(f"csrrw a2, {number:#x}, a1")
        write(f"csrrs a3, {number:#x}, a1")
        write(f"csrrc a4, {number:#x}, a2")
        write(f"csrrwi a5, {number:#x}, {write.random.randrange(32)}")
        write(f"csrrsi a6, {number:#x}, {write.random.randrange(32)}")
        write(f"csrrci a7, {number:#x}, {write.random.randrange(32)}")
        write(f"csrrs a1, {number:#x}, x0")
    write("csrrw a1, 0x340, a1")  # MSCRATCH: swapped away and back
    write("csrrw a1, 0x340, a1")


def _divergence(write: Writer) -> None:
    def split(depth: int) -> None:
        otherwise, join = write.label(), write.label()
        save, predicate = f"s{7 + depth}", f"t{3 + depth}"
        negate = write.random.choice(("x0", "x1"))
        write.operand(predicate)
        write(f"andi {predicate}, {predicate}, 1")
        write(f".insn r 0x0B, 2, 0, {save}, {predicate}, {negate}")
        if negate == "x1":
            write(f"xori {predicate}, {predicate}, 1")
        write(f"beqz {predicate}, {otherwise}")
        if depth < 1:
            split(depth + 1)
        write(f"addi a{depth + 1}, a{depth + 1}, 3")
        write(f"j {join}")
        write.place(otherwise)
        write(f"addi a{depth + 1}, a{depth + 1}, 5")
        write.place(join)
        write(f".insn r 0x0B, 3, 0, x0, {save}, x0")

    write("li a1, 0")
    write("li a2, 0")
    for _ in range(6):
        split(0)
    write("li t3, 1")  # a predicate that all lanes share pushes nothing
    write(".insn r 0x0B, 2, 0, s7, t3, x0")
    write(".insn r 0x0B, 3, 0, x0, s7, x0")
    for negate in ("x0", "x1"):  # a loop that lanes leave one after the other
        loop = write.label()
        write("csrr a1, 0xcc4")
        write("csrr a2, 0xcc0")
        write("addi a2, a2, 1")
        write.place(loop)
        write("addi a2, a2, -1")
        write("snez a3, a2")
        if negate == "x1":
            write("xori a3, a3, 1")
        write(f".insn r 0x0B, 5, 0, {negate}, a3, a1")
        write(f"bnez a2, {loop}" if negate == "x0" else f"beqz a3, {loop}")


def _barrier(write: Writer) -> None:
    write("csrr a1, 0xcd0")
    write("csrr a2, 0xcd2")
    for number in (0, 1, 7, 0):
        write(f"li a3, {number << 8}")
        write("add a3, a3, a1")
        write(".insn r 0x0B, 4, 0, x0, a3, a2")
        write(".insn r 0x0B, 7, 0, x0, x0, x0")


class Geometry(Enum):
    """How a program is launched."""

    BLOCKS = "more blocks than fit, with a partial last warp"
    ALONE = "one block of one warp"
    CORES = "one full block on every core"


GEOMETRIES = {"wspawn": Geometry.ALONE, "global_barrier": Geometry.CORES}  # of the others BLOCKS

BODIES: dict[str, Callable[[Writer], None]] = {
    "alu": _alu,
    "muldiv": _multiply_divide,
    "branch": _branches,
    "memory": _memory,
    "csr": _csrs,
    "divergence": _divergence,
    "barrier": _barrier,
    **EXTENSIONS,
    "float": float_body,
}


def programs(num_threads: int, seed: int) -> Iterator[Program]:
    """One program for each part of the instruction set; the same seed gives the same text."""
    for name, body in BODIES.items():
        yield Program(name, _kernel(name, body, num_threads, seed))


def _kernel(name: str, body: Callable[[Writer], None], num_threads: int, seed: int) -> str:
    write = Writer(seed)
    write("mv s4, ra")
    write("mv s0, a0")
    write("csrr s3, 0xcc4")
    write("csrr a1, 0xf14")  # hart: each lane has its own operands and scratch
    write("lw s6, 0(s0)")
    write(f"li a2, {4 * OPERANDS}")
    write("mul a3, a1, a2")
    write("add s6, s6, a3")
    write("lw s1, 8(s0)")
    write("slli a3, a1, 6")
    write("add s1, s1, a3")
    write("csrr s2, 0xcdf")
    write("csrr a1, 0xcd1")
    write("csrr a2, 0xfc0")
    write("mul a1, a1, a2")
    write("csrr a2, 0xcc0")
    write("add a1, a1, a2")
    write("slli a1, a1, 6")
    write("add s2, s2, a1")
    for register in ("a1", "a2", "a3", "a4", "a5", "a6", "a7", "t3", "t4", "t5", "t6", "s7", "s8", "s9"):
        write(f"li {register}, 0")
    for mask in masks(num_threads, seed):
        write(f"li t0, {mask:#x}")
        write("and t0, t0, s3")
        narrowed = write.label()
        write(f"bnez t0, {narrowed}")
        write("mv t0, s3")  # a partial warp without any of these lanes runs with those it has
        write.place(narrowed)
        write(".insn r 0x0B, 0, 0, x0, t0, x0")  # tmc
        write(f"jal s5, {name}_body")
        write(".insn r 0x0B, 0, 0, x0, s3, x0")
    write("mv ra, s4")
    write("ret")
    write.lines.append(f"{name}_body:")
    body(write)
    write("jr s5")
    head = [
        f"// Generated with seed {seed} for {num_threads} lanes.",
        '    .section .text.vx_kernel, "ax", @progbits',
        "    .option norvc",
        f"    .globl {name}_k",
        f"    .type {name}_k, @function",
        "    .p2align 2",
        f"{name}_k:",
    ]
    return "\n".join([*head, *write.lines, f"    .size {name}_k, . - {name}_k"]) + "\n"
