"""A warp: lanes sharing one PC, one thread mask, one IPDOM stack and one set of per-warp CSRs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.dispatch import ResidentCta, WarpAssignment
from golden_model.errors import StepError
from golden_model.findings import Finding, FindingKind, Site
from golden_model.ipdom import IpdomStack
from golden_model.isa.bits import lanes_of
from golden_model.records.layout import FaultKind, RegisterFile
from golden_model.step import Adoption, Fault, Step

if TYPE_CHECKING:
    from golden_model.core import Core

_MSCRATCH = 0x340


class Warp:
    """Registers and control state of one warp, and the step that executes its next instruction.

    `regs[r][lane]` holds unsigned XLEN-bit values; bit `lane` of `undef[r]` is set while the register was never given
    a meaningful value since reset. The float file has the same shape and is unused while EXT_F is off.
    """

    __slots__ = (
        "_masks",
        "adoption",
        "blocked",
        "box",
        "code",
        "core",
        "csr_storage",
        "cta_mask",
        "fcsr",
        "first_hart",
        "flen",
        "fregs",
        "full_mask",
        "fundef",
        "ipdom",
        "lanes",
        "last",
        "num_lanes",
        "pc",
        "pc_mask",
        "rank",
        "regs",
        "resident",
        "retrying",
        "saved_mask",
        "slot",
        "spawned",
        "thread_idx",
        "tmask",
        "uid",
        "undef",
        "wid",
        "xlen",
    )  # fmt: skip

    def __init__(self, core: Core, wid: int) -> None:
        config = core.config
        self.core = core
        self.wid = wid
        self.xlen = core.xlen
        self.pc_mask = core.xlen.mask & ~3
        self.num_lanes = config.num_threads
        self.full_mask = config.full_mask
        self.first_hart = (core.core_id * config.num_warps + wid) * config.num_threads
        self.code = core.code
        self._masks: dict[int, tuple[int, ...]] = {}

        self.regs = [[0] * self.num_lanes for _ in range(32)]
        self.undef = [0] + [self.full_mask] * 31
        self.fregs = [[0] * self.num_lanes for _ in range(32)]
        self.fundef = [self.full_mask] * 32
        self.csr_storage: dict[int, int] = {}
        self.fcsr = 0
        self.flen = config.flen
        self.box = 0 if config.flen == 32 else 0xFFFF_FFFF << 32  # above a single in a float register
        self.saved_mask = 0  # of the last trap
        self.ipdom = IpdomStack(config.ipdom_depth)

        self.pc = 0
        self.uid = 0  # number of the next instruction
        self.blocked = False  # suspended at a barrier
        self.retrying = False  # waits with a WSPAWN until it is alone
        self.spawned = False  # started by WSPAWN: no part of a CTA
        self.adoption: Adoption | None = None
        self.slot = 0
        self.rank = 0
        self.resident: ResidentCta | None = None
        self.cta_mask = 0
        self.thread_idx = [(0, 0, 0)] * self.num_lanes
        self.set_mask(0)

    @property
    def active(self) -> bool:
        return self.tmask != 0

    @property
    def current_cta(self) -> ResidentCta:
        """The CTA that the warp works for. Raises StepError for a warp that dispatch never started."""
        if self.resident is None:
            raise StepError(f"core {self.core.core_id} warp {self.wid} was never given a CTA")
        return self.resident

    # ------------------------------------------------------------------ start and step

    def start(self, assignment: WarpAssignment, pc: int) -> None:
        """Become active for one rank of a CTA; registers and other CSRs keep what they held."""
        resident = assignment.resident
        self.resident = resident
        self.slot, self.rank = resident.slot, assignment.rank
        self.cta_mask, self.thread_idx = assignment.cta_mask, assignment.thread_idx
        self.csr_storage[_MSCRATCH] = resident.cta.param & self.xlen.mask
        self.ipdom.clear()
        self.blocked = self.retrying = self.spawned = False
        self.pc = pc & self.pc_mask
        self.set_mask(assignment.tmask)

    def spawn(self, spawner: Warp, pc: int) -> None:
        """Become active with lane 0, for no CTA; CTA registers show what was left in them."""
        if self.resident is None:
            self.resident = spawner.resident
        self.spawned = True
        self.csr_storage[_MSCRATCH] = spawner.csr_storage.get(_MSCRATCH, 0)
        self.ipdom.clear()
        self.blocked = self.retrying = False
        self.pc = pc & self.pc_mask
        self.set_mask(1)

    def step(self, adopted: Adoption | None = None) -> Step:
        """Execute the next instruction. Raises StepError if the warp is inactive or suspended at a barrier.

        `adopted` gives hardware's value for a CSR that hardware may choose, or an error with which memory answered;
        instructions that have no such choice ignore it.
        """
        tmask, pc = self.tmask, self.pc
        if not tmask or self.blocked:
            state = "suspended at a barrier" if tmask else "inactive"
            raise StepError(f"core {self.core.core_id} warp {self.wid} cannot step at pc {pc:#x}: it is {state}")
        core = self.core
        self.adoption = adopted
        op = self.code.by_pc.get(pc)
        if op is None or (adopted is not None and adopted.fetch_error):
            step = self._fetch_slowly(pc)
        else:
            step = Step(
                core.core_id, self.wid, self.uid, pc, op.word, op.name, tmask, pc + 4, tmask, self.slot, core.launch_id
            )
            op.execute(self, op, step)
        self._finish(step, tmask)
        return step

    def _fetch_slowly(self, pc: int) -> Step:
        """First fetch of a PC, or one outside every image."""
        core, tmask = self.core, self.tmask
        step = Step(core.core_id, self.wid, self.uid, pc, 0, "fetch", tmask, pc + 4, tmask, self.slot, core.launch_id)
        if pc == 0 or pc + 4 > core.memory.size:
            where = "at 0" if pc == 0 else f"at {pc:#x}, outside memory"
            self.fault(step, FaultKind.FETCH, pc, f"instruction fetch {where}", self._last_call())
            return step
        if self.adoption is not None and self.adoption.fetch_error:
            self.fault(step, FaultKind.BUS_READ, pc, f"memory answered the fetch at {pc:#x} with an error")
            return step
        if pc not in self.code.images:
            self.report(
                step, FindingKind.FETCH_OUTSIDE_IMAGE, tmask, f"fetches from {pc:#x}, which is in no loaded image"
            )
        step.instr, op = self.code.fetch(pc)
        if op is None:
            step.name = "illegal"
            self.illegal(step, f"{step.instr:#010x} is no instruction of this configuration")
        else:
            step.name = op.name
            op.execute(self, op, step)
        return step

    def _finish(self, step: Step, tmask: int) -> None:
        """Commit PC and mask; end the warp if the mask is empty."""
        core = self.core
        self.retrying = step.retry
        if step.retry:
            return
        step.next_pc &= self.pc_mask  # every PC is a multiple of 4
        self.pc = step.next_pc
        if step.name != "fetch":  # what could not be fetched is no instruction
            self.uid += 1
            core.minstret += 1
        if step.next_mask != tmask:
            self.set_mask(step.next_mask)
            if not step.next_mask:
                self._end(step)

    def _end(self, step: Step) -> None:
        step.warp_ended = True
        self.core.global_barriers.warp_ended(self.core)
        if len(self.ipdom) and step.fault is None:
            top = self.ipdom.top()
            assert top is not None
            detail = f"the warp ends with {len(self.ipdom)} open SPLIT(s), the innermost before {top.pc:#x}"
            self.report(step, FindingKind.IPDOM_NOT_EMPTY, step.tmask, detail)
        if self.resident is not None and not self.spawned:
            step.retired_slot = self.core.warp_ended(self.resident)

    def set_mask(self, mask: int) -> None:
        """Change the thread mask and what is derived from it: the active lanes and the last of them."""
        self.tmask = mask
        lanes = self._masks.get(mask)
        if lanes is None:
            lanes = self._masks[mask] = lanes_of(mask)
        self.lanes = lanes
        self.last = lanes[-1] if lanes else 0

    # ------------------------------------------------------------------ for the follower

    def adopt(self, file: RegisterFile, register: int, lane: int, value: int) -> None:
        """Replace an undefined register value by the hardware's; the value stays undefined.

        Raises StepError if the model knows the value.
        """
        values, undefined = (
            (self.fregs, self.fundef) if file is RegisterFile.FLOAT else (self.regs, self.undef)
        )  # fmt: skip
        if not undefined[register] >> lane & 1:
            raise StepError(f"register {register} of lane {lane} is defined in the model, it cannot be adopted")
        values[register][lane] = value

    def adopt_store(self, step: Step, lane: int, value: int) -> None:
        """Replace the undefined data that `step` stored in `lane` by the hardware's; memory stays undefined there.

        A store of a higher lane to the same bytes is lost if lanes are adopted out of ascending order.
        """
        access = step.memory
        if access is None or not access.undefined >> lane & 1:
            raise StepError(f"lane {lane} stored no undefined data at pc {step.pc:#x}, nothing can be adopted")
        access.data[lane] = value
        addr = access.addr[lane]
        self.core.memory_at(addr).store(addr, access.size, value, True)

    # ------------------------------------------------------------------ for the semantics of instructions

    def write(self, step: Step, rd: int, result: list[int], undefined: int) -> None:
        """Write rd in the active lanes; x0 stays 0."""
        if rd == 0:
            return
        tmask = self.tmask
        register = self.regs[rd]
        if tmask == self.full_mask:
            register[:] = result
        else:
            for lane in self.lanes:
                register[lane] = result[lane]
        undefined &= tmask
        self.undef[rd] = self.undef[rd] & ~tmask | undefined
        step.rd_file = RegisterFile.INTEGER
        step.rd = rd
        step.wmask = tmask
        step.result = result
        step.undefined = undefined

    def write_lanes(self, step: Step, rd: int, result: list[int], undefined: int, mask: int) -> None:
        """Write rd in the lanes of `mask`, active or not; x0 stays 0."""
        if rd == 0:
            return
        for lane in lanes_of(mask):
            self.regs[rd][lane] = result[lane]
        undefined &= mask
        self.undef[rd] = self.undef[rd] & ~mask | undefined
        step.rd_file, step.rd, step.wmask = RegisterFile.INTEGER, rd, mask
        step.result, step.undefined = result, undefined

    def write_float(self, step: Step, rd: int, result: list[int], undefined: int) -> None:
        """Write float register rd in the active lanes."""
        for lane in self.lanes:
            self.fregs[rd][lane] = result[lane]
        undefined &= self.tmask
        self.fundef[rd] = self.fundef[rd] & ~self.tmask | undefined
        step.rd_file, step.rd, step.wmask = RegisterFile.FLOAT, rd, self.tmask
        step.result, step.undefined = result, undefined

    def raise_flags(self, step: Step, flags: int) -> None:
        """OR into fflags what the active lanes raised."""
        self.fcsr |= flags
        step.fflags = flags

    def atomic_order(self) -> tuple[int, ...]:
        """Active lanes in the order in which atomics serve them. Raises StepError for an order that is none."""
        if self.adoption is None or self.adoption.lane_order is None:
            return self.lanes
        order = self.adoption.lane_order
        if tuple(sorted(order)) != self.lanes:
            raise StepError(f"lanes {order} are no order of the active lanes {self.lanes}")
        return order

    def scalar(self, step: Step, register: int, kind: FindingKind, what: str) -> int:
        """A warp-scalar operand: the value of the last active lane."""
        last = self.last
        if self.undef[register] >> last & 1:
            self.report(step, kind, 1 << last, f"the {what} is a register never written")
        return self.regs[register][last]

    # ------------------------------------------------------------------ findings and faults

    def report(self, step: Step, kind: FindingKind, lanes: int, detail: str, other: Site | None = None) -> None:
        finding = Finding(kind, step.core, step.warp, step.pc, lanes, detail, other=other)
        step.findings.append(finding)
        self.core.findings.add(finding)

    def illegal(self, step: Step, detail: str) -> None:
        """Stop the warp: the instruction does not exist."""
        self.fault(step, FaultKind.ILLEGAL_INSTRUCTION, step.pc, detail)

    def _last_call(self) -> Site | None:
        """The call whose return address is in ra, as far as there is one."""
        at = self.regs[1][self.last] - 4
        if self.undef[1] >> self.last & 1 or at not in self.code.images:
            return None
        return Site("last call", at, self.core.core_id, self.wid)

    def fault(self, step: Step, kind: FaultKind, addr: int, detail: str, other: Site | None = None) -> None:
        """Stop the warp as `tmc x0` would; nothing else of the instruction happens."""
        step.fault = Fault(kind, addr, detail)
        step.next_mask = 0
        self.report(step, _FINDING_OF_FAULT[kind], step.tmask, detail, other)


_FINDING_OF_FAULT = {
    FaultKind.ILLEGAL_INSTRUCTION: FindingKind.ILLEGAL_INSTRUCTION,
    FaultKind.MISALIGNED: FindingKind.MISALIGNED_ACCESS,
    FaultKind.FETCH: FindingKind.FETCH_FAULT,
    FaultKind.BUS_READ: FindingKind.BUS_FAULT,
    FaultKind.BUS_WRITE: FindingKind.BUS_FAULT,
}
