"""The BAR device, whole: what a host can see and do (docs/reference/pcie_bar.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from config import HardwareConfig
from golden_model.device.bar0 import Bar0
from golden_model.device.config import BAR2_SIZE, BAR4_SIZE, DeviceConfig
from golden_model.device.dcr_window import DcrWindow
from golden_model.device.dispatch import DispatchProblem, LaunchRequest
from golden_model.device.dma import DmaProblem, DmaStatus, DmaTransfer
from golden_model.device.doorbell import DOORBELL_OFFSET, DoorbellQueue
from golden_model.device.execution import NO_FAULT, FaultRecord
from golden_model.device.host_memory import ADDRESS_SPACE, HostAccess, HostBusError, HostMemory, SparseHostMemory
from golden_model.device.image_table import TableEntry, TableProblem, read_table
from golden_model.device.interrupts import ErrorBit, Interrupts, Source
from golden_model.device.launch import MAX_ROUNDS, DeviceLaunch, Outcome
from golden_model.device.msix import Msix, MsixMessage
from golden_model.device.release import Release
from golden_model.device.remap import RemappedMemory
from golden_model.device.vram import write_vram
from golden_model.machine import Machine
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges


@dataclass(frozen=True)
class Timing:
    """When things in flight end by themselves, for a device that stands alone.

    None: never, somebody calls `launch.finish`, `advance_dma`, `answer_dcr`. 0: at once. n: the first n polls
    (reads of GLOBAL_STATUS or DMA_STATUS) still see BUSY; each lets the launch run `rounds_per_poll` rounds, or moves
    one piece of the transfer. A launch that needs more than `rounds_to_finish` rounds stays BUSY for longer.
    """

    launch_polls: int | None = 0
    dma_polls: int | None = 0
    dcr_at_once: bool = True
    rounds_per_poll: int = 16
    rounds_to_finish: int = MAX_ROUNDS


AT_ONCE = Timing()
WHEN_TOLD = Timing(launch_polls=None, dma_polls=None, dcr_at_once=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that the device refused or ended with an error, and why; for reports, no host can see it."""

    error: ErrorBit
    reason: Enum | None
    detail: str


class Device:
    """One BAR device with its cores and memories, from power-on.

    Attributes:
        machine, vram, memory: the cores, VRAM, and the remapped memory between them.
        vram_failing: ranges of VRAM that answer with bus errors; none unless somebody adds them.
        bar2_error: whether the last access to BAR2 was answered with such an error; what it read means nothing.
        launch: the launch in flight, None when not BUSY. `dma`: the transfer in flight.
        cycle: device cycles since power-on, for timestamps. Counts bus accesses and rounds of the cores; a follower
            of hardware sets it.
        messages: MSI-X messages sent and not yet taken. `host_accesses`: accesses of the DMA master, same rule.
        refusals: why something was refused, newest last.
    """

    def __init__(
        self,
        config: DeviceConfig | None = None,
        host: HostMemory | None = None,
        timing: Timing = AT_ONCE,
        seed: int | None = None,
        vram_buffer: memoryview | None = None,
    ) -> None:
        self.config = config or DeviceConfig()
        self.host = host if host is not None else SparseHostMemory()
        self.timing = timing
        self._seed = seed
        hardware = self.config.hardware
        self.vram = Memory(self.config.vram_size, vram_buffer)
        self.vram_failing = AddressRanges()
        self.bar2_error = False
        self.memory = RemappedMemory(1 << hardware.xlen, self.vram, self.config.strict_map, self.vram_failing)
        self.machine = Machine(hardware, memory=self.memory)
        self.cycle = 0
        self.messages: list[MsixMessage] = []
        self.host_accesses: list[HostAccess] = []
        self.refusals: list[Refusal] = []
        self.msix = Msix(self.messages.append)
        self.interrupts = Interrupts(self.msix.raise_vector)
        self.doorbells = DoorbellQueue()
        self.dcr = DcrWindow(hardware)
        self.launch: DeviceLaunch | None = None
        self.dma: DmaTransfer | None = None
        self._cores_used = False  # since they were reset
        self._bar0 = Bar0(self)
        self._power_on()

    def _power_on(self) -> None:
        self.launch_id = 0
        self.fault = NO_FAULT
        self.dma_status = DmaStatus(0)
        self._polls = self._dma_polls = 0
        self._bar0.reset()
        self.interrupts.reset()
        self.msix.reset()
        self.doorbells.reset()
        self.dcr.reset()

    # ------------------------------------------------------------------ the bus

    def bar0_read(self, offset: int, size: int = 4) -> int:
        """Read BAR0. Anything but an aligned 32-bit read gives 0 without effect. Raises ValueError outside."""
        self._tick()
        return self._bar0.read(offset, size)

    def bar0_write(self, offset: int, value: int, strobe: int = 0xF) -> None:
        """Write BAR0; `strobe` has one bit a byte. Anything but a whole aligned word is ignored."""
        self._tick()
        self._bar0.write(offset, value, strobe)

    def bar2_read(self, offset: int, size: int) -> bytes:
        """Read VRAM, any size and alignment. Bytes past VRAM's end are 0, with one VRAM_FAULT for the access."""
        self._tick()
        self._check_window("BAR2", offset, size, BAR2_SIZE)
        inside = max(0, min(size, self.vram.size - offset))
        if inside < size:
            self.fail(ErrorBit.VRAM_FAULT, None, f"BAR2 read of {size} bytes at {offset:#x} passes VRAM's end")
        self.bar2_error = self.vram_failing.overlaps(offset, inside)
        return self.vram.read(offset, inside) + bytes(size - inside) if inside else bytes(size)

    def bar2_write(self, offset: int, data: bytes, enables: bytes | None = None) -> None:
        """Write VRAM, any size and alignment; `enables` has one byte per data byte, 0 = not written.

        Bytes past VRAM's end are dropped, with one VRAM_FAULT for the access if one of them is enabled.
        """
        self._tick()
        self._check_window("BAR2", offset, len(data), BAR2_SIZE)
        inside = max(0, min(len(data), self.vram.size - offset))
        self.bar2_error = False
        if enables is None:
            self.bar2_error = not self._write_vram(offset, data[:inside], to_the_end=True)
            dropped = inside < len(data)
        else:
            for index, enabled in enumerate(enables[:inside]):
                if enabled and not self._write_vram(offset + index, data[index : index + 1]):
                    self.bar2_error = True
            dropped = any(enables[inside : len(data)])
        if dropped:
            self.fail(ErrorBit.VRAM_FAULT, None, f"BAR2 write of {len(data)} bytes at {offset:#x} passes VRAM's end")

    def bar4_read(self, offset: int, size: int = 4) -> int:
        """Read BAR4: always 0."""
        self._tick()
        self._check_window("BAR4", offset, size, BAR4_SIZE)
        return 0

    def bar4_write(self, offset: int, value: int, strobe: int = 0xF) -> None:
        """Write BAR4: a whole word at 0x90 enters its token; everything else is ignored."""
        self._tick()
        self._check_window("BAR4", offset, 1, BAR4_SIZE)
        if offset == DOORBELL_OFFSET and strobe == 0xF and self.doorbells.ring(value & 0xFFFF_FFFF):
            self.interrupts.occur(Source.DOORBELL)

    def take_messages(self) -> list[MsixMessage]:
        """MSI-X messages since the last call, in order."""
        taken = list(self.messages)
        self.messages.clear()
        return taken

    def take_host_accesses(self) -> list[HostAccess]:
        """Accesses of the DMA master since the last call, in order."""
        taken = list(self.host_accesses)
        self.host_accesses.clear()
        return taken

    # ------------------------------------------------------------------ state

    @property
    def hardware(self) -> HardwareConfig:
        return self.config.hardware

    @property
    def busy(self) -> bool:
        """GLOBAL_STATUS.BUSY; READY is its opposite."""
        return self.launch is not None

    @property
    def enabled(self) -> bool:
        """GLOBAL_CTRL.ENABLE: DISPATCH is allowed."""
        return bool(self._bar0.values["GLOBAL_CTRL"] & 1)

    def fail(self, error: ErrorBit, reason: Enum | None, detail: str = "") -> None:
        """Set an error bit and raise ERROR."""
        self.refusals.append(Refusal(error, reason, detail or ("" if reason is None else str(reason.value))))
        self.interrupts.fail(error)

    def reset(self) -> None:
        """GLOBAL_CTRL.RESET: power-on state; what is in flight is dropped, VRAM and private memory are kept."""
        launch, self.launch = self.launch, None
        if launch is not None:
            launch.abort()
        if self._cores_used:
            self.machine.reset()
            self._cores_used = False
        self.dma = None
        self._power_on()

    # ------------------------------------------------------------------ launches

    def dispatch(self) -> None:
        """A write to DISPATCH."""
        request = LaunchRequest.sample(self._bar0.values)
        problem = self._dispatch_problem(request)
        if problem is not None:
            self.fail(ErrorBit.INVALID_CMD, problem)
            return
        self._cores_used = True
        self.launch = DeviceLaunch(self, request, self._seed)
        self._polls = 0
        if self.timing.launch_polls is not None:
            self.launch.read_table()
        if self.timing.launch_polls == 0 and self.launch is not None:
            self.launch.finish(self.timing.rounds_to_finish)

    def _dispatch_problem(self, request: LaunchRequest) -> DispatchProblem | None:
        if not self.enabled:
            return DispatchProblem.DISABLED
        if self.busy:
            return DispatchProblem.BUSY
        return next(request.problems(self.hardware), None)

    def poll_launch(self) -> None:
        """GLOBAL_STATUS is about to be read."""
        if self.launch is None or self.timing.launch_polls is None:
            return
        self._polls += 1
        if self._polls > self.timing.launch_polls:
            self.launch.finish(self.timing.rounds_to_finish)
        else:
            self.launch.advance(self.timing.rounds_per_poll)

    def table_of_launch(self) -> list[TableEntry]:
        return read_table(self.vram, self.config)

    def launch_accepted(self) -> None:
        self.launch_id = (self.launch_id + 1) & 0xFFFF_FFFF
        self.fault = NO_FAULT

    def launch_ended(self, outcome: Outcome, fault: FaultRecord, problem: TableProblem | None) -> None:
        if outcome in (Outcome.FAULT, Outcome.ABORTED):
            self._cores_used = False  # they have been reset
        launch = self.launch
        if launch is None:  # RESET
            return
        self.cycle += launch.rounds
        if outcome is Outcome.DONE and launch.request.release is not None:
            self._release(launch.request.release)
        self.launch = None
        if outcome is Outcome.BAD_TABLE:
            self.fail(ErrorBit.INVALID_CMD, problem)
        elif outcome is Outcome.FAULT:
            self.fault = fault
            self.fail(ErrorBit.KERNEL_FAULT, fault.kind, f"the launch ended with fault {fault.kind.name}")
        elif outcome is Outcome.DONE:
            self.interrupts.occur(Source.KERNEL_DONE)

    def _release(self, release: Release) -> None:
        limit = ADDRESS_SPACE if release.host else self.vram.size
        error = ErrorBit.DMA_FAULT if release.host else ErrorBit.VRAM_FAULT
        if release.addr + release.size > limit:
            self.fail(error, None, f"the release at {release.addr:#x} leaves its memory, nothing is written")
            return
        for addr, data in release.writes(self.cycle):
            if not release.host:
                if not self._write_vram(addr, data):
                    self.fail(error, None, f"release: VRAM at {addr:#x} answers with a bus error")
                    return
                continue
            try:
                self._host_write(addr, data)
            except HostBusError as refused:
                self.fail(error, None, f"release: {refused}")
                return

    # ------------------------------------------------------------------ DMA

    def start_dma(self) -> None:
        """START in DMA_CTRL."""
        values = self._bar0.values
        to_host = bool(values["DMA_CTRL"] & 2)
        source = values["DMA_SRC_HI"] << 32 | values["DMA_SRC_LO"]
        target = values["DMA_DST_HI"] << 32 | values["DMA_DST_LO"]
        transfer = DmaTransfer(
            vram=self.vram,
            host_read=self._host_read,
            host_write=self._host_write,
            host_addr=target if to_host else source,
            vram_offset=source if to_host else target,
            size=values["DMA_SIZE"],
            to_host=to_host,
            interrupt=bool(values["DMA_CTRL"] & 4),
            piece=self.config.dma_piece,
            vram_failing=self.vram_failing,
        )
        problem = transfer.check()
        if problem is not None:
            self._dma_failed(problem)
            return
        self.dma = transfer
        self.dma_status = DmaStatus.BUSY
        self._dma_polls = 0
        if self.timing.dma_polls == 0:
            self.advance_dma(None)

    def advance_dma(self, pieces: int | None = None) -> bool:
        """Move pieces of the transfer in flight (None: all); whether none is in flight afterwards."""
        transfer = self.dma
        if transfer is None:
            return True
        if not transfer.advance(pieces):
            return False
        self.dma = None
        if transfer.problem is not None:
            self._dma_failed(transfer.problem)
            return True
        self.dma_status = DmaStatus.COMPLETE
        if transfer.interrupt:
            self.interrupts.occur(Source.DMA_DONE)
        return True

    def poll_dma(self) -> None:
        """DMA_STATUS is about to be read."""
        if self.dma is None or self.timing.dma_polls is None:
            return
        self._dma_polls += 1
        self.advance_dma(None if self._dma_polls > self.timing.dma_polls else 1)

    def _dma_failed(self, problem: DmaProblem) -> None:
        self.dma_status = DmaStatus.ERROR
        self.fail(ErrorBit.DMA_FAULT, problem)

    def _write_vram(self, offset: int, data: bytes, to_the_end: bool = False) -> bool:
        return write_vram(self.vram, self.vram_failing, offset, data, to_the_end)

    def _host_read(self, addr: int, size: int) -> bytes:
        return self._logged(False, addr, size, lambda: self.host.read(addr, size))

    def _host_write(self, addr: int, data: bytes) -> None:
        def write() -> bytes:
            self.host.write(addr, data)
            return data

        self._logged(True, addr, len(data), write)

    def _logged(self, write: bool, addr: int, size: int, access: Callable[[], bytes]) -> bytes:
        try:
            data = access()
        except HostBusError:
            self.host_accesses.append(HostAccess(write, addr, size, b"", error=True))
            raise
        self.host_accesses.append(HostAccess(write, addr, size, data))
        return data

    # ------------------------------------------------------------------ DCR

    def start_dcr(self, command: int) -> None:
        """A write to DCR_CTRL."""
        addr, data = self._bar0.values["DCR_ADDR"], self._bar0.values["DCR_DATA"]
        problem = self.dcr.problem(command, addr, data, self.busy)
        if problem is not None:
            self.fail(ErrorBit.INVALID_CMD, problem)
            return
        self._cores_used = True
        self.dcr.start(command, addr, data, self.machine)
        if self.timing.dcr_at_once:
            self.answer_dcr()

    def answer_dcr(self, value: int | None = None) -> None:
        """The pending DCR read is answered, with hardware's counter value if one is given."""
        self.dcr.answer(self.machine, value)

    # ------------------------------------------------------------------ inside

    def _tick(self) -> None:
        self.cycle += 1

    def _check_window(self, bar: str, offset: int, size: int, window: int) -> None:
        if offset < 0 or size < 1 or offset + size > window:
            raise ValueError(f"an access of {size} bytes at {offset:#x} is outside {bar} of {window:#x} bytes")
