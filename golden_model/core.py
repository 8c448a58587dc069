"""A core: warps, local memory, barriers and the CTA dispatcher."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.barrier import GLOBAL_BIT, BarrierUnit
from golden_model.code import Code
from golden_model.csr import build_csrs
from golden_model.cta import CtaAccept, CtaDescriptor, WarpStart
from golden_model.dispatch import CtaDispatcher, ResidentCta
from golden_model.errors import DispatchError
from golden_model.findings import Finding, FindingKind, FindingLog
from golden_model.global_barrier import GlobalBarriers
from golden_model.isa.bits import Xlen
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges
from golden_model.records.layout import BarrierOp, MemorySpace
from golden_model.reservations import Reservations
from golden_model.step import Step
from golden_model.warp import Warp

EXPECT_TX = 1 << 31  # in the count of BAR.ARRIVE
IO_BASE = 0x40
IO_END = 0x1_0000


class Core:
    """One core. `memory`, `code`, `findings` and `host_buffers` belong to the machine and are shared by its cores."""

    def __init__(
        self,
        core_id: int,
        config: HardwareConfig,
        memory: Memory,
        code: Code,
        findings: FindingLog,
        host_buffers: AddressRanges,
    ) -> None:
        self.core_id = core_id
        self.config = config
        self.xlen = Xlen.of(config.xlen)
        self.memory = memory
        self.code = code
        self.findings = findings
        self.host_buffers = host_buffers
        self.csrs = build_csrs(config)
        self.launch_id = 0
        self.rewind = 20
        self.mcycle = 0
        self.minstret = 0
        self.barriers = BarrierUnit(config)
        self.dispatcher = CtaDispatcher(core_id, config)
        self._lmem_base = config.lmem_base
        self._lmem_end = config.lmem_base + config.lmem_size
        self.reservations = Reservations()  # the machine gives all cores the same
        self.global_barriers = GlobalBarriers([self])
        self.lmem = Memory(self._lmem_end)  # only the aperture is used; addresses are those that warps see
        self.warps = [Warp(self, wid) for wid in range(config.num_warps)]

    @property
    def active_warps(self) -> int:
        """Mask of active warps."""
        return sum(1 << warp.wid for warp in self.warps if warp.tmask)

    @property
    def busy(self) -> bool:
        """Warps are active or still to be started."""
        return self.dispatcher.pending is not None or any(warp.tmask for warp in self.warps)

    # ------------------------------------------------------------------ dispatch

    def launch(self, launch_id: int, rewind: int) -> None:
        """The `start` pulse: per-launch state is cleared; registers, CSRs, barriers and counters stay."""
        self.launch_id = launch_id
        self.rewind = rewind
        self.dispatcher.launch()

    def can_accept(self, cta: CtaDescriptor) -> bool:
        """Whether the dispatcher is idle and the slot that the rules demand is free."""
        return self.dispatcher.can_accept(cta)

    def accept_cta(self, cta: CtaDescriptor) -> CtaAccept:
        """Give the CTA its slot. Raises DispatchError if `can_accept` is false."""
        return self.dispatcher.accept(cta)

    def start_warp(self, wid: int | None = None) -> WarpStart:
        """Start the next warp of the accepted CTA on warp `wid` (hardware's choice; default: lowest inactive).

        Raises DispatchError if no CTA is being dispatched, or the warp is active.
        """
        if wid is None:
            wid = next((warp.wid for warp in self.warps if not warp.tmask), None)
            if wid is None:
                raise DispatchError(f"core {self.core_id} has no inactive warp")
        if not 0 <= wid < len(self.warps):
            raise DispatchError(f"core {self.core_id} has no warp {wid}")
        warp = self.warps[wid]
        if warp.tmask:
            raise DispatchError(f"core {self.core_id} cannot start warp {wid}: it is active at pc {warp.pc:#x}")
        assignment = self.dispatcher.assign()
        start = self.dispatcher.start_message(assignment, wid, warp.pc, self.rewind)
        if not start.first_use:
            self.check_window(wid, start.pc, start.tmask)
        warp.start(assignment, start.pc)
        return start

    def check_window(self, wid: int, pc: int, lanes: int) -> bool:
        """Whether a warp may be reused at `pc` with those lanes; a finding if there is no dispatch window."""
        if self.code.is_window(pc):
            return True
        end = pc + self.rewind & self.xlen.mask
        detail = (
            f"the warp is reused {self.rewind} bytes before {end:#x}, where its last CTA ended, but no dispatch window "
            f"of generation {self.code.generation.value} is there"
        )
        self.findings.add(Finding(FindingKind.MALFORMED_WINDOW, self.core_id, wid, pc, lanes, detail))
        return False

    def warp_ended(self, resident: ResidentCta) -> int | None:
        """A warp of that CTA ended; returns its slot if the CTA has retired."""
        return self.dispatcher.warp_ended(resident)

    # ------------------------------------------------------------------ memory

    def memory_at(self, addr: int) -> Memory:
        """The memory that answers at an address: local memory in its aperture, else the shared one."""
        return self.lmem if self._lmem_base <= addr < self._lmem_end else self.memory

    def prepared_at(self, addr: int) -> Memory:
        """`memory_at`, for an address for which `Memory.prepare` was called."""
        return self.memory_at(addr)

    def is_local(self, addr: int) -> bool:
        """Whether local memory answers at this address."""
        return self._lmem_base <= addr < self._lmem_end

    def space_of(self, addr: int) -> MemorySpace:
        if self._lmem_base <= addr < self._lmem_end:
            return MemorySpace.LMEM
        return MemorySpace.IO if IO_BASE <= addr < IO_END else MemorySpace.GLOBAL

    def is_host_buffer(self, addr: int) -> bool:
        """Whether the host allocated this address (local memory never counts)."""
        return addr in self.host_buffers and not self._lmem_base <= addr < self._lmem_end

    # ------------------------------------------------------------------ barriers

    def barrier_sync(self, warp: Warp, step: Step, identifier: int, count: int) -> None:
        """BAR: suspend the warp, or release all waiters if it is the last to arrive."""
        if not self._barrier_allowed(warp, step, identifier, count):
            return
        if identifier & GLOBAL_BIT:
            self.global_barriers.arrive(self, warp, step, identifier, count, BarrierOp.SYNC)
            return
        step.barrier = event = self.barriers.sync(warp.wid, identifier, count)
        warp.blocked = not event.released >> warp.wid & 1
        self.release(event.released)

    def barrier_arrive(self, warp: Warp, step: Step, identifier: int, operand: int) -> int | None:
        """BAR.ARRIVE, or with bit 31 of the operand expect-tx; the phase before it, None after a fault."""
        if operand & EXPECT_TX:
            step.barrier = expected = self.barriers.expect(identifier, operand & ~EXPECT_TX)
            return expected.phase
        if not self._barrier_allowed(warp, step, identifier, operand):
            return None
        if identifier & GLOBAL_BIT:
            return self.global_barriers.arrive(self, warp, step, identifier, operand, BarrierOp.ARRIVE)
        step.barrier = event = self.barriers.arrive(identifier, operand)
        self.release(event.released)
        return event.phase

    def barrier_wait(self, warp: Warp, step: Step, identifier: int, token: int) -> None:
        """BAR.WAIT: suspend the warp until the phase of the token is over."""
        step.barrier = event = self.barriers.wait(warp.wid, identifier, token)
        warp.blocked = not event.released

    def barrier_event_done(self, identifier: int) -> None:
        """A transaction that expect-tx announced has ended."""
        self.release(self.barriers.complete(identifier))

    def release(self, warps: int) -> None:
        """These warps no longer wait."""
        for other in self.warps:
            if warps >> other.wid & 1:
                other.blocked = False

    def _barrier_allowed(self, warp: Warp, step: Step, identifier: int, count: int) -> bool:
        """False, with a fault, for what no barrier can be."""
        if identifier & GLOBAL_BIT and not self.config.ext_simt_full:
            warp.illegal(step, f"barrier {identifier:#x} is one across cores, which this configuration does not have")
            return False
        if count == 0:
            detail = "a barrier needs at least one participant, got 0"
            warp.report(step, FindingKind.BARRIER_COUNT, warp.tmask, detail)
            warp.illegal(step, detail)
            return False
        entry = self.barriers.entry(identifier)
        if entry.count and entry.participants != count:
            detail = f"waits for {count} warps, but the first to arrive said {entry.participants}"
            warp.report(step, FindingKind.BARRIER_COUNT, warp.tmask, detail)
        return True

    # ------------------------------------------------------------------ WSPAWN

    def spawn(self, warp: Warp, step: Step, count: int, pc: int) -> None:
        """Start warps 0 … count - 1 except the spawner, once it is the only active one; until then try again."""
        if self.active_warps != 1 << warp.wid:
            step.retry = True
            return
        for other in self.warps[: min(count, len(self.warps))]:
            if other is not warp:
                other.spawn(warp, pc)
