"""Agent of the kernel management unit: DCR bus, start, busy, CTA launches."""

from hw.tb.agents.kmu.agent import KmuAgent
from hw.tb.agents.kmu.items import (
    CACHE_FLUSH,
    MPM_VALUE,
    CounterClass,
    DcrReadItem,
    DcrWriteItem,
    LaunchItem,
    ResetItem,
    RunItem,
    mpm_tag,
)
from hw.tb.agents.kmu.monitor import CtaLaunched, CtaRetired, KmuCounts

__all__ = [
    "CACHE_FLUSH",
    "MPM_VALUE",
    "CounterClass",
    "CtaLaunched",
    "CtaRetired",
    "DcrReadItem",
    "DcrWriteItem",
    "KmuAgent",
    "KmuCounts",
    "LaunchItem",
    "ResetItem",
    "RunItem",
    "mpm_tag",
]
