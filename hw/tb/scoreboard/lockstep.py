"""Lockstep: the golden model gets every host message, follows the records of every launch, and compares memory."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from config import RunConfig
from golden_model import FindingKind, LaunchError, Machine
from golden_model.follow.adopted import Coverage
from golden_model.follow.difference import Category, Difference
from golden_model.follow.explain import SourceLocation
from golden_model.follow.follower import Follower
from golden_model.records.ring import Batch
from hw.tb.checker import CheckCounts, LaunchEnd
from hw.tb.scoreboard.memory_compare import compare_memory, memory_difference
from hw.tb.scoreboard.symbols import ElfSymbols
from sw.runtime import messages as m
from sw.runtime.launch import dcr_writes


class LockstepScoreboard:
    """`Checker` that compares the design with the golden model, instruction by instruction.

    Attributes:
        machine: the golden model.
        total: coverage of all launches.
        memory_bytes: bytes of final memory compared, all launches.
    """

    name = "lockstep"

    def __init__(self, config: RunConfig, allowed_findings: Collection[FindingKind] = ()) -> None:
        self._config = config
        self._allowed = allowed_findings
        self._images: dict[int, m.LoadImage] = {}
        self._symbols: dict[str, ElfSymbols] = {}
        self._regions: dict[str, tuple[int, int]] = {}
        self.machine = Machine(config.hardware, config.entry)
        self.total = Coverage()
        self.memory_bytes = 0
        self._follower = self._new_follower()
        self._launch = 0

    def _new_follower(self) -> Follower:
        return Follower(self.machine, self._symbolize, self._allowed)

    # ------------------------------------------------------------------ host side

    def host(self, message: m.Message) -> None:
        match message:
            case m.WriteMemory(address, data):
                self.machine.write(address, data)
            case m.LoadImage():
                self.machine.load_image(message)
                self._images[message.min_vma] = message
                self._regions[f"image {message.name}"] = message.min_vma, message.max_vma - message.min_vma
            case m.ForgetImage(min_vma):
                self.machine.unload_image(min_vma)
                image = self._images.pop(min_vma, None)
                if image is not None:
                    self._regions.pop(f"image {image.name}", None)
            case m.DeclareBuffer(address, size, name):
                self.machine.host_buffers.add(address, size)
                self._regions[f"buffer {name}"] = address, size
            case m.ForgetBuffer(address):
                self.machine.host_buffers.remove(address)
                self._regions = {
                    name: place
                    for name, place in self._regions.items()
                    if not (name.startswith("buffer ") and place[0] == address)
                }
            case m.DcrWrite(address, value):
                self.machine.dcr_write(address, value)
            case _:
                pass

    def reset(self) -> None:
        self.machine.reset()
        self._follower = self._new_follower()

    # ------------------------------------------------------------------ one launch

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        self._launch = launch.launch_id
        for write in dcr_writes(launch, self._config.hardware.xlen):
            self.machine.dcr_write(write.address, write.value)
        try:
            self._follower.begin_launch(launch.launch_id)
        except LaunchError as error:
            return Difference(
                "launch", Category.HOST, f"the golden model refuses this launch: {error}", launch.launch_id
            )
        return None

    def records(self, batch: Batch) -> Difference | None:
        return self._follower.feed(batch)

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        difference = self._follower.end_launch(end.minstret)
        self.total += self._follower.launch_coverage
        if difference is not None:
            return [difference]
        found = compare_memory(self.machine.memory, end.memory)
        self.memory_bytes += found.compared
        if not found.differing:
            return []
        if self._follower.faults:
            # What a stopped warp had issued behind its fault may have reached memory: the device is right.
            self._take_over(found.pages, end)
            return []
        return [memory_difference(self.machine.memory, end.memory, found, self._regions, self._launch)]

    def _take_over(self, pages: list[int], end: LaunchEnd) -> None:
        """Use the device's bytes where both differ."""
        memory = self.machine.memory
        for page in pages:
            undefined = memory.undefined(page, 4096)
            memory.write(page, end.memory[page : page + 4096].tobytes())
            for offset, flag in enumerate(undefined):
                if flag:
                    memory.define(page + offset, 1, defined=False)

    def counts(self) -> CheckCounts:
        coverage = self._follower.launch_coverage
        return CheckCounts(compared=coverage.instructions, adopted=coverage.adopted_by_name())

    # ------------------------------------------------------------------ names for reports

    def _symbolize(self, address: int) -> SourceLocation:
        for image in self._images.values():
            if image.elf is not None and image.min_vma <= address < image.max_vma:
                if image.elf not in self._symbols:
                    self._symbols[image.elf] = ElfSymbols(Path(image.elf))
                return self._symbols[image.elf].locate(address)
        return SourceLocation(None, None)
