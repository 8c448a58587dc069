"""What hardware chose, made true on the golden device: the one place where a value of the RTL becomes golden's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from golden_model.device import Device
from golden_model.device.execution import CoresState, FaultRecord
from golden_model.device.launch import LaunchPhase, Outcome
from golden_model.records.layout import FaultKind
from tests.cosim.bar.rtl import DeviceEvent, Difference, Rtl
from tests.cosim.bar.stores import LaunchStores

# Rounds in which every launch of a sequence ends that ends at all, except odd ones of many blocks.
HOPELESS = 80
_CLOSED = 100_000  # rounds that the golden device may need for a launch that has ended on the RTL
# Plain numbers: this is looked at for every action.
_ACCEPTED, _TABLE_BAD, _DONE, _FAULT, _DMA_PIECE, _DMA_END, _DCR_ANSWER = (int(bit) for bit in DeviceEvent)
_NAMES = tuple((int(bit), bit.name) for bit in DeviceEvent)


class Choices:
    """Adopts choices and counts them in `figures`. Raises Difference for one that no hardware may make."""

    def __init__(self, rtl: Rtl, device: Device) -> None:
        self._rtl = rtl
        self._device = device
        self._stores = LaunchStores(rtl, device)
        self.figures: Counter[str] = Counter()

    def adopt(self, choices: Iterable[tuple[int, int]], resets: bool = False) -> None:
        """Make these (cycle, bits) choices; with `resets` they were made while RESET was under way."""
        for _, bits in choices:
            for bit, name in _NAMES:
                if bits & bit:
                    self.figures[name] += 1
            if bits & (_ACCEPTED | _TABLE_BAD):
                self._table(bool(bits & _TABLE_BAD))
            if bits & (_DMA_PIECE | _DMA_END):
                self._piece(bool(bits & _DMA_END), resets)
            if bits & _DCR_ANSWER:
                self._answer()
            if bits & _FAULT:
                self._fault(resets)
            if bits & _DONE:
                self._end()

    def reading_ahead(self) -> None:
        """A held transfer may have read its next piece."""
        if self._device.dma is not None and self._device.dma.to_host and self._rtl.piece_is_read():
            self._device.dma.read_ahead()

    def before_reset(self) -> None:
        """RESET is about to end a launch: the golden device stores all that the launch could have stored."""
        launch = self._device.launch
        if launch is not None and launch.phase is LaunchPhase.RUNNING:
            launch.advance(HOPELESS)
        else:
            self._stores.forget()

    def after_reset(self) -> None:
        """RESET has ended a launch."""
        self.figures["ABORTED_STORE"] += self._stores.adopt()

    # ------------------------------------------------------------------ one choice each

    def _table(self, bad: bool) -> None:
        launch = self._device.launch
        if launch is None or launch.phase is not LaunchPhase.TABLE:
            raise Difference("the RTL judges a table, but the golden device reads none")
        problem = launch.read_table()
        if bad != (problem is not None):
            raise Difference(f"table: RTL {'bad' if bad else 'good'}, golden {problem}")
        self._stores.launched()

    def _piece(self, ends: bool, resets: bool) -> None:
        if self._device.dma is None:
            raise Difference("the RTL moves a piece, but the golden device has no transfer in flight")
        if resets and not ends:  # RESET lets the piece end, but no event may tell of it
            self._device.dma.advance(1)
            return
        finished = self._device.advance_dma(1)
        if finished != ends:
            raise Difference(f"transfer at its end: RTL {ends}, golden {finished}")

    def _answer(self) -> None:
        pending = self._device.dcr.pending
        counter = pending is not None and pending[0] == 1
        self._device.answer_dcr(self._rtl.peek_register("DCR_RSP") if counter else None)

    def _end(self) -> None:
        device = self._device
        launch = device.launch
        if launch is None or launch.phase is not LaunchPhase.RUNNING:
            raise Difference("a launch ends well on the RTL, but the golden device runs none")
        launch.advance(_CLOSED)
        release = launch.request.release
        if release is not None and release.timestamp:
            cycles = self._time_of(release.addr + 8, release.host)
            if cycles is not None:
                device.cycle = cycles - launch.rounds  # `launch_ended` adds the rounds
        if launch.finish(0) is not Outcome.DONE:
            state = launch.advance(0)
            raise Difference(f"a launch ends well on the RTL; golden: {state} after {launch.rounds} rounds")

    def _may_be_first(self, fault: FaultRecord, own: FaultRecord) -> bool:
        """Which of several equal warps faults first is a choice; where no warp is known there is none."""
        hardware = self._device.hardware
        if not own.mask:
            return fault == own
        return (
            fault.core < hardware.total_cores
            and fault.warp < hardware.num_warps
            and 0 < fault.mask < 1 << hardware.num_threads
        )

    def _time_of(self, addr: int, host: bool) -> int | None:
        """Device cycles of a timestamp that the RTL wrote; None if it cannot be one."""
        if addr + 8 > (1 << 64 if host else self._device.vram.size):
            return None
        read = self._rtl.peek_host(addr, 8) if host else self._rtl.peek(True, addr, 8)
        cycles = (2 * int.from_bytes(read, "little") + 1) // 5
        return cycles if cycles <= self._rtl.device_cycles() else None

    def _fault(self, resets: bool) -> None:
        launch, peek = self._device.launch, self._rtl.peek_register
        if launch is None or launch.phase is not LaunchPhase.RUNNING:
            raise Difference("a launch faults on the RTL, but the golden device runs none")
        kind = FaultKind(peek("FAULT_KIND"))
        state = launch.advance(HOPELESS)
        if resets:  # the registers that would tell it are clear again
            launch.adopt_fault(launch.running_fault or FaultRecord(FaultKind.ILLEGAL_INSTRUCTION))
        elif kind is FaultKind.WATCHDOG:
            launch.expire()
        else:
            addr = peek("FAULT_ADDR_LO") | peek("FAULT_ADDR_HI") << 32
            pc = peek("FAULT_PC_LO") | peek("FAULT_PC_HI") << 32
            info = peek("FAULT_WARP")
            fault = FaultRecord(kind, addr, pc, info >> 8 & 0xFF, info & 0xFF, info >> 16)
            own = launch.running_fault
            if state is not CoresState.FAULTED or own is None:
                raise Difference(f"the RTL ends the launch with {fault}, the golden device does not fault")
            if (own.kind, own.addr, own.pc) != (kind, addr, pc) or not self._may_be_first(fault, own):
                raise Difference(f"fault: RTL {fault}, golden {own}")
            launch.adopt_fault(fault)
        self.figures["ABORTED_STORE"] += self._stores.adopt()
