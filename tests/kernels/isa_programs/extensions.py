"""Bodies for atomics, lane exchange, packed loads, traps, WSPAWN and the barriers beyond BAR; see generator.py.

Memory that several lanes share is touched by atomics only: plain accesses to it would be races.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.kernels.isa_programs.writer import Writer

SHARED_BYTES = 64  # behind the scratch of all lanes, one line

AMOS = ("amoadd", "amoswap", "amoxor", "amoor", "amoand", "amomin", "amomax", "amominu", "amomaxu")
CAUSES = {"ecall": 11, "ebreak": 3}
RETURNS = {"mret": 0x30200073, "sret": 0x10200073, "uret": 0x00200073}


def _shared(write: Writer, register: str) -> None:
    """Address of the shared line: behind the scratch of every hart."""
    write(f"csrr {register}, 0xfc0")
    for number in (0xFC1, 0xFC2):
        write(f"csrr t6, {number:#x}")
        write(f"mul {register}, {register}, t6")
    write(f"slli {register}, {register}, 6")
    write("lw t6, 8(s0)")
    write(f"add {register}, {register}, t6")


def _atomic(write: Writer) -> None:
    _shared(write, "a5")
    write("csrr a6, 0xcc0")  # a word of the shared line for each lane, some lanes meet
    write("andi a6, a6, 3")
    write("slli a6, a6, 2")
    write("add a6, a5, a6")
    for word in range(4):
        write.operand("a1")
        write(f"sw a1, {4 * word}(s1)")
    for mnemonic in AMOS:
        write.operand("a1")
        write(f"{mnemonic}.w{write.random.choice(('.aq', '.rl', '.aqrl'))} a3, a1, (a6)")  # lanes meet in words
        write(f"{mnemonic}.w x0, a1, (a5)")  # all lanes in one word
        write(f"{mnemonic}.w a3, x0, (a5)")
        write("addi a4, s1, 12")
        write(f"{mnemonic}.w a4, a4, (a4)")
        write("lw a4, 12(s1)")  # a load sees the atomic before it
        write("sw a1, 8(s1)")
    write("lr.w.aq a2, (s1)")
    write("addi a2, a2, 1")
    write("sc.w.rl a3, a2, (s1)")  # alone on its line
    write("sc.w a3, a2, (s1)")  # the reservation is used up
    write("lr.w.aqrl a2, (s1)")
    write("addi a4, s1, 4")
    write("sc.w a3, a2, (a4)")  # another word of the line will do
    write("lr.w a2, (s1)")
    write("sw a2, 8(s1)")
    write("sc.w a3, a2, (s1)")  # whether an own store breaks it is the hardware's choice
    write("lr.w a2, (a6)")
    write("addi a2, a2, 1")
    write("sc.w a3, a2, (a6)")  # of several lanes on the line one stores
    write("lw a4, 0(s1)")
    retry = write.label()  # an atomic increment of every lane, one lane after the other
    done = write.label()
    write("csrr t3, 0xcc4")
    write("csrr a7, 0xcc4")
    write.place(retry)
    write("lr.w a2, (a5)")
    write("addi a2, a2, 1")
    write("sc.w a3, a2, (a5)")
    write("snez a3, a3")
    write(".insn r 0x0B, 5, 0, x0, a3, a7")  # pred: lanes that failed try again
    write(f"beqz a3, {done}")
    write(f"j {retry}")
    write.place(done)


def _lanes(write: Writer) -> None:
    for funct3 in range(4):  # vote.all, any, uni, ballot
        for _ in range(3):
            write.operand("a1")
            write(f".insn r 0x0B, {funct3}, 1, a2, a1, x0")
        write(f".insn r 0x0B, {funct3}, 1, a2, x0, x0")
        write("li a1, 1")
        write(f".insn r 0x0B, {funct3}, 1, a1, a1, x0")
    for funct3 in range(4, 8):  # shfl.up, down, bfly, idx
        for _ in range(6):
            write.operand("a1")
            write.operand("a2")
            write(f".insn r 0x0B, {funct3}, 1, a3, a1, a2")
        for bits, clamp, segment in ((1, 31, 0), (1, 1, 0x3E), (2, 3, 0x3C), (0, 0, 0x3F)):
            write(f"li a2, {bits | clamp << 6 | segment << 12:#x}")
            write(f".insn r 0x0B, {funct3}, 1, a1, a1, a2")
    for source in range(4):
        for _ in range(2):
            write.operand("a1")
            write.operand("a2")
            write.operand("a3")
            write(f".insn r4 0x2B, 0, {source}, a4, a1, a2, a3")
            write(f".insn r4 0x2B, 0, {source}, a1, a1, a4, a1")
            write("add a5, a4, a1")


def _packed(write: Writer) -> None:
    """Packed loads within the scratch in global memory and in LMEM, with strides of both signs, and none."""
    for word in range(16):
        write.operand("a1")
        write(f"sw a1, {4 * word}(s1)")
        write(f"sw a1, {60 - 4 * word}(s2)")
    for scratch, other in (("s1", "s2"), ("s2", "s1")):
        for funct3, size in ((1, 1), (2, 2)):
            for _ in range(4):
                write(f"addi a2, {scratch}, {write.random.randrange(24, 40, size)}")
                for stride in (size, 0, -size, write.random.randrange(-8, 9, size), 4):
                    write(f"li a3, {stride}")
                    write(f".insn r 0x0B, {funct3}, 4, fa0, a2, a3")
                    write("fmv.x.w a4, fa0")  # waits for all pieces
            # Every lane has its own stride, and lane 0 its base in the other scratch.
            write(f"addi a2, {scratch}, 32")
            write("csrr a3, 0xcc0")
            write(f"sub a6, {other}, {scratch}")
            for line in ("seqz a5, a3", "neg a5, a5", "and a5, a5, a6", "add a2, a2, a5"):
                write(line)
            for line in ("andi a3, a3, 7", "addi a3, a3, -3", f"slli a3, a3, {size - 1}"):
                write(line)
            write(f".insn r 0x0B, {funct3}, 4, fa0, a2, a3")
            write(f".insn r 0x0B, {funct3}, 4, f0, a2, x0")  # f0 is a register like all others
            write("fsw f0, 4(s1)")
            write("fsw fa0, 8(s1)")


def _traps(write: Writer) -> None:
    """After ECALL the handler leaves one lane active and the return brings the others back; after EBREAK all stay."""
    write("csrr t3, 0x305")
    for name, word in RETURNS.items():
        handler, after, back = write.label(), write.label(), write.label()
        write(f"lla t4, {handler}")
        write(f"addi t4, t4, {write.random.randrange(4)}")  # the low bits are no part of the address
        write("csrw 0x305, t4")
        for cause in CAUSES:
            write(cause)
            write("addi a1, a1, 1")
        write(f"j {after}")
        write(".p2align 2")
        write.place(handler)
        write("csrr t5, 0x342")
        write("csrr t6, 0x343")
        write("csrr t5, 0x341")
        write("addi t5, t5, 4")
        write("csrw 0x341, t5")
        write("csrr t5, 0x342")
        write(f"addi t5, t5, -{CAUSES['ebreak']}")
        write(f"beqz t5, {back}")
        write("csrr t6, 0xcc4")
        write("neg t5, t6")
        write("and t5, t5, t6")
        write(".insn r 0x0B, 0, 0, x0, t5, x0")
        write.place(back)
        write(f".word {word:#010x}  // {name}")
        write.place(after)
    write("csrw 0x305, t3")


def _async_barrier(write: Writer) -> None:
    write("csrr a1, 0xcd0")
    write("csrr a2, 0xcd2")
    write("lui a7, 0x80000")
    for number in (0, 1, 7, 0):
        write(f"li a3, {number << 8}")
        write("add a3, a3, a1")
        write(".insn r 0x0B, 6, 0, a6, a3, a7")  # expect-tx of no transactions
        write(".insn r 0x0B, 6, 0, a4, a3, a2")  # arrive
        write("addi a5, a4, 2")
        write("addi a5, a5, 3")
        write("sw a5, 0(s1)")
        write(".insn r 0x0B, 6, 0, x0, a3, a4")  # wait
        write("lw a5, 0(s1)")
        write(".insn r 0x0B, 6, 0, x0, a3, a4")  # the phase is over: goes on
        write(".insn r 0x0B, 4, 0, x0, a3, a2")  # and the same barrier in one step


def _global_barrier(write: Writer) -> None:
    write("csrr a2, 0xfc2")
    for number in (0, 3, 0):
        write("lui a3, 0x80000")
        write(f"addi a3, a3, {number << 8}")
        write(".insn r 0x0B, 4, 0, x0, a3, a2")
        write(".insn r 0x0B, 6, 0, a4, a3, a2")
        write("addi a5, a5, 1")
        write("addi a5, a5, 1")
        write(".insn r 0x0B, 6, 0, x0, a3, a4")
        write(".insn r 0x0B, 4, 0, x0, a3, a2")


def _wspawn(write: Writer) -> None:
    entry, over = write.label(), write.label()
    _shared(write, "a5")
    write("csrr a1, 0xfc1")
    for count in ("a1", "x0", "a1"):
        write(f"lla a2, {entry}")
        write(f".insn r 0x0B, 1, 0, x0, {count}, a2")
        write(".insn r 0x0B, 1, 0, x0, x0, a2")  # starts nobody: waits for the ends of all
        write("amoadd.w a4, x0, (a5)")
    write(f"j {over}")
    write.place(entry)  # of the spawned warps: one lane, and MSCRATCH of the spawner
    write("csrr s0, 0x340")
    _shared(write, "a5")
    write("csrr a1, 0xf14")
    write("amoadd.w a2, a1, (a5)")
    write(".insn r 0x0B, 0, 0, x0, x0, x0")
    write.place(over)


EXTENSIONS: dict[str, Callable[[Writer], None]] = {
    "atomic": _atomic,
    "lanes": _lanes,
    "packed": _packed,
    "traps": _traps,
    "async_barrier": _async_barrier,
    "global_barrier": _global_barrier,
    "wspawn": _wspawn,
}
