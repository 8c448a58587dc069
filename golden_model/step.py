"""What one executed warp instruction did: the only thing that leaves a warp.

A `Step` is the golden model's counterpart of the records of a design (golden_model/records/layout.py). Lane lists have
one element per lane of the warp (index = lane); elements of lanes outside the stated mask are meaningless.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from golden_model.findings import Finding
from golden_model.records.layout import BarrierOp, FaultKind, IpdomOp, MemoryOp, MemorySpace, RegisterFile


@dataclass(slots=True)
class Adoption:
    """Values that hardware may choose, handed in by a follower for one step; None = the model's own value."""

    csr_value: int | None = None  # used only if the instruction reads MCYCLE(H), MINSTRET(H) or ACTIVE_WARPS
    load_error: int | None = None  # address of a lane whose load memory answered with an error
    fetch_error: bool = False  # memory answered the fetch of this instruction with an error
    lane_order: tuple[int, ...] | None = None  # active lanes in the order in which an atomic served them
    sc_failed: int = 0  # lanes whose SC failed although their reservation held


@dataclass(slots=True)
class MemoryAccess:
    """A load, store or fence of one warp instruction."""

    op: MemoryOp
    space: MemorySpace  # of the lowest active lane; lanes of one instruction may lie in different spaces
    size: int  # bytes per lane: 1, 2, 4, 8; 0 for a fence
    mask: int  # lanes that access memory
    addr: list[int] = field(default_factory=list)  # per lane, bytes
    data: list[int] = field(default_factory=list)  # rs2 per lane, zero above `size` bytes; empty for loads and LR
    undefined: int = 0  # lanes whose data is undefined


@dataclass(slots=True)
class BarrierEvent:
    """An operation on a barrier, as the barrier unit saw it."""

    op: BarrierOp
    id: int  # the whole id word (docs/reference/vortex.md §2.7)
    count: int  # participant count operand
    phase: int  # phase bit before the operation
    released: int  # warps that this operation lets go, the arriving one included; 0 = the warp is suspended


@dataclass(slots=True)
class IpdomEvent:
    """A push, flip or pop of the warp's IPDOM stack."""

    op: IpdomOp
    sp: int  # stack pointer before the operation
    mask: int  # original thread mask of the entry
    pc: int  # saved PC of the entry


@dataclass(slots=True)
class Fault:
    """Why the warp was stopped; it ends as if it had executed `tmc x0`."""

    kind: FaultKind
    addr: int  # offending address: data address, or the PC for illegal instruction and fetch
    detail: str  # sentence for a person


@dataclass(slots=True)
class Step:
    """Result of `Warp.step`: one warp instruction, executed."""

    core: int  # global core id
    warp: int  # warp index in the core
    uid: int  # number of this instruction in its warp, from 0 after reset, gap-free
    pc: int
    instr: int  # instruction word; 0 if it could not be fetched
    name: str  # mnemonic; "illegal" or "fetch" if nothing was executed
    tmask: int  # thread mask with which it executed
    next_pc: int
    next_mask: int  # 0: the warp has ended
    slot: int = 0  # CTA slot of the warp
    launch: int = 0  # launches since reset, the first is 1
    wmask: int = 0  # lanes of rd that were written; 0 when no register was written or rd is x0
    rd_file: RegisterFile = RegisterFile.NONE
    rd: int = 0
    result: list[int] = field(default_factory=list)  # per lane; valid under wmask
    undefined: int = 0  # lanes of the result that are undefined (subset of wmask): adopt, don't compare
    is_control: bool = False  # branch, jump, TMC, SPLIT, JOIN, PRED, WSPAWN: next_pc and next_mask are decided here
    fflags: int = 0  # floating-point flags that its lanes raised
    adopted: str = ""  # the result is a hardware choice: "mcycle", "minstret", "active_warps" (CSRs), "sc"
    memory: MemoryAccess | None = None
    barrier: BarrierEvent | None = None
    ipdom: IpdomEvent | None = None
    fault: Fault | None = None
    retry: bool = False  # WSPAWN while other warps are active: nothing happened, it is no instruction yet
    warp_ended: bool = False
    retired_slot: int | None = None  # slot of the CTA whose last warp ended here
    findings: list[Finding] = field(default_factory=list)
