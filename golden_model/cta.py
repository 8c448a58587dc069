"""The messages of CTA dispatch: what the KMU hands to a core, and what the core answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Dim3 = tuple[int, int, int]  # x, y, z


@dataclass(frozen=True, slots=True)
class CtaDescriptor:
    """One CTA on its way from the KMU to a core (docs/reference/vortex.md §5.2)."""

    pc: int  # STARTUP_ADDR
    entry: int  # KERNEL_ENTRY
    param: int  # STARTUP_ARG
    block_idx: Dim3
    block_dim: Dim3
    grid_dim: Dim3
    block_size: int  # threads
    warp_step: Dim3
    lmem_stride: int  # bytes, LMEM_SIZE rounded up to 64
    cluster_size: int
    first_of_cluster: bool
    last_of_cluster: bool
    cta_id: int  # linear, for reports only


@dataclass(frozen=True, slots=True)
class CtaAccept:
    """A core took a CTA: the rules' answer."""

    core: int
    slot: int
    lmem_addr: int
    num_warps: int
    cta: CtaDescriptor


class WarpStart(NamedTuple):
    """One warp of the CTA being dispatched became active."""

    core: int
    warp: int
    slot: int
    rank: int
    pc: int  # STARTUP_ADDR on first use in a launch, else (PC after the warp's last TMC) - rewind
    tmask: int
    param: int  # becomes MSCRATCH
    lmem_addr: int
    block_idx: Dim3
    num_warps: int
    first_use: bool  # in this launch: begins with the prologue
