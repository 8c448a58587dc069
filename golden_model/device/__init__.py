"""The golden PCIe BAR device: what a host sees, at transaction level (docs/reference/pcie_bar.md)."""

from golden_model.device.config import BAR0_SIZE, BAR2_SIZE, BAR4_SIZE, TABLE_BASE, VORTEX_MODE_FLAG, DeviceConfig
from golden_model.device.device import AT_ONCE, WHEN_TOLD, Device, Refusal, Timing
from golden_model.device.execution import FaultRecord
from golden_model.device.host_memory import HostAccess, HostBusError, HostMemory, SparseHostMemory
from golden_model.device.image_table import TableEntry, TableProblem, encode_table
from golden_model.device.interrupts import ErrorBit, Source
from golden_model.device.launch import DeviceLaunch, LaunchPhase, Outcome
from golden_model.device.msix import MsixMessage
from golden_model.device.registers import REGISTERS, Register, register

__all__ = [
    "AT_ONCE",
    "BAR0_SIZE",
    "BAR2_SIZE",
    "BAR4_SIZE",
    "REGISTERS",
    "TABLE_BASE",
    "VORTEX_MODE_FLAG",
    "WHEN_TOLD",
    "Device",
    "DeviceConfig",
    "DeviceLaunch",
    "ErrorBit",
    "FaultRecord",
    "HostAccess",
    "HostBusError",
    "HostMemory",
    "LaunchPhase",
    "MsixMessage",
    "Outcome",
    "Refusal",
    "Register",
    "Source",
    "SparseHostMemory",
    "TableEntry",
    "TableProblem",
    "Timing",
    "encode_table",
    "register",
]
