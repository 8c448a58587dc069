"""A cocotb test whose process is killed after a launch, before anybody has read the records; run by test_harness.py."""

from __future__ import annotations

import os
import signal
from typing import Any

import cocotb
from cocotb.triggers import ValueChange

from hw.tb.run import RunSettings
from hw.tb.top.abi import Op
from hw.tb.top.harness import Harness, Step, dcr_write


@cocotb.test()
async def dies(dut: Any) -> None:
    harness = Harness(RunSettings.read().run_dir, lambda: ValueChange(dut.event_toggle))
    await harness.reset()
    start = [dcr_write(0x014, 0x1000), dcr_write(0x019, 20), dcr_write(0x030, 0), Step(Op.START, 1)]
    await harness.execute([*start, Step(Op.WAIT_QUIESCENT, 8, 0)])
    os.kill(os.getpid(), signal.SIGKILL)
