"""The C functions of the simulator this Python runs in, with their types; `harness.py` is their only user."""

from __future__ import annotations

import ctypes
from typing import Any

from hw.tb.agents.axi.policy import CPolicy
from hw.tb.top.abi import ABI_VERSION, Command, CTrigger, Settings, Status
from hw.tb.top.errors import HarnessError


def library() -> Any:
    """The functions of this executable, with their types."""
    library = ctypes.CDLL(None)
    try:
        version = library.vx_abi_version
    except AttributeError as error:
        raise HarnessError("this Python does not run inside the simulator; start it with hw.tb.run") from error
    version.restype = ctypes.c_uint32
    if version() != ABI_VERSION:
        raise HarnessError(f"the model has interface version {version()}, this Python {ABI_VERSION}; rebuild the model")
    u32, u64, text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "vx_status": (ctypes.POINTER(Status), []),
        "vx_post": (None, [ctypes.POINTER(Command), u64]),
        "vx_abort": (None, []),
        "vx_take_events": (u32, []),
        "vx_result": (u64, [u64]),
        "vx_set_policy": (None, [ctypes.POINTER(CPolicy)]),
        "vx_set_settings": (None, [ctypes.POINTER(Settings)]),
        "vx_inject": (None, [u32, u64, u64]),
        "vx_waves": (ctypes.c_int, [text, u64, u64, text]),
        "vx_release": (None, [text]),
        "vx_has_device": (ctypes.c_int, []),
        "vx_give": (None, [text, u64]),
        "vx_take": (None, [text, u64]),
        "vx_host_read": (None, [u64, text, u64]),
        "vx_host_write": (None, [u64, text, u64]),
        "vx_host_fail": (None, [u64, u64]),
        "vx_host_clear": (None, []),
        "vx_force": (
            ctypes.c_int,
            [text, ctypes.POINTER(u32), ctypes.POINTER(u32), u32, ctypes.POINTER(CTrigger), text, u64],
        ),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
