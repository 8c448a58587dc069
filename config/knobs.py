"""Run-time knobs: what may differ between two runs of the same model, and how a user spells it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from config.errors import ConfigError
from config.external import CORE_KNOBS, ExternalCore
from config.hardware import HardwareConfig


class EntryGeneration(Enum):
    """Kernel entry generation; `rewind` is the size in bytes of its dispatch window (reference section 5.7)."""

    CTA_ENTRY = "cta_entry"
    S11 = "s11"
    DIRECT = "direct"

    @property
    def rewind(self) -> int:
        return {"cta_entry": 20, "s11": 16, "direct": 12}[self.value]


class MemoryPolicyName(Enum):
    """Preset of the memory model; what each means is in hw/tb/agents/axi/README.md."""

    KIND = "kind"
    ORDERED = "ordered"
    HOSTILE = "hostile"


class CopyMode(Enum):
    """How bulk data reaches device memory: through the shared file, or through the bus."""

    BACKDOOR = "backdoor"
    BAR = "bar"


class LaunchPath(Enum):
    """How kernels are launched: by the KMU agent on the DCR bus, through the BARs of the device, or both in turn."""

    KMU = "kmu"
    BAR = "bar"
    BOTH = "both"

    @property
    def single(self) -> tuple[LaunchPath, ...]:
        """The paths that a run takes, in order."""
        return (LaunchPath.KMU, LaunchPath.BAR) if self is LaunchPath.BOTH else (self,)

    @classmethod
    def default(cls, test: str) -> LaunchPath:
        """Both paths for the main test, the BARs for every other one."""
        return cls.BOTH if test == _MAIN_TEST else cls.BAR


class GoldenTier(Enum):
    """Which tier of the golden model executes; both do the same, the readable one can be stepped through."""

    FAST = "fast"
    READABLE = "readable"


class CompareMode(Enum):
    """What a design is compared with: the golden model instruction by instruction, or its results only."""

    LOCKSTEP = "lockstep"
    FREE = "free"


_EnumT = TypeVar("_EnumT", bound=Enum)
_MAIN_TEST = "multikernel"

# Make variable -> (hardware field, smallest value)
_HARDWARE_KNOBS = {
    "CLUSTERS": "num_clusters",
    "CORES": "num_cores",
    "WARPS": "num_warps",
    "THREADS": "num_threads",
    "SIMD_WIDTH": "simd_width",
    "ISSUE_WIDTH": "issue_width",
}


@dataclass(frozen=True)
class RunConfig:
    """Everything that one run of one test depends on, beside the sources."""

    sim: str = "verilator"
    test: str = _MAIN_TEST
    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    entry: EntryGeneration = EntryGeneration.CTA_ENTRY
    mem: MemoryPolicyName = MemoryPolicyName.KIND
    seed: int = 1
    waves: bool = False
    record: bool = False  # keep every record of the run on disk (hw/tb/debug)
    copy: CopyMode = CopyMode.BACKDOOR
    launch: LaunchPath = LaunchPath.BOTH
    tier: GoldenTier = GoldenTier.FAST
    size: int = 0  # elements that a test works on; 0 = the test's own default
    mode: CompareMode = CompareMode.LOCKSTEP
    core: ExternalCore | None = None  # None: the in-tree core

    @classmethod
    def from_knobs(cls, knobs: Mapping[str, str]) -> RunConfig:
        """Build from the make variables SIM TEST CLUSTERS CORES WARPS THREADS SIMD_WIDTH ISSUE_WIDTH L2 WRITEBACK
        ENTRY MEM LAUNCH COPY SEED WAVES RECORD TIER N MODE and the RTL_* of a core of your own.

        Unset or empty variables take the default. Raises ConfigError for a value that is not understood.
        """
        given = {name: value for name, value in knobs.items() if value != ""}
        known = {"SIM", "TEST", "ENTRY", "MEM", "SEED", "WAVES", "RECORD", "COPY", "LAUNCH", "TIER", "N", "MODE"}
        known |= {*_HARDWARE_KNOBS, "L2", "WRITEBACK", *CORE_KNOBS}
        for name in given:
            if name not in known:
                raise ConfigError(f"unknown knob {name}; known: {', '.join(sorted(known))}")
        overrides: dict[str, object] = {
            target: _integer(name, given[name], 1) for name, target in _HARDWARE_KNOBS.items() if name in given
        }
        if "L2" in given:
            overrides["l2_size"] = 1024 * _integer("L2", given["L2"], 0)
        if "WRITEBACK" in given:
            overrides["dcache_writeback"] = _choice(_Flag, "WRITEBACK", given["WRITEBACK"]) is _Flag.ON
        default = cls()
        sim = given.get("SIM", default.sim)
        if sim != "verilator":
            raise ConfigError(f"SIM={sim}: the only simulator is verilator")
        test = given.get("TEST", default.test)
        copy = _choice(CopyMode, "COPY", given.get("COPY", default.copy.value))
        launch = _choice(LaunchPath, "LAUNCH", given.get("LAUNCH", LaunchPath.default(test).value))
        if copy is CopyMode.BAR and launch is LaunchPath.KMU:
            raise ConfigError("COPY=bar: with LAUNCH=kmu nothing goes through the BARs; use LAUNCH=bar or LAUNCH=both")
        core = ExternalCore.from_knobs(given)
        return cls(
            sim=sim,
            test=test,
            hardware=_hardware(overrides),
            entry=_choice(EntryGeneration, "ENTRY", given.get("ENTRY", default.entry.value)),
            mem=_choice(MemoryPolicyName, "MEM", given.get("MEM", default.mem.value)),
            seed=_integer("SEED", given.get("SEED", str(default.seed)), 0),
            waves=_choice(_Flag, "WAVES", given.get("WAVES", "0")) is _Flag.ON,
            record=_choice(_Flag, "RECORD", given.get("RECORD", "0")) is _Flag.ON,
            copy=copy,
            launch=launch,
            tier=_choice(GoldenTier, "TIER", given.get("TIER", default.tier.value)),
            size=_integer("N", given["N"], 1) if "N" in given else default.size,
            mode=_mode(given.get("MODE", ""), core),
            core=core,
        )

    def knobs(self) -> dict[str, str]:
        """The make variables that reproduce this run, in a fixed order."""
        default = RunConfig()
        return {
            "SIM": self.sim,
            "TEST": self.test,
            "CLUSTERS": str(self.hardware.num_clusters),
            "CORES": str(self.hardware.num_cores),
            "WARPS": str(self.hardware.num_warps),
            "THREADS": str(self.hardware.num_threads),
            **({"SIMD_WIDTH": str(self.hardware.simd_width)} if self.hardware.simd_width else {}),
            **({"L2": str(self.hardware.l2_size // 1024)} if self.hardware.l2_size else {}),
            **({"WRITEBACK": "1"} if self.hardware.dcache_writeback else {}),
            "ENTRY": self.entry.value,
            "MEM": self.mem.value,
            "LAUNCH": self.launch.value,
            "COPY": self.copy.value,
            "SEED": str(self.seed),
            **({"TIER": self.tier.value} if self.tier is not default.tier else {}),
            **({"N": str(self.size)} if self.size else {}),
            **({"MODE": self.mode.value} if self.mode is not _mode("", self.core) else {}),
            **(self.core.knobs() if self.core is not None else {}),
        }

    def repro_line(self) -> str:
        return "make " + " ".join(f"{name}={shlex.quote(value)}" for name, value in self.knobs().items())


def _mode(text: str, core: ExternalCore | None) -> CompareMode:
    """Lockstep needs probes, which a foreign core has only with a bind file."""
    visible = core is None or bool(core.bind)
    mode = _choice(CompareMode, "MODE", text or (CompareMode.LOCKSTEP if visible else CompareMode.FREE).value)
    if mode is CompareMode.LOCKSTEP and not visible:
        raise ConfigError(
            "MODE=lockstep: without probes the instructions of this core can't be seen; give a bind file in RTL_BIND "
            "(docs/your_own_core.md), or use MODE=free"
        )
    return mode


class _Flag(Enum):
    OFF = "0"
    ON = "1"


def _hardware(overrides: Mapping[str, object]) -> HardwareConfig:
    """The shape; an error names the knob that the user set, not the field behind it."""
    try:
        return HardwareConfig.load(overrides=overrides)
    except ConfigError as error:
        for knob, name in _HARDWARE_KNOBS.items():
            rest = str(error).removeprefix(f"{name}=")
            if rest != str(error):
                raise ConfigError(f"{knob}={rest}") from error
        size = re.match(r"l2_size=\d+ \((\d+) KiB\)", str(error))
        if size:
            raise ConfigError(f"L2={size[1]}{str(error)[size.end() :]}") from error
        if str(error).startswith("dcache_writeback="):
            raise ConfigError(f"WRITEBACK=1{str(error).removeprefix('dcache_writeback=True')}") from error
        raise


def _integer(knob: str, text: str, smallest: int) -> int:
    try:
        value = int(text, 0)
    except ValueError as error:
        raise ConfigError(f"{knob}={text}: must be a whole number") from error
    if value < smallest:
        raise ConfigError(f"{knob}={text}: must be at least {smallest}")
    return value


def _choice(kind: type[_EnumT], knob: str, text: str) -> _EnumT:
    try:
        return kind(text)
    except ValueError as error:
        choices = ", ".join(str(member.value) for member in kind)
        raise ConfigError(f"{knob}={text}: must be one of {choices}") from error
