"""The whole device: memory, KMU, cores; running alone is in golden_model/scheduler.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from config import EntryGeneration, HardwareConfig
from golden_model.code import Code, Image
from golden_model.core import Core
from golden_model.cta import CtaAccept, CtaDescriptor
from golden_model.errors import DispatchError, LaunchError
from golden_model.findings import FindingLog
from golden_model.global_barrier import GlobalBarriers
from golden_model.kmu import Kmu
from golden_model.launch import Launch, dcr_writes
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges
from golden_model.reservations import Reservations
from golden_model.scheduler import RunSummary, Scheduler, Watch
from golden_model.window import GENERATION_OF_REWIND

if TYPE_CHECKING:
    from pathlib import Path

    from golden_model.diagnosis.diagnosis import Diagnosis
    from golden_model.fast.engine import Engine
    from golden_model.fast.shadow import NativeShadow
    from golden_model.module import Module
    from sw.kernel.vxbin import Vxbin

Tier = Literal["readable", "fast"]

CACHE_FLUSH = 0x000
MPM_VALUE = 0x001


class Machine:
    """One processor and its memory, from reset.

    `entry` is the kernel entry generation that `launch` programs; a host that writes DCRs itself chooses with the
    dispatch-window register 0x030. `buffer` puts the bytes of memory into a mapped file; `memory` replaces it
    altogether, such as by a remapped view. `host_buffers` are ranges that the host allocated: storing an undefined
    value there is a finding.

    `tier` says how `run` executes: "readable" in Python, "fast" in C that is generated from the same definitions.
    Results, findings and counts are the same. Where the fast tier cannot be had, `run` uses the readable one and
    `tier_note` says why in a sentence. Single steps are always readable.
    """

    def __init__(
        self,
        config: HardwareConfig,
        entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
        buffer: memoryview | None = None,
        memory: Memory | None = None,
        tier: Tier = "readable",
    ) -> None:
        self.config = config
        self.tier = tier
        self.tier_note = ""
        self._engine: Engine | None = None
        self._diagnosis: Diagnosis | None = None
        self.entry = entry
        self.findings = FindingLog()
        self.host_buffers = AddressRanges()
        self.memory = memory or Memory(1 << 32 if config.xlen == 32 else 1 << 33, buffer)
        self.code = Code(config, self.memory)
        self._reset_processor()

    def reset(self) -> None:
        """Hardware reset: memory, images and findings stay; registers, barriers, counters and DCRs start over."""
        self._reset_processor()

    def _reset_processor(self) -> None:
        self.kmu = Kmu(self.config)
        self.launch_id = 0  # the first launch is 1
        self.cores = [
            Core(core_id, self.config, self.memory, self.code, self.findings, self.host_buffers)
            for core_id in range(self.config.total_cores)
        ]
        reservations, barriers = Reservations(), GlobalBarriers(self.cores)
        for core in self.cores:
            core.reservations, core.global_barriers = reservations, barriers
        self._engine = None
        self.locked_core: int | None = None  # takes all members of the CTA cluster that it began

    @property
    def diagnosis(self) -> Diagnosis | None:
        """Checks beyond those that are always on, while running alone (golden_model/diagnosis)."""
        return self._diagnosis

    @diagnosis.setter
    def diagnosis(self, diagnosis: Diagnosis | None) -> None:
        self._diagnosis = diagnosis
        self._engine = None  # the compiled tier is another one

    # ------------------------------------------------------------------ host side

    def load(self, image: Path | str | bytes | Vxbin) -> Module:
        """Load a .vxbin, whose kernels can be launched with numpy arrays then (golden_model/module.py).

        Raises LaunchError if it is no good image.
        """
        from golden_model.module import load

        return load(self, image)

    def load_image(self, image: Image) -> None:
        """Load a kernel image and zero-fill it up to max_vma; what it overlaps is no longer executable."""
        self.code.load(image)
        if self._diagnosis is not None:
            self._diagnosis.host_wrote(image.min_vma, len(image.image))

    def unload_image(self, min_vma: int) -> None:
        """The image loaded at `min_vma` is no longer executable."""
        self.code.unload(min_vma)

    def read(self, addr: int, size: int) -> bytes:
        """Bytes of memory as the host sees them. Raises ValueError outside memory."""
        return self.memory.read(addr, size)

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Write memory from the host; it is defined afterwards. Raises ValueError outside memory."""
        self.memory.write(addr, data)
        if self._diagnosis is not None:
            self._diagnosis.host_wrote(addr, len(data))

    def dcr_write(self, addr: int, value: int) -> None:
        """Write a DCR; unknown addresses are ignored."""
        self.kmu.write(addr, value & 0xFFFF_FFFF)

    def dcr_read(self, addr: int, tag: int) -> int:
        """Read DCR 0x000 (cache flush: nothing to do here, 0) or 0x001 (counter half; tag as in §4.2).

        Raises LaunchError for other addresses, which hardware does not answer, and for cores that do not exist.
        """
        core_id = tag & 0xFFFF
        if addr not in (CACHE_FLUSH, MPM_VALUE) or core_id >= len(self.cores):
            raise LaunchError(f"nobody answers a read of DCR {addr:#05x} with tag {tag:#x}")
        if addr == CACHE_FLUSH:
            return 0
        core = self.cores[core_id]
        counter = {0: core.mcycle, 2: core.minstret}.get(tag >> 16 & 31, 0)
        return counter >> (32 if tag >> 21 & 1 else 0) & 0xFFFF_FFFF

    def launch(self, launch: Launch) -> None:
        """Program a launch and start it. Raises LaunchError, with nothing written, if no core can run it."""
        for addr, value in dcr_writes(launch, self.config, self.entry):
            self.dcr_write(addr, value)
        self.start()

    def start(self) -> None:
        """The `start` pulse: a new launch with the programmed DCRs.

        Raises LaunchError while a launch is running, or if the DCRs describe a walk that never ends.
        """
        if self.busy:
            raise LaunchError("start while the previous launch is still running")
        self.kmu.start()
        self.launch_id += 1
        self.locked_core = None
        generation = GENERATION_OF_REWIND[self.kmu.rewind]
        if generation is not self.code.generation or not self.memory.unshared:
            self.code.generation = generation
            self.code.forget()
        for core in self.cores:
            core.launch(self.launch_id, self.kmu.rewind)
        if self._diagnosis is not None:
            self._diagnosis.launched()

    def run(
        self, max_warp_instructions: int = 100_000_000, seed: int | None = None, watch: Watch | None = None
    ) -> RunSummary:
        """Execute the running launch to its end, alone. See `Scheduler.run`; steps can be seen in the readable tier."""
        try:
            return self._run(max_warp_instructions, seed, watch)
        finally:
            if self._diagnosis is not None:
                self._diagnosis.finished()

    def _run(self, max_warp_instructions: int, seed: int | None, watch: Watch | None) -> RunSummary:
        self.tier_note = ""
        if self.tier == "fast" and (watch is None or watch.step is None):
            from golden_model.fast.scheduler import FastScheduler

            engine = self.fast_engine()
            if engine is not None and (self._diagnosis is None or self._diagnosis.runs_on(engine)):
                return FastScheduler(self, engine, seed, watch).run(max_warp_instructions)
        return Scheduler(self, seed, watch).run(max_warp_instructions)

    @property
    def diagnosed(self) -> bool:
        """Whether something looks at every step, which only the readable tier shows."""
        return self._diagnosis is not None and self._diagnosis.active

    def warm_up(self) -> None:
        """Make the fast tier ready, if it is wanted: translating and compiling is not part of a run's time."""
        if self.tier == "fast":
            self.fast_engine()

    def native_shadow(self) -> NativeShadow | None:
        """The state of the checks in the compiled tier, if that runs."""
        engine = self.fast_engine() if self.tier == "fast" else None
        return None if engine is None else engine.shadow

    def fast_engine(self, traced: bool = False) -> Engine | None:
        """The compiled tier, made on first use; None, with a note, if it cannot be had.

        `traced`: instructions say what they did, for a follower; it runs alone as well, only slower.
        """
        from golden_model.fast.build import NoFastTier
        from golden_model.fast.engine import Engine

        try:
            if self._engine is None or (traced and not self._engine.traced):
                self._engine = Engine(self, traced)
        except NoFastTier as reason:
            self.tier_note = f"the readable tier runs: {reason}"
        return self._engine

    # ------------------------------------------------------------------ hardware's choices

    def next_cta(self) -> CtaDescriptor | None:
        """The CTA that the KMU offers next; None when the grid is exhausted."""
        return self.kmu.peek()

    def can_accept(self, core: int) -> bool:
        """Whether that core may take the next CTA now."""
        cta = self.kmu.peek()
        return cta is not None and self.locked_core in (None, core) and self.cores[core].can_accept(cta)

    def accept_cta(self, core: int) -> CtaAccept:
        """Core `core` (global id) takes the next CTA, as the hardware chose. Raises DispatchError if forbidden."""
        cta = self.kmu.peek()
        if cta is None:
            raise DispatchError(f"core {core} takes a CTA, but all CTAs of the grid have been handed out")
        if not 0 <= core < len(self.cores):
            raise DispatchError(f"core {core} takes a CTA, but there are only {len(self.cores)} cores")
        if self.locked_core not in (None, core):
            raise DispatchError(
                f"core {core} takes CTA {cta.block_idx}, whose cluster began on core {self.locked_core}"
            )
        accepted = self.cores[core].accept_cta(cta)
        self.locked_core = None if cta.last_of_cluster else core
        self.kmu.take()
        return accepted

    @property
    def busy(self) -> bool:
        """CTAs left in the KMU, a CTA being dispatched, or an active warp."""
        return self.kmu.peek() is not None or any(core.busy for core in self.cores)
