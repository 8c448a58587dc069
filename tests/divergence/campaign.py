"""Runs random programs on the golden model and on the host, and shrinks what differs."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from config import HardwareConfig
from golden_model import LimitError, Machine
from sw.kernel.vxcc import VxccError, compile_kernel
from tests.divergence.build import HostPrograms, Text, device_source
from tests.divergence.generator import INPUT_WORDS, Program

LANES = (1, 4, 8, 32)
LEVELS = ("0", "1", "2", "3", "s")
# Without optimisation every value has a place on the stack of 8 KB, so programs must be smaller.
SIZES = {"0": 2, "1": 5, "2": 7, "3": 7, "s": 7}
_TOTAL = 61  # threads: leaves a partial CTA, and partial warps on most shapes
_INSTRUCTIONS = 20_000_000


@dataclass(frozen=True)
class Failure:
    """One program that went wrong; `seed`, `level`, `lanes` and `size` repeat it."""

    seed: int
    level: str
    lanes: int
    size: int
    what: str

    @property
    def refused(self) -> bool:
        """The compiler said that the program does not fit a lane's stack: nothing wrong was built."""
        return "bytes of stack" in self.what

    def __str__(self) -> str:
        return (
            f"seed {self.seed}, -O{self.level}, {self.lanes} lanes, size {self.size}: {self.what}\n"
            f"  repeat: python -m tests.divergence {self.seed} 1 --level {self.level} --lanes {self.lanes} "
            f"--size {self.size} --keep FOLDER"
        )


def run_programs(
    seeds: Sequence[int], level: str, lanes: Sequence[int], size: int = 7, keep: Path | None = None
) -> list[Failure]:
    """Compile the programs of `seeds` in one file and run each on every number of lanes.

    Args:
        seeds: one program each.
        level: optimisation level of the kernel compiler.
        lanes: shapes; four warps each.
        size: statements of a program.
        keep: folder where sources and images stay.

    Returns:
        Programs that did not compile, raised a finding, did not end or computed something else than the host.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        programs = [Program(f"p{seed}", seed, size) for seed in seeds]
        return _run_in(folder, programs, level, lanes, size)


def run_kept(path: Path, level: str, lanes: Sequence[int]) -> list[Failure]:
    """Run a program that once went wrong: a file of functions of which the last is `kept`."""
    with tempfile.TemporaryDirectory() as scratch:
        return _run_in(Path(scratch), [_Kept("kept", 0, path.read_text(encoding="utf-8"))], level, lanes, 0)


@dataclass(frozen=True)
class _Kept:
    name: str
    seed: int
    text: str


def _run_in(folder: Path, programs: Sequence[Text], level: str, lanes: Sequence[int], size: int) -> list[Failure]:
    host = HostPrograms(programs, folder)
    source = folder / "device.cpp"
    source.write_text(device_source(programs), encoding="utf-8")
    failures = []
    for width in lanes:
        hardware = dataclasses.replace(HardwareConfig(), num_threads=width)
        try:
            image = compile_kernel([source], None, hardware, opt=level, cache_dir=folder / "cache")
        except VxccError as error:
            failures += _blame_compiler(programs, level, width, size, str(error))
            continue
        for program in programs:
            what = _difference(program, host, hardware, image.vxbin)
            if what:
                failures.append(Failure(program.seed, level, width, size, what))
    return failures


def _blame_compiler(programs: Sequence[Text], level: str, width: int, size: int, text: str) -> list[Failure]:
    if len(programs) == 1:
        return [Failure(programs[0].seed, level, width, size, text)]
    return [failure for program in programs for failure in run_programs([program.seed], level, [width], size)]


def _difference(program: Text, host: HostPrograms, hardware: HardwareConfig, image: Path) -> str:
    random = np.random.default_rng(program.seed)
    data = random.integers(0, 1 << 32, INPUT_WORDS, dtype=np.uint32) >> np.uint32(random.integers(0, 28))
    n = int(random.integers(0, 16))
    expected = host.run(program, n, _TOTAL, data)
    out = np.zeros(_TOTAL, np.uint32)
    machine = Machine(hardware, tier="fast")
    block = 2 * hardware.num_threads  # two warps
    arguments = [np.uint32(n), np.uint32(_TOTAL), data, out]
    try:
        result = machine.load(image).launch(
            f"k_{program.name}", -(-_TOTAL // block), block, arguments, max_instructions=_INSTRUCTIONS
        )
    except LimitError as error:
        return f"does not end: {error}"
    if result.findings:
        return f"finding: {result.findings[0]}"
    wrong = np.nonzero(out != expected)[0]
    if wrong.size == 0:
        return ""
    first = int(wrong[0])
    return f"{wrong.size} of {_TOTAL} threads differ; thread {first}: {out[first]:#010x}, host {expected[first]:#010x}"


def shrink(failure: Failure, say: Callable[[str], None]) -> Failure:
    """The failure with the fewest statements and lanes that still shows."""
    smallest = failure
    for size in range(1, failure.size):
        found = run_programs([failure.seed], failure.level, [failure.lanes], size)
        if found:
            smallest = found[0]
            say(f"shrunk to size {size}")
            break
    for lanes in LANES:
        if lanes < smallest.lanes:
            found = run_programs([smallest.seed], smallest.level, [lanes], smallest.size)
            if found:
                return found[0]
    return smallest
