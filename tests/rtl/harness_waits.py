"""A cocotb test that waits for an event that cannot come; run by test_harness.py."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotb.triggers import ValueChange


@cocotb.test()
async def waits_for_nothing(dut: Any) -> None:
    await ValueChange(dut.event_toggle)
