"""The structures that Python and the harness share: commands one way, status and events the other.

The C++ side compiles against the header that `cpp_header` makes from these definitions. `harness.py` is the only
user in Python.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum, IntFlag

from hw.tb.build import c_structs

ABI_VERSION = 3
MAX_FORCE_WORDS = 16
MAX_PORT_FAULTS = 16
VRAM_SIZE = 64 << 20  # behind BAR2, in `memory.bin` behind the cores' address space
BAR4 = 1 << 20  # address bit of CTL_READ and CTL_WRITE


class Op(IntEnum):
    """What one mailbox command does; `a`, `b`, `c` are its operands, cycles unless said otherwise."""

    RESET = 0  # a: cycles of reset, b: idle cycles after it; memory keeps its contents
    DCR_WRITE = 1  # a: address, b: value, c: idle cycles after it
    DCR_READ = 2  # a: address, b: tag, c: bound; pushes the response as a result
    START = 3  # one-cycle pulse; a: launch id
    WAIT_RISE = 4  # a: bound; pushes 1 if busy rose, else 0 (an empty grid may never raise it)
    WAIT_QUIESCENT = 5  # a: cycles that it must last; b: bound or 0
    RUN = 6  # a: cycles
    SELECT = 7  # a: 0 the core's ports are those of memory, 1 the BAR device is between; b: bound on what is in flight
    CTL_WRITE = 8  # BAR0, BAR4. a: offset (+ BAR4), b: value, c: strobes
    CTL_READ = 9  # a: offset (+ BAR4), b: log2 of the bytes; pushes the value
    VRAM_WRITE = 10  # BAR2. a: offset, b: bytes, c: log2 of the bytes of a beat; the data was given with vx_give
    VRAM_READ = 11  # likewise; the data is left for vx_take
    WAIT_MESSAGE = 12  # a: messages that the host knows of, b: bound; pushes the messages since reset
    WAIT_DEVICE = 13  # a: 1 launch, 2 transfer, 3 both not BUSY, b: bound; pushes what is still BUSY


class Reason(IntFlag):
    """Why the harness woke Python."""

    NONE = 0
    DONE = 1  # every posted command is complete
    DRAIN = 2  # a ring is half full
    HANG = 4  # busy, and nothing committed for `hang_cycles`
    ASSERTION = 8  # a SystemVerilog assertion failed
    TIMEOUT = 16  # a command reached its bound; the queue behind it was dropped
    FINISH = 32  # the design called $finish
    PROBE = 64  # the probe saw something that the trace rules forbid


class InjectKind(IntEnum):
    """Faults that the memory responder can put in, each once, counted from when it was armed."""

    NONE = 0
    SWAP_READS = 1  # the nth read and the one after it get each other's data
    DROP_STROBE = 2  # of the nth write, byte `arg` is not stored
    CORRUPT_READ = 3  # of the nth read, byte `arg` is inverted
    LATE_WRITE = 4  # the nth write takes effect `arg` cycles after its B, which AXI forbids
    DROP_READ = 5  # the nth read is never answered


class When(IntEnum):
    """What the cycles of a trigger are counted from."""

    CYCLE = 0  # the start of the simulation
    START = 1  # the START pulse of launch `launch`
    ISSUE = 2  # the cycle after the issue of one instruction; `last` NEVER: until its last packet commits
    COMMIT = 3  # the cycle after its last commit packet


ANY = 0xFFFF_FFFF  # core or warp of a trigger
NEVER = 0xFFFF_FFFF_FFFF_FFFF  # `last` of a trigger without an end


class CTrigger(ctypes.Structure):
    """C form of the triggers in hw/tb/top/trigger.py."""

    _fields_ = (
        ("when", ctypes.c_uint32),
        ("core", ctypes.c_uint32),
        ("warp", ctypes.c_uint32),
        ("occurrence", ctypes.c_uint32),  # issues of `pc` that pass first
        ("pc", ctypes.c_uint64),
        ("launch", ctypes.c_uint64),  # 0: any
        ("first", ctypes.c_uint64),
        ("last", ctypes.c_uint64),
    )


class Command(ctypes.Structure):
    """One mailbox command."""

    _fields_ = (("op", ctypes.c_uint64), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64), ("c", ctypes.c_uint64))


class Settings(ctypes.Structure):
    """Knobs of the harness that may change between commands."""

    _fields_ = (
        ("hang_cycles", ctypes.c_uint64),  # 0: no bound
        ("record_mask", ctypes.c_uint32),  # bit k: records of kind k are written
        ("drain", ctypes.c_uint32),  # 1: wake Python when a ring is half full; 0: overwrite the oldest
        ("launch", ctypes.c_uint64),  # id of launches that the BAR device starts
    )


class PortFault(ctypes.Structure):
    """One pulse of the core's optional fault outputs (docs/reference/dut_ports.md)."""

    _fields_ = (
        ("cycle", ctypes.c_uint64),
        ("addr", ctypes.c_uint64),
        ("pc", ctypes.c_uint64),
        ("kind", ctypes.c_uint32),
        ("info", ctypes.c_uint32),
    )


class Status(ctypes.Structure):
    """What the harness knows right now; Python reads it in place."""

    _fields_ = (
        ("cycle", ctypes.c_uint64),  # rising edges so far
        ("events", ctypes.c_uint64),  # Reason bits that Python has not taken yet
        ("commands_pending", ctypes.c_uint64),
        ("results", ctypes.c_uint64),  # results pushed since the last post
        ("launch", ctypes.c_uint64),  # id given with the last START
        ("start_cycle", ctypes.c_uint64),
        ("busy_fall_cycle", ctypes.c_uint64),
        ("quiescent_cycle", ctypes.c_uint64),
        ("commits", ctypes.c_uint64),  # commit packets since the last START
        ("instructions", ctypes.c_uint64),  # last packets, so instructions, since the last START
        ("commit_checksum", ctypes.c_uint64),  # over defined bits of all commit packets since reset
        ("last_commit_cycle", ctypes.c_uint64),
        ("assertions", ctypes.c_uint64),
        ("probe_errors", ctypes.c_uint64),
        ("outstanding_writes", ctypes.c_uint64),
        ("reads", ctypes.c_uint64),  # R handshakes with last, since reset
        ("writes", ctypes.c_uint64),  # B handshakes, since reset
        ("busy_with_writes", ctypes.c_uint64),  # busy fell while a write was not acknowledged
        ("flush_with_writes", ctypes.c_uint64),  # a DCR read was answered while a write was not acknowledged
        ("idle_activity", ctypes.c_uint64),  # AXI requests accepted while busy was low
        ("busy_glitches", ctypes.c_uint64),  # busy rose again without a start or a DCR request
        ("injected", ctypes.c_uint64),  # faults that took effect
        ("forced", ctypes.c_uint64),  # windows of forced signals that have begun
        ("port_faults", ctypes.c_uint64),  # pulses since the last START
        ("faults", PortFault * MAX_PORT_FAULTS),  # the first of them
        ("messages", ctypes.c_uint64),  # MSI-X messages since reset
        ("core_resets", ctypes.c_uint64),  # resets of the core by the BAR device
        ("device_cycles", ctypes.c_uint64),  # cycles of the BAR device since reset
        ("ctl_accesses", ctypes.c_uint64),  # accesses to BAR0 and BAR4 since reset
        ("busy", ctypes.c_uint32),
        ("probes", ctypes.c_uint32),  # cores that have a probe
    )


def cpp_header() -> str:
    """The C++ header of everything above."""
    text = c_structs.cpp_header(
        [Op, InjectKind, When], [CTrigger, Command, Settings, PortFault, Status], "hw/tb/top/abi.py"
    )
    flags = ", ".join(f"{member.name} = {member.value}" for member in [Reason.NONE, *Reason])
    reasons = f"namespace vx {{ namespace Reason {{ enum : uint32_t {{ {flags} }}; }}\n"
    numbers = {
        "kAbiVersion": ABI_VERSION,
        "kMaxForceWords": MAX_FORCE_WORDS,
        "kMaxPortFaults": MAX_PORT_FAULTS,
        "kVramSize": VRAM_SIZE,
        "kBar4": BAR4,
        "kAny": ANY,
    }
    constants = "".join(f"constexpr uint32_t {name} = {value:#x}u;\n" for name, value in numbers.items())
    constants += f"constexpr uint64_t kNever = {NEVER:#x}ull;\n"
    return text + reasons + constants + "}\n"
