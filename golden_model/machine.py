"""The whole device: memory, KMU, cores, and a scheduler for running alone."""

from __future__ import annotations

from config import EntryGeneration, HardwareConfig
from golden_model.core import Core
from golden_model.cta import CtaAccept, CtaDescriptor
from golden_model.findings import FindingLog


class Machine:
    """Skeleton of the interface (implementation follows)."""

    cores: list[Core]
    findings: FindingLog

    def __init__(self, config: HardwareConfig, entry: EntryGeneration = EntryGeneration.CTA_ENTRY) -> None:
        raise NotImplementedError

    def dcr_write(self, addr: int, value: int) -> None:
        raise NotImplementedError

    def start(self) -> None:
        """The `start` pulse: a new launch with the programmed DCRs."""
        raise NotImplementedError

    def next_cta(self) -> CtaDescriptor | None:
        """The CTA that the KMU offers next; None when the grid is exhausted."""
        raise NotImplementedError

    def accept_cta(self, core: int) -> CtaAccept:
        """Core `core` (global id) takes the next CTA, as the hardware chose. Raises DispatchError if forbidden."""
        raise NotImplementedError

    @property
    def busy(self) -> bool:
        """CTAs left in the KMU, a CTA being dispatched, or an active warp."""
        raise NotImplementedError
