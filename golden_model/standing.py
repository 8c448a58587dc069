"""Where a launch stands that does not go on: one line for every warp and CTA that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.isa.disasm import disassemble

if TYPE_CHECKING:
    from golden_model.machine import Machine
    from golden_model.warp import Warp


def standing(machine: Machine) -> list[str]:
    """Warps that are active, blocks that wait for a warp or a core; empty if the launch is over."""
    lines = []
    for core in machine.cores:
        lines += [f"core {core.core_id} warp {warp.wid}: {_where(machine, warp)}" for warp in core.warps if warp.tmask]
        pending = core.dispatcher.pending
        if pending is not None:
            lines.append(
                f"core {core.core_id}: CTA {pending.cta.block_idx} has no free warp for rank {pending.started}"
            )
    cta = machine.next_cta()
    if cta is not None:
        lines.append(f"CTA {cta.block_idx} waits for a core with a free slot")
    return lines


def _where(machine: Machine, warp: Warp) -> str:
    at = warp.pc
    doing = f"next {disassemble(machine.memory.load(at & ~3, 4)[0], at, warp.xlen.bits)}"
    if warp.blocked:
        doing = f"suspended at {warp.core.barriers.waiting_for(warp.wid)}"
        at -= 4
    idx = warp.resident.cta.block_idx if warp.resident is not None else None
    return f"CTA {idx} rank {warp.rank}, pc {at:#x}, lanes {warp.tmask:#x}, {doing}"
