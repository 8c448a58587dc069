"""vx_dcr_window against the golden DcrWindow: refusals, answers, reads swallowed by a reset, launch accesses.

Data of the launch unit have bit 31 set, data of the host have it clear, so each request on the bus tells whose it is.
"""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from golden_model.device.dcr_window import DcrWindow
from golden_model.machine import Machine
from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

ADDRESSES = (0x000, 0x000, 0x000, 0x001, 0x001, 0x001, 0x002, 0x010, 0x023, 0x024, 0x02F, 0x030, 0x031, 0xFFF)
LAUNCH_TAG = 1 << 31
CYCLES = 12_000

Request = tuple[int, int, int]  # write, address, data


@cocotb.test()
async def random_accesses(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    config = runner.hardware()
    for name in ("soft_reset", "hold", "launch_busy", "command", "addr", "data", "ln_valid", "dcr_rsp_valid"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    model, machine = DcrWindow(config), Machine(config)
    host_bus: deque[Request] = deque()  # accepted, not yet seen on the bus
    launch_bus: deque[Request] = deque()
    reader: str | None = None  # whose read the core has to answer
    launch: Request | None = None
    launch_reads = False
    figures = dict.fromkeys(("refused", "accepted", "answered", "launch answered", "swallowed", "reset"), 0)
    hold = 0
    last = -2
    for cycle in range(CYCLES):
        await FallingEdge(dut.clk)
        ended = cycle > CYCLES - 400
        busy = rng.random() < 0.3
        hold = hold - 1 if hold else (12 if rng.random() < 0.012 and not ended else 0)
        resets = hold == 6 and rng.random() < 0.3
        command, addr, data = 0, rng.choice(ADDRESSES), rng.choice((0, 0, config.total_cores, 20, rng.getrandbits(31)))
        if rng.random() < 0.1 and dut.settled.value and not hold and not ended:
            command = rng.randrange(4)
            if rng.random() < 0.3:
                command, addr, data = 2, rng.randrange(2), rng.randrange(config.total_cores)
        if hold:
            launch, launch_reads = None, False  # an abort: the launch unit asks for nothing
        elif launch is None and not launch_reads and rng.random() < 0.2 and not ended:
            launch = (int(rng.random() < 0.8), rng.getrandbits(12), rng.getrandbits(31) | LAUNCH_TAG)
        value = rng.getrandbits(32)
        answers = reader is not None and rng.random() < 0.06
        inputs = {
            "launch_busy": busy,
            "hold": hold > 0,
            "soft_reset": resets,
            "command": command,
            "addr": addr,
            "data": data,
            "ln_valid": launch is not None,
            "dcr_rsp_valid": answers,
            "dcr_rsp_data": value,
        }
        if launch is not None:
            inputs |= dict(zip(("ln_write", "ln_addr", "ln_data"), launch, strict=True))
        for name, number in inputs.items():
            getattr(dut, name).value = int(number)
        await RisingEdge(dut.clk)

        assert int(dut.pending.value) == (model.pending is not None), cycle
        assert int(dut.response_valid.value) == bool(model.ctrl & 1 << 9), cycle
        assert int(dut.response.value) == model.response, cycle
        problem = model.problem(command, addr, data, busy)
        assert bool(dut.refused.value) == (problem is not None), f"cycle {cycle}: command {command}, {problem}"
        figures["refused"] += problem is not None
        if dut.dcr_req_valid.value:
            assert cycle - last > 1, "no idle cycle between two requests"
            last = cycle
            seen = (int(dut.dcr_req_rw.value), int(dut.dcr_req_addr.value), int(dut.dcr_req_data.value))
            mine = bool(seen[2] & LAUNCH_TAG)
            assert seen == (launch_bus if mine else host_bus).popleft(), cycle
            if not seen[0] and not hold:
                assert reader is None, "two reads on the bus"
                reader = "launch" if mine else "host"
            elif not seen[0] and not mine:  # sent into the reset
                host_bus.append(seen)
        assert bool(dut.answered.value) == (answers and reader == "host"), cycle
        assert bool(dut.ln_answer.value) == (answers and reader == "launch"), cycle
        if answers:
            figures["answered" if reader == "host" else "launch answered"] += 1
            if reader == "host":
                model.answer(machine, value)
            else:
                launch_reads = False
            reader = None
        if dut.ln_ready.value:
            assert launch is not None and not hold
            launch_bus.append(launch)
            launch_reads = not launch[0]
            launch = None
        if command and problem is None:
            figures["accepted"] += 1
            if command & 2:
                model.start(command, addr, data, machine)
            host_bus.append((command & 1, addr, data))
        if hold and reader is not None:
            if reader == "host":
                assert model.pending is not None
                host_bus.append((0, *model.pending))
                figures["swallowed"] += 1
            reader = None
        if resets:
            figures["reset"] += 1
            model.reset()
            host_bus.clear()
            launch_bus.clear()
    assert not host_bus and not launch_bus and model.pending is None
    assert min(figures.values()) > 3, figures


def test_dcr_window() -> None:
    runner.run(runner.Block("vx_dcr_window", hardware={"num_cores": 3}), __name__)
