"""vx_dcr: which writes go where, one response for each read, flush of the addressed core, counters, REWIND."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

CYCLES = 3000


@cocotb.test()
async def random_requests(dut: Any) -> None:
    cores = runner.parameter("CORES", 1)
    rng = Random(cocotb.RANDOM_SEED)
    for name in ("req_valid", "req_rw", "req_addr", "req_data", "flush_done", "mpm_value"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    rewind = 20
    reads: deque[tuple[int, int]] = deque()  # unanswered, oldest first
    answered = flushes = 0
    due: int | None = None  # the response that must come in this cycle
    for cycle in range(CYCLES):
        read = rng.random() < 0.2 and len(reads) < 4 and cycle < CYCLES - 200
        write = not read and rng.random() < 0.5
        address = rng.choice(
            [0x000, 0x001, 0x030, 0x00F, 0x010, 0x023, 0x024, 0x02F, 0x031, 0x100, rng.getrandbits(12)]
        )
        data = rng.choice([12, 16, 20, 21, rng.getrandbits(32)])
        if read:
            data = rng.randrange(cores + 1) | rng.getrandbits(6) << 16 | rng.getrandbits(8) << 22
        dut.req_valid.value = int(read or write)
        dut.req_rw.value = int(write)
        dut.req_addr.value = address
        dut.req_data.value = data
        counter = rng.getrandbits(32)
        dut.mpm_value.value = counter
        done = rng.getrandbits(cores) if rng.random() < 0.2 else 0
        dut.flush_done.value = done
        await RisingEdge(dut.clk)

        assert bool(dut.kmu_write.value) == (write and 0x010 <= address < 0x024)
        assert int(dut.rewind.value) == rewind
        assert bool(dut.rsp_valid.value) == (due is not None), f"cycle {cycle}: response"
        assert due is None or int(dut.rsp_data.value) == due
        assert bool(dut.busy.value) == (bool(reads) or due is not None)
        answered += due is not None
        due = None
        wanted_flush = 0
        if reads:
            head, tag = reads[0]
            core = tag & 0xFFFF
            if head == 0x000 and core < cores:
                wanted_flush = 1 << core
                if done >> core & 1:
                    due = 0
                    flushes += 1
            elif head == 0x001 and core < cores:
                assert int(dut.mpm_core.value) == core
                assert int(dut.mpm_index.value) == tag >> 16 & 0x3F and int(dut.mpm_class.value) == tag >> 22 & 0xFF
                due = counter
            else:
                due = rewind if head == 0x030 else 0
            if due is not None:
                reads.popleft()
        assert int(dut.flush_valid.value) == wanted_flush
        if read:
            reads.append((address, data))
        if write and address == 0x030 and data in (12, 16, 20):
            rewind = data
    assert not reads and answered > 100 and flushes > 10


@pytest.mark.parametrize("cores", [3])
def test_dcr(cores: int) -> None:
    runner.run(runner.Block("vx_dcr", parameters={"CORES": cores}), __name__)
