"""The synchronous client: buffers, modules, kernels and launches on any backend.

A `Device` belongs to one client thread. Calls that need an answer wait for it; everything else is queued on the
device in order. One launch runs, any number wait behind it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

from config import RunConfig
from sw.runtime.allocator import PAGE_SIZE, Allocator
from sw.runtime.args import Argument, pack
from sw.runtime.backend import Backend, open_backend
from sw.runtime.buffer import Array, Buffer, PendingRead
from sw.runtime.errors import DeviceLostError, InvalidValueError
from sw.runtime.launch import Dims, make_geometry
from sw.runtime.launch_queue import LaunchQueue, LaunchResult
from sw.runtime.messages import (
    BackendFailed,
    CheckFailed,
    DcrData,
    DcrRead,
    DcrWrite,
    DeclareBuffer,
    Doorbell,
    Event,
    Fault,
    ForgetBuffer,
    ForgetImage,
    Interrupt,
    Launch,
    LaunchDone,
    MemoryData,
    Message,
    ReadMemory,
    RegisterData,
    Reset,
    WriteMemory,
)
from sw.runtime.module import Kernel, Module, read_image

ARG_SLOT_SIZE = 4096
MPM_VALUE = 0x001  # DCR that reads counters
FIRST_COUNTER = 0xB00
MINSTRET = 0xB02


class Device:
    """Memory, modules and launches of one device.

    Args:
        backend: an open backend; `Device.open` finds one by name.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.config: RunConfig = backend.config
        self._allocator = Allocator(backend.config.hardware)
        self._buffers: dict[int, Buffer] = {}
        self._modules: list[Module] = []
        self._launches = LaunchQueue()
        self._requests = itertools.count(1)
        self._answers: dict[int, bytes | int] = {}
        self._free_slots: list[Buffer] = []
        self.doorbells: list[int] = []
        self.interrupts: list[int] = []

    @classmethod
    def open(cls, backend: str, config: RunConfig) -> Device:
        """Device on the backend registered under that name; raises InvalidValueError for an unknown one."""
        return cls(open_backend(backend, config))

    @property
    def backend_name(self) -> str:
        return self._backend.name

    def close(self) -> None:
        self._backend.close()

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ memory

    def alloc(self, size: int, name: str = "buffer") -> Buffer:
        """Allocate `size` bytes at a multiple of 64; contents are undefined.

        Raises:
            InvalidValueError: size below 1.
            OutOfDeviceMemoryError: no room.
        """
        return self._track(self._allocator.alloc(size, name).start, size, name)

    def reserve(self, address: int, size: int, name: str = "reservation") -> Buffer:
        """Buffer at a fixed address; raises InvalidValueError when it overlaps something."""
        self._allocator.reserve(address, size, name)
        return self._track(address, size, name)

    def free(self, buffer: Buffer) -> None:
        """Give a buffer back; using or freeing it again raises InvalidValueError."""
        buffer.check(0, 0)
        self._owned(buffer)
        buffer.live = False
        del self._buffers[buffer.address]
        self._allocator.free(self._range_start(buffer))
        self._send(ForgetBuffer(buffer.address))

    def write(self, buffer: Buffer, data: Array | bytes, offset: int = 0) -> None:
        """Copy an array (C order) or bytes to `buffer` at byte `offset`; ordered before later launches."""
        raw = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
        self._owned(buffer)
        buffer.check(offset, len(raw))
        if raw:
            self._send(WriteMemory(buffer.address + offset, raw))

    def read(
        self, buffer: Buffer, dtype: type[np.generic] | np.dtype[np.generic], count: int | None = None, offset: int = 0
    ) -> Array:
        """Read `count` elements (default: the rest of the buffer) at byte `offset`, after all queued launches.

        Returns:
            New array of shape (count,).
        """
        kind: np.dtype[np.generic] = np.dtype(dtype)
        self._owned(buffer)
        number = (buffer.size - offset) // kind.itemsize if count is None else count
        buffer.check(offset, number * kind.itemsize)
        if number == 0:
            return np.empty(0, kind)
        return np.frombuffer(self.read_memory(buffer.address + offset, number * kind.itemsize), kind).copy()

    def upload(self, data: Array, name: str = "buffer") -> Buffer:
        """Allocate a buffer of the array's size and copy it there."""
        buffer = self.alloc(max(1, data.nbytes), name)
        self.write(buffer, data)
        return buffer

    def read_memory(self, address: int, size: int) -> bytes:
        """Raw bytes at a device address, after all queued launches."""
        return self.finish_read(self.request_read(address, size))

    def request_read(self, address: int, size: int) -> PendingRead:
        """Queue a read in order, without waiting: it sees earlier launches and not later ones."""
        read = PendingRead(next(self._requests), address, size)
        self._send(ReadMemory(read.request, address, size))
        return read

    def finish_read(self, read: PendingRead) -> bytes:
        """Wait for the bytes of a queued read; each read is handed over once."""
        answer = self._answer(read.request)
        if not isinstance(answer, bytes) or len(answer) != read.size:
            raise DeviceLostError(
                f"backend {self.backend_name!r} answered a read of {read.size} bytes at {read.address:#x} wrongly"
            )
        return answer

    def reset(self) -> None:
        """Reset the device: queued launches end as ABORTED, memory and loaded modules stay."""
        self._send(Reset())

    # ------------------------------------------------------------------ configuration registers

    def dcr_write(self, address: int, value: int) -> None:
        self._send(DcrWrite(address, value))

    def dcr_read(self, address: int, tag: int) -> int:
        """Value of a DCR read (docs/reference/vortex.md §4.2)."""
        request = next(self._requests)
        self._send(DcrRead(request, address, tag))
        answer = self._answer(request)
        if not isinstance(answer, int):
            raise DeviceLostError(f"backend {self.backend_name!r} answered a DCR read with memory data")
        return answer

    def counter(self, csr: int, core: int, group: int = 0) -> int:
        """Counter of one core by CSR number, 0xB00 to 0xB1F, and class (docs/reference/vortex.md §3.5, §8.8).

        Raises:
            InvalidValueError: no such counter or core.
        """
        if not FIRST_COUNTER <= csr < FIRST_COUNTER + 32:
            raise InvalidValueError(f"counter {csr:#x}: counters are CSRs 0xb00 to 0xb1f")
        if not 0 <= core < self.config.hardware.total_cores:
            raise InvalidValueError(f"core {core}: this processor has {self.config.hardware.total_cores} cores")
        tag = group << 22 | csr - FIRST_COUNTER << 16 | core
        low, high = (self.dcr_read(MPM_VALUE, tag | half << 21) for half in (0, 1))
        return high << 32 | low

    # ------------------------------------------------------------------ modules

    def load_module(self, path: Path | str) -> Module:
        """Load a `.vxbin`: reserve its range, copy the image, clear the rest up to max_vma.

        Raises:
            ModuleError: the file is missing or breaks a rule of docs/reference/vortex.md §7.4; nothing is loaded then.
            InvalidValueError: its range is taken.
        """
        image = read_image(Path(path), self.config.hardware, self.config.entry)
        self._allocator.reserve(image.min_vma, image.max_vma - image.min_vma, f"image {image.name}")
        module = Module(self, image)
        self._modules.append(module)
        self._send(image)
        return module

    def unload_module(self, module: Module) -> None:
        """Free the image's range once its queued launches have ended; its kernels cannot be launched any more."""
        if module not in self._modules:
            raise InvalidValueError(f"module {module.name!r} is not loaded on this device")
        self.wait_all()
        self._modules.remove(module)
        module.loaded = False
        self._allocator.free(module.image.min_vma // PAGE_SIZE * PAGE_SIZE)
        self._send(ForgetImage(module.image.min_vma))

    # ------------------------------------------------------------------ launches

    def enqueue(
        self,
        kernel: Kernel,
        grid: Dims,
        block: Dims,
        args: Sequence[Argument] = (),
        lmem: int = 0,
        cluster: Dims = 1,
        max_cycles: int = 0,
    ) -> int:
        """Queue a launch behind all earlier ones and return its launch id.

        Raises:
            LaunchError: a geometry that the hardware cannot run; nothing is queued.
            InvalidValueError: kernel or argument that cannot be used.
        """
        kernel.check(self)
        geometry = make_geometry(self.config.hardware, grid, block, lmem, cluster)
        block_bytes = pack(args)
        slot = self._stage(block_bytes) if block_bytes else None
        message = Launch(
            launch_id=self._launches.next_id(),
            kernel=kernel.name,
            startup_addr=kernel.startup_addr(self.config.entry),
            kernel_entry=kernel.pc,
            arg_addr=slot.address if slot else 0,
            grid=geometry.grid,
            block=geometry.block,
            block_size=geometry.block_size,
            warp_step=geometry.warp_step,
            lmem_size=geometry.lmem_size,
            cluster=geometry.cluster,
            rewind=self.config.entry.rewind,
            max_cycles=max_cycles,
        )
        self._launches.add(message, geometry, slot)
        self._send(message)
        return message.launch_id

    def launch(
        self,
        kernel: Kernel,
        grid: Dims,
        block: Dims,
        args: Sequence[Argument] = (),
        lmem: int = 0,
        cluster: Dims = 1,
        max_cycles: int = 0,
    ) -> LaunchResult:
        """`enqueue` and `wait`: run one kernel to its end."""
        return self.wait(self.enqueue(kernel, grid, block, args, lmem, cluster, max_cycles))

    def wait(self, launch_id: int, timeout_s: float | None = None) -> LaunchResult:
        """Wait for one launch and hand over its result, once.

        Raises:
            InvalidValueError: no such launch, or its result was already taken.
            DeviceTimeoutError: it has not ended within `timeout_s` wall-clock seconds.
            DeviceLostError: the device is gone; the reports that had arrived are in an ABORTED result, which a second
                `wait` hands over.
        """
        while not self._launches.has_result(launch_id):
            if launch_id not in self._launches.pending:
                raise InvalidValueError(f"launch {launch_id} is not queued on this device (or was waited for already)")
            self._take(self._backend.receive(timeout_s))
        return self._launches.take_result(launch_id)

    def wait_all(self) -> None:
        """Wait until no launch is queued; their results stay available to `wait`."""
        while self._launches.pending:
            self._take(self._backend.receive(None))

    @property
    def queued(self) -> tuple[int, ...]:
        """Ids of launches that have not ended, oldest first; the first is the running one."""
        return self._launches.pending

    # ------------------------------------------------------------------ inside

    def _send(self, message: Message) -> None:
        self._backend.send(message)

    def _track(self, address: int, size: int, name: str) -> Buffer:
        buffer = Buffer(self, address, size, name)
        self._buffers[address] = buffer
        self._send(DeclareBuffer(address, size, name))
        return buffer

    def _owned(self, buffer: Buffer) -> None:
        if buffer.device is not self:
            raise InvalidValueError(f"buffer {buffer.name!r} belongs to another device")

    def _range_start(self, buffer: Buffer) -> int:
        for taken in self._allocator.ranges:
            if taken.start <= buffer.address < taken.end:
                return taken.start
        raise InvalidValueError(f"buffer {buffer.name!r} is not allocated")

    def _stage(self, block: bytes) -> Buffer:
        """Copy an argument block to a pooled slot, or to a buffer of its own when it is larger."""
        if len(block) > ARG_SLOT_SIZE or not self._free_slots:
            slot = self.alloc(max(len(block), ARG_SLOT_SIZE), "arguments")
        else:
            slot = self._free_slots.pop()
        self.write(slot, block)
        return slot

    def _answer(self, request: int) -> bytes | int:
        while request not in self._answers:
            self._take(self._backend.receive(None))
        return self._answers.pop(request)

    def _take(self, event: Event) -> None:
        """Account for one event."""
        match event:
            case MemoryData(request, data):
                self._answers[request] = data
            case DcrData(request, value) | RegisterData(request, value):
                self._answers[request] = value
            case Fault() | CheckFailed():
                self._launches.report(event)
            case LaunchDone():
                self._recycle(self._launches.finish(event))
            case Doorbell(token):
                self.doorbells.append(token)
            case Interrupt(vector):
                self.interrupts.append(vector)
            case BackendFailed(message):
                self._launches.abort()
                raise DeviceLostError(message)

    def _recycle(self, slot: Buffer | None) -> None:
        """An argument block is not needed any more."""
        if slot is None:
            return
        if slot.size > ARG_SLOT_SIZE:
            self.free(slot)
        else:
            self._free_slots.append(slot)
