"""Small faults in the unit: each must be found by a short run, or the vectors are too weak."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.rtl.fpu.model import FPU


@dataclass(frozen=True)
class Fault:
    """Replacement of a piece of text that occurs once in a file of hw/rtl/fpu."""

    name: str
    file: str
    old: str
    new: str

    def seed(self, folder: Path) -> Path:
        """A copy of the unit with this fault, below `folder`."""
        copy = folder / self.name
        shutil.copytree(FPU, copy)
        path = copy / self.file
        text = path.read_text(encoding="utf-8")
        assert text.count(self.old) == 1, (
            f"fault {self.name}: {self.file} contains {self.old!r} {text.count(self.old)}x"
        )
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return copy


FAULTS = (
    Fault("tiny-before-rounding", "vx_fpu_pkg.sv", "biased == '0 && !reaches_normal", "biased == '0"),
    Fault("no-sticky", "vx_fpu_pkg.sv", "return kept | 64'((kept << places[5:0]) != value);", "return kept;"),
    Fault("sticky-far", "vx_fpu_pkg.sv", "return 64'(value != '0);", "return '0;"),
    Fault("ties-away", "vx_fpu_pkg.sv", "RNE: return half && (rest || odd);", "RNE: return half;"),
    Fault("overflow-of-rtz", "vx_fpu_pkg.sv", "mode == RTZ || mode == (sign", "mode == (sign"),
    Fault(
        "factor-zero",
        "vx_fpu_fma_lane.sv",
        "if (is_zero(x) || is_zero(y)) exponent_product = '0;",
        "if (is_zero(x) && is_zero(y)) exponent_product = '0;",
    ),
    Fault("sign-of-zero", "vx_fpu_fma_lane.sv", "side1_q.sign <= side0_q.mode == RDN", "side1_q.sign <= 1'b0"),
    Fault("inf-times-zero", "vx_fpu_fma_lane.sv", "side0_q.nv <= invalid ||", "side0_q.nv <="),
    Fault("subnormal-shift", "vx_fpu_fma_lane.sv", "> exponent1_q + 10'd1;", "> exponent1_q + 10'd2;"),
    Fault("root-digits", "vx_fpu_divsqrt.sv", "localparam int STEPS = 13;", "localparam int STEPS = 12;"),
    Fault("remainder", "vx_fpu_divsqrt_lane.sv", "digits_q, remainder_q != '0);", "digits_q, 1'b0);"),
    Fault("by-zero-flag", "vx_fpu_divsqrt_lane.sv", "dz <= !is_infinite(a_q)", "dz <= 1'b1"),
    Fault("min-of-zeros", "vx_fpu_misc_lane.sv", "x[31] != y[31]) return x[31];", "x[31] != y[31]) return x != 0;"),
    Fault("integer-limit", "vx_fpu_misc_lane.sv", "too_large || magnitude > limit", "too_large || magnitude >= limit"),
    Fault("less-of-zeros", "vx_fpu_misc_lane.sv", "less_ab && !both_zero", "less_ab"),
    Fault("response-changes", "vx_fpu_pipe.sv", "if (rsp_ready || choose_misc) misc_first_q", "misc_first_q"),
)  # fmt: skip
