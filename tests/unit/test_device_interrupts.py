"""Interrupt sources, MSI-X, doorbells, RAISE and release on completion (docs/reference/pcie_bar.md)."""

from __future__ import annotations

import pytest

from golden_model.device import DeviceConfig, Source, SparseHostMemory
from tests.unit import device_bench as b
from tests.unit.device_bench import Bench, told


def provoke(bench: Bench) -> None:
    """One INVALID_CMD."""
    bench.write(b.RAISE, 16)


# ---------------------------------------------------------------------- ERROR_STATUS


def test_error_status_is_rw1c() -> None:
    bench = Bench()
    provoke(bench)
    bench.dma(True, 0, 0, 0)
    assert bench.errors == b.INVALID_CMD | b.DMA_FAULT
    bench.write(b.ERROR_STATUS, 0)
    assert bench.errors == b.INVALID_CMD | b.DMA_FAULT
    bench.write(b.ERROR_STATUS, b.INVALID_CMD)
    assert bench.errors == b.DMA_FAULT and bench.status == b.READY | b.ERROR
    bench.write(b.ERROR_STATUS, b.VRAM_FAULT | b.DMA_FAULT)
    assert bench.errors == 0 and bench.status == b.READY
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR  # acknowledged separately


# ---------------------------------------------------------------------- IRQ registers


def test_status_is_set_whether_or_not_enabled_and_ack_clears_it() -> None:
    bench = Bench()
    bench.device.bar4_write(0x90, 1)
    provoke(bench)
    assert bench.read(b.IRQ_STATUS) == b.DOORBELL | b.IRQ_ERROR
    bench.write(b.IRQ_ACK, b.DOORBELL)
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    bench.write(b.IRQ_ACK, 0)
    assert bench.read(b.IRQ_STATUS) == b.IRQ_ERROR
    assert bench.vectors() == []


def test_enabling_a_pending_source_raises_it() -> None:
    bench = Bench()
    bench.unmask()
    bench.write(b.IRQ_ENABLE, 0)
    bench.device.bar4_write(0x90, 1)
    assert bench.vectors() == []
    bench.write(b.IRQ_ENABLE, b.DOORBELL | b.DMA_DONE)
    assert bench.vectors() == [Source.DOORBELL]
    bench.write(b.IRQ_ENABLE, b.DOORBELL)  # it was enabled already
    assert bench.vectors() == []
    bench.write(b.IRQ_ENABLE, 0)
    bench.write(b.IRQ_ACK, b.DOORBELL)
    bench.write(b.IRQ_ENABLE, b.DOORBELL)
    assert bench.vectors() == []


def test_every_event_of_an_enabled_source_raises() -> None:
    bench = Bench()
    bench.unmask()
    bench.device.bar4_write(0x90, 1)
    bench.device.bar4_write(0x90, 2)
    assert bench.vectors() == [3, 3]


def test_sources_and_vectors() -> None:
    bench = Bench()
    bench.unmask()
    bench.stage()
    bench.dispatch()
    assert bench.vectors() == [0]
    bench.dma(True, 0x1000, 0, 4)
    assert bench.vectors() == [1]
    provoke(bench)
    assert bench.vectors() == [2]
    bench.device.bar4_write(0x90, 9)
    assert bench.vectors() == [3]
    assert bench.read(b.IRQ_STATUS) == 0xF


# ---------------------------------------------------------------------- MSI-X


def test_message_carries_the_table_entry() -> None:
    bench = Bench()
    bench.write64(b.MSIX_TABLE + 16 * 5, 0x12_3456_7898)
    bench.write(b.MSIX_TABLE + 16 * 5 + 8, 0xCAFE)
    bench.write(b.MSIX_TABLE + 16 * 5 + 12, 0)
    bench.write(b.RAISE, 5)
    (message,) = bench.device.take_messages()
    assert (message.vector, message.address, message.data) == (5, 0x12_3456_7898, 0xCAFE)


def test_masked_vectors_are_pending_and_sent_once_when_unmasked() -> None:
    bench = Bench()
    bench.write(b.RAISE, 0)
    bench.write(b.RAISE, 7)
    bench.write(b.RAISE, 7)
    assert bench.vectors() == []
    assert bench.read(b.MSIX_PBA) == 1 << 7 | 1 and bench.read(b.MSIX_PBA + 4) == 0
    bench.write(b.MSIX_TABLE + 16 * 7 + 12, 0)
    assert bench.vectors() == [7]
    assert bench.read(b.MSIX_PBA) == 1
    bench.write(b.MSIX_TABLE + 16 * 7 + 12, 1)
    bench.write(b.MSIX_TABLE + 16 * 7 + 12, 0)
    assert bench.vectors() == []


def test_pending_bits_are_read_only_and_survive_ack() -> None:
    bench = Bench()
    bench.write(b.IRQ_ENABLE, 0xF)
    bench.device.bar4_write(0x90, 1)
    bench.write(b.MSIX_PBA, 0xFFFF)
    bench.write(b.IRQ_ACK, 0xF)
    assert bench.read(b.MSIX_PBA) == 1 << 3


def test_function_mask_and_enable() -> None:
    bench = Bench()
    bench.unmask()
    bench.device.msix.set_function(enabled=True, function_mask=True)
    bench.write(b.RAISE, 6)
    bench.write(b.RAISE, 4)
    assert bench.vectors() == [] and bench.read(b.MSIX_PBA) == 1 << 6 | 1 << 4
    bench.write(b.MSIX_TABLE + 16 * 6 + 12, 0)
    assert bench.vectors() == []
    bench.device.msix.set_function(enabled=False, function_mask=False)
    assert bench.vectors() == []
    bench.device.msix.set_function(enabled=True, function_mask=False)
    assert bench.vectors() == [4, 6]  # lowest first


def test_raise_ignores_irq_enable_and_refuses_vectors_that_do_not_exist() -> None:
    bench = Bench()
    bench.unmask()
    bench.write(b.IRQ_ENABLE, 0)
    for vector in range(16):
        bench.write(b.RAISE, vector)
    assert bench.vectors() == list(range(16))
    assert bench.read(b.IRQ_STATUS) == 0
    for vector in (16, 0x1_0000, 0xFFFF_FFFF):
        bench.write(b.RAISE, vector)
        assert bench.errors == b.INVALID_CMD
        bench.write(b.ERROR_STATUS, 0xF)
    assert bench.vectors() == []


# ---------------------------------------------------------------------- doorbells


def test_doorbells_queue_in_order() -> None:
    bench = Bench()
    for token in (5, 0, 0xFFFF_FFFF):
        bench.device.bar4_write(0x90, token)
    assert bench.read(b.DB_STATUS) == 3
    assert [bench.read(b.DB_POP) for _ in range(4)] == [5, 0, 0xFFFF_FFFF, 0xFFFF_FFFF]
    assert bench.read(b.DB_STATUS) == 0


@pytest.mark.parametrize("offset", [0x0, 0x8C, 0x94, 0x91, 0xFFFC])
def test_other_offsets_of_bar4_are_ignored(offset: int) -> None:
    bench = Bench()
    bench.device.bar4_write(offset, 1)
    assert bench.read(b.DB_STATUS) == 0 and bench.read(b.IRQ_STATUS) == 0 and bench.errors == 0
    assert bench.device.bar4_read(offset, 1) == 0 and bench.device.bar4_read(0x90) == 0


def test_queue_overflow() -> None:
    bench = Bench()
    bench.unmask()
    for token in range(66):
        bench.device.bar4_write(0x90, token)
    assert bench.vectors() == [3] * 64  # a lost token raises nothing
    assert bench.read(b.DB_STATUS) == 1 << 31 | 64
    assert bench.read(b.DB_POP) == 0
    assert bench.read(b.DB_STATUS) == 1 << 31 | 63  # sticky
    bench.write(b.DB_STATUS, 0x7FFF_FFFF)
    assert bench.read(b.DB_STATUS) == 1 << 31 | 63
    bench.write(b.DB_STATUS, 1 << 31)
    assert bench.read(b.DB_STATUS) == 63
    bench.device.bar4_write(0x90, 100)
    assert [bench.read(b.DB_POP) for _ in range(64)] == [*range(1, 64), 100]
    assert bench.errors == 0


# ---------------------------------------------------------------------- release on completion


def release(bench: Bench, addr: int, ctrl: int, program: str = b.STORE) -> None:
    bench.stage(program)
    bench.write64(b.RELEASE_ADDR, addr)
    bench.write64(b.RELEASE_PAYLOAD, 0x1122_3344_5566_7788)
    bench.write(b.RELEASE_CTRL, ctrl)
    bench.dispatch()


@pytest.mark.parametrize("addr", [0x3000, 0x3003, 0x303E])
def test_release_of_32_and_64_bits(addr: int) -> None:
    bench = Bench()
    release(bench, addr, 1)
    assert bench.device.bar2_read(addr, 8) == bytes.fromhex("88776655") + bytes(4)
    release(bench, addr, 3)
    assert bench.device.bar2_read(addr, 8) == bytes.fromhex("8877665544332211")
    assert bench.read(b.IRQ_STATUS) == b.KERNEL_DONE


def test_release_timestamp_is_nanoseconds() -> None:
    bench = told()
    release(bench, 0x3000, 5)
    launch = bench.device.launch
    assert launch is not None
    launch.advance()
    bench.device.cycle = 1001 - launch.rounds
    launch.finish()
    assert bench.device.bar2_read(0x3000, 8) == bytes.fromhex("88776655") + bytes(4)
    assert int.from_bytes(bench.device.bar2_read(0x3008, 8), "little") == 2502  # 1001 × 2.5, rounded down


def test_release_to_host_memory_precedes_the_interrupt() -> None:
    class Watching(SparseHostMemory):
        def write(self, addr: int, data: bytes) -> None:
            assert bench.device.messages == [] and bench.device.busy
            super().write(addr, data)

    bench = Bench(host=Watching())
    bench.unmask()
    release(bench, 0x5_0000_0000, 0b1011)
    (access,) = bench.device.take_host_accesses()
    assert access.write and access.addr == 0x5_0000_0000 and access.data == bytes.fromhex("8877665544332211")
    assert bench.vectors() == [0]
    assert bench.device.vram.read(0x3000, 8) == bytes(8)


def test_disabled_release_writes_nothing() -> None:
    bench = Bench()
    release(bench, 0x3000, 0b0110)
    assert bench.device.bar2_read(0x3000, 16) == bytes(16)


def test_release_only_by_a_launch_that_ends_well() -> None:
    for program, ctrl in ((b.ILLEGAL, 1), (b.LOOP, 1)):
        bench = Bench()
        bench.write(b.MAX_CYCLES, 50)
        release(bench, 0x3000, ctrl, program)
        assert bench.errors == b.KERNEL_FAULT
        assert bench.device.bar2_read(0x3000, 4) == bytes(4)


def test_release_registers_are_sampled_at_dispatch() -> None:
    bench = told()
    release(bench, 0x3000, 1)
    bench.write64(b.RELEASE_ADDR, 0x4000)
    bench.write(b.RELEASE_PAYLOAD, 0)
    bench.write(b.RELEASE_CTRL, 0)
    assert bench.device.launch is not None
    bench.device.launch.finish()
    assert bench.device.bar2_read(0x3000, 4) == bytes.fromhex("88776655")
    assert bench.device.bar2_read(0x4000, 4) == bytes(4)


@pytest.mark.parametrize(
    ("addr", "ctrl", "error"),
    [
        (0x20_0000 - 3, 0b0001, b.VRAM_FAULT),
        (0x20_0000 - 12, 0b0101, b.VRAM_FAULT),  # the timestamp does not fit
        (1 << 63, 0b0001, b.VRAM_FAULT),
        ((1 << 64) - 3, 0b1001, b.DMA_FAULT),
        (0x7000, 0b1001, b.DMA_FAULT),
    ],
)
def test_release_that_cannot_be_written(addr: int, ctrl: int, error: int) -> None:
    bench = Bench(config=DeviceConfig(vram_size=0x20_0000))
    bench.host.failing.add(0x7000, 1)
    bench.stage(vortex=False)
    bench.write64(b.RELEASE_ADDR, addr)
    bench.write(b.RELEASE_CTRL, ctrl)
    bench.dispatch()
    assert bench.errors == error
    assert bench.read(b.IRQ_STATUS) == b.KERNEL_DONE | b.IRQ_ERROR  # the kernel itself ended well
    assert bench.read(b.DMA_STATUS) == 0
