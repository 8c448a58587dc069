"""Errors of the host side: each carries the result code that a C binding returns and a sentence for a person."""

from __future__ import annotations

from enum import IntEnum


class ResultCode(IntEnum):
    """Result codes of the host interface (docs/reference/vortex.md §8.1)."""

    SUCCESS = 0
    INVALID_HANDLE = 1
    INVALID_INFO = 2
    INVALID_VALUE = 3
    OUT_OF_HOST_MEMORY = 4
    OUT_OF_DEVICE_MEMORY = 5
    DEVICE_LOST = 6
    TIMEOUT = 7
    EVENT_FAILED = 8
    NOT_SUPPORTED = 9
    INTERNAL = 10


class DeviceError(Exception):
    """Base of everything that the host side refuses or reports; `str()` is one clear sentence."""

    code: ResultCode = ResultCode.INTERNAL


class InvalidValueError(DeviceError):
    """A parameter that cannot be used: range, size, alignment or handle of another device."""

    code = ResultCode.INVALID_VALUE


class OutOfDeviceMemoryError(DeviceError):
    """No free range of device memory is large enough."""

    code = ResultCode.OUT_OF_DEVICE_MEMORY


class ModuleError(InvalidValueError):
    """A `.vxbin` that cannot be loaded, or a kernel name that it does not contain."""


class LaunchError(InvalidValueError):
    """A launch that the hardware must never see (docs/reference/vortex.md §4.6); nothing has been sent."""


class NotSupportedError(DeviceError):
    """The backend cannot do what was asked."""

    code = ResultCode.NOT_SUPPORTED


class DeviceLostError(DeviceError):
    """The other side of the connection is gone (simulator died, backend closed)."""

    code = ResultCode.DEVICE_LOST


class DeviceTimeoutError(DeviceError):
    """No event arrived within the time that the client was willing to wait."""

    code = ResultCode.TIMEOUT
