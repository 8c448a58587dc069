"""Layout of every record kind, version-tagged, with 64-bit containers for anything that depends on XLEN.

This table is the only definition: the numpy dtypes here and the C++ header that the probes compile against are
both made from it (`cpp_header`). Lane arrays have `lanes` elements. Data fields are defined only where the thread
mask (and, for results, the write mask) has a bit set. Field meanings: docs/architecture.md, section "Records".

COMMIT `fflags`: flags that the packet's lanes raised, ORed over the packets; 0 if the instruction raises none.

MEMORY of an atomic (op ATOMIC): one or several records with disjoint lanes, in the order in which memory served the
lanes; ascending within a record. `data` is the operand rs2 (low `size` bytes) of AMO and SC, unused for LR: what was
loaded is the result in the COMMIT record. An SC shows the lanes that stored, so its only record may have mask 0.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

VERSION = 2


class Kind(IntEnum):
    """Record kinds; each has its own ring."""

    COMMIT = 0
    MEMORY = 1
    CTA = 2
    BARRIER = 3
    IPDOM = 4
    FAULT = 5
    AXI = 6
    RUN = 7
    DEVICE_AXI = 8  # memory ports of the BAR device, same fields as AXI; address bit AXI_ADDR_WIDTH says VRAM


class CommitFlag(IntEnum):
    """Bits of the field `flags` of a commit record."""

    FIRST = 1  # first packet of the instruction
    LAST = 2  # last packet of the instruction
    CONTROL = 4  # next_pc and next_mask are valid


class RegisterFile(IntEnum):
    """Destination file of a result."""

    NONE = 0
    INTEGER = 1
    FLOAT = 2


class MemoryOp(IntEnum):
    """What a memory instruction does."""

    LOAD = 0
    STORE = 1
    FENCE = 2
    ATOMIC = 3


class MemorySpace(IntEnum):
    """Route of a memory access (docs/reference/vortex.md section 9.3)."""

    GLOBAL = 0
    LMEM = 1
    IO = 2


class CtaEvent(IntEnum):
    """What happened to a CTA or to one of its warps."""

    ACCEPT = 0  # a core's dispatcher took the CTA descriptor and gave it a slot
    WARP_START = 1  # one warp of the CTA became active
    WARP_END = 2  # a warp's thread mask became empty
    RETIRE = 3  # the CTA's last warp ended, the slot is free
    SPAWN = 4  # a warp became active by another warp's WSPAWN: for no CTA, `pc` and `tmask` are those it starts with


class BarrierOp(IntEnum):
    """Operation on a barrier (docs/reference/vortex.md section 2.7)."""

    SYNC = 0
    ARRIVE = 1
    WAIT = 2
    EXPECT_TX = 3


class IpdomOp(IntEnum):
    """Operation on a warp's IPDOM stack (docs/reference/vortex.md section 2.5)."""

    PUSH = 0
    FLIP = 1  # first JOIN visit: the other side starts
    POP = 2  # second JOIN visit: lanes are together again


class FaultKind(IntEnum):
    """Values of the FAULT_KIND register (docs/reference/pcie_bar.md)."""

    NONE = 0
    BUS_READ = 1
    BUS_WRITE = 2
    ILLEGAL_INSTRUCTION = 3
    FETCH = 4
    WATCHDOG = 5
    MISALIGNED = 6


class AxiChannel(IntEnum):
    """Channel of an AXI handshake."""

    AW = 0
    W = 1
    B = 2
    AR = 3
    R = 4


class RunEvent(IntEnum):
    """What happened at the boundary of the processor."""

    RESET = 0  # addr 1: by the BAR device, which resets the cores after an abort
    START = 1
    BUSY_RISE = 2
    BUSY_FALL = 3
    DCR_WRITE = 4
    DCR_READ = 5
    DCR_RESPONSE = 6
    QUIESCENT = 7  # busy low and every write acknowledged
    ASSERTION = 8  # a SystemVerilog assertion failed; data holds its number
    DEVICE = 9  # choices of the BAR device; data holds `device_event_t` (hw/rtl/pcie/vx_pcie_pkg.sv)
    MESSAGE = 10  # an MSI-X message: addr its address, data vector << 32 | its data


# (field, numpy scalar code, count): count "lanes" means one element per lane.
_Field = tuple[str, str, int | str]

# `seq` orders records over all kinds: gap-free, in the order in which they were written.
_COMMON: list[_Field] = [("seq", "u8", 1), ("cycle", "u8", 1)]
_WARP: list[_Field] = [("uid", "u8", 1), ("core", "u2", 1), ("warp", "u2", 1), ("launch", "u4", 1)]

LAYOUT: dict[Kind, list[_Field]] = {
    Kind.COMMIT: [
        *_COMMON,
        *_WARP,
        ("decode_cycle", "u8", 1),
        ("issue_cycle", "u8", 1),
        ("pc", "u8", 1),
        ("next_pc", "u8", 1),
        ("tmask", "u8", 1),
        ("next_mask", "u8", 1),
        ("wmask", "u8", 1),
        ("instr", "u4", 1),
        ("slot", "u2", 1),
        ("flags", "u2", 1),
        ("rd", "u1", 1),
        ("rd_file", "u1", 1),
        ("fflags", "u1", 1),
        ("pad", "u1", 5),
        ("data", "u8", "lanes"),
    ],
    Kind.MEMORY: [
        *_COMMON,
        *_WARP,
        ("mask", "u8", 1),
        ("op", "u1", 1),
        ("size", "u1", 1),
        ("space", "u1", 1),
        ("pad", "u1", 5),
        ("addr", "u8", "lanes"),
        ("data", "u8", "lanes"),
    ],
    Kind.CTA: [
        *_COMMON,
        *_WARP,
        ("pc", "u8", 1),
        ("tmask", "u8", 1),
        ("lmem_addr", "u8", 1),
        ("block_x", "u4", 1),
        ("block_y", "u4", 1),
        ("block_z", "u4", 1),
        ("event", "u2", 1),
        ("slot", "u2", 1),
        ("rank", "u2", 1),
        ("num_warps", "u2", 1),
        ("first_of_cluster", "u1", 1),
        ("pad", "u1", 3),
    ],
    Kind.BARRIER: [
        *_COMMON,
        *_WARP,
        ("released", "u8", 1),
        ("id", "u4", 1),
        ("count", "u4", 1),
        ("op", "u1", 1),
        ("phase", "u1", 1),
        ("pad", "u1", 6),
    ],
    Kind.IPDOM: [
        *_COMMON,
        *_WARP,
        ("mask", "u8", 1),
        ("pc", "u8", 1),
        ("sp", "u2", 1),
        ("op", "u1", 1),
        ("pad", "u1", 5),
    ],
    Kind.FAULT: [
        *_COMMON,
        *_WARP,
        ("pc", "u8", 1),
        ("addr", "u8", 1),
        ("tmask", "u8", 1),
        ("kind", "u1", 1),
        ("pad", "u1", 7),
    ],
    Kind.AXI: [
        *_COMMON,
        ("id", "u8", 1),
        ("addr", "u8", 1),
        ("strobe", "u8", 1),
        ("bank", "u2", 1),
        ("channel", "u1", 1),
        ("len", "u1", 1),
        ("size", "u1", 1),
        ("burst", "u1", 1),
        ("last", "u1", 1),
        ("resp", "u1", 1),
        ("data", "u1", 64),
    ],
    Kind.RUN: [
        *_COMMON,
        ("addr", "u8", 1),
        ("data", "u8", 1),
        ("launch", "u4", 1),
        ("event", "u2", 1),
        ("pad", "u1", 2),
    ],
}
LAYOUT[Kind.DEVICE_AXI] = LAYOUT[Kind.AXI]


def dtype(kind: Kind, lanes: int) -> np.dtype:
    """Structured dtype of one record kind; packed, every field naturally aligned."""
    fields: list[tuple[str, str] | tuple[str, str, tuple[int]]] = []
    for name, code, count in LAYOUT[kind]:
        number = lanes if count == "lanes" else int(count)
        always_array = count == "lanes" or number > 1
        fields.append((name, "<" + code, (number,)) if always_array else (name, "<" + code))
    return np.dtype(fields)


_ENUMS: tuple[type[IntEnum], ...] = (
    Kind,
    CommitFlag,
    RegisterFile,
    MemoryOp,
    MemorySpace,
    CtaEvent,
    BarrierOp,
    IpdomOp,
    FaultKind,
    AxiChannel,
    RunEvent,
)
_CPP_TYPE = {"u1": "uint8_t", "u2": "uint16_t", "u4": "uint32_t", "u8": "uint64_t"}


def _cpp_name(kind: Kind) -> str:
    return kind.name.title().replace("_", "")


def cpp_header(lanes: int) -> str:
    """C++ structs with the very same layout, with static_asserts on their sizes."""
    out = [
        "// Generated from golden_model/records/layout.py; do not edit.",
        "#pragma once",
        "#include <cstdint>",
        "namespace vx {",
        f"constexpr uint32_t kRecordVersion = {VERSION};",
        f"constexpr uint32_t kLanes = {lanes};",
        f"constexpr uint32_t kKinds = {len(Kind)};",
    ]
    for enum in _ENUMS:
        members = ", ".join(f"{member.name} = {member.value}" for member in enum)
        out.append(f"namespace {enum.__name__} {{ enum : uint32_t {{ {members} }}; }}")
    for kind in Kind:
        out.append(f"struct {_cpp_name(kind)}Record {{")
        out.append(f"  static constexpr uint32_t kKind = {kind.value};")
        for name, code, count in LAYOUT[kind]:
            number = lanes if count == "lanes" else int(count)
            array = f"[{number}]" if count == "lanes" or number > 1 else ""
            out.append(f"  {_CPP_TYPE[code]} {name}{array};")
        out.append("};")
        size = dtype(kind, lanes).itemsize
        out.append(f'static_assert(sizeof({_cpp_name(kind)}Record) == {size}, "layout differs from numpy");')
    out.append("}  // namespace vx")
    return "\n".join(out) + "\n"
