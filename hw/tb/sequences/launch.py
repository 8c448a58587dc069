"""Sequences that a host runs on the KMU agent (docs/reference/vortex.md §4.7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from config import HardwareConfig
from hw.tb.agents.kmu import (
    CACHE_FLUSH,
    MPM_VALUE,
    CounterClass,
    DcrReadItem,
    DcrWriteItem,
    LaunchItem,
    ResetItem,
    mpm_tag,
)
from hw.tb.sequences.items import ItemsSequence
from sw.runtime.launch import dcr_writes
from sw.runtime.messages import Launch

# What is read of every core after each launch, in the order of the fields of `Counters`: (class, number).
_COUNTERS = (
    (CounterClass.BASE, 0),  # MCYCLE
    (CounterClass.BASE, 2),  # MINSTRET
    (CounterClass.ICACHE, 3),  # reads
    (CounterClass.ICACHE, 4),  # read misses
    (CounterClass.DCACHE, 3),
    (CounterClass.DCACHE, 5),
)


@dataclass(frozen=True)
class Counters:
    """Counters since reset, read through DCR 0x001: per core id, or summed over all cores."""

    mcycle: dict[int, int] = field(default_factory=dict)
    minstret: dict[int, int] = field(default_factory=dict)
    icache_reads: int = 0
    icache_misses: int = 0
    dcache_reads: int = 0
    dcache_misses: int = 0


class ResetSequence(ItemsSequence):
    """Reset."""

    def __init__(self, name: str = "reset") -> None:
        super().__init__([ResetItem()], name)


class ProgramSequence(ItemsSequence):
    """Write every DCR of a launch, the private dispatch-window register included."""

    def __init__(self, launch: Launch, hardware: HardwareConfig) -> None:
        writes = [(write.address, write.value) for write in dcr_writes(launch, hardware.xlen)]
        super().__init__([DcrWriteItem(writes)], "program")


class StartSequence(ItemsSequence):
    """`start`, wait until quiescent, flush the cache of every core. `item` has the outcome."""

    def __init__(self, launch: Launch, hardware: HardwareConfig) -> None:
        self.item = LaunchItem(launch.launch_id, launch.max_cycles)
        flush = DcrReadItem([(CACHE_FLUSH, core) for core in range(hardware.total_cores)])
        super().__init__([self.item, flush], "start")


class CounterSequence(ItemsSequence):
    """Read the counters of every core."""

    def __init__(self, hardware: HardwareConfig) -> None:
        self._cores = range(hardware.total_cores)
        reads = [
            (MPM_VALUE, mpm_tag(core, number, group, high=high))
            for core in self._cores
            for group, number in _COUNTERS
            for high in (False, True)
        ]
        self._item = DcrReadItem(reads)
        super().__init__([self._item], "counters")

    @property
    def counters(self) -> Counters:
        """What was read; all zero if the design failed before."""
        values = self._item.values
        if len(values) != len(self._item.reads):
            return Counters()
        words = [low | high << 32 for low, high in zip(values[::2], values[1::2], strict=True)]
        per_core = [words[first : first + len(_COUNTERS)] for first in range(0, len(words), len(_COUNTERS))]
        sums = [sum(column) for column in zip(*per_core, strict=True)]
        return Counters(
            {core: row[0] for core, row in zip(self._cores, per_core, strict=True)},
            {core: row[1] for core, row in zip(self._cores, per_core, strict=True)},
            *sums[2:],
        )
