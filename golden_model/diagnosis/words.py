"""From what was found to a finding: sentences, and the second place."""

from __future__ import annotations

from collections.abc import Callable

from golden_model.cta import Dim3
from golden_model.diagnosis.found import Access, Found, Kind
from golden_model.findings import Finding, FindingKind, Site
from golden_model.ranges import AddressRanges

_KIND = {
    Kind.RACE_LANE: FindingKind.RACE_LANE,
    Kind.RACE_WARP: FindingKind.RACE_WARP,
    Kind.RACE_CTA: FindingKind.RACE_CTA,
    Kind.RACE_CORE: FindingKind.RACE_CORE,
    Kind.BOUNDS: FindingKind.OUT_OF_BOUNDS,
    Kind.STACK: FindingKind.STALE_STACK_POINTER,
}
_VERB = {Access.LOAD: "loads", Access.STORE: "stores", Access.ATOMIC: "changes", Access.RESERVED_LOAD: "reserves"}
_NOUN = {Access.LOAD: "load", Access.STORE: "store", Access.ATOMIC: "atomic", Access.RESERVED_LOAD: "load"}
_BETWEEN = {
    Kind.RACE_WARP: "another warp of the block",
    Kind.RACE_CTA: "another block on the core",
    Kind.RACE_CORE: "a block on another core",
}
_NEAR = 4096


def finding(
    found: Found, warps: int, block: Callable[[int], Dim3 | None], buffers: AddressRanges, local: tuple[int, int]
) -> Finding:
    """The finding; `warps` of a core, `block` turns a number into an index, `local` is the aperture of local memory."""
    what = f"block {block(found.block)} {_VERB[found.access]} {found.size} bytes at {found.addr:#x}"
    other = None
    if found.kind is Kind.BOUNDS:
        is_local = local[0] <= found.addr < local[1]
        detail = f"{what}, " + ("outside its local memory" if is_local else _outside(found.addr, buffers))
    elif found.kind is Kind.STACK:
        detail = f"{what} through sp, which these lanes never set in this launch: they skipped the prologue"
        if found.other_lanes:
            other = Site("sp set", found.other_pc, lanes=found.other_lanes)
    elif found.kind is Kind.RACE_LANE:
        detail = f"{what} from several lanes at once"
        other = _site(found, warps, block)
    else:
        detail = f"{what}, with nothing that orders it after the {_NOUN[found.other_access]} by {_BETWEEN[found.kind]}"
        if found.access is Access.LOAD and found.other_access is Access.ATOMIC:
            detail += " (no fence follows the load)"
        other = _site(found, warps, block)
    core, warp = divmod(found.context, warps)
    return Finding(_KIND[found.kind], core, warp, found.pc, found.lanes, detail, found.count, other)


def _site(found: Found, warps: int, block: Callable[[int], Dim3 | None]) -> Site:
    core, warp = divmod(found.other_context, warps)
    return Site(_NOUN[found.other_access], found.other_pc, core, warp, found.other_lanes, block(found.other_block))


def _outside(addr: int, buffers: AddressRanges) -> str:
    """Where an address is that belongs to nobody."""
    for start, end in buffers:
        if end <= addr < end + _NEAR:
            return f"{addr - end} bytes behind the end of the buffer {start:#x} … {end:#x}"
        if start - _NEAR <= addr < start:
            return f"{start - addr} bytes before the buffer {start:#x} … {end:#x}"
    return "which is in no buffer, image or stack"
