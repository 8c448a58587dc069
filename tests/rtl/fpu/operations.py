"""Operations of the unit: numbers of `vx_fpu_pkg::fpu_op_t`, mnemonics, rounding modes."""

from __future__ import annotations

from dataclasses import dataclass

MODES = ("rne", "rtz", "rdn", "rup", "rmm")
ANY = -1


@dataclass(frozen=True)
class Operation:
    """One operation.

    Attributes:
        rounds: the rounding mode matters.
        wide: it exists with 64-bit integer registers only.
    """

    number: int
    name: str
    rounds: bool = False
    wide: bool = False


OPERATIONS = (
    Operation(0, "fmadd.s", rounds=True),
    Operation(1, "fmsub.s", rounds=True),
    Operation(2, "fnmsub.s", rounds=True),
    Operation(3, "fnmadd.s", rounds=True),
    Operation(4, "fadd.s", rounds=True),
    Operation(5, "fsub.s", rounds=True),
    Operation(6, "fmul.s", rounds=True),
    Operation(26, "fdiv.s", rounds=True),
    Operation(27, "fsqrt.s", rounds=True),
    Operation(7, "fcvt.s.w", rounds=True),
    Operation(8, "fcvt.s.wu", rounds=True),
    Operation(9, "fcvt.s.l", rounds=True, wide=True),
    Operation(10, "fcvt.s.lu", rounds=True, wide=True),
    Operation(22, "fcvt.w.s", rounds=True),
    Operation(23, "fcvt.wu.s", rounds=True),
    Operation(24, "fcvt.l.s", rounds=True, wide=True),
    Operation(25, "fcvt.lu.s", rounds=True, wide=True),
    Operation(11, "fsgnj.s"),
    Operation(12, "fsgnjn.s"),
    Operation(13, "fsgnjx.s"),
    Operation(14, "fmin.s"),
    Operation(15, "fmax.s"),
    Operation(16, "fle.s"),
    Operation(17, "flt.s"),
    Operation(18, "feq.s"),
    Operation(19, "fclass.s"),
    Operation(20, "fmv.x.w"),
    Operation(21, "fmv.w.x"),
)


def name_of(number: int) -> str:
    """Mnemonic of an operation's number."""
    return next((operation.name for operation in OPERATIONS if operation.number == number), f"operation {number}")
