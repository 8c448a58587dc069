"""The body of float instructions: every rounding mode, static and in frm; the flags are read after each group."""

from __future__ import annotations

from tests.kernels.isa_programs.writer import OPERANDS, Writer

# Bit patterns of interest, for the operand table.
FLOAT_CORNERS = [
    0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x3F7FFFFF, 0x40490FDB,
    0x4B7FFFFF, 0x4EFFFFFF, 0xCF000000, 0x4F800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
    0x7F800001, 0xFFBFFFFF,
]  # fmt: skip

FLOAT_ROUNDED = ["fadd.s", "fsub.s", "fmul.s", "fdiv.s"]
FLOAT_FUSED = ["fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s"]
FLOAT_EXACT = ["fsgnj.s", "fsgnjn.s", "fsgnjx.s", "fmin.s", "fmax.s"]
FLOAT_COMPARE = ["feq.s", "flt.s", "fle.s"]
ROUNDING = ["rne", "rtz", "rdn", "rup", "rmm", "dyn"]
FFLAGS, FRM, FCSR = 0x001, 0x002, 0x003


def float_body(write: Writer) -> None:
    """Every F instruction; s1, s2, s6 and the free registers as in generator.py."""

    def operand(register: str) -> None:
        write(f"flw {register}, {4 * write.random.randrange(OPERANDS)}(s6)")

    def flags(clear: bool) -> None:
        write(f"csr{'rc' if clear else 'rs'} a7, {FFLAGS:#x}, {'a6' if clear else 'x0'}")

    def all_operations(rounding: str) -> None:
        for mnemonic in FLOAT_ROUNDED:
            operand("fa1")
            operand("fa2")
            write(f"{mnemonic} fa0, fa1, fa2, {rounding}")
        for mnemonic in FLOAT_FUSED:
            operand("fa1")
            operand("fa2")
            operand("ft0")
            write(f"{mnemonic} fs0, fa1, fa2, ft0, {rounding}")
            write(f"{mnemonic} fs1, fs0, fa2, fa0, {rounding}")  # depends on the one before
        operand("fa1")
        write(f"fsqrt.s fa3, fa1, {rounding}")
        write("fabs.s fa1, fa1")
        write(f"fsqrt.s fa3, fa1, {rounding}")
        for mnemonic in ("fcvt.w.s", "fcvt.wu.s"):
            operand("fa1")
            write(f"{mnemonic} a1, fa1, {rounding}")
        for mnemonic in ("fcvt.s.w", "fcvt.s.wu"):
            write.operand("a1")
            write(f"{mnemonic} fa4, a1, {rounding}")
        write("fsw fa0, 0(s1)")
        write("fsw fs1, 0(s2)")
        write("flw fa5, 0(s2)")
        write("fadd.s fa5, fa5, fa5")  # depends on a load

    write("li a6, 31")
    for number in range(32):
        operand(f"f{number}")  # registers without a value would hide results
    for mode, rounding in enumerate(ROUNDING[:5]):
        write(f"csrrwi a5, {FRM:#x}, {mode}")
        all_operations("dyn")
        flags(clear=True)
        all_operations(rounding)
        flags(clear=True)
    for mnemonic in (*FLOAT_EXACT, *FLOAT_COMPARE):
        result = "a1" if mnemonic in FLOAT_COMPARE else "fa0"
        for _ in range(4):
            operand("fa1")
            operand("fa2")
            write(f"{mnemonic} {result}, fa1, fa2")
        write(f"{mnemonic} {result}, fa1, fa1")
        flags(clear=False)
    for mnemonic in ("fclass.s", "fmv.x.w"):
        for _ in range(4):
            operand("fa1")
            write(f"{mnemonic} a1, fa1")
            write("add a2, a2, a1")
    write.operand("a1")
    write("fmv.w.x fa0, a1")
    write("fdiv.s fa1, fa0, fa0")  # an addition overtakes it, a write of the same register does not
    write("fadd.s fa2, fa0, fa0")
    write("fsqrt.s fa3, fa2")
    write("fmul.s fa1, fa2, fa2")
    write("fmv.w.x f0, x0")  # f0 is a register like all others
    write("fadd.s f0, f0, fa0")
    write("feq.s x0, fa0, fa1")
    for number in (FCSR, FRM, FFLAGS):
        value = write.random.randrange(1 << 8)
        # A rounding mode that exists: five to seven would make the division illegal.
        value = value & 0xF8 | (value & 7) % 5 if number == FRM else value & 0x9F
        write(f"li a1, {value}")
        write(f"csrrw a2, {number:#x}, a1")
        write("fdiv.s fa1, fa0, fa2")
        write(f"csrrs a3, {number:#x}, x0")
        write(f"csrrsi a4, {number:#x}, 1")
        write(f"csrrci a5, {number:#x}, 3")
    write(f"csrrwi x0, {FCSR:#x}, 0")
