"""Host side: devices, modules and launches over any backend that speaks messages and events."""

from sw.runtime.args import f32, f64, i32, i64, pointer, u8, u16, u32, u64
from sw.runtime.backend import Backend, backend_names, open_backend, register_backend
from sw.runtime.buffer import Buffer
from sw.runtime.device import Device
from sw.runtime.errors import DeviceError, InvalidValueError, LaunchError, ModuleError
from sw.runtime.golden_backend import GoldenBackend
from sw.runtime.launch_queue import LaunchResult
from sw.runtime.module import Kernel, Module

__all__ = [
    "Backend",
    "Buffer",
    "Device",
    "DeviceError",
    "GoldenBackend",
    "InvalidValueError",
    "Kernel",
    "LaunchError",
    "LaunchResult",
    "Module",
    "ModuleError",
    "backend_names",
    "f32",
    "f64",
    "i32",
    "i64",
    "open_backend",
    "pointer",
    "register_backend",
    "u8",
    "u16",
    "u32",
    "u64",
]
