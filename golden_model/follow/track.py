"""What the follower knows about one warp of the design, beside the golden warp itself."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from golden_model.cta import Dim3
from golden_model.follow.compare import Mismatch
from golden_model.follow.instruction import BarrierRow, CtaRow, FaultRow, Instruction, IpdomRow, MemoryRow
from golden_model.step import Step
from golden_model.warp import Warp

HISTORY_LENGTH = 12


# A golden step and the cycle in which the design committed it.
Executed = tuple[Step, int]


@dataclass(slots=True)
class Begun:
    """An atomic of which memory has served some records, and another core before the rest."""

    records: int = 0
    lanes: int = 0  # mask
    steps: list[Step] = field(default_factory=list)  # one for each part, with the lanes of that part


class Track:
    """State of one warp: records that wait for their turn, and what the design says about its life."""

    __slots__ = (
        "barrier",
        "begun",
        "block",
        "blocked_by",
        "core",
        "counter_reads",
        "ended_by_fault",
        "ends_golden",
        "ends_seen",
        "fault",
        "faulted_uid",
        "history",
        "hw_active",
        "hw_slot",
        "hw_spawned",
        "ipdom",
        "joined",
        "last_memory_uid",
        "memory",
        "next_uid",
        "pending",
        "predicted_fault",
        "rank",
        "spawns_golden",
        "spawns_seen",
        "starts",
        "warp",
        "wid",
        "writers",
    )

    def __init__(self, warp: Warp, core: int, wid: int) -> None:
        self.warp = warp
        self.core = core
        self.wid = wid
        self.next_uid = 0  # next instruction to be stepped
        self.pending: dict[int, Instruction] = {}
        self.memory: dict[int, list[MemoryRow]] = {}
        self.barrier: dict[int, BarrierRow] = {}
        self.ipdom: dict[int, IpdomRow] = {}
        self.joined: set[int] = set()  # instructions that have a record of one of the three kinds
        self.begun: Begun | None = None  # of the next instruction
        self.fault: dict[int, FaultRow] = {}
        self.last_memory_uid = -1
        # The design's view, in the order of the records: it may be ahead of the golden warp.
        self.hw_active = False
        self.hw_slot = 0
        self.hw_spawned = False  # active by WSPAWN, for no CTA
        self.blocked_by: BarrierRow | None = None  # barrier record that suspended the warp
        self.starts: deque[CtaRow] = deque()  # WARP_START records that the golden warp has not followed yet
        self.spawns_seen: deque[CtaRow] = deque()  # SPAWN records without a golden WSPAWN yet, or the reverse:
        self.spawns_golden: deque[tuple[int, int, int]] = deque()  # PC, mask and uid with which the warp began
        self.ends_seen = 0
        # The golden view.
        self.ends_golden = 0
        self.ended_by_fault = False
        self.faulted_uid = -1  # last instruction that was followed by its FAULT record alone
        self.predicted_fault: Executed | None = None  # fault of the golden model, its record has not come yet
        self.block: Dim3 | None = None
        self.rank: int | None = None
        self.history: deque[Executed] = deque(maxlen=HISTORY_LENGTH)
        self.writers: list[Executed | None] = [None] * 64  # last writer of x0..x31, f0..f31
        self.counter_reads: dict[int, tuple[int, int, int]] = {}  # CSR -> (value, issue cycle, commit cycle)

    @property
    def is_due(self) -> bool:
        """Whether the next instruction has committed completely, and only waits for its turn."""
        due = self.pending.get(self.next_uid)
        return due is not None and due.complete

    def begin_launch(self) -> None:
        """Forget everything that belongs to one launch; instruction numbers go on."""
        self.ends_seen = self.ends_golden = 0
        self.ended_by_fault = False
        self.predicted_fault = None
        self.begun = None
        self.block = self.rank = None
        self.spawns_seen.clear()
        self.spawns_golden.clear()

    def __str__(self) -> str:
        return f"core {self.core} warp {self.wid}"


class Found(Exception):
    """A mismatch on its way out of the comparison, with everything that places it."""

    def __init__(
        self,
        mismatch: Mismatch,
        *,
        cycle: int = 0,
        track: Track | None = None,
        step: Step | None = None,
        uid: int | None = None,
        pc: int | None = None,
        cta: CtaRow | None = None,
        block: Dim3 | None = None,
        slot: int | None = None,
        rank: int | None = None,
        tmask: int | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(mismatch.message)
        self.mismatch = mismatch
        self.cycle = cycle
        self.track = track
        self.step = step
        self.uid = uid
        self.pc = pc
        self.cta = cta
        self.block = block
        self.slot = slot
        self.rank = rank
        self.tmask = tmask
        self.notes = notes
