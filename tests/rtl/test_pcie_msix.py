"""vx_msix and vx_irq_unit against the golden Msix and Interrupts."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from golden_model.device.interrupts import ErrorBit, Interrupts, Source
from golden_model.device.msix import Msix, MsixMessage
from golden_model.device.registers import MSIX_PBA, MSIX_TABLE, MSIX_VECTORS, register
from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

OPERATIONS = 2500


@cocotb.test()
async def random_messages(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    for name in ("soft_reset", "function_mask", "write", "raise", "msix_ready"):
        getattr(dut, name).value = 0
    dut.enable.value = 1
    await start_clock_and_reset(dut)
    expected: list[MsixMessage] = []
    model = Msix(expected.append)
    seen: list[MsixMessage] = []
    resets = held = 0

    async def cycle() -> None:
        await RisingEdge(dut.clk)
        if dut.msix_valid.value and dut.msix_ready.value:
            vector, address, data = (int(dut.msix_vector.value), int(dut.msix_addr.value), int(dut.msix_data.value))
            seen.append(MsixMessage(vector, address, data))

    for number in range(OPERATIONS):
        kind = rng.random()
        dut.msix_ready.value = 1
        vectors = 0
        if kind < 0.35:
            vector, word, value = rng.randrange(MSIX_VECTORS), rng.choice((0, 1, 2, 3, 3, 3)), rng.getrandbits(32)
            dut.write.value, dut.write_vector.value, dut.write_word.value = 1, vector, word
            dut.write_data.value = value
            row = register(f"MSIX{vector}_{('ADDR_LO', 'ADDR_HI', 'DATA', 'CTRL')[word]}")
            model.write(row, value & row.writable)
        elif kind < 0.8:
            vectors = rng.choice((1 << rng.randrange(MSIX_VECTORS), rng.getrandbits(MSIX_VECTORS)))
            getattr(dut, "raise").value = vectors
            for vector in range(MSIX_VECTORS):
                if vectors >> vector & 1:
                    model.raise_vector(vector)
        elif kind < 0.98:
            enabled, masked = rng.random() < 0.7, rng.random() < 0.3
            dut.enable.value, dut.function_mask.value = int(enabled), int(masked)
            model.set_function(enabled, masked)
        else:
            resets += 1
            dut.soft_reset.value = 1
            model.reset()
        await cycle()
        dut.write.value = dut.soft_reset.value = 0
        getattr(dut, "raise").value = 0
        # The shell may not be ready: what is shown stays, and nothing is lost.
        for _ in range(60):
            dut.msix_ready.value = int(rng.random() < 0.6)
            await cycle()
            if dut.settled.value and not dut.msix_valid.value:
                break
        dut.msix_ready.value = 1
        for _ in range(MSIX_VECTORS + 2):
            await cycle()
            if dut.settled.value and not dut.msix_valid.value:
                break
        assert seen == expected, f"operation {number} ({kind:.2f}, vectors {vectors:#x})"
        seen.clear()
        expected.clear()
        assert int(dut.pending.value) == model.pending
        held += model.pending != 0
        row = register(f"MSIX{rng.randrange(MSIX_VECTORS)}_{rng.choice(('ADDR_LO', 'ADDR_HI', 'DATA', 'CTRL'))}")
        dut.read_vector.value, dut.read_word.value = divmod((row.offset - MSIX_TABLE) // 4, 4)
        await cycle()
        assert int(dut.read_data.value) == model.read(row), row.name
        assert model.read(register("MSIX_PBA_LO")) == model.pending and MSIX_PBA > MSIX_TABLE
    assert resets > 10 and held > 100


@cocotb.test()
async def raised_again_in_any_cycle(dut: Any) -> None:
    """A vector that is raised while its message is loaded or shown is sent once more."""
    for name in ("soft_reset", "function_mask", "write", "raise"):
        getattr(dut, name).value = 0
    dut.enable.value = dut.msix_ready.value = 1
    await start_clock_and_reset(dut)
    dut.write.value, dut.write_vector.value, dut.write_word.value, dut.write_data.value = 1, 5, 3, 0  # unmasked
    await RisingEdge(dut.clk)
    dut.write.value = 0
    for gap in range(4):
        raised = [0, gap] if gap else [0]
        messages = 0
        for cycle in range(12):
            getattr(dut, "raise").value = (1 << 5) if cycle in raised else 0
            await RisingEdge(dut.clk)
            if dut.msix_valid.value and dut.msix_ready.value:
                assert int(dut.msix_vector.value) == 5
                messages += 1
        assert messages == len(raised), f"raised again after {gap} cycles: {messages} messages"
        assert not int(dut.pending.value)


@cocotb.test()
async def random_events(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    inputs = "event_kernel event_dma event_doorbell event_error write_enable enable_value acknowledge clear_errors"
    for name in inputs.split():
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    raised: list[int] = []
    model = Interrupts(raised.append)
    several = 0
    for _ in range(OPERATIONS):
        for name in inputs.split():
            getattr(dut, name).value = 0
        dut.enable_value.value = value = rng.getrandbits(4)
        kind = rng.randrange(8)
        if kind == 0:  # clears are before the events of their cycle: an event wins
            dut.acknowledge.value = value
            model.acknowledge(value)
        if kind == 1:
            dut.clear_errors.value = value
            model.clear_errors(value)
        if kind == 2:
            dut.write_enable.value = 1
            model.set_enable(value)
        elif rng.random() < 0.5:
            events = rng.getrandbits(3)
            errors = rng.choice((0, 0, 1, 2, 4, 8, rng.getrandbits(4)))
            dut.event_kernel.value, dut.event_dma.value, dut.event_doorbell.value = (events >> i & 1 for i in range(3))
            dut.event_error.value = errors
            for i, source in enumerate((Source.KERNEL_DONE, Source.DMA_DONE, Source.DOORBELL)):
                if events >> i & 1:
                    model.occur(source)
            for error in ErrorBit:
                if errors & error:
                    model.fail(error)
            several += bin(errors).count("1") > 1
        await RisingEdge(dut.clk)
        assert int(getattr(dut, "raise").value) == sum(1 << vector for vector in set(raised))
        raised.clear()
        for name in inputs.split():
            getattr(dut, name).value = 0
        await RisingEdge(dut.clk)
        seen = (int(dut.status.value), int(dut.enable.value), int(dut.errors.value))
        assert seen == (model.status, model.enable, int(model.errors))
    assert several > 20


def test_msix() -> None:
    block = runner.Block("vx_msix")
    runner.run(block, __name__, testcase="random_messages")
    runner.run(block, __name__, testcase="raised_again_in_any_cycle")


def test_irq_unit() -> None:
    runner.run(runner.Block("vx_irq_unit"), __name__, testcase="random_events")
