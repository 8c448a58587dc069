"""Lockstep: the golden machine executes what the design's records show, and everything is compared.

Order. Warps are stepped in their program order (`uid`). Between warps the order of memory instructions is that in
which the LSU accepted them, the order of barrier operations that of the barrier unit; an instruction whose turn has
not come waits, although its commit has been seen. Nothing else depends on the order between warps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import cast

from golden_model.findings import FindingKind
from golden_model.follow.accelerator import Accelerator
from golden_model.follow.adopted import Coverage
from golden_model.follow.adopting import BLOCK_BYTES
from golden_model.follow.difference import Difference
from golden_model.follow.dispatch import DispatchFollower
from golden_model.follow.ending import check_counts, check_end
from golden_model.follow.explain import Explainer, Symbolizer
from golden_model.follow.findings import FindingReporter
from golden_model.follow.instruction import BarrierRow, CtaRow, FaultRow, commit_rows, rows
from golden_model.follow.joiner import END, Joiner
from golden_model.follow.orders import Orders
from golden_model.follow.stepper import Stepper
from golden_model.follow.track import Found, Track
from golden_model.machine import Machine, Tier
from golden_model.records.layout import AxiChannel, Kind
from golden_model.records.ring import Records

_NO_SEQ = 1 << 64


class Follower:
    """Steps `machine` along the records of a design and returns the first difference.

    The machine's memory and DCRs must be those of the design before `begin_launch`. Records are fed in batches of
    whole cycles; records that are joined to an instruction must not come later than its last commit packet.

    Args:
        machine: the golden model; from now on only the follower steps it.
        symbolize: names of code addresses, for reports.
        allowed_findings: kernel findings that are not a failure.
        tier: "fast" consumes the records in C, with the same outcome; default: the machine's. Without a C compiler the
            readable tier runs, and `machine.tier_note` says why.

    Attributes:
        difference: the first difference, or None; once it is set, nothing more is compared.
    """

    def __init__(
        self,
        machine: Machine,
        symbolize: Symbolizer | None = None,
        allowed_findings: Collection[FindingKind] = (),
        tier: Tier | None = None,
    ) -> None:
        self.machine = machine
        self._coverage = Coverage()
        self.difference: Difference | None = None
        self.launch_id = 0
        self._cycle = 0
        self._tracks = [
            [Track(warp, core.core_id, wid) for wid, warp in enumerate(core.warps)] for core in machine.cores
        ]
        orders = Orders(len(machine.cores))
        self._findings = FindingReporter(machine.findings, allowed_findings)
        self._dispatch = DispatchFollower(machine, self._tracks, self._coverage, self._findings.after_start)
        self._joiner = Joiner(machine.config, self._tracks, orders)
        self._stepper = Stepper(machine, self._tracks, orders, self._dispatch, self._findings, self._coverage)
        self._explainer = Explainer(machine.config, symbolize)
        engine = machine.fast_engine(traced=True) if (tier or machine.tier) == "fast" else None
        self._fast: Accelerator | None = None
        if engine is not None:
            parts = (self._tracks, orders, self._joiner, self._stepper, self._dispatch, self._coverage)
            self._fast = Accelerator(engine, *parts)
        self._before = self._coverage.copy()
        self._retired_before = 0

    @property
    def coverage(self) -> Coverage:
        """What was compared and adopted since construction."""
        if self._fast is not None:
            self._fast.collect()
        return self._coverage

    @property
    def faults(self) -> list[FaultRow]:
        """FAULT records of the current launch; the golden model predicted each of them."""
        return self._stepper.faults

    @property
    def retired(self) -> list[int]:
        """Instructions per core that committed their last packet since reset: what MINSTRET counts."""
        if self._fast is not None:
            self._fast.collect()
        return self._joiner.retired

    @property
    def launch_coverage(self) -> Coverage:
        """What the current (or last) launch compared and adopted so far."""
        return self.coverage.since(self._before)

    def begin_launch(self, launch_id: int, *, started: bool = False) -> None:
        """The `start` pulse: the machine's DCRs hold the launch; `started` if somebody has started the machine."""
        self.launch_id = launch_id
        self.synchronise()
        self._before = self.coverage.copy()
        self._retired_before = sum(self.retired)
        self._stepper.faults = []
        if not started:
            self.machine.start()
        self._findings.begin_launch()
        for tracks in self._tracks:
            for track in tracks:
                track.begin_launch()
        self._dispatch.begin_launch()
        if self._fast is not None and not self.machine.diagnosed:
            self._fast.enter()

    def synchronise(self) -> None:
        """Bring the machine's registers and masks up to date, for whoever looks at them; the fast tier ends with it."""
        if self._fast is not None:
            self._fast.leave()

    def feed(self, batch: Mapping[Kind, Records]) -> Difference | None:
        """Compare one batch; returns the first difference (again on every call once there is one)."""
        return self._guard(lambda: self._feed(batch))

    def end_launch(self, minstret: Mapping[int, int] | None = None) -> Difference | None:
        """The design is quiescent and all its records were fed: check that nothing is missing.

        Args:
            minstret: per core id the instructions that the design counted since reset; None: not known.
        """
        self.synchronise()
        return self._guard(lambda: self._end(minstret))

    # ------------------------------------------------------------------ inside

    def _guard(self, work: Callable[[], None]) -> Difference | None:
        if self.difference is None:
            try:
                work()
            except Found as found:
                if self._fast is not None:
                    self._fast.reveal(found.track)
                self.difference = self._explainer.difference(found, self.launch_id)
        return self.difference

    def _feed(self, batch: Mapping[Kind, Records]) -> None:
        if Kind.FAULT in batch and len(batch[Kind.FAULT]):
            self.synchronise()
        fast = self._fast is not None and self._fast.active
        if not fast:
            if self._fast is not None:
                self._fast.alone()
            self._joiner.check_shape(batch)
        if Kind.AXI in batch:
            axi = batch[Kind.AXI]
            self._explainer.remember_axi(axi)
            failed = axi["addr"][(axi["channel"] == AxiChannel.R) & (axi["resp"] != 0)]
            self._stepper.bus_errors.update((failed // BLOCK_BYTES).tolist())
        if fast:
            self._feed_fast(batch)
        elif Kind.FAULT in batch and len(batch[Kind.FAULT]):
            self._merge(batch, self._joiner.join(batch))
        else:
            self._joiner.begin(batch)
            self._merge(batch, [])

    def _feed_fast(self, batch: Mapping[Kind, Records]) -> None:
        assert self._fast is not None
        commits = batch.get(Kind.COMMIT)
        if commits is not None and len(commits):
            self._cycle = int(commits["cycle"][-1])
        rest = self._fast.feed(batch, self._see_cta)
        ctas = batch.get(Kind.CTA)
        if ctas is not None and len(ctas):
            self._cycle = max(self._cycle, int(ctas["cycle"].max()))
        if rest is not None:
            self._joiner.begin(rest.joined)
            self._stepper.wake(rest.woken)
            self._merge(rest.merged, [])

    def _merge(self, batch: Mapping[Kind, Records], faulted: list[Track]) -> None:
        """COMMIT, CTA and BARRIER records in the order in which they were written."""
        side = _side_events(batch)
        position, side_seq = 0, side[0].seq if side else _NO_SEQ
        commits = batch.get(Kind.COMMIT)
        if commits is not None and len(commits):
            self._cycle = int(commits["cycle"][-1])
            joiner, wake = self._joiner, self._stepper.wake_one
            for row in commit_rows(commits):
                while side_seq < row[0]:
                    self._see(side[position])
                    position += 1
                    side_seq = side[position].seq if position < len(side) else _NO_SEQ
                if joiner.next_cycle <= row[1]:
                    joiner.until(row[1])
                track = joiner.commit(row)
                if track is not None:
                    wake(track)
        for event in side[position:]:
            self._see(event)
        self._joiner.until(END)
        self._stepper.wake(faulted)

    def _see(self, row: CtaRow | BarrierRow) -> None:
        """CTA and barrier records in their own order."""
        if isinstance(row, BarrierRow):
            self._joiner.see_barrier(row)
            return
        self._see_cta(row)
        self._stepper.follow_dispatch()
        self._stepper.wake(())

    def _see_cta(self, row: CtaRow) -> None:
        self._cycle = max(self._cycle, row.cycle)
        self._dispatch.see(row)

    def _end(self, minstret: Mapping[int, int] | None) -> None:
        all_tracks: list[Track] = [track for tracks in self._tracks for track in tracks]
        for track in all_tracks:
            if track.ended_by_fault and track.predicted_fault is None and not track.starts:
                for uid in sorted({*track.pending, *track.memory, *track.barrier, *track.ipdom, *track.fault}):
                    self._stepper.forget(track, uid)
        self._stepper.wake(())
        check_end(all_tracks, self._dispatch, self._cycle)
        self._findings.report_new(None, self._cycle)
        committed = sum(self.retired) - self._retired_before
        check_counts(self.launch_coverage, committed, self.retired, minstret, self._cycle)


def _side_events(batch: Mapping[Kind, Records]) -> list[CtaRow | BarrierRow]:
    side: list[CtaRow | BarrierRow] = []
    for kind in (Kind.CTA, Kind.BARRIER):
        records = batch.get(kind)
        if records is not None and len(records):
            side += cast("list[CtaRow | BarrierRow]", rows(kind, records))
    side.sort(key=lambda row: row.seq)
    return side
