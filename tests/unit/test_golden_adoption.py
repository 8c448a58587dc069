"""What a follower may take over from a design: undefined registers and stored data, lane by lane."""

from __future__ import annotations

import pytest

from golden_model import StepError
from golden_model.records.layout import RegisterFile
from tests.unit.golden_program import BASE, OUT, bare_warp


@pytest.mark.parametrize("file", [RegisterFile.INTEGER, RegisterFile.FLOAT])
def test_only_undefined_registers_are_adopted(file: RegisterFile) -> None:
    """Lane by lane; the value stays undefined (golden_model/README.md)."""
    _, warp = bare_warp("nop")
    values, undefined = (warp.regs, warp.undef) if file is RegisterFile.INTEGER else (warp.fregs, warp.fundef)
    others, unknown = (warp.fregs, warp.fundef) if file is RegisterFile.INTEGER else (warp.regs, warp.undef)
    for mask in range(16):
        for lane in range(4):
            undefined[7], unknown[7], values[7], others[7] = mask, ~mask & 15, [1, 2, 3, 4], [5, 6, 7, 8]
            if mask >> lane & 1:
                warp.adopt(file, 7, lane, 99)
            else:
                with pytest.raises(StepError, match=f"register 7 of lane {lane} is defined"):
                    warp.adopt(file, 7, lane, 99)
            expected = [1, 2, 3, 4]
            expected[lane] = 99 if mask >> lane & 1 else lane + 1
            assert (values[7], others[7], undefined[7]) == (expected, [5, 6, 7, 8], mask)


def test_only_undefined_data_of_a_store_is_adopted() -> None:
    for mask in range(16):
        for lane in range(4):
            machine, warp = bare_warp("sh a1, 0(a0)")
            warp.regs[10], warp.regs[11], warp.undef[11] = [OUT + 4 * i for i in range(4)], [7] * 4, mask
            step = warp.step()
            assert step.memory is not None
            if mask >> lane & 1:
                warp.adopt_store(step, lane, 0x1234)
            else:
                with pytest.raises(StepError, match=f"lane {lane} stored no undefined data at pc {BASE:#x}"):
                    warp.adopt_store(step, lane, 0x1234)
            for other in range(4):
                value = 0x1234 if other == lane and mask >> lane & 1 else 7
                assert machine.memory.load(OUT + 4 * other, 2) == (value, bool(mask >> other & 1))
                assert step.memory.data[other] == value
    _, warp = bare_warp("nop")
    with pytest.raises(StepError, match="nothing can be adopted"):
        warp.adopt_store(warp.step(), 0, 1)
