"""A warp: lanes sharing one PC, one thread mask, one IPDOM stack and one set of per-warp CSRs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.dispatch import ResidentCta, WarpAssignment
from golden_model.errors import StepError
from golden_model.findings import Finding, FindingKind
from golden_model.ipdom import IpdomStack
from golden_model.isa.bits import lanes_of
from golden_model.records.layout import FaultKind, IpdomOp, MemoryOp, RegisterFile
from golden_model.step import Adoption, Fault, IpdomEvent, MemoryAccess, Step

if TYPE_CHECKING:
    from golden_model.core import Core

_MSCRATCH = 0x340


class Warp:
    """Registers and control state of one warp, and the step that executes its next instruction.

    `regs[r][lane]` holds unsigned XLEN-bit values; bit `lane` of `undef[r]` is set while the register was never given
    a meaningful value since reset. The float file has the same shape and is unused while EXT_F is off.
    """

    __slots__ = (
        "_code", "_masks", "adoption", "blocked", "core", "csr_storage", "cta_mask", "fcsr", "first_hart", "fregs",
        "full_mask", "fundef", "ipdom", "lanes", "last", "num_lanes", "pc", "rank", "regs", "resident",
        "slot", "thread_idx", "tmask", "uid", "undef", "wid", "xlen",
    )  # fmt: skip

    def __init__(self, core: Core, wid: int) -> None:
        config = core.config
        self.core = core
        self.wid = wid
        self.xlen = core.xlen
        self.num_lanes = config.num_threads
        self.full_mask = config.full_mask
        self.first_hart = (core.core_id * config.num_warps + wid) * config.num_threads
        self._code = core.code
        self._masks: dict[int, tuple[int, ...]] = {}

        self.regs = [[0] * self.num_lanes for _ in range(32)]
        self.undef = [0] + [self.full_mask] * 31
        self.fregs = [[0] * self.num_lanes for _ in range(32)]
        self.fundef = [self.full_mask] * 32
        self.csr_storage: dict[int, int] = {}
        self.fcsr = 0
        self.ipdom = IpdomStack(config.ipdom_depth)

        self.pc = 0
        self.uid = 0  # number of the next instruction
        self.blocked = False  # suspended at a barrier
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
        self.blocked = False
        self.pc = pc
        self.set_mask(assignment.tmask)

    def step(self, adopted: Adoption | None = None) -> Step:
        """Execute the next instruction. Raises StepError if the warp is inactive or suspended at a barrier.

        `adopted` gives hardware's value for a CSR that hardware may choose; other instructions ignore it.
        """
        tmask, pc = self.tmask, self.pc
        if not tmask or self.blocked:
            state = "suspended at a barrier" if tmask else "inactive"
            raise StepError(f"core {self.core.core_id} warp {self.wid} cannot step at pc {pc:#x}: it is {state}")
        core = self.core
        self.adoption = adopted
        op = self._code.by_pc.get(pc)
        if op is None:
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
            self.fault(step, FaultKind.FETCH, pc, f"instruction fetch {where}")
            return step
        if pc not in self._code.images:
            self.report(
                step, FindingKind.FETCH_OUTSIDE_IMAGE, tmask, f"fetches from {pc:#x}, which is in no loaded image"
            )
        step.instr, op = self._code.fetch(pc)
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
        step.next_pc &= self.xlen.mask
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
        if len(self.ipdom) and step.fault is None:
            top = self.ipdom.top()
            assert top is not None
            detail = f"the warp ends with {len(self.ipdom)} open SPLIT(s), the innermost before {top.pc:#x}"
            self.report(step, FindingKind.IPDOM_NOT_EMPTY, step.tmask, detail)
        if self.resident is not None:
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

    def scalar(self, step: Step, register: int, kind: FindingKind, what: str) -> int:
        """A warp-scalar operand: the value of the last active lane."""
        last = self.last
        if self.undef[register] >> last & 1:
            self.report(step, kind, 1 << last, f"the {what} is a register never written")
        return self.regs[register][last]

    def predicate(self, step: Step, register: int, negate: int) -> int:
        """Active lanes whose bit 0 of the register, negated if asked, is 1."""
        values = self.regs[register]
        undefined = self.undef[register] & self.tmask
        if undefined:
            self.report(step, FindingKind.UNDEFINED_PREDICATE, undefined, "the predicate is a register never written")
        mask = 0
        for lane in self.lanes:
            if values[lane] & 1 != negate:
                mask |= 1 << lane
        return mask

    def addresses(self, step: Step, register: int, imm: int, size: int, op: MemoryOp) -> list[int] | None:
        """Address per active lane; None, with a fault, if one is misaligned or outside memory."""
        base, address_mask, low = self.regs[register], self.xlen.mask, size - 1
        result = [0] * self.num_lanes
        combined = 0
        for lane in self.lanes:
            addr = result[lane] = (base[lane] + imm) & address_mask
            combined |= addr
        undefined = self.undef[register] & self.tmask
        if undefined:
            self.report(step, FindingKind.UNDEFINED_ADDRESS, undefined, "the address is a register never written")
        if combined & low:
            lane = next(lane for lane in self.lanes if result[lane] & low)
            detail = f"lane {lane} accesses {size} bytes at {result[lane]:#x}, not a multiple of {size}"
            self.fault(step, FaultKind.MISALIGNED, result[lane], detail)
            return None
        core = self.core
        if combined >= core.memory.size:  # the OR of all is an upper bound that is exact for powers of two
            kind = FaultKind.BUS_WRITE if op is MemoryOp.STORE else FaultKind.BUS_READ
            lane = next(lane for lane in self.lanes if result[lane] >= core.memory.size)
            self.fault(step, kind, result[lane], f"lane {lane} accesses {result[lane]:#x}, outside memory")
            return None
        step.memory = MemoryAccess(op, core.space_of(result[self.lanes[0]]), size, self.tmask, result)
        return result

    def ipdom_push(self, step: Step, mask: int, pc: int) -> bool:
        """Open a divergent SPLIT; False if the stack is full."""
        pointer = len(self.ipdom)
        if not self.ipdom.push(mask, pc):
            detail = f"SPLIT with {pointer} SPLITs open, and the stack holds {self.ipdom.depth}"
            self.report(step, FindingKind.IPDOM_OVERFLOW, mask, detail)
            return False
        step.ipdom = IpdomEvent(IpdomOp.PUSH, pointer, mask, pc)
        return True

    def ipdom_join(self, step: Step, pointer: int) -> None:
        """JOIN with the pointer that its SPLIT returned."""
        depth = len(self.ipdom)
        if pointer == depth:
            return  # the SPLIT was uniform
        entry = self.ipdom.top()
        if pointer != depth - 1:
            detail = f"JOIN of SPLIT number {pointer} while {depth} are open: SPLIT and JOIN do not nest"
            self.report(step, FindingKind.IPDOM_MISMATCH, self.tmask, detail)
        if entry is None:
            return
        if not entry.second:
            step.ipdom = IpdomEvent(IpdomOp.FLIP, depth, entry.mask, entry.pc)
            step.next_mask = entry.mask & ~self.tmask
            step.next_pc = entry.pc
            entry.second, entry.first_join = True, step.pc
            return
        if entry.first_join != step.pc:
            detail = (
                f"the sides of the SPLIT before {entry.pc:#x} end at different JOINs: {entry.first_join:#x} and here"
            )
            self.report(step, FindingKind.IPDOM_MISMATCH, self.tmask, detail)
        step.ipdom = IpdomEvent(IpdomOp.POP, depth, entry.mask, entry.pc)
        step.next_mask = entry.mask
        self.ipdom.pop()

    def check_dispatch_call(self, step: Step) -> None:
        """A call in the dispatch window must go to the kernel that was launched."""
        if step.pc in self._code.dispatch_calls and self.resident is not None:
            cta = self.resident.cta
            wrong = self._code.wrong_call(step.next_pc, cta.pc, cta.entry)
            if wrong:
                self.report(step, FindingKind.WRONG_DISPATCH_CALL, self.tmask, f"the dispatch window {wrong}")

    # ------------------------------------------------------------------ findings and faults

    def report(self, step: Step, kind: FindingKind, lanes: int, detail: str) -> None:
        finding = Finding(kind, step.core, step.warp, step.pc, lanes, detail)
        step.findings.append(finding)
        self.core.findings.add(finding)

    def illegal(self, step: Step, detail: str) -> None:
        """Stop the warp: the instruction does not exist."""
        self.fault(step, FaultKind.ILLEGAL_INSTRUCTION, step.pc, detail)

    def fault(self, step: Step, kind: FaultKind, addr: int, detail: str) -> None:
        """Stop the warp as `tmc x0` would; nothing else of the instruction happens."""
        step.fault = Fault(kind, addr, detail)
        step.next_mask = 0
        self.report(step, _FINDING_OF_FAULT[kind], step.tmask, detail)


_FINDING_OF_FAULT = {
    FaultKind.ILLEGAL_INSTRUCTION: FindingKind.ILLEGAL_INSTRUCTION,
    FaultKind.MISALIGNED: FindingKind.MISALIGNED_ACCESS,
    FaultKind.FETCH: FindingKind.FETCH_FAULT,
    FaultKind.BUS_READ: FindingKind.BUS_FAULT,
    FaultKind.BUS_WRITE: FindingKind.BUS_FAULT,
}
