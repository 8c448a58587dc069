"""multikernel through the golden BARs: Vortex mode in three entry generations, raw mode, hostile placements."""

from __future__ import annotations

import pytest

from config import EntryGeneration, HardwareConfig, RunConfig
from golden_model.device import Timing
from sw.runtime.bar.golden import GoldenBarBackend
from sw.runtime.bar.host import LaunchMode
from sw.runtime.golden_backend import GoldenBackend
from tests.regression.catalogue import find_test
from tests.regression.compile import compile_images
from tests.regression.execute import execute
from tests.regression.result import RunResult

RAW_KERNELS = 0x10_0000  # docs/reference/pcie_bar.md: raw kernels from there


def config_of(entry: EntryGeneration, **hardware: int) -> RunConfig:
    return RunConfig(test="multikernel", hardware=HardwareConfig(**hardware), entry=entry, seed=3)  # type: ignore[arg-type]


def run(backend: GoldenBarBackend | GoldenBackend) -> RunResult:
    test = find_test("multikernel")
    return execute(test, backend, compile_images(test, backend.config), backend.config)


def reasons(result: RunResult) -> str:
    return "\n".join(f"{failure.check}: {failure.message}" for failure in result.failures)


@pytest.mark.parametrize("entry", EntryGeneration)
def test_vortex_mode_passes_with_the_same_instructions_as_the_kmu_path(entry: EntryGeneration) -> None:
    bars = run(GoldenBarBackend(config_of(entry)))
    assert bars.passed, reasons(bars)
    direct = run(GoldenBackend(config_of(entry)))
    assert direct.passed, reasons(direct)
    assert [kernel.instructions for kernel in bars.kernels] == [kernel.instructions for kernel in direct.kernels]
    assert all(kernel.instructions > 100 for kernel in bars.kernels)


@pytest.mark.parametrize("entry", EntryGeneration)
def test_raw_mode_passes(entry: EntryGeneration) -> None:
    result = run(GoldenBarBackend(config_of(entry, startup_addr=RAW_KERNELS), LaunchMode.RAW))
    assert result.passed, reasons(result)


@pytest.mark.parametrize("skew", [1, 4, 60])
def test_vma_and_vram_need_not_be_congruent(skew: int) -> None:
    result = run(GoldenBarBackend(config_of(EntryGeneration.CTA_ENTRY), skew=skew))
    assert result.passed, reasons(result)


def test_two_cores_and_a_launch_that_is_polled() -> None:
    config = config_of(EntryGeneration.CTA_ENTRY, num_cores=2, num_warps=8, num_threads=8)
    backend = GoldenBarBackend(config, timing=Timing(launch_polls=3))
    result = run(backend)
    assert result.passed, reasons(result)
    assert backend.device.launch_id == len(result.kernels)


def test_a_wrong_mapping_is_seen() -> None:
    """The third leg must notice when the remapper is wrong: here one range is moved by four bytes."""
    backend = GoldenBarBackend(config_of(EntryGeneration.CTA_ENTRY))
    mapped = backend.device.memory.map
    backend.device.memory.map = lambda entries: mapped(  # type: ignore[method-assign]
        [
            type(entry)(entry.vma, entry.vram_offset + (4 if 0x1_0000 <= entry.vma < 0x1_0100 else 0), entry.size)
            for entry in entries
        ]
    )
    assert not run(backend).passed
