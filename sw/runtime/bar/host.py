"""What a driver does with the BARs: ranges, copies, the image table, launches (docs/reference/pcie_bar.md)."""

from __future__ import annotations

import bisect
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from golden_model.console import BASE as IO_BASE
from golden_model.console import EXIT_CODE, Console
from golden_model.device import TABLE_BASE, VORTEX_MODE_FLAG, ErrorBit, TableEntry, encode_table, register
from golden_model.records.layout import FaultKind
from sw.runtime.bar.staging import Staging
from sw.runtime.bar.transport import BarTransport
from sw.runtime.errors import DeviceError, InvalidValueError
from sw.runtime.launch import DCR_REWIND

DEV_ID = 0x4750_5055
_ENABLE, _RESET = 1, 2
_BUSY = 2
_DCR_WRITE, _DCR_READ, _DCR_BUSY, _DCR_VALID = 1, 2, 1 << 8, 1 << 9
_MPM_VALUE, _MINSTRET = 0x001, 2
_POLLS = 100_000
_ALL_SOURCES = 0xF
_MESSAGE_ADDRESS = 0xFEE0_0000


class BarError(DeviceError):
    """The device refused something, or did not answer."""


class LaunchMode(Enum):
    """How the cores' addresses become VRAM offsets."""

    VORTEX = "vortex"  # by the image table
    RAW = "raw"  # they are offsets


@dataclass(frozen=True)
class BarLaunch:
    """Values of one launch. Addresses in bytes, dims in blocks (grid, cluster) and threads (block)."""

    kernel: int
    startup: int
    args: int = 0
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    lmem: int = 0
    cluster: tuple[int, int, int] = (1, 1, 1)
    rewind: int = 20
    max_cycles: int = 0


@dataclass(frozen=True)
class BarResult:
    """How a launch ended: `errors` is 0 if it ended well; the fault fields mean something after KERNEL_FAULT."""

    errors: ErrorBit
    fault: FaultKind = FaultKind.NONE
    addr: int = 0
    pc: int = 0
    info: int = 0
    instructions: int = 0  # warp instructions retired, all cores

    @property
    def ok(self) -> bool:
        return not self.errors


@dataclass
class _Range:
    vma: int
    size: int
    offset: int


class BarHost:
    """One device, opened: reset, enabled, interrupts unmasked, console cleared.

    Raises BarError if something else than the device answers.
    """

    def __init__(self, transport: BarTransport, mode: LaunchMode = LaunchMode.VORTEX, skew: int = 0) -> None:
        self.transport = transport
        self.mode = mode
        self.console_lines: list[str] = []
        self.resets = 0  # by this host; a launch that one of them hit has not ended well
        identification = self.read_register("DEV_ID")
        if identification != DEV_ID:
            raise BarError(f"BAR0 reads {identification:#010x} as DEV_ID: this is not the device")
        caps, caps2 = self.read_register("DEV_CAPS"), self.read_register("DEV_CAPS2")
        self.cores = caps & 0xFF
        self.table_entries = caps2 >> 24
        self.vram_size = self.read_wide("VRAM_SIZE")
        self._ranges: list[_Range] = []
        self._staging = Staging(self.vram_size, skew)
        self._console: Console | None = None
        self.reset()
        if mode is LaunchMode.VORTEX:
            self.map(IO_BASE, EXIT_CODE + 8 - IO_BASE)
            self._console = Console(self.read, self.write)
            self._console.open()

    def reset(self) -> None:
        """RESET, then ENABLE and all interrupts again; VRAM and mapped ranges stay."""
        self.resets += 1
        self.write_register("GLOBAL_CTRL", _RESET)
        self.write_register("GLOBAL_CTRL", _ENABLE)
        self.write_register("IRQ_ENABLE", _ALL_SOURCES)
        for vector in range(16):
            self.write_register(f"MSIX{vector}_ADDR_LO", _MESSAGE_ADDRESS)
            self.write_register(f"MSIX{vector}_DATA", vector)
            self.write_register(f"MSIX{vector}_CTRL", 0)

    # ------------------------------------------------------------------ registers

    def read_register(self, name: str) -> int:
        """A register of BAR0 by name."""
        return self.transport.bar0_read(register(name).offset)

    def write_register(self, name: str, value: int) -> None:
        """A register of BAR0 by name."""
        self.transport.bar0_write(register(name).offset, value)

    def read_wide(self, name: str) -> int:
        """A 64-bit value in registers `name`_LO and `name`_HI."""
        return self.read_register(f"{name}_HI") << 32 | self.read_register(f"{name}_LO")

    def write_wide(self, name: str, value: int) -> None:
        """A 64-bit value in registers `name`_LO and `name`_HI."""
        self.write_register(f"{name}_LO", value & 0xFFFF_FFFF)
        self.write_register(f"{name}_HI", value >> 32)

    def dcr_write(self, addr: int, value: int) -> None:
        """Write a DCR through the window. Raises BarError if the device refuses."""
        self._dcr(addr, value, _DCR_WRITE)

    def dcr_read(self, addr: int, tag: int) -> int:
        """Read a DCR through the window. Raises BarError if the device refuses or does not answer."""
        self._dcr(addr, tag, _DCR_READ)
        for _ in range(_POLLS):
            if self.read_register("DCR_CTRL") & _DCR_VALID:
                return self.read_register("DCR_RSP")
        raise BarError(f"the device does not answer a read of DCR {addr:#05x}")

    def instructions(self) -> int:
        """Warp instructions retired by all cores since reset."""
        total = 0
        for core in range(self.cores):
            low = self.dcr_read(_MPM_VALUE, _MINSTRET << 16 | core)
            total += self.dcr_read(_MPM_VALUE, (_MINSTRET | 32) << 16 | core) << 32 | low
        return total

    # ------------------------------------------------------------------ memory

    def map(self, vma: int, size: int, offset: int | None = None) -> int:
        """Back [vma, vma + size) with VRAM and return the offset; in raw mode that is `vma` itself.

        `offset` places it by hand. Raises OutOfDeviceMemoryError, InvalidValueError.
        """
        if self.mode is LaunchMode.RAW:
            if vma + size > self.vram_size:
                raise InvalidValueError(f"[{vma:#x}, {vma + size:#x}) is not VRAM, which a raw launch needs")
            return vma
        if len(self._ranges) == self.table_entries:
            raise InvalidValueError(f"the image table is full: the device holds {self.table_entries} ranges")
        at = bisect.bisect_left([known.vma for known in self._ranges], vma)
        for other in self._ranges[max(0, at - 1) : at + 1]:
            if other.vma < vma + size and vma < other.vma + other.size:
                raise InvalidValueError(f"[{vma:#x}, {vma + size:#x}) overlaps the range mapped at {other.vma:#x}")
        mapped = _Range(vma, size, self._staging.alloc(size) if offset is None else offset)
        self._ranges.insert(at, mapped)
        return mapped.offset

    def in_io_window(self, vma: int) -> bool:
        """Whether an address lies in the I/O window, which stays mapped as long as the host does."""
        return self.mode is not LaunchMode.RAW and IO_BASE <= vma < EXIT_CODE + 8

    def unmap(self, vma: int) -> None:
        """Forget the range that begins at `vma`; its device address is then private memory."""
        for index, known in enumerate(self._ranges):
            if known.vma == vma:
                self._staging.free(known.offset)
                del self._ranges[index]
                return

    def table(self) -> list[TableEntry]:
        """The image table as it stands."""
        return [TableEntry(known.vma, known.offset, known.size) for known in self._ranges]

    def write(self, vma: int, data: bytes) -> None:
        """Copy to device addresses. Raises InvalidValueError where nothing is mapped."""
        done = 0
        for offset, size in self._pieces(vma, len(data)):
            self.transport.bar2_write(offset, data[done : done + size])
            done += size

    def read(self, vma: int, size: int) -> bytes:
        """Copy from device addresses. Raises InvalidValueError where nothing is mapped."""
        return b"".join(self.transport.bar2_read(offset, length) for offset, length in self._pieces(vma, size))

    def load(self, min_vma: int, max_vma: int, image: bytes) -> None:
        """Map and stage an image with zeros up to `max_vma`."""
        self.map(min_vma, max_vma - min_vma)
        self.write(min_vma, image + bytes(max_vma - min_vma - len(image)))

    # ------------------------------------------------------------------ launches

    def start(self, launch: BarLaunch) -> None:
        """Write the table and every launch register, then DISPATCH."""
        flag = 0
        if self.mode is LaunchMode.VORTEX:
            flag = VORTEX_MODE_FLAG
            self.transport.bar2_write(TABLE_BASE, encode_table(self.table()))
        self.dcr_write(DCR_REWIND, launch.rewind)
        self.write_wide("KERNEL_ADDR", launch.kernel | flag)
        self.write_wide("STARTUP_ADDR", 0 if launch.startup == launch.kernel else launch.startup)
        self.write_wide("KERNEL_ARGS", launch.args)
        self.write_wide("MAX_CYCLES", launch.max_cycles)
        for name, dims in (("GRID_DIM", launch.grid), ("BLOCK_DIM", launch.block), ("CLUSTER_DIM", launch.cluster)):
            for axis, value in zip("XYZ", dims, strict=True):
                self.write_register(f"{name}_{axis}", value)
        self.write_register("SHARED_MEM_SIZE", launch.lmem)
        self.write_register("DISPATCH", 1)

    def busy(self) -> bool:
        """One poll."""
        return bool(self.read_register("GLOBAL_STATUS") & _BUSY)

    def wait(self, timeout_s: float = 300.0) -> BarResult:
        """Poll until BUSY clears; take and clear errors, drain the console.

        Raises BarError, after a RESET, if BUSY does not clear.
        """
        deadline = time.monotonic() + timeout_s
        while self.busy():
            if time.monotonic() > deadline:
                self.reset()
                raise BarError(f"the launch was still BUSY after {timeout_s:g} s and was stopped by RESET")
            self.transport.pass_time()
        errors = ErrorBit(self.read_register("ERROR_STATUS"))
        self.write_register("ERROR_STATUS", int(errors))
        self.write_register("IRQ_ACK", _ALL_SOURCES)
        if self._console is not None:
            self.console_lines += self._console.drain()
        if not errors & ErrorBit.KERNEL_FAULT:
            return BarResult(errors)
        return BarResult(
            errors,
            FaultKind(self.read_register("FAULT_KIND")),
            self.read_wide("FAULT_ADDR"),
            self.read_wide("FAULT_PC"),
            self.read_register("FAULT_WARP"),
        )

    # ------------------------------------------------------------------ inside

    def _dcr(self, addr: int, value: int, command: int) -> None:
        for _ in range(_POLLS):
            if not self.read_register("DCR_CTRL") & _DCR_BUSY:
                break
        self.write_register("DCR_ADDR", addr)
        self.write_register("DCR_DATA", value)
        before = self.read_register("ERROR_STATUS")
        self.write_register("DCR_CTRL", command)
        if self.read_register("ERROR_STATUS") & ~before & ErrorBit.INVALID_CMD:
            raise BarError(f"the device refuses an access to DCR {addr:#05x} with {value:#x}")

    def _pieces(self, vma: int, size: int) -> Iterator[tuple[int, int]]:
        """(VRAM offset, bytes) of a range of device addresses, ascending."""
        end = vma + size
        if self.mode is LaunchMode.RAW:
            if end > self.vram_size:
                raise InvalidValueError(f"[{vma:#x}, {end:#x}) is not VRAM, the host cannot reach it")
            yield vma, size
            return
        while vma < end:
            known = next((known for known in self._ranges if known.vma <= vma < known.vma + known.size), None)
            if known is None:
                raise InvalidValueError(f"device address {vma:#x} is in no mapped range, the host cannot reach it")
            length = min(end, known.vma + known.size) - vma
            yield known.offset + (vma - known.vma), length
            vma += length
