"""Mutants that change no behaviour, each with the argument; keys as in `Mutant.key`."""

from __future__ import annotations

_OVERWRITTEN = "values of inactive lanes are never written to the register, and those of active lanes are overwritten"

EQUIVALENT: dict[str, str] = {
    "golden_model/isa/alu.py:80:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/alu.py:92:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/control.py:118:47 `0` → `1`": "the two low bits are cleared behind it",
    "golden_model/isa/floating.py:116:62 `0` → `1`": "FCLASS ignores the second operand, the third and the mode",
    "golden_model/isa/muldiv.py:33:24 `dividend < 0` → `dividend <= 0`": "the quotient of 0 is 0 with either sign",
}
