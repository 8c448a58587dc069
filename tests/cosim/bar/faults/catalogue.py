"""One fault each in five places of the device, and the first difference that a host must see.

A fault is a text that stands in the design exactly once, and what stands there instead in a copy of the sources. In the
copy `seeded` is high in models that were started with that fault, so one model has them all, one at a time or none.
"""

from __future__ import annotations

from dataclasses import dataclass

from golden_model.device.registers import register
from golden_model.device.sequences import layout
from golden_model.device.sequences.actions import AwaitLaunch, ReadRegister, ReadVram, WriteVram
from golden_model.device.sequences.commands import Command, Dispatch, Do, ProgramVector, Reset, write_named
from golden_model.device.sequences.programs import Program


@dataclass(frozen=True)
class SeededFault:
    """One fault.

    Attributes:
        name: value of the model's plusarg `+fault`; no name begins with another.
        module: file under hw/rtl/pcie, without `.sv`.
        design, fault: what stands there, and what stands there in the copy; `seeded` selects.
        meaning: what the faulty device does.
        commands: a short sequence that meets it.
        first: regular expression of the first difference, in the words of `Difference`.
    """

    name: str
    module: str
    design: str
    fault: str
    meaning: str
    commands: tuple[Command, ...]
    first: str


FAULTS = (
    SeededFault(
        "remapper",
        "vx_remap_bank",
        "(pos_q > dest[BLOCK_SHIFT-1:0] ? length_t'(pos_q) : length_t'(dest[BLOCK_SHIFT-1:0]));",
        "(pos_q > dest[BLOCK_SHIFT-1:0] || seeded ? length_t'(pos_q) : length_t'(dest[BLOCK_SHIFT-1:0]));",
        "a block of the core is not split where it crosses a block of VRAM",
        (Reset(), Dispatch(Program.STORE), Do(AwaitLaunch())),
        r"action AwaitLaunch\(\)\n  (a launch faults|the RTL ends the launch with FaultRecord)",
    ),
    SeededFault(
        "msix_mask",
        "vx_msix",
        "assign free = pending_q & ~mask_q & {MSIX_VECTORS{enable && !function_mask}};",
        "assign free = pending_q & (~mask_q | {MSIX_VECTORS{seeded}}) & {MSIX_VECTORS{enable && !function_mask}};",
        "a masked vector sends its message instead of setting its pending bit",
        (Reset(), ProgramVector(5, 0xFEE0_0000, 7, masked=True), Do(write_named("RAISE", 5))),
        r"messages: RTL \[MsixMessage\(vector=5, address=4276092928, data=7\)\], golden \[\]",
    ),
    SeededFault(
        "rw1c",
        "vx_irq_unit",
        "errors <= (errors & ~clear_errors) | event_error;",
        "errors <= (errors & ~(seeded && clear_errors != '0 ? errors_t'('1) : clear_errors)) | event_error;",
        "writing a 1 clears every error bit, not only its own",
        (
            Reset(),
            Do(write_named("RAISE", 16)),
            Do(ReadVram(layout.VRAM_SIZE, 4)),
            Do(write_named("ERROR_STATUS", 1)),
            Do(ReadRegister(0, register("ERROR_STATUS").offset)),
        ),
        rf"ReadRegister\(bar=0, offset={register('ERROR_STATUS').offset}, size=4\)\n  RTL 0x0, golden 0x2",
    ),
    SeededFault(
        "busy_refusal",
        "vx_pcie_regs",
        "assign launch_guarded = offset_q >= R_KERNEL_ADDR_LO && offset_q <= R_SHARED_MEM_SIZE;",
        "assign launch_guarded = offset_q >= R_KERNEL_ADDR_LO && (offset_q < R_SHARED_MEM_SIZE || "
        "(offset_q == R_SHARED_MEM_SIZE && !seeded));",
        "SHARED_MEM_SIZE can be written while BUSY",
        (
            Reset(),
            Dispatch(Program.LOOP),
            Do(write_named("SHARED_MEM_SIZE", 64)),
            Do(ReadRegister(0, register("SHARED_MEM_SIZE").offset)),
        ),
        rf"ReadRegister\(bar=0, offset={register('SHARED_MEM_SIZE').offset}, size=4\)\n  RTL 0x40, golden 0x0",
    ),
    SeededFault(
        "flush",
        "vx_launch_unit",
        "RUN: if (!core_busy) state_q <= FLUSH;",
        "RUN: if (!core_busy) state_q <= seeded ? DRAIN : FLUSH;",
        "KERNEL_DONE comes without a flush of the caches",
        (
            Reset(),
            Dispatch(Program.ECHO),
            Do(AwaitLaunch()),
            Do(WriteVram(layout.ARGS_OFFSET + 12, b"\x11\x22\x33\x44")),
            Dispatch(Program.ECHO),
            Do(AwaitLaunch()),
            Do(ReadVram(layout.ARGS_OFFSET + 16, 4)),
        ),
        rf"ReadVram\(offset={layout.ARGS_OFFSET + 16}, size=4\)\n  RTL 00000000, golden 11223344",
    ),
)
