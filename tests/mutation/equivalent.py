"""Mutants that change no behaviour, each with the argument; keys as in `Mutant.key`."""

from __future__ import annotations

_OVERWRITTEN = "values of inactive lanes never get to a register or memory, those of active ones are overwritten"
_UNUSED = "the operation has no such operand, or no rounding mode, and does not look at the argument"
_AXES = "both sides have three axes by their type; the flag is for the reader"
_CLAMP = "a significand that has to move so far is below the half of the last place: 0 and a rest remain either way"

EQUIVALENT: dict[str, str] = {
    "golden_model/csr.py:47:18 `0` → `1`": _OVERWRITTEN,
    "golden_model/dispatch.py:117:50 `1` → `2`": "PCs and rewinds are multiples of 4",
    "golden_model/isa/alu.py:80:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/alu.py:95:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/alu.py:108:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/alu.py:128:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/atomic.py:45:18 `x.signed(old) < x.signed(operand)` → `x.signed(old) <= x.signed(operand)`": (
        "equal values: it does not matter which one is stored"
    ),
    "golden_model/isa/atomic.py:49:18 `x.signed(old) > x.signed(operand)` → `x.signed(old) >= x.signed(operand)`": (
        "equal values: it does not matter which one is stored"
    ),
    "golden_model/isa/atomic.py:75:20 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/atomic.py:75:42 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/atomic.py:107:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/control.py:118:47 `0` → `1`": "the two low bits are cleared behind it",
    "golden_model/isa/control.py:128:46 `0` → `1`": "the two low bits are cleared behind it",
    "golden_model/isa/float32.py:38:17 `61` → `60`": "one free bit less below, of the 12; the exponent goes along",
    "golden_model/isa/float32.py:38:38 `61` → `60`": "one free bit less below, of the 12; the exponent goes along",
    "golden_model/isa/float32.py:42:50 `62` → `61`": "61 bits moved by 61 places or more leave the sticky bit alone",
    "golden_model/isa/float32.py:42:50 `62` → `63`": "61 bits moved by 61 places or more leave the sticky bit alone",
    "golden_model/isa/float32.py:43:50 `62` → `61`": "61 bits moved by 61 places or more leave the sticky bit alone",
    "golden_model/isa/float32.py:43:50 `62` → `63`": "61 bits moved by 61 places or more leave the sticky bit alone",
    "golden_model/isa/float32.py:48:7 `moved_a > moved_b` → `moved_a >= moved_b`": (
        "equal ones have been answered above"
    ),
    "golden_model/isa/float32.py:56:54 `1` → `2`": (
        "the bit in addition is the lowest one that is kept: if it is 1, a sticky 1 changes nothing"
    ),
    "golden_model/isa/float32.py:74:48 `0` → `1`": _UNUSED,
    "golden_model/isa/float32.py:108:17 `24` → `23`": (
        "one bit less on one side of the quotient, which has 32 to 34 of the 25 it needs; the exponent goes along"
    ),
    "golden_model/isa/float32.py:108:38 `24` → `23`": (
        "one bit less on one side of the quotient, which has 32 to 34 of the 25 it needs; the exponent goes along"
    ),
    "golden_model/isa/float32.py:112:31 `32` → `31`": (
        "a divisor of 24 bits has at most 23 factors of 2: divisibility is the same from 2**23 on"
    ),
    "golden_model/isa/float32.py:112:31 `32` → `33`": (
        "a divisor of 24 bits has at most 23 factors of 2: divisibility is the same from 2**23 on"
    ),
    "golden_model/isa/float32.py:120:44 `0` → `1`": "1 is as little a NaN as 0",
    "golden_model/isa/float32.py:128:9 `55` → `54`": (
        "one bit less of the root, which has 27 of the 25 it needs; the exponent goes along"
    ),
    "golden_model/isa/float32.py:131:40 `1` → `2`": (
        "the mask is for the range that the translator knows; the value has 55 bits"
    ),
    "golden_model/isa/float32.py:131:45 `55` → `56`": (
        "the mask is for the range that the translator knows; the value has 55 bits"
    ),
    "golden_model/isa/float32.py:131:51 `1` → `2`": "a significand of 24 bits moved to 55 ends in zeros",
    "golden_model/isa/float32.py:133:23 `28` → `27`": (
        "the last of 28 digits lies four places below the half that decides; the sticky bit stands for it"
    ),
    "golden_model/isa/float32.py:134:29 `27` → `28`": (
        "the last of 28 digits lies four places below the half that decides; the sticky bit stands for it"
    ),
    "golden_model/isa/float_convert.py:25:35 `40` → `41`": "larger exponents have been answered above",
    "golden_model/isa/float_convert.py:25:67 `63` → `62`": "24 bits moved by 62 places or more are less than a half",
    "golden_model/isa/float_convert.py:25:67 `63` → `64`": "24 bits moved by 62 places or more are less than a half",
    "golden_model/isa/float_convert.py:32:7 `value > highest` → `value >= highest`": (
        "no single is 2**31 - 1, 2**32 - 1, 2**63 - 1 or 2**64 - 1, and what large singles have behind the point is 0"
    ),
    "golden_model/isa/float_convert.py:60:20 `61` → `60`": (
        "61 bits with the lowest three made one sticky bit round as they are"
    ),
    "golden_model/isa/float_round.py:74:40 `63` → `62`": _CLAMP,
    "golden_model/isa/float_round.py:74:40 `63` → `64`": _CLAMP,
    "golden_model/isa/float_round.py:75:40 `23` → `24`": (
        "a significand has a leading bit, so 23 places are the most that it can be too short"
    ),
    "golden_model/isa/float_round.py:96:50 `0` → `1`": (
        "asked only when something was cut off; then there are 24 bits at least. With just 24 the answer is no, and "
        "it is no for the 23 bits that the mutant keeps, which reach half of 0x100_0000 at most"
    ),
    "golden_model/isa/float_round.py:96:54 `63` → `62`": "62 bits at most: never more than 38 are dropped here",
    "golden_model/isa/float_round.py:96:54 `63` → `64`": "62 bits at most: never more than 38 are dropped here",
    "golden_model/isa/float_round.py:98:31 `cut & 1` → `cut | 1`": (
        "only cut = 0xFF_FFFF can reach 0x100_0000, and that is odd"
    ),
    "golden_model/isa/float_round.py:98:37 `1` → `2`": (
        "only cut = 0xFF_FFFF can reach 0x100_0000, and all its bits are ones"
    ),
    "golden_model/isa/floating.py:37:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:39:95 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:54:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:56:64 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:56:67 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:71:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:86:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:88:95 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:88:98 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:103:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:105:64 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:105:67 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:116:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:118:59 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:118:62 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:118:65 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:131:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:133:44 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:133:47 `0` → `1`": _UNUSED,
    "golden_model/isa/floating.py:143:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/floating.py:152:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/lanes.py:56:54 `1` → `2`": (
        "any negative number says that there is no source; execute_shuffle asks for `source >= 0` only"
    ),
    "golden_model/isa/lanes.py:61:73 `1` → `2`": (
        "any negative number says that there is no source; execute_shuffle asks for `source >= 0` only"
    ),
    "golden_model/isa/lanes.py:66:73 `1` → `2`": (
        "any negative number says that there is no source; execute_shuffle asks for `source >= 0` only"
    ),
    "golden_model/isa/lanes.py:71:73 `1` → `2`": (
        "any negative number says that there is no source; execute_shuffle asks for `source >= 0` only"
    ),
    "golden_model/isa/lanes.py:81:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/lanes.py:106:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/memory.py:25:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/memory.py:52:12 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/memory.py:78:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/memory.py:118:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/memory.py:139:14 `0` → `1`": _OVERWRITTEN,
    "golden_model/isa/muldiv.py:33:24 `dividend < 0` → `dividend <= 0`": "the quotient of 0 is 0 with either sign",
    "golden_model/isa/muldiv.py:33:35 `0` → `1`": "the quotient of 0 is 0 with either sign",
    "golden_model/isa/muldiv.py:33:42 `divisor < 0` → `divisor <= 0`": "the divisor is not 0 here",
    "golden_model/isa/muldiv.py:33:52 `0` → `1`": "the divisor is not 0 here",
    "golden_model/isa/muldiv.py:46:24 `dividend >= 0` → `dividend > 0`": "the remainder of 0 is 0 with either sign",
    "golden_model/isa/muldiv.py:46:36 `0` → `1`": "the remainder of 0 is 0 with either sign",
    "golden_model/kmu.py:43:25 `0` → `1`": "the list is empty; give_back sets both",
    "golden_model/kmu.py:78:65 `True` → `False`": _AXES,
    "golden_model/kmu.py:83:55 `0` → `1`": "the list is empty; give_back sets both",
    "golden_model/kmu.py:137:88 `True` → `False`": _AXES,
    "golden_model/kmu.py:142:83 `True` → `False`": _AXES,
    "golden_model/kmu.py:148:99 `True` → `False`": _AXES,
    "golden_model/kmu.py:151:77 `True` → `False`": _AXES,
    "golden_model/kmu.py:152:84 `True` → `False`": _AXES,
    "golden_model/kmu.py:153:76 `True` → `False`": _AXES,
    "golden_model/launch.py:55:51 `True` → `False`": _AXES,
    "golden_model/launch.py:64:77 `True` → `False`": _AXES,
    "golden_model/warp.py:163:27 `4` → `3`": "PC and size of memory are multiples of 4",
}
