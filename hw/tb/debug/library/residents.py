"""Who lived where and when: CTAs in slots, and warps with the block that they worked for."""

from __future__ import annotations

import bisect
from collections import defaultdict
from dataclasses import dataclass, field

from golden_model.records.layout import CtaEvent, Kind
from hw.tb.debug.library.instructions import Epochs
from hw.tb.debug.recording import Recording

Block = tuple[int, int, int]


@dataclass
class CtaLife:
    """A CTA in a slot of a core; `end` is the cycle in which the slot was free again, None if that was never seen."""

    core: int
    slot: int
    block: Block
    launch: int
    lmem: int
    begin: int
    end: int | None = None


@dataclass
class WarpLife:
    """A warp from its start to its end; `block` is None for one that WSPAWN started. `uid` is its first instruction."""

    stream: int
    core: int
    warp: int
    launch: int
    begin: int
    uid: int
    rank: int = 0
    cta: CtaLife | None = None
    end: int | None = None
    end_uid: int | None = None

    @property
    def block(self) -> Block | None:
        return None if self.cta is None else self.cta.block

    def __str__(self) -> str:
        where = "no block" if self.block is None else f"block {self.block} rank {self.rank}"
        return f"core {self.core} warp {self.warp}, {where}"


@dataclass
class Residents:
    """All lives of a recording, in the order of their beginning."""

    ctas: list[CtaLife] = field(default_factory=list)
    warps: list[WarpLife] = field(default_factory=list)
    _of_stream: dict[int, list[WarpLife]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def read(cls, recording: Recording, epochs: Epochs) -> Residents:
        """From the CTA records: a loop over starts and ends, which are rare beside instructions."""
        found = cls()
        table = recording[Kind.CTA]
        rows = slice(0, len(table))
        streams = epochs.streams(recording, Kind.CTA, rows).tolist()
        slots: dict[tuple[int, int, int], CtaLife] = {}
        active: dict[int, WarpLife] = {}
        names = ("cycle", "core", "warp", "launch", "uid", "event", "slot", "rank", "lmem_addr")
        lists = [table[name][rows].tolist() for name in (*names, "block_x", "block_y", "block_z")]
        for stream, cycle, core, warp, launch, uid, event, slot, rank, lmem, x, y, z in zip(
            streams, *lists, strict=True
        ):
            place = (stream >> 20, core, slot)  # epoch, core, slot
            if event == CtaEvent.ACCEPT:
                slots[place] = CtaLife(core, slot, (x, y, z), launch, lmem, cycle)
                found.ctas.append(slots[place])
            elif event == CtaEvent.RETIRE and place in slots:
                slots.pop(place).end = cycle
            elif event in (CtaEvent.WARP_START, CtaEvent.SPAWN):
                cta = slots.get(place) if event == CtaEvent.WARP_START else None
                life = WarpLife(stream, core, warp, launch, cycle, uid, rank, cta)
                active[stream] = life
                found.warps.append(life)
                found._of_stream[stream].append(life)
            elif event == CtaEvent.WARP_END and stream in active:
                ended = active.pop(stream)
                ended.end, ended.end_uid = cycle, uid
        return found

    def at(self, stream: int, uid: int) -> WarpLife | None:
        """The life in which a warp issued an instruction; None if its start is not in the recording."""
        lives = self._of_stream.get(stream, [])
        at = bisect.bisect_right(lives, uid, key=lambda life: life.uid) - 1
        return lives[at] if at >= 0 else None

    def between(self, first: int, last: int) -> list[WarpLife]:
        """Warps that were active in some of the cycles."""
        return [life for life in self.warps if life.begin <= last and (life.end is None or life.end >= first)]
