"""Hook for a run's `prepare`: collects instruction coverage in the simulator process and leaves it as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyuvm import uvm_subscriber

from golden_model.records.layout import Kind
from golden_model.records.ring import Batch
from hw.tb.coverage.isa import IsaCoverage
from hw.tb.env import VortexEnv
from hw.tb.run.settings import RunSettings
from tests.regression.typed_json import read_json, write_json

FILE = "isa_coverage.json"


@dataclass(frozen=True)
class IsaCoverageReport:
    """What was compared and what was missed, by mnemonic or CSR name."""

    full: int
    partial: int
    csr_accesses: int
    instructions: int
    csrs: int
    missing_full: tuple[str, ...]
    missing_partial: tuple[str, ...]
    missing_csrs: tuple[str, ...]


class _Writer(uvm_subscriber):
    coverage: IsaCoverage
    file: Path

    def write(self, batch: Batch) -> None:
        commits = batch[Kind.COMMIT]
        if len(commits) == 0:
            return
        self.coverage.sample(commits)
        covered = self.coverage
        report = IsaCoverageReport(
            full=sum(covered.full.values()),
            partial=sum(covered.partial.values()),
            csr_accesses=sum(covered.csrs.values()),
            instructions=len(set(covered.full) | set(covered.partial)),
            csrs=len(covered.csrs),
            missing_full=tuple(covered.missing_full()),
            missing_partial=tuple(covered.missing_partial()),
            missing_csrs=tuple(covered.missing_csrs()),
        )
        write_json(self.file, report)


def install(env: VortexEnv) -> None:
    """Subscribe a collector to the records of `env`."""
    writer = _Writer("isa_coverage", env)
    writer.coverage = IsaCoverage(env.config.run.hardware)
    writer.file = RunSettings.read().run_dir / FILE
    env.hub.batches.connect(writer.analysis_export)


def read(folder: Path) -> IsaCoverageReport:
    """The report below a results folder."""
    (file,) = folder.rglob(FILE)
    return read_json(file, IsaCoverageReport)
