"""Kernels of tests/kernels/diagnosis with all checks, on both tiers, which must say the same."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config import HardwareConfig
from golden_model import Finding, FindingKind, HangError, Machine
from golden_model.diagnosis import SourceMap, attach
from golden_model.launch import Launch, entry_points
from sw.kernel.vxbin import load
from sw.kernel.vxcc import compile_kernel

FOLDER = Path(__file__).parents[1] / "kernels" / "diagnosis"
ARGS, OUT, SRC = 0x1_0000, 0x2_0000, 0x3_0000
CONFIG = HardwareConfig()
ATOMIC = HardwareConfig(ext_a=True)


@dataclass(frozen=True)
class Seen:
    """A finding in terms of the source: tags in brackets, or nothing where a line has none."""

    kind: FindingKind
    tag: str
    lanes: int
    other_tag: str = ""
    other_lanes: int = 0


class Image:
    """One compiled source and its names."""

    def __init__(self, name: str, config: HardwareConfig = CONFIG) -> None:
        self.config = config
        made = compile_kernel([FOLDER / name], hardware=config)
        self.module = load(made.vxbin)
        self.vxbin, self.elf = made.vxbin, made.elf
        self.sources = SourceMap.from_elf(made.elf)
        self.tags: dict[tuple[str, int], str] = {}
        for number, line in enumerate((FOLDER / name).read_text().splitlines(), 1):
            if "[" in line and any(mark in line for mark in ("// [", "/* [")):
                self.tags[name, number] = line.rpartition("[")[2].partition("]")[0]

    def tag(self, pc: int) -> str:
        """Tag of the source line of an address; the line itself if it has none."""
        place = self.sources.locate(pc)
        return self.tags.get((place.file or "", place.line), str(place))

    def seen(self, finding: Finding) -> Seen:
        other = finding.other
        if other is None:
            return Seen(finding.kind, self.tag(finding.pc), finding.lanes)
        return Seen(finding.kind, self.tag(finding.pc), finding.lanes, self.tag(other.pc), other.lanes)

    def machine(
        self, tier: str = "readable", check: Sequence[str] = ("all",), no_check: Sequence[str] = (),
        allow: Sequence[str] = (), strict_lanes: bool = False,
    ) -> Machine:  # fmt: skip
        """A machine with the image, an output buffer of 64 words, and a buffer of 64 words that nobody wrote."""
        machine = Machine(self.config, tier="fast" if tier == "fast" else "readable")
        machine.load_image(self.module)
        machine.write(OUT, bytes(256))
        for start, size in ((ARGS, 16), (OUT, 256), (SRC, 256)):
            machine.host_buffers.add(start, size)
        attach(machine, self.sources, check, no_check, allow, strict_lanes)
        return machine

    def launch(
        self, machine: Machine, kernel: str, grid: int, block: int, lmem: int = 64, second: int = OUT + 128
    ) -> None:
        """Arguments: the output buffer, `second`."""
        machine.write(ARGS, struct.pack("<QQ", OUT, second))
        startup, pc = entry_points(self.module, kernel, machine.entry)
        machine.launch(Launch(pc, startup, ARGS, (grid, 1, 1), (block, 1, 1), lmem))
        with contextlib.suppress(HangError):
            machine.run(200_000)

    def run(
        self, kernel: str, grid: int = 1, block: int = 4, second: int = OUT + 128, check: Sequence[str] = ("all",),
        no_check: Sequence[str] = (), allow: Sequence[str] = (), strict_lanes: bool = False, before: str = "",
    ) -> list[Finding]:  # fmt: skip
        """Findings of one launch, equal on both tiers; `before` is a kernel that runs first."""
        results: list[list[Finding]] = []
        for tier in ("readable", "fast"):
            machine = self.machine(tier, check, no_check, allow, strict_lanes)
            if before:
                self.launch(machine, before, grid, block)
            self.launch(machine, kernel, grid, block, second=second)
            results.append(list(machine.findings))
        assert results[0] == results[1]
        return results[0]
