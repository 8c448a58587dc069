"""Runs command sequences by seed: differences are shrunk and shown as text that can be replayed."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from golden_model.device.sequences import Coverage, generate, layout, shrink, to_text
from golden_model.device.sequences.commands import Command
from golden_model.device.sequences.execute import sequence_device
from tests.cosim.bar.executor import RtlExecutor
from tests.cosim.bar.model import Library
from tests.cosim.bar.rtl import Difference


@dataclass
class Figures:
    """What a campaign did; `cpu` are seconds of processor time."""

    sequences: int = 0
    actions: int = 0
    cycles: int = 0
    cpu: float = 0.0
    failures: list[str] = field(default_factory=list)
    choices: Counter[str] = field(default_factory=Counter)
    coverage: Coverage = field(default_factory=lambda: Coverage(layout.VRAM_SIZE))

    def add(self, other: Figures) -> None:
        """Count what another part did."""
        self.sequences += other.sequences
        self.actions += other.actions
        self.cycles += other.cycles
        self.cpu += other.cpu
        self.failures += other.failures
        self.choices.update(other.choices)
        self.coverage.merge(other.coverage)

    def __str__(self) -> str:
        return (
            f"{self.sequences:,} sequences, {self.actions:,} actions, {self.cycles:,} cycles in {self.cpu:.0f} s of "
            f"processor time, {len(self.failures)} differences, {self.coverage.reached:.1%} of registers × accesses × "
            f"states × errors"
        )


def run_sequence(
    bar: Library, seed: int, commands: list[Command], figures: Figures | None = None, fault: str = ""
) -> str | None:
    """The first difference as text, None if there is none; `fault` is the one seeded, in models that have any."""
    device = sequence_device(strict_map=bar.variant.strict, core_faults=bar.variant.core_faults)
    executor = RtlExecutor(bar.functions, seed, None if figures is None else figures.coverage, device, fault)
    try:
        actions = executor.run(commands)
    except Difference as difference:
        return str(difference)
    finally:
        if figures is not None:
            figures.cycles += bar.functions.vx_cycle(executor.rtl.handle)
            figures.choices.update(executor.choices.figures)
        executor.close()
    if figures is not None:
        figures.actions += actions
    return None


def campaign(bar: Library, seeds: Iterable[int], seconds: float | None = None, most_failures: int = 1) -> Figures:
    """Run the sequences of `seeds` until they, the time or the allowed failures are used up."""
    figures = Figures()
    start, cpu = time.monotonic(), time.process_time()
    gc.disable()  # a tenth of the time; collected after every tenth sequence instead
    for seed in seeds:
        if figures.sequences % 10 == 0:
            gc.collect()
        commands = generate(seed).commands
        difference = run_sequence(bar, seed, commands, figures)
        figures.sequences += 1
        if difference is not None:
            figures.failures.append(f"seed {seed}: {difference}\n{_shrunk(bar, seed, commands)}")
        figures.cpu = time.process_time() - cpu
        if len(figures.failures) >= most_failures or (seconds is not None and time.monotonic() - start > seconds):
            break
    gc.enable()
    return figures


def _shrunk(bar: Library, seed: int, commands: list[Command]) -> str:
    short = shrink(commands, lambda some: run_sequence(bar, seed, some) is not None, max_trials=150)
    return f"shrunk to {len(short)} commands: {run_sequence(bar, seed, short)}\n{to_text(short)}"
