"""The language between host side and device: plain messages one way, events the other.

A backend executes messages strictly in the order in which they were sent, so a `ReadMemory` that follows a `Launch`
sees that launch's results. Launches carry ids that the client chooses, counting up from 1; one runs, any number wait.

Every launch is answered by zero or more `Fault` and `CheckFailed` events and then by exactly one `LaunchDone`.
Every read is answered by exactly one event with the same `request` number. Writes have no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from golden_model.follow.difference import Difference
from golden_model.records.layout import FaultKind
from sw.runtime.exercise import Exercise

# ------------------------------------------------------------------------------------------------ host -> device


@dataclass(frozen=True)
class WriteMemory:
    """Store `data` at byte address `address`; any alignment and size above zero."""

    address: int
    data: bytes


@dataclass(frozen=True)
class ReadMemory:
    """Ask for `size` bytes at `address`; answered by `MemoryData`."""

    request: int
    address: int
    size: int


@dataclass(frozen=True)
class DcrWrite:
    """Write of one device configuration register (docs/reference/vortex.md §4): 12-bit address, 32-bit value."""

    address: int
    value: int


@dataclass(frozen=True)
class DcrRead:
    """Read of one DCR; `tag` is the data field of the request (§4.2). Answered by `DcrData`."""

    request: int
    address: int
    tag: int


@dataclass(frozen=True)
class RegisterWrite:
    """32-bit write of a BAR register (docs/reference/pcie_bar.md); a backend without BARs fails."""

    bar: int
    offset: int
    value: int


@dataclass(frozen=True)
class RegisterRead:
    """32-bit read of a BAR register; answered by `RegisterData`."""

    request: int
    bar: int
    offset: int


@dataclass(frozen=True)
class LoadImage:
    """Store `image` at `min_vma`, clear the bytes behind it up to `max_vma`, and tell the checkers what it is.

    Fields as in `sw.kernel.vxbin.Vxbin`. Code is fetched only from `[min_vma, min_vma + len(image))`; a dispatch window
    may call only the addresses in `kernels`, which are by exported name (function, or stub in the s11 generation).
    """

    min_vma: int
    max_vma: int
    image: bytes
    kernels: dict[str, int]
    name: str
    elf: str | None = None  # path of the ELF with symbols and lines, for reports only


@dataclass(frozen=True)
class ForgetImage:
    """The image at `min_vma` was unloaded; its bytes stay."""

    min_vma: int


@dataclass(frozen=True)
class DeclareBuffer:
    """The host allocated `[address, address + size)`; stores of undefined values there are findings."""

    address: int
    size: int
    name: str


@dataclass(frozen=True)
class ForgetBuffer:
    """The buffer at `address` was freed."""

    address: int


@dataclass(frozen=True)
class Launch:
    """One kernel launch with every value that the KMU's registers take.

    The backend programs the registers (`sw.runtime.launch.dcr_writes` gives them in the host's order), pulses `start`,
    waits until the device is quiescent (busy low and every write acknowledged) and flushes the cache of every core
    before it answers with `LaunchDone`.
    """

    launch_id: int
    kernel: str
    startup_addr: int
    kernel_entry: int
    arg_addr: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    block_size: int
    warp_step: tuple[int, int, int]
    lmem_size: int
    cluster: tuple[int, int, int]
    rewind: int  # bytes of the dispatch window: 12, 16 or 20 (private DCR 0x030)
    max_cycles: int = 0  # watchdog; 0 = the backend's own bound


@dataclass(frozen=True)
class Reset:
    """Reset of the device; memory keeps its contents.

    Launches sent before it that have not ended are answered as ABORTED, a running one too; other messages keep their
    place. Later launches run on the device after reset.
    """


Message = (
    WriteMemory
    | ReadMemory
    | DcrWrite
    | DcrRead
    | RegisterWrite
    | RegisterRead
    | LoadImage
    | ForgetImage
    | DeclareBuffer
    | ForgetBuffer
    | Launch
    | Reset
)

# ------------------------------------------------------------------------------------------------ device -> host


class LaunchStatus(Enum):
    """How a launch ended."""

    DONE = "done"
    FAULT = "fault"  # at least one warp stopped by a fault
    CHECK_FAILED = "check failed"  # the scoreboard, a checker or the golden model objected
    TIMEOUT = "timeout"  # the watchdog, or no commit for too long
    ABORTED = "aborted"  # never ran: an earlier launch failed, or the device was reset


@dataclass(frozen=True)
class LaunchStats:
    """What was counted during one launch; zero where a backend has no such thing.

    `compared` counts warp instructions whose records were compared with the golden model, so a `cosim` run with
    `compared == 0` has shown nothing. `adopted` counts hardware choices taken over after a legality check, by kind.
    """

    cycles: int = 0  # first cycle of `start` until quiescent
    instructions: int = 0  # warp instructions retired (MINSTRET of all cores)
    ctas: int = 0
    compared: int = 0
    adopted: Mapping[str, int] = field(default_factory=dict)
    axi_transactions: int = 0  # bursts whose channel rules and data were checked
    icache_hits: int = 0
    dcache_hits: int = 0
    max_warps_in_flight: int = 0  # most warps active in one core at the same time
    warps_used: int = 0  # warps of all cores that ran something
    wall_seconds: float = 0.0
    exercised: Exercise | None = None  # None: nobody counted

    @property
    def ipc(self) -> float:
        """Warp instructions a cycle; 0 without cycles."""
        return self.instructions / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class MemoryData:
    """Answer to `ReadMemory`."""

    request: int
    data: bytes


@dataclass(frozen=True)
class DcrData:
    """Answer to `DcrRead`."""

    request: int
    value: int


@dataclass(frozen=True)
class RegisterData:
    """Answer to `RegisterRead`."""

    request: int
    value: int


@dataclass(frozen=True)
class Fault:
    """A warp stopped: kind, place and lanes as on the core's fault ports (docs/reference/pcie_bar.md FAULT_*)."""

    launch_id: int
    kind: FaultKind
    core: int
    warp: int
    tmask: int
    pc: int
    addr: int
    cycle: int = 0


@dataclass(frozen=True)
class CheckFailed:
    """Something that a checker saw and that must not be: a difference, a finding, a protocol violation, a hang.

    `check` names the checker, `message` is one sentence; `detail` is the object behind it (for a lockstep difference
    the `Difference` of golden_model.follow), which the report renders field by field.
    """

    launch_id: int
    check: str
    message: str
    detail: Difference | None = None


@dataclass(frozen=True)
class LaunchDone:
    """A launch has ended; its results are in memory and every cache is flushed."""

    launch_id: int
    status: LaunchStatus
    stats: LaunchStats = LaunchStats()


@dataclass(frozen=True)
class Doorbell:
    """A token left the doorbell queue of BAR4."""

    token: int


@dataclass(frozen=True)
class Interrupt:
    """An MSI-X vector was raised."""

    vector: int


@dataclass(frozen=True)
class BackendFailed:
    """The backend cannot go on (simulator ended, message not supported); no later event follows."""

    message: str


Event = MemoryData | DcrData | RegisterData | Fault | CheckFailed | LaunchDone | Doorbell | Interrupt | BackendFailed
