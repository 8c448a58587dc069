"""The synchronous device over messages: buffers, modules, queue and launch ids."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from config import EntryGeneration, RunConfig
from sw.runtime import Device, DeviceError, InvalidValueError, LaunchError, ModuleError, u32
from sw.runtime.backend import backend_names, open_backend, register_backend
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError
from sw.runtime.messages import DcrRead, DeclareBuffer, Launch, LaunchDone, LaunchStatus, LoadImage
from tests.unit.scripted_backend import ScriptedBackend
from tests.unit.vxbin_files import BASE, write_vxbin


def _double(backend: ScriptedBackend, launch: Launch) -> None:
    count, src, dst = struct.unpack("<I4xQQ", backend.load(launch.arg_addr, 24))
    values = np.frombuffer(backend.load(src, 4 * count), np.int32)
    backend.store(dst, (values * 2).tobytes())


@pytest.fixture
def backend() -> ScriptedBackend:
    return ScriptedBackend(RunConfig(), {"add_k": _double})


@pytest.fixture
def device(backend: ScriptedBackend) -> Device:
    return Device(backend)


def test_arrays_come_back(device: Device) -> None:
    data = np.arange(100, dtype=np.float32)
    buffer = device.upload(data)
    assert np.array_equal(device.read(buffer, np.float32), data)
    assert np.array_equal(device.read(buffer, np.float32, count=3, offset=8), data[2:5])


def test_buffer_bounds(device: Device) -> None:
    buffer = device.alloc(16, "small")
    with pytest.raises(InvalidValueError, match=r"\[0, 17\) is outside buffer 'small' of 16 bytes"):
        device.write(buffer, bytes(17))
    with pytest.raises(InvalidValueError, match="outside"):
        device.read(buffer, np.int32, count=5)
    device.free(buffer)
    with pytest.raises(InvalidValueError, match="was freed"):
        device.write(buffer, b"x")
    with pytest.raises(InvalidValueError, match="was freed"):
        device.free(buffer)


def test_buffers_of_another_device_are_refused(device: Device) -> None:
    other = Device(ScriptedBackend(RunConfig()))
    with pytest.raises(InvalidValueError, match="another device"):
        device.write(other.alloc(16), b"x")


def test_module_is_loaded_with_cleared_bss(device: Device, backend: ScriptedBackend, tmp_path: Path) -> None:
    backend.store(BASE + 40, b"\xff" * 8)
    module = device.load_module(write_vxbin(tmp_path / "three.vxbin"))
    assert module.kernel_names == ("add_k", "mul_k", "acc_k")
    loaded = backend.sent[0]
    assert isinstance(loaded, LoadImage)
    assert (loaded.min_vma, loaded.max_vma, len(loaded.image), loaded.name) == (BASE, BASE + 96, 32, "three.vxbin")
    assert loaded.kernels == {"add_k": BASE + 20, "mul_k": BASE + 24, "acc_k": BASE + 28}
    assert backend.sent[1:] == []
    assert device.read_memory(BASE + 28, 72) == loaded.image[28:] + bytes(64) + bytes(4)


def test_same_name_gives_the_same_handle(device: Device, tmp_path: Path) -> None:
    module = device.load_module(write_vxbin(tmp_path / "three.vxbin"))
    assert module.kernel("add_k") is module.kernel("add_k")
    assert module.kernel("add_k") is not module.kernel("mul_k")
    with pytest.raises(ModuleError, match=r"no kernel 'no_such_kernel'; it has: add_k, mul_k, acc_k"):
        module.kernel("no_such_kernel")


def test_malformed_module_leaves_the_device_alone(device: Device, backend: ScriptedBackend, tmp_path: Path) -> None:
    path = tmp_path / "bad.vxbin"
    path.write_bytes(bytes(10))
    with pytest.raises(ModuleError, match=r"bad\.vxbin"):
        device.load_module(path)
    with pytest.raises(ModuleError, match=r"missing\.vxbin"):
        device.load_module(tmp_path / "missing.vxbin")
    assert backend.sent == []
    device.load_module(write_vxbin(path))


def test_image_of_another_generation_is_refused(tmp_path: Path) -> None:
    device = Device(ScriptedBackend(RunConfig(entry=EntryGeneration.S11)))
    with pytest.raises(ModuleError, match="was built for ENTRY=cta_entry, this run launches with ENTRY=s11"):
        device.load_module(write_vxbin(tmp_path / "three.vxbin"))


def test_unloading_frees_the_range(device: Device, tmp_path: Path) -> None:
    path = write_vxbin(tmp_path / "three.vxbin")
    module = device.load_module(path)
    kernel = module.kernel("add_k")
    with pytest.raises(InvalidValueError, match="overlaps image"):
        device.load_module(path)
    device.unload_module(module)
    with pytest.raises(InvalidValueError, match="was unloaded"):
        device.enqueue(kernel, 1, 16)
    device.load_module(path)


def test_launch_runs_the_kernel(device: Device, tmp_path: Path) -> None:
    kernel = device.load_module(write_vxbin(tmp_path / "three.vxbin")).kernel("add_k")
    data = np.arange(32, dtype=np.int32)
    src, dst = device.upload(data), device.alloc(data.nbytes)
    result = device.launch(kernel, 2, 16, [u32(32), src, dst])
    assert result.ok
    assert (result.launch_id, result.kernel, result.stats.ctas) == (1, "add_k", 2)
    assert np.array_equal(device.read(dst, np.int32), data * 2)


def test_launches_queue_in_order_with_ids(device: Device, backend: ScriptedBackend, tmp_path: Path) -> None:
    module = device.load_module(write_vxbin(tmp_path / "three.vxbin"))
    ids = [device.enqueue(module.kernel(name), 1, 16, [u32(0)]) for name in ("acc_k", "mul_k", "acc_k")]
    assert ids == [1, 2, 3]
    assert list(device.queued) == ids
    assert device.wait(3).kernel == "acc_k"  # the earlier ones have ended too
    assert not device.queued
    assert device.wait(1).kernel == "acc_k"
    assert device.wait(2).kernel == "mul_k"
    with pytest.raises(InvalidValueError, match="launch 2 is not queued"):
        device.wait(2)
    slots = [launch.arg_addr for launch in backend.launches()]
    assert len(set(slots)) == 3, "waiting launches must not share an argument slot"
    device.launch(module.kernel("add_k"), 1, 16, [u32(0)])
    assert backend.launches()[-1].arg_addr in slots, "slots are used again"


def test_read_sees_earlier_launches_only(device: Device, tmp_path: Path) -> None:
    kernel = device.load_module(write_vxbin(tmp_path / "three.vxbin")).kernel("add_k")
    data = np.ones(4, np.int32)
    buffer = device.upload(data)
    reads = []
    for _ in range(3):
        reads.append(device.request_read(buffer.address, 16))
        device.enqueue(kernel, 1, 4, [u32(4), buffer, buffer])
    assert [np.frombuffer(device.finish_read(read), np.int32)[0] for read in reads] == [1, 2, 4]


def test_large_argument_blocks_have_a_buffer_of_their_own(
    device: Device, backend: ScriptedBackend, tmp_path: Path
) -> None:
    kernel = device.load_module(write_vxbin(tmp_path / "three.vxbin")).kernel("mul_k")
    device.launch(kernel, 1, 16, [u32(index) for index in range(2000)])
    declared = [message.size for message in backend.sent if isinstance(message, DeclareBuffer)]
    assert declared == [8000]


def test_refused_launch_sends_nothing(device: Device, backend: ScriptedBackend, tmp_path: Path) -> None:
    kernel = device.load_module(write_vxbin(tmp_path / "three.vxbin")).kernel("add_k")
    before = len(backend.sent)
    with pytest.raises(LaunchError):
        device.launch(kernel, 1, 17, [u32(1)])
    with pytest.raises(DeviceError):
        device.launch(kernel, 1, 16, [u32(-1)])
    assert len(backend.sent) == before
    assert not device.queued


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_entry_generations_start_in_the_right_place(entry: EntryGeneration, tmp_path: Path) -> None:
    backend = ScriptedBackend(RunConfig(entry=entry))
    device = Device(backend)
    path = write_vxbin(tmp_path / "x.vxbin", kernels=("only",), window=(0x13,) * 5)  # no generation is recognised
    kernel = device.load_module(path).kernel("only")
    device.launch(kernel, 1, 4)
    launch = backend.launches()[0]
    assert launch.rewind == {"cta_entry": 20, "s11": 16, "direct": 12}[entry.value]
    assert launch.kernel_entry == BASE + 20
    assert launch.startup_addr == (BASE + 20 if entry is EntryGeneration.S11 else BASE)


def test_lost_device_is_an_error(device: Device, tmp_path: Path) -> None:
    module = device.load_module(write_vxbin(tmp_path / "x.vxbin", kernels=("lose_the_device",)))
    with pytest.raises(DeviceLostError, match="exit code 139"):
        device.launch(module.kernel("lose_the_device"), 1, 4)


def test_events_out_of_order_are_an_error(device: Device, backend: ScriptedBackend, tmp_path: Path) -> None:
    kernel = device.load_module(write_vxbin(tmp_path / "x.vxbin")).kernel("add_k")
    device.enqueue(kernel, 1, 4, [u32(0)])
    device.enqueue(kernel, 1, 4, [u32(0)])
    backend.extra = [LaunchDone(2, LaunchStatus.DONE)]  # type: ignore[list-item]
    with pytest.raises(DeviceLostError, match="ended launch 2, but launch 1 runs"):
        device.wait_all()


def test_waiting_for_nothing_times_out(backend: ScriptedBackend) -> None:
    with pytest.raises(DeviceTimeoutError):
        backend.receive(0.1)


def test_backends_are_found_by_name() -> None:
    register_backend("scripted", ScriptedBackend)
    assert "scripted" in backend_names()
    assert open_backend("scripted", RunConfig()).name == "scripted"
    with Device.open("scripted", RunConfig()) as device:
        buffer = device.alloc(4)
    with pytest.raises(DeviceLostError, match="closed"):
        device.write(buffer, b"1234")
    with pytest.raises(InvalidValueError, match=r"unknown backend 'no_such'; known: .*scripted"):
        open_backend("no_such", RunConfig())


def test_counters_join_two_halves(device: Device, backend: ScriptedBackend) -> None:
    backend.retired = 77
    assert device.counter(0xB02, 0) == 77
    tags = [message.tag for message in backend.sent if isinstance(message, DcrRead)]
    assert tags == [2 << 16, 34 << 16]
    with pytest.raises(InvalidValueError, match="counters are CSRs 0xb00 to 0xb1f"):
        device.counter(0xB20, 0)
    with pytest.raises(InvalidValueError, match="this processor has 1 cores"):
        device.counter(0xB02, 1)
