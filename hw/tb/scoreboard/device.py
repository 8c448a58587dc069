"""The BAR device in step: a golden device does what the host does and adopts what hardware may choose.

Hardware acts first. Its choices (when a table has been read, when a launch ends, which fault is first, how far a
transfer is, counters) are RUN records; those before the cycle in which an access takes effect are adopted before the
golden device does the same access, the others after. The cores are followed instruction by instruction, as on the KMU
path.

```
 access ─▶ expect() ─▶ RTL ─ records ─▶ records(): [choice │ commits │ access itself │ choice …] ─▶ golden device
                        └─ value ─────▶ complete(): equal?
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import IntFlag
from pathlib import Path

import numpy as np

from config import RunConfig
from golden_model import FindingKind
from golden_model.device import WHEN_TOLD, Device, DeviceConfig, LaunchPhase, MsixMessage, SparseHostMemory, register
from golden_model.device.execution import FaultRecord
from golden_model.device.sequences.actions import (
    Action,
    ReadHost,
    ReadRegister,
    ReadVram,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from golden_model.errors import StepError
from golden_model.follow.adopted import Coverage
from golden_model.follow.difference import Category, Difference
from golden_model.follow.explain import SourceLocation
from golden_model.follow.follower import Follower
from golden_model.machine import Tier
from golden_model.memory import PAGE_SIZE, Memory
from golden_model.records.layout import FaultKind, Kind, RunEvent
from golden_model.records.ring import Batch
from golden_model.standing import standing
from hw.tb.checker import CheckCounts
from hw.tb.scoreboard.memory_compare import Bytes, compare_memory, memory_difference
from hw.tb.scoreboard.symbols import ElfSymbols
from hw.tb.top.harness import PortFaultSeen
from sw.runtime import messages as m

_MPM_VALUE, _MINSTRET = 0x001, 2
_PREDICTED = {FaultKind.ILLEGAL_INSTRUCTION, FaultKind.FETCH, FaultKind.MISALIGNED}  # the golden cores find them too


class DeviceEvent(IntFlag):
    """Bits of `device_event_t` in hw/rtl/pcie/vx_pcie_pkg.sv."""

    ACCEPTED = 1
    TABLE_BAD = 2
    DONE = 4
    FAULT = 8
    DMA_PIECE = 16
    DMA_END = 32
    DCR_ANSWER = 64
    ACCESS = 128


class _Differs(Exception):
    """Ends the comparison; carries the difference."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.message)
        self.difference = difference


class DeviceScoreboard:
    """Compares a BAR device and its cores with the golden device.

    Args:
        vram, private: memory of the RTL, only to be read.
        port_faults: pulses of the cores' fault ports since the last start.
        host_read: bytes of the RTL's host memory.
        allowed: kernel findings that are no failure.

    Attributes:
        device: the golden device.
        total: coverage of all launches.
        adopted: how often each choice of the device was adopted.
        accesses: accesses that were compared.
    """

    def __init__(
        self,
        config: RunConfig,
        private: Bytes,
        vram: Bytes,
        port_faults: Callable[[], list[PortFaultSeen]],
        host_read: Callable[[int, int], bytes],
        allowed: Collection[FindingKind] = (),
    ) -> None:
        self.device = Device(DeviceConfig(config.hardware), SparseHostMemory(), WHEN_TOLD)
        self.total = Coverage()
        self.adopted: dict[str, int] = {}
        self.accesses = 0
        self._private, self._vram = private, vram
        self._port_faults = port_faults
        self._host_read = host_read
        self._allowed = allowed
        self._tier: Tier = config.tier.value
        self._images: dict[int, m.LoadImage] = {}
        self._symbols: dict[str, ElfSymbols] = {}
        self._follower = self._new_follower()
        self._launch = 0
        self._coverage = Coverage()
        self._expected: Action | None = None
        self._last: Action | None = None  # for reports
        self._running = False  # a launch is followed whose figures have not been added up
        self._value: int | bytes | None = None
        self._golden_messages: list[MsixMessage] = []
        self._rtl_messages: list[MsixMessage] = []
        self._reset_seen = False  # the cores were reset, the golden device does not know why yet
        self._compare_memory = False

    # ------------------------------------------------------------------ host side

    def image(self, image: m.LoadImage) -> None:
        """An image lies in memory: where code may be fetched, and which kernels it exports."""
        self._images[image.min_vma] = image

    def forget_image(self, min_vma: int) -> None:
        self._images.pop(min_vma, None)

    def begin_launch(self, launch_id: int) -> None:
        """Figures count from here; the launches that the device accepts have this id."""
        self._launch = launch_id
        self._coverage = Coverage()

    def counts(self) -> CheckCounts:
        """Figures since `begin_launch`."""
        coverage = self._coverage
        return CheckCounts(compared=coverage.instructions, adopted=coverage.adopted_by_name())

    def standing(self) -> list[str]:
        """Where the cores stand."""
        return standing(self.device.machine)

    # ------------------------------------------------------------------ accesses

    def expect(self, action: Action) -> None:
        """The RTL is about to get this access."""
        self._expected = self._last = action
        self._value = None

    def complete(self, value: int | bytes | None) -> Difference | None:
        """The access has been answered and its records were handed over."""
        return self._guard(lambda: self._complete(value))

    def _complete(self, value: int | bytes | None) -> None:
        if self._expected is not None:
            self._do_expected()
        golden = self._value
        self.accesses += 1
        if value != golden:
            self._differ("bar access", f"{_what(self._last)} gave {_show(value)}", 0, _show(golden), _show(value))
        self._match_messages()
        if self._rtl_messages:
            self._differ("msix message", f"the device sent {self._rtl_messages[0]}, which nothing explains", 0)

    def _do_expected(self) -> None:
        """The golden device does the expected access, once."""
        action, self._expected = self._expected, None
        device = self.device
        match action:
            case ReadRegister(0, offset, size):
                self._value = device.bar0_read(offset, size)
            case ReadRegister(_, offset, size):
                self._value = device.bar4_read(offset, size)
            case WriteRegister(0, offset, value, strobe):
                resets = device.launch is not None
                device.bar0_write(offset, value, strobe)
                if _is_reset(action):
                    self._cores_were_reset(resets)
            case WriteRegister(_, offset, value, strobe):
                device.bar4_write(offset, value, strobe)
            case ReadVram(offset, size):
                self._value = device.bar2_read(offset, size)
            case WriteVram(offset, data):
                device.bar2_write(offset, data)
            case ReadHost(addr, size):
                self._value = device.host.read(addr, size)
            case WriteHost(addr, data):
                device.host.write(addr, data)

    def settled(self) -> Difference | None:
        """Nothing is in flight: every message that the golden device sent must have come."""

        def check() -> None:
            self._match_messages()
            if self._golden_messages:
                self._differ("msix message", f"the message {self._golden_messages[0]} never came", 0)

        return self._guard(check)

    # ------------------------------------------------------------------ records

    def records(self, batch: Batch) -> Difference | None:
        """Records of whole cycles: the cores' and the device's."""
        return self._guard(lambda: self._records(batch))

    def _records(self, batch: Batch) -> None:
        feed = _Cut(batch)
        run = batch[Kind.RUN]
        for row in run[np.isin(run["event"], (RunEvent.DEVICE, RunEvent.MESSAGE, RunEvent.RESET))]:
            cycle, event, addr, data = (int(row[name]) for name in ("cycle", "event", "addr", "data"))
            if event == RunEvent.MESSAGE:
                self._rtl_messages.append(MsixMessage(data >> 32, addr, data & 0xFFFF_FFFF))
                self._match_messages()
            elif event == RunEvent.RESET:
                if addr == 1:
                    self._feed(feed.until(cycle))
                    self._reset_seen = True
            else:
                bits = DeviceEvent(data)
                if bits & (DeviceEvent.ACCEPTED | DeviceEvent.DONE):
                    self._feed(feed.until(cycle))
                # An access that takes effect in the cycle of a choice does not see it yet.
                if bits & DeviceEvent.ACCESS and self._expected is not None and not _is_reset(self._expected):
                    self._do_expected()
                self._adopt(bits, cycle, batch)
        self._feed(feed.rest())
        if self._compare_memory:
            self._compare_memory = False
            self._check_memory()

    def _feed(self, batch: Batch) -> None:
        if self._reset_seen:  # the cores are in reset or wait for a new launch
            return
        difference = self._follower.feed(batch)
        if difference is not None:
            raise _Differs(difference)

    # ------------------------------------------------------------------ choices of the device

    def _adopt(self, bits: DeviceEvent, cycle: int, batch: Batch) -> None:
        for bit in DeviceEvent:
            if bits & bit:
                name = str(bit.name).lower()
                self.adopted[name] = self.adopted.get(name, 0) + 1
        try:
            if bits & (DeviceEvent.ACCEPTED | DeviceEvent.TABLE_BAD):
                self._adopt_table(bool(bits & DeviceEvent.TABLE_BAD), cycle)
            if bits & (DeviceEvent.DMA_PIECE | DeviceEvent.DMA_END):
                self._adopt_piece(bool(bits & DeviceEvent.DMA_END), cycle)
            if bits & DeviceEvent.DCR_ANSWER:
                self.device.answer_dcr(self._counter(cycle, batch))
            if bits & DeviceEvent.FAULT:
                self._adopt_fault(cycle)
            if bits & DeviceEvent.DONE:
                self._adopt_end(cycle)
        except StepError as error:
            self._differ("device launch", str(error), cycle)
        self._golden_messages += self.device.take_messages()

    def _adopt_table(self, bad: bool, cycle: int) -> None:
        launch = self.device.launch
        if launch is None or launch.phase is not LaunchPhase.TABLE:
            self._differ("device launch", "the device judges an image table although no launch waits for it", cycle)
            return
        problem = launch.read_table()
        if bad != (problem is not None):
            verdict = "good" if problem is None else problem.value
            self._differ("image table", f"the device finds the image table {'bad' if bad else 'good'}", cycle, verdict)
        if bad:
            return
        code = self.device.machine.code
        code.images.clear()
        for image in self._images.values():
            code.declare(image)
        self._follower.begin_launch(self._launch, started=True)
        self._running = True

    def _adopt_piece(self, ends: bool, cycle: int) -> None:
        if self.device.dma is None:
            self._differ("dma", "the device moves a piece although no transfer is in flight", cycle)
        elif self.device.advance_dma(1) != ends:
            self._differ("dma", f"the transfer is {'' if ends else 'not '}at its end on the device", cycle)

    def _counter(self, cycle: int, batch: Batch) -> int | None:
        """What hardware answered to a read of a counter that is a choice; None: the model's own value must be right."""
        pending = self.device.dcr.pending
        if pending is None or pending[0] != _MPM_VALUE or (pending[1] >> 16 & 31 == _MINSTRET and not pending[1] >> 22):
            return None
        run = batch[Kind.RUN]
        answers = run[(run["event"] == RunEvent.DCR_RESPONSE) & (run["cycle"] <= cycle)]
        return int(answers["data"][-1]) if len(answers) else None

    def _adopt_fault(self, cycle: int) -> None:
        launch = self.device.launch
        if launch is None:
            self._differ("device launch", "a launch ends with a fault on the device, but none is running", cycle)
            return
        seen = self._port_faults()
        if not seen:
            launch.expire()
        else:
            first = seen[0]
            kind = FaultKind(first.kind)
            known = [(row.kind, row.pc) for row in self._follower.faults]
            if kind in _PREDICTED and (first.kind, first.pc) not in known:
                self._differ(
                    "device fault", f"a core reports {kind.name} at {first.pc:#x}, the model found none", cycle
                )
            launch.adopt_fault(FaultRecord(kind, first.addr, first.pc, first.core, first.warp, first.tmask))
        self._cores_were_reset(True)

    def _adopt_end(self, cycle: int) -> None:
        difference = self._follower.end_launch(None)
        if difference is not None:
            raise _Differs(difference)
        self._account()
        launch = self.device.launch
        if launch is None or launch.phase is not LaunchPhase.RUNNING:
            self._differ("device launch", "a launch ends well on the device, but none is running", cycle)
            return
        release = launch.request.release
        if release is not None and release.timestamp:
            self.device.cycle = (2 * self._timestamp(release.addr + 8, release.host) + 1) // 5
        launch.complete()
        self._compare_memory = True

    def _timestamp(self, addr: int, host: bool) -> int:
        """Nanoseconds that the device wrote; the golden device takes its time from there. 0 where nothing can be."""
        if addr + 8 > (1 << 64 if host else len(self._vram)):
            return 0
        data = self._host_read(addr, 8) if host else self._vram[addr : addr + 8].tobytes()
        return int.from_bytes(data, "little")

    def _cores_were_reset(self, adopt_memory: bool) -> None:
        self._account()
        self._follower = self._new_follower()
        self._reset_seen = False
        if adopt_memory:  # what an aborted launch has written is undefined in the places that it could write
            for golden, rtl in ((self.device.vram, self._vram), (self.device.memory.private, self._private)):
                for page in compare_memory(golden, rtl).pages:
                    _take_over(golden, page, rtl)

    # ------------------------------------------------------------------ inside

    def _check_memory(self) -> None:
        """Every defined byte of VRAM and private memory, unless a transfer is writing there right now."""
        memories = [(self.device.memory.private, self._private, "private memory")]
        if self.device.dma is None:
            memories.append((self.device.vram, self._vram, "VRAM"))
        for golden, rtl, name in memories:
            found = compare_memory(golden, rtl)
            if found.differing:
                difference = memory_difference(golden, rtl, found, {name: (0, golden.size)}, self._launch)
                raise _Differs(difference)

    def _match_messages(self) -> None:
        """Take what both sent off both lists; units that raise at the same time have no order."""
        self._golden_messages += self.device.take_messages()
        for message in list(self._rtl_messages):
            if message in self._golden_messages:
                self._golden_messages.remove(message)
                self._rtl_messages.remove(message)

    def _account(self) -> None:
        """Add what the follower compared since it was asked last."""
        if self._running:
            self._coverage += self._follower.launch_coverage
            self.total += self._follower.launch_coverage
        self._running = False

    def _new_follower(self) -> Follower:
        return Follower(self.device.machine, self._symbolize, self._allowed, self._tier)

    def _symbolize(self, address: int) -> SourceLocation:
        for image in self._images.values():
            if image.elf is not None and image.min_vma <= address < image.max_vma:
                if image.elf not in self._symbols:
                    self._symbols[image.elf] = ElfSymbols(Path(image.elf))
                return self._symbols[image.elf].locate(address)
        return SourceLocation(None, None)

    def _guard(self, work: Callable[[], None]) -> Difference | None:
        try:
            work()
        except _Differs as found:
            return found.difference
        return None

    def _differ(self, check: str, message: str, cycle: int, expected: str = "", actual: str = "") -> None:
        raise _Differs(
            Difference(
                check, Category.DEVICE, message, self._launch, cycle, expected=expected or None, actual=actual or None
            )
        )


class _Cut:
    """A batch of the cores' records in parts, by cycle."""

    def __init__(self, batch: Batch) -> None:
        self._batch = {kind: records for kind, records in batch.items() if kind not in (Kind.RUN, Kind.DEVICE_AXI)}
        self._done = dict.fromkeys(self._batch, 0)

    def until(self, cycle: int) -> Batch:
        """What has not been handed out, up to and with this cycle."""
        part: Batch = {}
        for kind, records in self._batch.items():
            begin = self._done[kind]
            self._done[kind] = end = max(begin, int(np.searchsorted(records["cycle"], cycle, "right")))
            part[kind] = records[begin:end]
        return part

    def rest(self) -> Batch:
        return {kind: records[self._done[kind] :] for kind, records in self._batch.items()}


def _take_over(golden: Memory, page: int, rtl: Bytes) -> None:
    """Use the device's bytes of a page; what is undefined stays undefined."""
    undefined = golden.undefined(page, PAGE_SIZE)
    golden.write(page, rtl[page : page + PAGE_SIZE].tobytes())
    for offset, flag in enumerate(undefined):
        if flag:
            golden.define(page + offset, 1, defined=False)


def _is_reset(action: Action | None) -> bool:
    return (
        isinstance(action, WriteRegister)
        and (action.bar, action.offset, action.strobe) == (0, register("GLOBAL_CTRL").offset, 0xF)
        and bool(action.value & 2)
    )


def _what(action: Action | None) -> str:
    match action:
        case ReadRegister(bar, offset):
            return f"the read of BAR{bar} {offset:#x}"
        case ReadVram(offset, size):
            return f"the read of {size} bytes of BAR2 at {offset:#x}"
        case _:
            return f"the access {action}"


def _show(value: int | bytes | None) -> str:
    return f"{value:#010x}" if isinstance(value, int) else value[:32].hex(" ") if value else "nothing"
