"""CTAs of the launch: which hold a slot, which one waits, and what keeps each core from taking it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from config import HardwareConfig
from golden_model.cta import CtaDescriptor, Dim3
from golden_model.dispatch import CtaDispatcher
from golden_model.errors import LaunchError
from golden_model.kmu import Kmu
from golden_model.records.layout import CtaEvent, Kind, RunEvent
from golden_model.records.ring import Records


@dataclass(frozen=True)
class Resident:
    """A CTA that was accepted and has not retired; `started` are the warps that began it, by rank."""

    core: int
    slot: int
    block: Dim3
    num_warps: int
    cycle: int
    started: tuple[int, ...] = ()


@dataclass(frozen=True)
class Blocks:
    """State of the grid.

    Attributes:
        offered: the CTA that no core has taken; None: all were taken, or the launch is not in the records.
        impossible: why the launch can never run, or empty.
        last_slot: per core, the slot given last in this launch.
        known: the launch registers are in the records.
    """

    resident: tuple[Resident, ...]
    offered: CtaDescriptor | None
    impossible: str
    last_slot: dict[int, int]
    known: bool

    def refusal(self, core: int, config: HardwareConfig) -> tuple[str, Resident | None]:
        """Why a core does not take the offered CTA: a sentence and the CTA that is in its way, if there is one.

        An empty sentence: nothing keeps it from taking it.
        """
        assert self.offered is not None
        here = [block for block in self.resident if block.core == core]
        unstarted = next((block for block in here if len(block.started) < block.num_warps), None)
        if unstarted is not None:
            text = f"starts the warps of CTA {unstarted.block}: {len(unstarted.started)} of {unstarted.num_warps} run"
            return text, unstarted
        dispatcher = CtaDispatcher(core, config)
        if core in self.last_slot:
            dispatcher.tail = self.last_slot[core] + 1
        base, needed = dispatcher.slot_for(self.offered)
        holder = next((block for block in here if base <= block.slot < base + needed), None)
        if holder is not None:
            return f"slot {holder.slot}, whose turn it is, is held by CTA {holder.block}", holder
        return "", None


def blocks(batch: Mapping[Kind, Records], config: HardwareConfig) -> Blocks:
    """Read CTA and RUN records; only the last launch counts."""
    kmu, began, known, impossible = Kmu(config), 0, False, ""
    for seq, event, addr, data in _rows(batch, Kind.RUN, ("seq", "event", "addr", "data")):
        if event == RunEvent.DCR_WRITE:
            try:
                kmu.write(addr, data)
            except LaunchError as error:
                impossible = str(error)
        elif event == RunEvent.START:
            began, known, impossible = seq, True, ""
            try:
                kmu.start()
            except LaunchError as error:
                known, impossible = False, "" if "without having written" in str(error) else str(error)
    held: dict[tuple[int, int], Resident] = {}
    started: dict[tuple[int, int], dict[int, int]] = {}
    last_slot: dict[int, int] = {}
    names = ("seq", "core", "warp", "cycle", "event", "slot", "rank", "num_warps", "block_x", "block_y", "block_z")
    taken = 0
    for seq, core, wid, cycle, event, slot, rank, number, *block in _rows(batch, Kind.CTA, names):
        key = (core, slot)
        if event == CtaEvent.ACCEPT:
            held[key] = Resident(core, slot, (block[0], block[1], block[2]), number, cycle)
            started[key] = {}
            if seq > began:
                taken += 1
                last_slot[core] = slot
        elif event == CtaEvent.WARP_START:
            started.setdefault(key, {})[rank] = wid
        elif event == CtaEvent.RETIRE:
            held.pop(key, None)
    resident = tuple(
        Resident(b.core, b.slot, b.block, b.num_warps, b.cycle, tuple(warp for _, warp in sorted(started[key].items())))
        for key, b in sorted(held.items())
    )
    offered = None
    if known:
        if taken:
            kmu.take_blocks(taken)
        offered = kmu.peek()
        if offered is not None and offered.lmem_stride > config.lmem_size:
            impossible = (
                f"a block wants {offered.lmem_stride} bytes of local memory, a core has {config.lmem_size} in all"
            )
    return Blocks(resident, offered, impossible, last_slot, known)


def _rows(batch: Mapping[Kind, Records], kind: Kind, names: tuple[str, ...]) -> list[tuple[int, ...]]:
    records = batch.get(kind)
    if records is None or not len(records):
        return []
    return list(zip(*(records[name].tolist() for name in names), strict=True))
