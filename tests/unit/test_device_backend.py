"""The host side on the BARs: backends golden-bar and golden-bar-raw, faults, watchdog, console, hostile placement."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from config import EntryGeneration, HardwareConfig, RunConfig
from golden_model.device import Device, DeviceConfig, ErrorBit, TableEntry
from golden_model.isa.asm import assemble
from golden_model.records.layout import FaultKind
from sw.kernel.vxbin import load
from sw.kernel.vxcc import compile_kernel
from sw.runtime import messages as m
from sw.runtime.backend import open_backend
from sw.runtime.bar import BarError, BarHost, BarLaunch, LaunchMode
from sw.runtime.bar.golden import GoldenBarBackend, GoldenTransport
from sw.runtime.bar.staging import STAGING_BASE, Staging
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError, InvalidValueError, OutOfDeviceMemoryError
from tests.regression.catalogue import KERNELS_FOLDER

BASE = 0x8000_0000
END = "csrr s11, cta_entry\ncsrr a0, mscratch\nnop\nnop\ntmc zero"
CONFIG = RunConfig()


def image(program: str, base: int = BASE) -> m.LoadImage:
    code = assemble(program, base)
    return m.LoadImage(base, base + len(code) + 8, code, {"main": base}, "test")


def launch(number: int = 1, base: int = BASE, args: int = 0, max_cycles: int = 0, grid: int = 1) -> m.Launch:
    return m.Launch(
        number, "main", base, base, args, (grid, 1, 1), (1, 1, 1), 1, (0, 0, 0), 0, (1, 1, 1), 20, max_cycles
    )  # fmt: skip


def events(backend: GoldenBarBackend, *messages: m.Message) -> list[m.Event]:
    for message in messages:
        backend.send(message)
    found: list[m.Event] = []
    with pytest.raises(DeviceTimeoutError):
        while True:
            found.append(backend.receive())
    return found


def done(found: list[m.Event]) -> list[m.LaunchStatus]:
    return [event.status for event in found if isinstance(event, m.LaunchDone)]


@pytest.mark.parametrize("name", ["golden-bar", "golden-bar-raw"])
def test_backends_are_registered(name: str) -> None:
    backend = open_backend(name, CONFIG)
    assert backend.name == name
    backend.close()
    with pytest.raises(DeviceLostError):
        backend.send(m.Reset())


def test_launch_and_interrupt() -> None:
    found = events(GoldenBarBackend(CONFIG), image(END), launch())
    assert done(found) == [m.LaunchStatus.DONE]
    assert m.Interrupt(0) in found
    assert [event.stats.instructions for event in found if isinstance(event, m.LaunchDone)] == [5]


def test_fault_is_reported_with_its_place() -> None:
    found = events(GoldenBarBackend(CONFIG), image("nop\n.word 0"), launch(), launch(2))
    (first, _) = [event for event in found if isinstance(event, m.Fault)]
    assert (first.kind, first.pc, first.tmask) == (FaultKind.ILLEGAL_INSTRUCTION, BASE + 4, 1)
    assert done(found) == [m.LaunchStatus.FAULT, m.LaunchStatus.FAULT]
    assert m.Interrupt(2) in found and m.Interrupt(0) not in found


def test_watchdog_is_a_timeout_and_the_next_launch_runs() -> None:
    backend = GoldenBarBackend(CONFIG)
    found = events(backend, image("loop: j loop"), launch(max_cycles=200))
    assert done(found) == [m.LaunchStatus.TIMEOUT]
    assert [event.check for event in found if isinstance(event, m.CheckFailed)] == ["hang"]
    assert done(events(backend, m.ForgetImage(BASE), image(END), launch(2))) == [m.LaunchStatus.DONE]


def test_refused_launch_is_a_failed_check() -> None:
    found = events(GoldenBarBackend(CONFIG), image(END), launch(base=BASE + 0x1000))
    assert done(found) == [m.LaunchStatus.CHECK_FAILED]
    assert [event.check for event in found if isinstance(event, m.CheckFailed)] == ["dispatch"]


def test_finding_of_the_model_fails_the_launch() -> None:
    found = events(GoldenBarBackend(CONFIG), image("lw t0, 0(t1)\n" + END), launch())
    assert done(found) == [m.LaunchStatus.CHECK_FAILED]
    assert "undefined-address" in [event.check for event in found if isinstance(event, m.CheckFailed)]


def test_memory_is_reached_only_where_it_is_mapped() -> None:
    backend = GoldenBarBackend(CONFIG)
    found = events(
        backend, m.DeclareBuffer(0x1_0000, 64, "x"), m.WriteMemory(0x1_0010, b"hello"), m.ReadMemory(1, 0x1_000F, 7)
    )  # fmt: skip
    assert found == [m.MemoryData(1, b"\0hello\0")]
    (failed,) = events(backend, m.ReadMemory(2, 0x1_0030, 64))
    assert isinstance(failed, m.BackendFailed) and "0x10040" in failed.message


def test_registers_dcrs_and_reset() -> None:
    backend = GoldenBarBackend(CONFIG)
    found = events(
        backend,
        m.RegisterRead(1, 0, 0),
        m.RegisterWrite(2, 0x100, 0x1234),
        m.RegisterRead(2, 2, 0x100),
        m.RegisterWrite(4, 0x90, 5),
        m.RegisterRead(3, 0, 0x604),
        m.DcrWrite(0x01C, 64),
        m.DcrRead(4, 0x001, 0),
        m.Reset(),
        launch(),
    )  # fmt: skip
    values = [event for event in found if isinstance(event, m.RegisterData | m.DcrData)]
    assert values == [m.RegisterData(1, 0x47505055), m.RegisterData(2, 0x1234), m.RegisterData(3, 5), m.DcrData(4, 0)]
    assert m.Interrupt(3) in found and done(found) == [m.LaunchStatus.ABORTED]
    (failed,) = events(backend, m.RegisterRead(1, 3, 0))
    assert isinstance(failed, m.BackendFailed)


def test_console_is_drained_after_each_launch() -> None:
    """The kernel stores `hi` and a newline in slot 0 of the ring and counts three bytes."""
    program = (
        "li t0, 0x240\nli t1, 0x68\nsb t1, 0(t0)\nli t1, 0x69\nsb t1, 1(t0)\nli t1, 10\nsb t1, 2(t0)\n"
        f"li t0, 0x40\nli t1, 3\nsw t1, 0(t0)\n{END}"
    )
    backend = GoldenBarBackend(CONFIG)
    assert done(events(backend, image(program), launch())) == [m.LaunchStatus.DONE]
    assert backend.host.console_lines == ["#0: hi"]
    raw = GoldenBarBackend(CONFIG, LaunchMode.RAW)
    events(raw, image(program, 0x10_0000), launch(base=0x10_0000))
    assert raw.host.console_lines == []


# ---------------------------------------------------------------------- the driver by itself


def test_two_buffers_and_private_bytes_in_one_block() -> None:
    """add_k of multikernel with source and destination in one 64-byte block of the cores, far apart in VRAM."""
    hardware = HardwareConfig()
    built = compile_kernel([KERNELS_FOLDER / "multikernel" / "kernel.cpp"], hardware=hardware)
    module = load(built.vxbin)
    device = Device(DeviceConfig(hardware))
    host = BarHost(GoldenTransport(device))
    host.load(module.min_vma, module.max_vma, module.image)
    source, target, args = 0x2_0004, 0x2_001C, 0x3_0000
    host.map(source, 20, offset=0x1001)
    host.map(target, 20, offset=0x7_003B)
    host.map(args, 64)
    device.memory.private.write(0x2_0000, b"\xaa" * 64)
    device.bar2_write(0x1000, b"\x55" * 22)
    device.bar2_write(0x7_003A, b"\x55" * 22)
    values = np.array([1, -2, 3, -4, 5], np.int32)
    host.write(source, values.tobytes())
    host.write(args, struct.pack("<IxxxxQQ", 5, source, target))
    host.start(BarLaunch(module.kernels["add_k"], module.min_vma, args, (1, 1, 1), (5, 1, 1)))
    result = host.wait()
    assert result.ok and result.fault is FaultKind.NONE
    expected = values + (np.arange(5, dtype=np.int32) + 1) ** 3
    assert np.array_equal(np.frombuffer(host.read(target, 20), np.int32), expected)
    assert device.memory.private.read(0x2_0000, 64) == b"\xaa" * 64
    assert device.bar2_read(0x1000, 22) == b"\x55" + values.tobytes() + b"\x55"
    assert device.bar2_read(0x7_003A, 22) == b"\x55" + expected.tobytes() + b"\x55"


def test_table_is_sorted_and_limited() -> None:
    host = BarHost(GoldenTransport(Device()))
    for number in reversed(range(63)):
        host.map(0x1_0000 + 64 * number, 64)
    entries = host.table()
    assert len(entries) == 64 and entries == sorted(entries, key=lambda entry: entry.vma)
    assert entries[0] == TableEntry(0x40, STAGING_BASE, 0x8310)  # the I/O window: 0x40 to 0x834F
    with pytest.raises(InvalidValueError, match="full"):
        host.map(0x9000_0000, 64)
    host.unmap(0x1_0000)
    with pytest.raises(InvalidValueError, match="overlaps"):
        host.map(0x1_0030, 64)


def test_staging() -> None:
    staging = Staging(64 << 20, skew=3)
    first, second = staging.alloc(100), staging.alloc(1)
    assert (first, second) == (STAGING_BASE + 3, STAGING_BASE + 128 + 3)
    staging.free(first)
    assert staging.alloc(50) == first
    assert Staging(64 << 20).alloc(0x01FF_0000) == STAGING_BASE
    with pytest.raises(OutOfDeviceMemoryError):
        Staging(64 << 20).alloc(0x01FF_0001)
    with pytest.raises(OutOfDeviceMemoryError):
        Staging(0x10_0000).alloc(1)


def test_driver_reports_what_is_wrong() -> None:
    class Nothing(GoldenTransport):
        def bar0_read(self, offset: int) -> int:
            return 0xFFFF_FFFF

    with pytest.raises(BarError, match="not the device"):
        BarHost(Nothing(Device()))
    host = BarHost(GoldenTransport(Device()))
    with pytest.raises(BarError, match="refuses"):
        host.dcr_read(0x010, 0)
    host.start(BarLaunch(BASE, BASE))
    assert host.wait().errors == ErrorBit.INVALID_CMD
    with pytest.raises(InvalidValueError, match="not VRAM"):
        BarHost(GoldenTransport(Device()), LaunchMode.RAW).map(BASE, 4)


def test_s11_writes_no_startup_address() -> None:
    host = BarHost(GoldenTransport(Device()))
    host.start(BarLaunch(BASE, BASE, rewind=EntryGeneration.S11.rewind))
    assert host.read_wide("STARTUP_ADDR") == 0 and host.read_wide("KERNEL_ADDR") == BASE | 1 << 63
    host.start(BarLaunch(BASE + 0x100, BASE))
    assert host.read_wide("STARTUP_ADDR") == BASE
