"""The harness as Python sees it. Nothing else in Python knows the C functions of the simulator.

Python posts commands, waits for the event signal, and reads records and memory through shared files:

    post(commands) ─▶ C++ runs the clock ─▶ event signal flips ─▶ wait() returns after draining
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.records.ring import Batch, RingReader
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.top.abi import (
    MAX_FORCE_WORDS,
    MAX_PORT_FAULTS,
    VRAM_SIZE,
    Command,
    InjectKind,
    Op,
    Reason,
    Settings,
    Status,
)
from hw.tb.top.errors import (
    AssertionFailedError,
    CommandTimeoutError,
    HangError,
    HarnessError,
    ProbeError,
)
from hw.tb.top.library import library
from hw.tb.top.trigger import Trigger

__all__ = [
    "AssertionFailedError",
    "CommandTimeoutError",
    "HangError",
    "Harness",
    "HarnessError",
    "PortFaultSeen",
    "ProbeError",
    "Step",
    "dcr_read",
    "dcr_write",
]

ALL_KINDS = 0xFFFF_FFFF
RESET_CYCLES = 10
IDLE_CYCLES = 10


@dataclass(frozen=True)
class Step:
    """One mailbox command with its operands (`Op` says what they mean)."""

    op: Op
    a: int = 0
    b: int = 0
    c: int = 0


def dcr_write(address: int, value: int) -> Step:
    """A DCR write and the idle cycle that hosts leave after it."""
    return Step(Op.DCR_WRITE, address, value, 1)


def dcr_read(address: int, tag: int, bound: int = 1_000_000) -> Step:
    """A DCR read; its response becomes a result."""
    return Step(Op.DCR_READ, address, tag, bound)


@dataclass(frozen=True)
class PortFaultSeen:
    """One pulse of the core's fault outputs; kind, core, warp and mask as in docs/reference/pcie_bar.md FAULT_*."""

    cycle: int
    kind: int
    addr: int
    pc: int
    core: int
    warp: int
    tmask: int


class Harness:
    """The C++ harness of this process. Only in a simulator process, where the functions are in the executable.

    Args:
        run_dir: folder with `ring.bin` and `memory.bin`.
        event: the trigger to await for an event; normally `lambda: ValueChange(dut.event_toggle)`.

    Raises:
        HarnessError: not inside a simulator, or another version of the C++ side.
    """

    def __init__(self, run_dir: Path, event: Callable[[], Awaitable[Any]]) -> None:
        self.run_dir = run_dir
        self._event = event
        self._c = library()
        self._status = self._c.vx_status().contents
        self.reader = RingReader(run_dir / "ring.bin")
        self.copy_batches = True  # False: batches are views of the ring, for consumers that keep nothing
        self._memory_file = run_dir / "memory.bin"
        # Memory of the cores, and behind it what is behind BAR2.
        self.stored: npt.NDArray[np.uint8] = np.memmap(self._memory_file, np.uint8, "r+")
        self.memory, self.vram = self.stored[:-VRAM_SIZE], self.stored[-VRAM_SIZE:]
        self.settings = Settings(hang_cycles=100_000, record_mask=ALL_KINDS, drain=1)
        self._apply_settings()

    # ------------------------------------------------------------------ state

    @property
    def status(self) -> Status:
        """Live counters, read in place (no call)."""
        return self._status  # type: ignore[no-any-return]

    @property
    def cycle(self) -> int:
        return int(self._status.cycle)

    @property
    def has_device(self) -> bool:
        """The BAR device is in this model."""
        return bool(self._c.vx_has_device())

    def results(self) -> list[int]:
        """Results of the commands posted last, in order."""
        return [int(self._c.vx_result(index)) for index in range(self._status.results)]

    def port_faults(self) -> list[PortFaultSeen]:
        """Pulses of the fault outputs since the last START (at most the first MAX_PORT_FAULTS)."""
        shown = [self._status.faults[index] for index in range(min(self._status.port_faults, MAX_PORT_FAULTS))]
        return [
            PortFaultSeen(
                cycle=fault.cycle,
                kind=fault.kind,
                addr=fault.addr,
                pc=fault.pc,
                core=fault.info >> 8 & 0xFF,
                warp=fault.info & 0xFF,
                tmask=fault.info >> 16,
            )
            for fault in shown
        ]

    # ------------------------------------------------------------------ knobs

    def set_policy(self, policy: MemoryPolicy) -> None:
        """Change what the memory responder does from the next cycle on."""
        self._c.vx_set_policy(ctypes.byref(policy.to_c()))

    def set_hang_cycles(self, cycles: int) -> None:
        """Bound on cycles without a commit while busy; 0 switches the watchdog off."""
        self.settings.hang_cycles = cycles
        self._apply_settings()

    def set_records(self, mask: int = ALL_KINDS, *, drain: bool = True) -> None:
        """Which record kinds are written (bit = Kind), and whether a full ring wakes Python."""
        self.settings.record_mask, self.settings.drain = mask, int(drain)
        self._apply_settings()

    def set_device_launch(self, launch: int) -> None:
        """Id of launches that the BAR device starts from now on."""
        self.settings.launch = launch
        self._apply_settings()

    def _apply_settings(self) -> None:
        self._c.vx_set_settings(ctypes.byref(self.settings))

    # ------------------------------------------------------------------ data beside the commands

    def clear_memories(self) -> None:
        """Device memory, VRAM and host memory are all zero, as at power-on."""
        size = self._memory_file.stat().st_size
        os.truncate(self._memory_file, 0)  # drops every page, also in the two mappings
        os.truncate(self._memory_file, size)
        self._c.vx_host_clear()

    def give(self, data: bytes) -> None:
        """Data of the VRAM_WRITE that is posted next."""
        self._c.vx_give(data, len(data))

    def take(self, size: int) -> bytes:
        """Data of the VRAM_READ that was executed last."""
        buffer = ctypes.create_string_buffer(size)
        self._c.vx_take(buffer, size)
        return buffer.raw

    def host_read(self, address: int, size: int) -> bytes:
        """Memory of the host, which the BAR device reaches with DMA; 64-bit addresses."""
        buffer = ctypes.create_string_buffer(size)
        self._c.vx_host_read(address, buffer, size)
        return buffer.raw

    def host_write(self, address: int, data: bytes) -> None:
        """Memory of the host."""
        self._c.vx_host_write(address, data, len(data))

    def host_fail(self, first: int, last: int) -> None:
        """Accesses of the device to these bytes of host memory are bus errors from now on."""
        self._c.vx_host_fail(first, last)

    # ------------------------------------------------------------------ faults and waves (debug models)

    def force(self, signal: str, value: int, mask: int, when: Trigger) -> None:
        """Hold the bits of `mask` of one signal at `value`, once, in the window that `when` opens.

        Args:
            signal: path such as `vx_tb_top.dut.busy` or `*.alu.result`, where `*` is any text; it must match one signal
                of hw/tb/build/forceable.vlt.

        Raises:
            HarnessError: no such signal, several, or it is not forceable in this model.
        """
        words = max(1, -(-max(value, mask).bit_length() // 32))
        if words > MAX_FORCE_WORDS:
            raise HarnessError(f"force {signal}: value or mask is wider than {32 * MAX_FORCE_WORDS} bits")
        array = ctypes.c_uint32 * words
        error = ctypes.create_string_buffer(512)
        split = [[number >> 32 * index & 0xFFFF_FFFF for index in range(words)] for number in (value, mask)]
        trigger = ctypes.byref(when.to_c())
        done = self._c.vx_force(signal.encode(), array(*split[0]), array(*split[1]), words, trigger, error, 512)
        if not done:
            raise HarnessError(error.value.decode())

    def release(self, signal: str) -> None:
        """Take back every force on one signal."""
        self._c.vx_release(signal.encode())

    def inject(self, kind: InjectKind, nth: int = 0, arg: int = 0) -> None:
        """Arm one fault of the memory responder; `nth` eligible transactions pass first."""
        self._c.vx_inject(kind, nth, arg)

    def waves(self, path: Path, first: int, last: int, scope: str = "") -> None:
        """Write the waves of cycles `first` to `last` into one FST file.

        Args:
            scope: path of an instance such as `vx_tb_top.dut`: this one and what is below it; empty: everything. A
                path that no instance has leaves a file without signals.

        Raises:
            HarnessError: this model was built without tracing.
        """
        if not self._c.vx_waves(str(path).encode(), first, last, scope.encode()):
            raise HarnessError(f"waves for cycles {first}..{last}: this model has no tracing; use the debug model")

    # ------------------------------------------------------------------ running

    def post(self, steps: Sequence[Step]) -> None:
        """Append commands; they run back to back from the next cycle on."""
        array = (Command * len(steps))(*(Command(step.op, step.a, step.b, step.c) for step in steps))
        self._c.vx_post(array, len(steps))

    def abort(self) -> None:
        """Drop every pending command."""
        self._c.vx_abort()

    async def wait(self, on_records: Callable[[Batch], None] | None = None) -> None:
        """Wait until every posted command is done; hand out records whenever a ring is half full and at the end.

        Raises:
            HarnessError: hang, failed assertion, command timeout, broken trace rule or $finish. All records up to
                that point were handed out before.
        """
        while True:
            reasons = Reason(self._c.vx_take_events())
            if reasons is Reason.NONE:
                await self._event()
                continue
            try:
                if self.settings.drain and on_records is not None:
                    on_records(self.reader.read(copy=self.copy_batches))
                self._check(reasons)
            except HarnessError:
                self.abort()  # nothing that was planned after this point may run
                raise
            if Reason.DONE in reasons and self._status.commands_pending == 0:
                return

    async def execute(self, steps: Sequence[Step], on_records: Callable[[Batch], None] | None = None) -> list[int]:
        """Post, wait, and return the results. Raises what `wait` raises."""
        self.post(steps)
        await self.wait(on_records)
        return self.results()

    async def reset(self, on_records: Callable[[Batch], None] | None = None) -> None:
        """Reset the core and the responder; memory keeps its contents."""
        await self.execute([Step(Op.RESET, RESET_CYCLES, IDLE_CYCLES)], on_records)

    def _check(self, reasons: Reason) -> None:
        status, where = self._status, f"cycle {self.cycle}"
        if Reason.ASSERTION in reasons:
            raise AssertionFailedError(
                f"{where}: {status.assertions} SystemVerilog assertion(s) failed; messages are in the simulator's log"
            )
        if Reason.PROBE in reasons:
            raise ProbeError(f"{where}: the trace wires broke a rule of docs/architecture.md; see the simulator's log")
        if Reason.HANG in reasons:
            raise HangError(
                f"{where}: busy, but nothing was committed since cycle {status.last_commit_cycle} "
                f"(bound: {self.settings.hang_cycles} cycles)"
            )
        if Reason.TIMEOUT in reasons:
            raise CommandTimeoutError(
                f"{where}: a command did not finish within its bound (busy={status.busy}, "
                f"writes without response={status.outstanding_writes})"
            )
        if Reason.FINISH in reasons:
            raise HarnessError(f"{where}: the design ended the simulation with $finish")
