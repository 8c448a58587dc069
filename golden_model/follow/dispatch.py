"""CTA launch and retirement: choices (core, warp) are taken over, everything else is a rule and compared.

The design runs ahead of the golden model by the latency of its commits, so there are two views: *seen* (what the
records alone say, checked when a record arrives) and *golden* (followed as soon as the golden core is ready for it).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from golden_model.cta import Dim3
from golden_model.errors import DispatchError
from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.compare import Mismatch
from golden_model.follow.compare_start import wrong_start
from golden_model.follow.difference import Category
from golden_model.follow.instruction import CtaRow
from golden_model.follow.spawning import check_spawns, see_spawn
from golden_model.follow.track import Found, Track
from golden_model.machine import Machine
from golden_model.records.layout import CtaEvent


class SeenCta:
    """A CTA that occupies a slot, as the records say."""

    __slots__ = ("block", "ended", "num_warps", "slot")

    def __init__(self, block: Dim3, slot: int, num_warps: int, ended: int = 0) -> None:
        self.block = block
        self.slot = slot
        self.num_warps = num_warps
        self.ended = ended


class DispatchFollower:
    """Follows the CTA records of one machine.

    `on_start(track, cycle)` is called after the golden model has started a warp, so that findings of the start (a
    dispatch window that does not fit, for example) can be reported at once.

    Attributes:
        slots: per core, CTAs that the records show, by slot.
        accepts, starts: records that the golden model has not followed yet; of starts each core has its own.
        in_order: so many CTAs were launched from the beginning of the walk on.
        out_of_order: and these others.
    """

    def __init__(
        self,
        machine: Machine,
        tracks: list[list[Track]],
        coverage: Coverage,
        on_start: Callable[[Track, int], None],
    ) -> None:
        self._machine = machine
        self._tracks = tracks
        self._on_start = on_start
        self.coverage = coverage
        self.slots: list[dict[int, SeenCta]] = [{} for _ in tracks]
        self.in_order = 0
        self.out_of_order: set[Dim3] = set()
        self.accepts: deque[CtaRow] = deque()
        self.starts: list[deque[CtaRow]] = [deque() for _ in tracks]

    def begin_launch(self) -> None:
        """A new grid: nothing may be left of the one before."""
        for slots in self.slots:
            slots.clear()
        for starts in self.starts:
            starts.clear()
        self.in_order = 0
        self.out_of_order.clear()
        self.accepts.clear()

    # ------------------------------------------------------------------ the records alone

    def see(self, row: CtaRow) -> None:
        """Check one CTA record against the records before it, and queue it for the golden model."""
        if row.event == CtaEvent.ACCEPT:
            self._see_accept(row)
        elif row.event == CtaEvent.WARP_START:
            self._see_start(row)
        elif row.event == CtaEvent.WARP_END:
            self._see_end(row)
        elif row.event == CtaEvent.RETIRE:
            self._see_retire(row)
        elif row.event == CtaEvent.SPAWN:
            see_spawn(self._tracks[row.core][row.warp], row)
        else:
            raise _found("cta record", f"a CTA record has the unknown event {row.event}", row)

    def _see_accept(self, row: CtaRow) -> None:
        block = (row.block_x, row.block_y, row.block_z)
        position = self._machine.kmu.position(block)
        if block in self.out_of_order or (position is not None and position < self.in_order):
            raise _found("cta launched twice", f"block {block} of the grid was launched before", row)
        held = self.slots[row.core].get(row.slot)
        if held is not None:
            raise _found("cta slot", f"slot {row.slot} is still held by block {held.block}", row)
        if position == self.in_order:
            self.in_order += 1
        else:
            self.out_of_order.add(block)
        self.slots[row.core][row.slot] = SeenCta(block, row.slot, row.num_warps)
        self.accepts.append(row)

    def _see_start(self, row: CtaRow) -> None:
        track = self._tracks[row.core][row.warp]
        if track.hw_active:
            raise _found("warp started twice", f"{track} was started while it was active", row)
        cta = self.slots[row.core].get(row.slot)
        if cta is None:
            raise _found("warp of no cta", f"{track} was started for slot {row.slot}, which holds no CTA", row)
        track.hw_active, track.hw_slot, track.hw_spawned = True, row.slot, False
        track.starts.append(row)
        self.starts[row.core].append(row)

    def _see_end(self, row: CtaRow) -> None:
        track = self._tracks[row.core][row.warp]
        if not track.hw_active:
            raise _found("warp ended twice", f"{track} ended without being active", row)
        if row.slot != track.hw_slot:
            raise _found("warp slot", f"{track} was started for slot {track.hw_slot}, but ended for another", row)
        track.hw_active = False
        track.blocked_by = None
        track.ends_seen += 1
        cta = self.slots[row.core].get(track.hw_slot)
        if cta is not None and not track.hw_spawned:
            cta.ended += 1

    def _see_retire(self, row: CtaRow) -> None:
        cta = self.slots[row.core].pop(row.slot, None)
        if cta is None:
            raise _found("cta retired twice", f"slot {row.slot} of core {row.core} was freed, but held no CTA", row)
        if cta.ended != cta.num_warps:
            raise Found(
                Mismatch(
                    "cta retired early",
                    Category.DISPATCH,
                    f"slot {row.slot} was freed although not all warps of its CTA have ended",
                    cta.num_warps,
                    cta.ended,
                ),
                cycle=row.cycle,
                cta=row,
                block=cta.block,
            )

    # ------------------------------------------------------------------ the golden model

    def follow(self) -> list[Track]:
        """Let the golden model follow every queued record that it is ready for; returns the warps that started."""
        started: list[Track] = []
        progress = True
        while progress:
            progress = False
            while self.accepts and self._accept(self.accepts[0]):
                self.accepts.popleft()
                progress = True
            for starts in self.starts:
                while starts and self._start(starts[0]):
                    row = starts.popleft()
                    track = self._tracks[row.core][row.warp]
                    track.starts.popleft()
                    started.append(track)
                    progress = True
        return started

    def _accept(self, row: CtaRow) -> bool:
        cta = self._machine.next_cta()
        block = (row.block_x, row.block_y, row.block_z)
        if cta is None:
            raise _found("cta beyond the grid", f"block {block} was launched after the last CTA of the grid", row)
        if cta.block_idx != block:
            raise Found(
                Mismatch(
                    "cta skipped",
                    Category.DISPATCH,
                    "the grid walk demands another block here (order is a rule)",
                    str(cta.block_idx),
                    str(block),
                ),
                cycle=row.cycle,
                cta=row,
                block=block,
            )
        if not self._machine.cores[row.core].can_accept(cta):
            return False
        try:
            golden = self._machine.accept_cta(row.core)
        except DispatchError as error:
            raise _found("cta core", f"the dispatch rules forbid this: {error}", row) from error
        self.coverage.ctas += 1
        self.coverage.adopted[AdoptedKind.PLACEMENT] += 1
        for check, message, expected, actual in (
            ("cta slot", "the CTA was put into a wrong slot", golden.slot, row.slot),
            ("cta lmem address", "the CTA's local memory starts at a wrong address", golden.lmem_addr, row.lmem_addr),
            ("cta warps", "the CTA has a wrong number of warps", golden.num_warps, row.num_warps),
            (
                "cta cluster",
                "the first CTA of a cluster is marked wrongly",
                int(cta.first_of_cluster),
                row.first_of_cluster,
            ),
        ):
            if expected != actual:
                raise Found(
                    Mismatch(check, Category.DISPATCH, message, expected, actual),
                    cycle=row.cycle,
                    cta=row,
                    block=block,
                )
        return True

    def _start(self, row: CtaRow) -> bool:
        track = self._tracks[row.core][row.warp]
        core = self._machine.cores[row.core]
        if track.warp.active or track.predicted_fault is not None or core.dispatcher.pending is None:
            return False
        if track.ended_by_fault:
            if track.next_uid < row.uid:
                return False  # instructions behind the fault are still to be dropped
            track.warp.uid = track.next_uid
        try:
            golden = core.start_warp(row.warp)
        except DispatchError as error:
            raise _found("warp start", f"the dispatch rules forbid this start: {error}", row) from error
        self.coverage.warps_started += 1
        self.coverage.adopted[AdoptedKind.PLACEMENT] += 1
        track.block, track.rank = golden.block_idx, golden.rank
        shown = (row.slot, row.rank, row.tmask, row.pc, row.uid)
        if (golden.slot, golden.rank, golden.tmask, golden.pc, track.next_uid) != shown:
            raise wrong_start(row, golden, track)
        self._on_start(track, row.cycle)
        track.ended_by_fault = False
        return True

    # ------------------------------------------------------------------ end

    def check_end(self, cycle: int) -> None:
        """All CTAs of the grid launched and retired, all spawned warps shown, in both views."""
        for tracks in self._tracks:
            check_spawns(tracks, cycle)
        if self.accepts:
            row = self.accepts[0]
            raise _found(
                "cta slot", "the golden core never had a free slot for this CTA: its slot was reused too early", row
            )
        for starts in self.starts:
            if starts:
                raise _found("warp start", "the golden warp never became free for this start", starts[0])
        left = self._machine.next_cta()
        if left is not None:
            raise Found(
                Mismatch(
                    "cta skipped",
                    Category.DISPATCH,
                    "the launch ended before every block of the grid was launched",
                    str(left.block_idx),
                    "not launched",
                ),
                cycle=cycle,
                block=left.block_idx,
            )
        for core, slots in enumerate(self.slots):
            for slot, cta in slots.items():
                raise Found(
                    Mismatch(
                        "cta not retired",
                        Category.DISPATCH,
                        f"the launch ended, but slot {slot} of core {core} was never freed "
                        f"({cta.ended} of {cta.num_warps} warps have ended)",
                    ),
                    cycle=cycle,
                    block=cta.block,
                    slot=slot,
                )


def _found(check: str, message: str, row: CtaRow) -> Found:
    return Found(Mismatch(check, Category.DISPATCH, message), cycle=row.cycle, cta=row)
