"""What the simulator process is told: written by the launcher as `run.json`, read by the test inside the process."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from config import (
    CompareMode,
    CopyMode,
    EntryGeneration,
    ExternalCore,
    GoldenTier,
    HardwareConfig,
    LaunchPath,
    MemoryPolicyName,
    RunConfig,
)

ENVIRONMENT = "VX_RUN_SETTINGS"


@dataclass(frozen=True)
class RunSettings:
    """One simulator process.

    Attributes:
        config: knobs of the run.
        run_dir: folder of its files: ring.bin, memory.bin, sim.log, results.xml.
        options: free text options of the test module.
    """

    config: RunConfig
    run_dir: Path
    options: dict[str, str] = field(default_factory=dict)

    def write(self) -> Path:
        """Write `run.json` into the run folder and return its path."""
        path = self.run_dir / "run.json"
        content = {
            "hardware": dataclasses.asdict(self.config.hardware),
            "knobs": {
                "sim": self.config.sim,
                "test": self.config.test,
                "entry": self.config.entry.value,
                "mem": self.config.mem.value,
                "seed": self.config.seed,
                "waves": self.config.waves,
                "record": self.config.record,
                "copy": self.config.copy.value,
                "launch": self.config.launch.value,
                "tier": self.config.tier.value,
                "size": self.config.size,
                "mode": self.config.mode.value,
            },
            "core": self.config.core.knobs(absolute=True) if self.config.core is not None else {},
            "options": self.options,
        }
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path | None = None) -> RunSettings:
        """Settings of this process (`path` None), or of a run folder's `run.json`.

        Raises:
            RuntimeError: this process was not started by hw.tb.run.
        """
        source = path
        if source is None:
            text = os.environ.get(ENVIRONMENT)
            if not text:
                raise RuntimeError(f"{ENVIRONMENT} is not set: this test must be started by hw.tb.run")
            source = Path(text)
        content = json.loads(source.read_text(encoding="utf-8"))
        knobs = content["knobs"]
        config = RunConfig(
            sim=knobs["sim"],
            test=knobs["test"],
            hardware=HardwareConfig(**content["hardware"]),
            entry=EntryGeneration(knobs["entry"]),
            mem=MemoryPolicyName(knobs["mem"]),
            seed=knobs["seed"],
            waves=knobs["waves"],
            record=knobs.get("record", False),  # run folders of before have none
            copy=CopyMode(knobs["copy"]),
            launch=LaunchPath(knobs["launch"]),
            tier=GoldenTier(knobs["tier"]),
            size=knobs["size"],
            mode=CompareMode(knobs["mode"]),
            core=ExternalCore.from_knobs(content["core"]),
        )
        return cls(config, source.parent, content["options"])
