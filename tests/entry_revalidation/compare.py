"""One kernel in all entry generations on the golden model: what came out, and what must be equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config import EntryGeneration, HardwareConfig, RunConfig
from sw.runtime.golden_backend import GoldenBackend
from sw.runtime.module import read_image
from tests.entry_revalidation.split import Split
from tests.entry_revalidation.static import find_window
from tests.regression.catalogue import find_test
from tests.regression.compile import compile_images
from tests.regression.errors import RunError
from tests.regression.execute import execute
from tests.regression.images import Images
from tests.regression.kernel_test import KernelTest
from tests.regression.result import RunResult

GENERATIONS = tuple(EntryGeneration)
# What the golden model has beyond the in-tree core's default.
EXTENSIONS = {"ext_f": True, "ext_a": True, "ext_simt_full": True}


@dataclass(frozen=True)
class Measured:
    """One kernel in one generation."""

    entry: EntryGeneration
    result: RunResult
    split: Split
    full_size: bool  # the window holds 4-byte instructions alone (or there is none)


def hardware_for(test: KernelTest) -> HardwareConfig:
    """Every extension, and as many cores as the test asks for."""
    return HardwareConfig.load(overrides={**EXTENSIONS, "num_cores": int(test.knobs.get("CORES", "1"))})


def measure(name: str, entry: EntryGeneration, size: int = 0) -> Measured:
    """Run a kernel's host program on the golden model, step by step. `size` 0 is the default one.

    Raises:
        RunError: the kernel does not compile, or its images have different windows.
    """
    test = find_test(name)
    config = RunConfig(test=name, hardware=hardware_for(test), entry=entry, size=size)
    images = compile_images(test, config)
    split, full_size = Split(), True
    if not test.legacy:
        windows = [find_window(image.path.with_suffix(".elf"), entry) for image in images.kernels]
        if len({(window.start, window.end) for window in windows}) != 1:
            raise RunError(f"the images of {name} in generation {entry.value} have their windows at different places")
        full_size = all(window.full_size for window in windows)
        split = Split(windows[0], frozenset(_starts(images, config)))
    result = execute(test, GoldenBackend(config, watch=split), images, config)
    return Measured(entry, result, split, full_size)


def _starts(images: Images, config: RunConfig) -> Iterator[int]:
    """Where fresh warps begin: the image's first byte, or the kernel's stub in generation s11."""
    for kernel in images.kernels:
        image = read_image(kernel.path, config.hardware, config.entry)
        yield image.kernels[kernel.exported] if config.entry is EntryGeneration.S11 else image.min_vma


def differences(test: KernelTest, runs: list[Measured]) -> list[str]:
    """What is not as it has to be, one sentence each; nothing if all generations mean the same."""
    found = []
    for run in runs:
        where = f"{test.name} in {run.entry.value}"
        if not run.result.passed:
            reason = run.result.failures[0].message if run.result.failures else "nothing was run"
            found.append(f"{where}: {reason}")
            continue
        if not run.full_size:
            found.append(f"{where}: the dispatch window holds an instruction that has not four bytes")
        if test.legacy:
            continue
        twice = [called for called, count in run.split.called.items() if count != 1]
        blocks = len({(launch, block) for launch, block, _ in run.split.called})
        ctas = sum(kernel.ctas for kernel in run.result.kernels)
        if twice or blocks != ctas:
            found.append(f"{where}: {blocks} of {ctas} blocks were called, {len(twice)} warps of them more than once")
    first = runs[0]
    for run in runs[1:]:
        for kernel in first.result.kernels:
            ours, theirs = first.split.kernel[kernel.launch], run.split.kernel[kernel.launch]
            if ours != theirs and kernel.kernel not in test.counts_vary:
                found.append(
                    f"{test.name}: {ours} warp instructions of {kernel.kernel} (launch {kernel.launch}) in "
                    f"{first.entry.value}, {theirs} in {run.entry.value}"
                )
        if first.split.called.keys() != run.split.called.keys():
            found.append(f"{test.name}: other warps were called in {run.entry.value} than in {first.entry.value}")
    return found
