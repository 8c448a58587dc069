"""Steps the golden warps as far as their turn has come, and compares each step with the joined records."""

from __future__ import annotations

from collections.abc import Iterable

from golden_model.barrier import GLOBAL_BIT
from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.adopting import adopt_result, adopt_stores, bus_error
from golden_model.follow.atomics import step_atomic
from golden_model.follow.compare import (
    Mismatch,
    compare_barrier,
    compare_fault,
    compare_instruction,
    compare_ipdom,
    compare_place,
    has_unknown_flags,
    lanes_of,
)
from golden_model.follow.compare_access import compare_access
from golden_model.follow.difference import Category
from golden_model.follow.dispatch import DispatchFollower
from golden_model.follow.findings import FindingReporter
from golden_model.follow.instruction import BarrierRow, FaultRow, Instruction
from golden_model.follow.joiner import packet_error
from golden_model.follow.orders import Orders
from golden_model.follow.spawning import spawned
from golden_model.follow.track import Found, Track
from golden_model.machine import Machine
from golden_model.records.layout import MemoryOp, RegisterFile
from golden_model.step import Adoption, Step

_OPCODE_SYSTEM = 0x73
_OPCODE_ATOMIC = 0x2F


class Stepper:
    """Owner of the golden warps' progress.

    Attributes:
        faults: FAULT records of the current launch, each predicted by the golden model.
        bus_errors: numbers of the memory blocks of which a read was answered with an error.
    """

    def __init__(
        self,
        machine: Machine,
        tracks: list[list[Track]],
        orders: Orders,
        dispatch: DispatchFollower,
        findings: FindingReporter,
        coverage: Coverage,
    ) -> None:
        self._config = machine.config
        self._tracks = tracks
        self._orders = orders
        self._dispatch = dispatch
        self._findings = findings
        self._coverage = coverage
        self._work: list[Track] = []
        self.faults: list[FaultRow] = []
        self.bus_errors: set[int] = set()

    def wake(self, tracks: Iterable[Track]) -> None:
        """Step these warps as far as their turn has come, and every warp that this sets free."""
        self._work.extend(tracks)
        while self._work:
            self._advance(self._work.pop())

    def wake_one(self, track: Track) -> None:
        """As `wake`; the usual case."""
        self._advance(track)
        if self._work:
            self.wake(())

    def follow_dispatch(self) -> None:
        """A CTA record came, or a golden warp ended: CTAs may be accepted and warps started."""
        self._work.extend(self._dispatch.follow())

    def _advance(self, track: Track) -> None:
        while self.step_next(track):
            pass

    def step_next(self, track: Track) -> bool:
        """Step the warp's next instruction if its turn has come; False if nothing happened."""
        warp = track.warp
        if track.fault and self._fault_turn(track):
            return True
        uid = track.next_uid
        ins = track.pending.get(uid)
        if ins is None or not ins.complete:
            return False
        if not warp.tmask:
            if not self._is_behind_fault(track, ins):
                return False
            self.forget(track, uid)
            return True
        if warp.blocked or (uid in track.joined and not self._orders.is_turn(track, uid)):
            return False
        del track.pending[uid]
        track.next_uid = uid + 1
        if not self._execute(track, ins):
            track.pending[uid] = ins
            track.next_uid = uid
            return False
        return True

    def take_work(self) -> list[Track]:
        """Warps that are to be woken, in the order in which they were found; the last one is first."""
        work = self._work.copy()
        self._work.clear()
        return work

    def _execute(self, track: Track, ins: Instruction) -> bool:
        """Step and compare; False if the instruction goes on later: a WSPAWN that must wait until it is alone, an
        atomic between two of whose lines memory serves another core.
        """
        instr, warp = ins.instr, track.warp
        opcode, flags = instr & 0x7F, warp.fcsr
        if opcode == _OPCODE_SYSTEM and ins.wmask:
            step = warp.step(Adoption(csr_value=ins.data[ins.wmask.bit_length() - 1]))
        elif opcode == _OPCODE_ATOMIC:
            served = step_atomic(track, ins, self._orders, self._coverage)
            if served is None:
                self._wake_later(self._orders.due())
                return False
            step = served
        else:
            step = warp.step()
        if step.retry:
            return False
        wmask = step.wmask
        # Nearly every instruction equals its record in all fields; whatever does not is looked at closely.
        if (
            step.pc != ins.pc
            or step.instr != instr
            or step.tmask != ins.tmask
            or step.slot != ins.slot
            or wmask != ins.wmask
            or (wmask and (step.result != ins.data or step.rd != ins.rd or step.rd_file != ins.rd_file))
            or step.fflags != ins.fflags
            or step.is_control
            or ins.control
            or step.findings
        ):
            self._compare_closely(track, step, ins)
        if ins.uid in track.joined or step.memory is not None or step.barrier is not None or step.ipdom is not None:
            self._compare_joined(track, step, ins)
        coverage = self._coverage
        coverage.instructions += 1
        executed = (step, ins.cycle)
        track.history.append(executed)
        if wmask:
            coverage.lanes += wmask.bit_count()
            track.writers[step.rd if step.rd_file == RegisterFile.INTEGER else 32 + step.rd] = executed
            if step.undefined or step.adopted:
                coverage.lanes -= step.undefined.bit_count()
                adopt_result(track, step, ins, coverage, self._config)
                if has_unknown_flags(step):
                    warp.fcsr = flags | ins.fflags
        if step.name == "wspawn":
            started = spawned(self._tracks[track.core], track)
            coverage.warps_started += len(started)
            self._work += started
        if step.warp_ended:
            if step.fault is not None:
                # The design's record may come later.
                track.ended_by_fault = True
                track.predicted_fault = executed
            self.warp_ended(track)
        return True

    def _compare_closely(self, track: Track, step: Step, ins: Instruction) -> None:
        # A kernel fault explains whatever follows from it, so it is reported first.
        if step.findings:
            self._findings.report(track, step, ins.cycle)
        mismatch = compare_instruction(step, ins) if step.fault is None else compare_place(step, ins)
        if mismatch is not None:
            raise Found(mismatch, cycle=ins.cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask)

    def warp_ended(self, track: Track) -> None:
        """A golden warp has ended: what waits for that goes on."""
        track.ends_golden += 1
        track.counter_reads.clear()
        if self._config.ext_simt_full:  # it may have been what a WSPAWN or a barrier across cores waited for
            self._work += [other for tracks in self._tracks for other in tracks if other is not track]
        self.follow_dispatch()

    # ------------------------------------------------------------------ joined records

    def _compare_joined(self, track: Track, step: Step, ins: Instruction) -> None:
        track.joined.discard(ins.uid)
        if step.memory is not None or ins.uid in track.memory:
            self._memory(track, step, ins)
        if step.barrier is not None or ins.uid in track.barrier:
            self._barrier(track, step, ins)
        if step.ipdom is not None or ins.uid in track.ipdom:
            mismatch = compare_ipdom(step, track.ipdom.pop(ins.uid, None))
            if mismatch is not None:
                raise Found(mismatch, cycle=ins.cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask)
            self._coverage.divergences += 1

    def _memory(self, track: Track, step: Step, ins: Instruction) -> None:
        records = track.memory.pop(ins.uid, [])
        if records:
            self._wake_later(self._orders.memory_done(track, ins.uid, len(records)))
        if step.fault is not None:
            return  # a faulting access may or may not have reached the LSU
        mismatch = compare_access(step, records, self._config)
        if mismatch is not None:
            cycle = records[0].cycle if records else ins.cycle
            raise Found(mismatch, cycle=cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask)
        access = step.memory
        assert access is not None
        self._coverage.memory_accesses += 1
        self._coverage.lanes += (access.mask & ~access.undefined).bit_count()
        if access.undefined and access.op == MemoryOp.STORE:
            adopt_stores(track, step, records, self._coverage)

    def _barrier(self, track: Track, step: Step, ins: Instruction) -> None:
        record: BarrierRow | None = track.barrier.pop(ins.uid, None)
        if record is not None:
            self._wake_later(self._orders.barrier_done(track, ins.uid))
        mismatch = compare_barrier(step, record)
        if mismatch is not None:
            cycle = record.cycle if record is not None else ins.cycle
            raise Found(mismatch, cycle=cycle, track=track, step=step, uid=ins.uid, tmask=ins.tmask)
        self._coverage.barriers += 1
        self._coverage.adopted[AdoptedKind.BARRIER_ORDER] += 1
        assert step.barrier is not None
        if step.barrier.id & GLOBAL_BIT:
            self._work += [other for tracks in self._tracks for other in tracks if other is not track]
            return
        self._work.extend(self._tracks[track.core][wid] for wid in lanes_of(step.barrier.released) if wid != track.wid)

    def _forget_memory(self, track: Track, uid: int) -> None:
        records = track.memory.pop(uid, [])
        track.begun = None
        if records:
            self._wake_later(self._orders.memory_done(track, uid, len(records)))

    def _wake_later(self, track: Track | None) -> None:
        if track is not None:
            self._work.append(track)

    # ------------------------------------------------------------------ faults

    def _fault_turn(self, track: Track) -> bool:
        """Handle the FAULT record of the next instruction, or the one that was predicted; True if it was handled."""
        predicted = track.predicted_fault
        if predicted is not None:
            step = predicted[0]
            uid, record = next(iter(track.fault.items()))
            if uid != step.uid:
                mismatch = Mismatch(
                    "fault uid", Category.FAULT, "another instruction faulted than should", step.uid, uid
                )
                raise Found(mismatch, cycle=record.cycle, track=track, step=step, tmask=record.tmask)
            del track.fault[uid]
            self._accept_fault(track, step, record)
            self.follow_dispatch()
            return True
        uid = track.next_uid
        if uid not in track.fault or not track.warp.tmask or track.warp.blocked or not self._orders.is_turn(track, uid):
            return False
        # The instruction need not commit: the FAULT record is its last sign of life.
        record = track.fault.pop(uid)
        ins = track.pending.pop(uid, None)
        step = track.warp.step(bus_error(track, record, self.bus_errors, self._coverage))
        # What could not be fetched has no number of its own.
        track.next_uid = track.warp.uid
        if track.next_uid > uid and (ins is None or not ins.complete):
            track.faulted_uid = uid
        if step.findings:
            self._findings.report(track, step, record.cycle)
        if ins is not None:
            misplaced = compare_place(step, ins)
            if misplaced is not None:
                raise Found(misplaced, cycle=ins.cycle, track=track, step=step, tmask=ins.tmask)
        track.joined.discard(uid)
        self._forget_memory(track, uid)
        track.ended_by_fault = True
        self._accept_fault(track, step, record)
        self._coverage.instructions += track.next_uid - uid
        track.history.append((step, record.cycle))
        self.warp_ended(track)
        return True

    def _accept_fault(self, track: Track, step: Step, record: FaultRow) -> None:
        mismatch = compare_fault(step, record)
        if mismatch is not None:
            raise Found(mismatch, cycle=record.cycle, track=track, step=step, tmask=record.tmask)
        track.predicted_fault = None
        self.faults.append(record)
        self._coverage.faults += 1

    def _is_behind_fault(self, track: Track, ins: Instruction) -> bool:
        """An instruction of a warp that the golden model does not run now: True if it is to be dropped."""
        if track.ended_by_fault:
            if track.predicted_fault is not None:
                return False
            if not track.starts or ins.uid < track.starts[0].uid:
                return True
        if track.starts or track.spawns_seen:
            return False  # the golden warp will be started in its turn
        raise packet_error(
            track, ins, "extra commit", "the warp executes an instruction although it has ended or was never started"
        )

    def forget(self, track: Track, uid: int) -> None:
        """Drop an instruction behind a fault together with everything that is joined to it."""
        track.pending.pop(uid, None)
        track.fault.pop(uid, None)
        track.ipdom.pop(uid, None)
        track.joined.discard(uid)
        track.next_uid = max(track.next_uid, uid + 1)
        track.warp.uid = track.next_uid
        self._forget_memory(track, uid)
        if track.barrier.pop(uid, None) is not None:
            self._wake_later(self._orders.barrier_done(track, uid))
        self._coverage.ignored_after_fault += 1
        if track.starts:
            self.follow_dispatch()
