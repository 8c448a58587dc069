"""VRAM, DMA, launches, faults, releases and messages, each against what the page says."""

from __future__ import annotations

from typing import Any

import cocotb

from golden_model.device import ErrorBit
from golden_model.device.sequences import layout
from golden_model.device.sequences.programs import PRIVATE_ADDR, Program
from golden_model.records.layout import FaultKind
from hw.tb.agents.bar.items import VramReadItem, VramWriteItem
from hw.tb.agents.bar.sequences.base import BUSY, RESET, OpenDevice
from hw.tb.agents.bar.sequences.launch import Launch, TinyLaunch
from hw.tb.agents.bar.sequences.transfer import Dma
from hw.tb.bar_alone.environment import BarBench
from hw.tb.bar_alone.model import VRAM_SIZE
from tests.cosim.bar_agent.bodies import run_body

KERNEL_DONE, DMA_DONE, ERROR = 0, 1, 2  # vectors
VRAM, HOST = layout.SCRATCH.start, layout.HOST.start
COMPLETE, FAILED = 2, 4  # DMA_STATUS


@cocotb.test()
async def vram_of_any_size_and_alignment(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        rng, size = bench.rng, 0x3000
        await bench.run(OpenDevice(bench.agent))
        mirror = bytearray(size)
        do = OpenDevice(bench.agent)
        do.sequencer = bench.agent.sequencer
        await do.do(VramWriteItem(VRAM, bytes(size)))
        for _ in range(60):
            length = rng.choice((1, 3, 4, 64, rng.randint(1, 200), rng.randint(1, 1500)))
            at = rng.randrange(size - length)
            if rng.random() < 0.5:
                data = rng.randbytes(length)
                await do.do(VramWriteItem(VRAM + at, data))
                mirror[at : at + length] = data
            else:
                found = (await do.do(VramReadItem(VRAM + at, length))).data
                assert found == mirror[at : at + length], f"{length} bytes at {VRAM + at:#x}"
        assert (await do.do(VramReadItem(VRAM, size))).data == mirror
        await do.expect("ERROR_STATUS", 0, "every access was inside VRAM")

    await run_body(dut, body)


@cocotb.test()
async def vram_past_its_end(dut: Any) -> None:
    """The part inside is done, the rest reads 0 and is dropped, VRAM_FAULT and IRQ ERROR."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        await do.do(VramWriteItem(VRAM_SIZE - 8, b"inside!!outside!"))
        await do.expect("ERROR_STATUS", int(ErrorBit.VRAM_FAULT), "bytes past VRAM's end were written")
        await do.settle()
        assert bench.transport.take_messages(), "VRAM_FAULT raises IRQ ERROR"
        await do.write("ERROR_STATUS", int(ErrorBit.VRAM_FAULT))
        assert (await do.do(VramReadItem(VRAM_SIZE - 8, 16))).data == b"inside!!" + bytes(8)
        await do.expect("ERROR_STATUS", int(ErrorBit.VRAM_FAULT), "bytes past VRAM's end were read")
        await do.write("ERROR_STATUS", int(ErrorBit.VRAM_FAULT))
        assert (await do.do(VramReadItem(VRAM_SIZE - 8, 8))).data == b"inside!!"
        await do.expect("ERROR_STATUS", 0, "these bytes are inside")

    await run_body(dut, body)


@cocotb.test()
async def dma_of_any_size_and_alignment(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        rng = bench.rng
        do = OpenDevice(bench.agent)
        await bench.run(do)
        for number in range(8):
            to_host, size = number % 2 == 1, rng.choice((1, 2, 63, 64, 65, rng.randint(100, 700)))
            host, vram = HOST + rng.randrange(0x2000), VRAM + rng.randrange(0x2000)
            around = 8
            source, target = rng.randbytes(size), rng.randbytes(size + 2 * around)
            if to_host:
                await do.vram_write(vram, source)
                bench.host.write(host - around, target)
            else:
                bench.host.write(host, source)
                await do.vram_write(vram - around, target)
            dma = Dma(bench.agent, host, vram, size, to_host, irq=True)
            await bench.run(dma)
            assert dma.status == COMPLETE
            await do.expect_messages([DMA_DONE], "the transfer is done")
            if to_host:
                found = bench.host.read(host - around, len(target))
            else:
                found = await do.vram_read(vram - around, len(target))
            assert found == target[:around] + source + target[-around:], f"transfer {number}: {size} bytes"
        assert any(access.write for access in bench.host_accesses)
        assert any(not access.write for access in bench.host_accesses)

    await run_body(dut, body)


@cocotb.test()
async def dma_errors(dut: Any) -> None:
    """Bad transfers fail at once; a bus error ends one after the pieces before it; DMA_DONE never comes."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        bench.host.failing.add(layout.HOST_FAILS.start, len(layout.HOST_FAILS))
        fails = layout.HOST_FAILS.start - 64
        bench.host.write(fails, bytes(range(64)))
        await do.vram_write(VRAM, b"\xee" * 128)
        for host, vram, size, to_host in (
            (HOST, VRAM_SIZE - 4, 8, False),
            (HOST, VRAM_SIZE - 4, 8, True),
            (HOST, 1 << 32, 8, False),
            ((1 << 64) - 4, VRAM, 8, False),
            (fails, VRAM, 128, False),
        ):
            await bench.run(Dma(bench.agent, host, vram, size, to_host, irq=True))
            where = f"{size} bytes, host {host:#x}, VRAM {vram:#x}"
            await do.expect("DMA_STATUS", FAILED, where)
            await do.expect("ERROR_STATUS", int(ErrorBit.DMA_FAULT), where)
            await do.expect_messages([ERROR], where)
            await do.write("ERROR_STATUS", int(ErrorBit.DMA_FAULT))
        assert await do.vram_read(VRAM, 128) == bytes(range(64)) + b"\xee" * 64, "the piece before the error is moved"
        # A write that the host refuses: posted writes do not tell.
        last = Dma(bench.agent, layout.HOST_FAILS.start, VRAM, 8, to_host=True)
        await bench.run(last)
        assert last.status == (FAILED if bench.transport.write_errors_return else COMPLETE)

    await run_body(dut, body)


@cocotb.test()
async def faults_end_launches(dut: Any) -> None:
    """KERNEL_FAULT with its kind, IRQ ERROR, never KERNEL_DONE; the next launch is good."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        cases = {
            Program.ILLEGAL: FaultKind.ILLEGAL_INSTRUCTION,
            Program.MISALIGNED: FaultKind.MISALIGNED,
            Program.JUMP_TO_ZERO: FaultKind.FETCH,
            Program.LOOP: FaultKind.WATCHDOG,
        }
        for number, (program, kind) in enumerate(cases.items()):
            tiny = TinyLaunch(program, vortex=number % 2 == 0, max_cycles=500 if program is Program.LOOP else 0)
            await bench.run(Launch(bench.agent, tiny))
            await do.expect("ERROR_STATUS", int(ErrorBit.KERNEL_FAULT), program.name)
            await do.expect("FAULT_KIND", int(kind), program.name)
            await do.expect_messages([ERROR], f"{program.name}: never KERNEL_DONE as well")
            if kind is FaultKind.ILLEGAL_INSTRUCTION:
                startup = tiny.kernel - 32
                assert await do.read_wide("FAULT_PC") in (startup, tiny.kernel)
            await do.write("ERROR_STATUS", int(ErrorBit.KERNEL_FAULT))
        await bench.run(Launch(bench.agent, TinyLaunch(Program.STORE)))
        await do.expect("FAULT_KIND", 0, "a launch that ended well")
        await do.expect("LAUNCH_ID", len(cases) + 1, "faulting launches count")
        await do.expect_messages([KERNEL_DONE], "a launch that ended well")

    await run_body(dut, body)


@cocotb.test()
async def private_memory_is_kept(dut: Any) -> None:
    """What one launch stores outside every range the next one finds, over RESET too."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        keep, recall = TinyLaunch(Program.KEEP, block=(2, 1, 1)), TinyLaunch(Program.RECALL, grid=(2, 1, 1))
        await bench.run(Launch(bench.agent, keep))
        await do.write("GLOBAL_CTRL", RESET)
        await bench.run(OpenDevice(bench.agent), Launch(bench.agent, recall))
        found = await do.vram_read(recall.args_offset + 8, 4)
        assert int.from_bytes(found, "little") == keep.args, f"private memory at {PRIVATE_ADDR:#x}: {found.hex()}"

    await run_body(dut, body)


@cocotb.test()
@cocotb.parametrize(to_host=[False, True])
async def release_on_completion(dut: Any, to_host: bool) -> None:
    """Payload and timestamp are written before KERNEL_DONE is seen, only by a launch that ends well."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        at = HOST + 0x103 if to_host else VRAM + 0x103
        payload = 0x1122_3344_5566_7788

        async def memory() -> bytes:
            return bench.host.read(at, 16) if to_host else await do.vram_read(at, 16)

        bench.host.write(HOST + 0x103, bytes(16))
        await do.vram_write(VRAM + 0x103, bytes(16))
        await do.write_wide("RELEASE_ADDR", at)
        await do.write_wide("RELEASE_PAYLOAD", payload)
        await do.write("RELEASE_CTRL", 0b0111 | to_host << 3)
        await bench.run(Launch(bench.agent, TinyLaunch(Program.ILLEGAL)))
        assert await memory() == bytes(16), "a launch that faults releases nothing"
        await do.write("ERROR_STATUS", 0xF)
        await do.settle()
        bench.transport.take_messages()
        await bench.run(Launch(bench.agent, TinyLaunch(Program.STORE), wait=False))
        assert await do.interrupt() == KERNEL_DONE
        found = await memory()
        assert found[:8] == payload.to_bytes(8, "little"), "the payload is there when KERNEL_DONE arrives"
        cycles = int(dut.probe_cycles.value)
        assert 0 < int.from_bytes(found[8:], "little") <= cycles * 5 // 2, "nanoseconds since power-on"

    await run_body(dut, body)


@cocotb.test()
async def dma_and_messages_during_a_launch(dut: Any) -> None:
    """The launch, a transfer and doorbells go their own ways; each ends with its own message."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        data = bench.rng.randbytes(200)
        bench.host.write(HOST, data)
        tiny = TinyLaunch(Program.LOOP, max_cycles=6000)
        await bench.run(Launch(bench.agent, tiny, wait=False))
        await bench.run(Dma(bench.agent, HOST, VRAM, len(data), to_host=False, irq=True))
        await do.doorbell(7)
        assert await do.vram_read(VRAM, len(data)) == data
        await do.expect_messages([DMA_DONE, 3], "during the launch")
        assert await do.read("GLOBAL_STATUS") & BUSY, "the launch must outlast the transfer"
        await do.until_idle()
        await do.expect_messages([ERROR], "the watchdog ended the launch")

    await run_body(dut, body)


@cocotb.test()
async def reset_during_dma(dut: Any) -> None:
    """RESET waits for the host's answer, which comes over the same link; the rest of the transfer is dropped."""

    async def body(bench: BarBench) -> None:
        do = OpenDevice(bench.agent)
        await bench.run(do)
        await bench.run(Launch(bench.agent, TinyLaunch(Program.LOOP), wait=False))
        for to_host in (False, True):
            await bench.run(Dma(bench.agent, HOST, VRAM, 0x4000, to_host, irq=True, wait=False))
            await do.write("GLOBAL_CTRL", RESET)
            await do.expect("DMA_STATUS", 0, "RESET drops the transfer")
            await do.expect("GLOBAL_STATUS", 1, "RESET ends the launch")
        await do.expect_messages([], "nothing was completed")
        await bench.run(do)
        last = Dma(bench.agent, HOST, VRAM, 70, to_host=False)
        await bench.run(last)
        assert last.status == COMPLETE

    await run_body(dut, body)
