"""BAR0: decoding an access by the register table, and what each register reads as and does."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from config import HardwareConfig
from golden_model.device.config import BAR0_SIZE
from golden_model.device.interrupts import ErrorBit
from golden_model.device.registers import BY_OFFSET, MSIX_VECTORS, REGISTERS, WORD, Access, Effect, Guard, Register

if TYPE_CHECKING:
    from golden_model.device.device import Device

_RESET = 2
_START = 1


class AccessProblem(Enum):
    """Why a write is refused; the value is the sentence."""

    LAUNCH_RUNNING = "a launch register is written while BUSY"
    DMA_RUNNING = "a DMA register is written while DMA BUSY"
    NO_SUCH_VECTOR = "RAISE names a vector that does not exist"


class Bar0:
    """Register file. `values` holds what was written to every RW register that only stores, by name."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._constants = constants(device.config.hardware, device.config.vram_size, device.config.table_entries)
        self._readers = self._make_readers()
        self._effects = self._make_effects()
        self.reset()

    def reset(self) -> None:
        """Power-on values of everything that is stored here."""
        self.values = {row.name: row.reset or 0 for row in REGISTERS if row.access is Access.RW}

    def read(self, offset: int, size: int) -> int:
        """Value of an aligned word; 0 for anything else, and where no register is."""
        _check(offset, size)
        row = BY_OFFSET.get(offset)
        if row is None or size != 4:
            return 0
        return self._value(row) & row.readable

    def write(self, offset: int, value: int, strobe: int) -> None:
        """Write a whole aligned word; anything else is ignored."""
        _check(offset, 1)
        row = BY_OFFSET.get(offset)
        if row is None or strobe != 0xF or row.access is Access.RO:
            return
        problem = self._refused(row)
        if problem is not None:
            self._device.fail(ErrorBit.INVALID_CMD, problem, f"{row.name}: {problem.value}")
            return
        value &= row.writable
        if row.effect is Effect.ENABLE_INTERRUPT:
            self._device.interrupts.set_enable(value)
        elif row.effect is Effect.MSIX or row.name.startswith("MSIX"):
            self._device.msix.write(row, value)
        elif row.access is Access.RW:
            self.values[row.name] = value & row.readable
        effect = self._effects.get(row.effect)
        if effect is not None:
            effect(value)

    # ------------------------------------------------------------------ inside

    def _refused(self, row: Register) -> AccessProblem | None:
        if row.guard is Guard.LAUNCH and self._device.busy:
            return AccessProblem.LAUNCH_RUNNING
        if row.guard is Guard.DMA and self._device.dma is not None:
            return AccessProblem.DMA_RUNNING
        return None

    def _value(self, row: Register) -> int:
        if row.name.startswith("MSIX"):
            return self._device.msix.read(row)
        reader = self._readers.get(row.name)
        if reader is not None:
            return reader()
        return self._constants.get(row.name, self.values.get(row.name, row.reset or 0))

    def _make_readers(self) -> dict[str, Callable[[], int]]:
        device = self._device
        return {
            "GLOBAL_STATUS": self._global_status,
            "ERROR_STATUS": lambda: int(device.interrupts.errors),
            "IRQ_ENABLE": lambda: device.interrupts.enable,
            "IRQ_STATUS": lambda: device.interrupts.status,
            "LAUNCH_ID": lambda: device.launch_id,
            "FAULT_KIND": lambda: int(device.fault.kind),
            "FAULT_ADDR_LO": lambda: device.fault.addr & WORD,
            "FAULT_ADDR_HI": lambda: device.fault.addr >> 32,
            "FAULT_PC_LO": lambda: device.fault.pc & WORD,
            "FAULT_PC_HI": lambda: device.fault.pc >> 32,
            "FAULT_WARP": lambda: device.fault.info,
            "DCR_CTRL": lambda: device.dcr.ctrl,
            "DCR_RSP": lambda: device.dcr.response,
            "DMA_STATUS": self._dma_status,
            "DB_STATUS": lambda: device.doorbells.status,
            "DB_POP": lambda: device.doorbells.pop(),
        }

    def _make_effects(self) -> dict[Effect, Callable[[int], None]]:
        device = self._device
        return {
            Effect.CONTROL: self._control,
            Effect.CLEAR_ERROR: device.interrupts.clear_errors,
            Effect.ACKNOWLEDGE: device.interrupts.acknowledge,
            Effect.DISPATCH: lambda _: device.dispatch(),
            Effect.DCR: device.start_dcr,
            Effect.DMA: self._dma,
            Effect.CLEAR_OVERFLOW: device.doorbells.clear,
            Effect.RAISE: self._raise,
        }

    def _global_status(self) -> int:
        device = self._device
        device.poll_launch()
        return (2 if device.busy else 1) | (4 if device.interrupts.errors else 0)

    def _dma_status(self) -> int:
        self._device.poll_dma()
        return int(self._device.dma_status)

    def _control(self, value: int) -> None:
        if value & _RESET:
            self._device.reset()

    def _dma(self, value: int) -> None:
        if value & _START:
            self._device.start_dma()

    def _raise(self, vector: int) -> None:
        if vector >= MSIX_VECTORS:
            problem = AccessProblem.NO_SUCH_VECTOR
            self._device.fail(ErrorBit.INVALID_CMD, problem, f"{problem.value}: {vector}")
        else:
            self._device.msix.raise_vector(vector)


def constants(hardware: HardwareConfig, vram_size: int, table_entries: int) -> dict[str, int]:
    """Values of the registers that follow from the build."""
    xlen_code = 1 if hardware.xlen == 32 else 2
    # Icache, Dcache and local memory are always there (docs/reference/vortex.md §1.2).
    extensions = 1 << 0 | 1 << 1 | 1 << 4 | (1 << 5 if hardware.ext_zicond else 0)
    return {
        "DEV_ID": 0x4750_5055,
        "DEV_VERSION": 0x0001_0000,
        "DEV_CAPS": hardware.total_cores & 0xFF | hardware.num_warps << 8 | hardware.num_threads << 16,
        "VRAM_SIZE_LO": vram_size & WORD,
        "VRAM_SIZE_HI": vram_size >> 32,
        "DEV_CAPS2": hardware.lmem_log_size | hardware.xlen << 8 | hardware.num_clusters << 16 | table_entries << 24,
        "ISA_FLAGS_LO": hardware.misa & 0x3FFF_FFFF | xlen_code << 30,
        "ISA_FLAGS_HI": extensions,
    }


def _check(offset: int, size: int) -> None:
    if offset < 0 or size < 1 or offset + size > BAR0_SIZE:
        raise ValueError(f"an access of {size} bytes at {offset:#x} is outside BAR0 of {BAR0_SIZE:#x} bytes")
