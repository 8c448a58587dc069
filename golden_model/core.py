"""A core: warps, local memory, barriers and the CTA dispatcher."""

from __future__ import annotations

from golden_model.cta import CtaAccept, CtaDescriptor, WarpStart
from golden_model.warp import Warp


class Core:
    """Skeleton of the interface (implementation follows)."""

    core_id: int
    warps: list[Warp]
    mcycle: int
    minstret: int

    @property
    def active_warps(self) -> int:
        """Mask of active warps."""
        raise NotImplementedError

    def can_accept(self, cta: CtaDescriptor) -> bool:
        """Whether the dispatcher is idle and the slot that the rules demand is free."""
        raise NotImplementedError

    def accept_cta(self, cta: CtaDescriptor) -> CtaAccept:
        """Give the CTA its slot. Raises DispatchError if `can_accept` is false."""
        raise NotImplementedError

    def start_warp(self, wid: int | None = None) -> WarpStart:
        """Start the next warp of the accepted CTA on warp `wid` (hardware's choice; default: lowest inactive).

        Raises DispatchError if no CTA is being dispatched, or the warp is active or was used by this CTA.
        """
        raise NotImplementedError
