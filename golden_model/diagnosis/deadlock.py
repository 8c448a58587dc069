"""Who waits at a barrier that never completes, and who never arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from golden_model.findings import Finding, FindingKind, Site

if TYPE_CHECKING:
    from golden_model.barrier import BarrierEntry
    from golden_model.core import Core
    from golden_model.machine import Machine
    from golden_model.warp import Warp


def deadlocks(machine: Machine) -> Iterator[Finding]:
    """One finding per barrier at which warps wait; nothing can step any more."""
    for core in machine.cores:
        for index, entry in enumerate(core.barriers.entries):
            waiting = [warp for warp in core.warps if entry.waiters >> warp.wid & 1 and warp.tmask and warp.blocked]
            if waiting:
                yield _finding(core, index, entry, waiting)


def _finding(core: Core, index: int, entry: BarrierEntry, waiting: list[Warp]) -> Finding:
    number = index & core.config.num_barriers - 1
    first = waiting[0]
    name = f"barrier {number} of block {_block(first)}"
    spread = entry.arrived != 0
    if spread:
        name = f"barrier {number} across cores"
        detail = f"{name} waits for {entry.participants} cores to arrive with all of their active warps"
    elif entry.count == 0 and entry.events:
        detail = f"{name} waits for {entry.events} announced transactions that nobody completes"
    elif entry.count == 0:
        detail = f"{name}: nobody arrives in phase {entry.phase}, for whose end the warp waits"
    else:
        detail = f"{name} waits for {entry.participants} warps, {entry.count} have arrived"
    missing, site = _missing(core, first, entry)
    if missing:
        detail += "; " + "; ".join(missing)
    elif not spread:
        detail += f"; the block has no more than {_warps(first)} warps"
    return Finding(FindingKind.BARRIER_DEADLOCK, core.core_id, first.wid, first.pc - 4, first.tmask, detail, other=site)


def _missing(core: Core, first: Warp, entry: BarrierEntry) -> tuple[list[str], Site | None]:
    """Warps of the block that do not come, in words, and where the first of them is."""
    texts: list[str] = []
    site: Site | None = None
    resident = first.resident
    for warp in core.warps:
        if (entry.waiters | entry.arrived) >> warp.wid & 1 or warp.resident is not resident or resident is None:
            continue
        if not warp.tmask:
            texts.append(f"warp {warp.wid} (rank {warp.rank}) has ended")
            here = Site("warp ended", (warp.pc - 4) & warp.pc_mask, core.core_id, warp.wid, block=_block(warp))
        elif warp.blocked:
            texts.append(f"warp {warp.wid} (rank {warp.rank}) waits at {core.barriers.waiting_for(warp.wid)}")
            here = Site("other barrier", warp.pc - 4, core.core_id, warp.wid, warp.tmask, _block(warp))
        else:
            continue
        site = site or here
    return texts, site


def _block(warp: Warp) -> tuple[int, int, int] | None:
    return warp.resident.cta.block_idx if warp.resident is not None else None


def _warps(warp: Warp) -> int:
    return warp.resident.num_warps if warp.resident is not None else 1
