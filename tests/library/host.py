"""Builds the library and the programs that try it, and runs them."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from sw.kernel.vxcc.flags import INCLUDE_DIR, LIBRARY_DIR

HERE = Path(__file__).parent
# One argument each; the names without the `f`.
FUNCTIONS = (
    "exp", "log", "sin", "cos", "tan", "tanh", "exp2", "exp10", "expm1", "log2", "log10", "log1p",
    "sinh", "cosh", "asin", "acos", "atan", "cbrt",
)  # fmt: skip
# Of two arguments.
PAIR_FUNCTIONS = ("pow", "atan2", "hypot", "fmod")
# Instructions and what the divergence pass makes in place are no code of this library.
_FLOAT_SOURCES = tuple(path for path in sorted(LIBRARY_DIR.glob("math_*.c")) if path.name != "math_instructions.c")
_DOUBLE_SOURCES = (*sorted(LIBRARY_DIR.glob("double_*.c")), LIBRARY_DIR / "float_convert64.c")


@dataclass(frozen=True)
class Accuracy:
    """What one function did.

    Attributes:
        inputs: how many were tried.
        ulp: largest error in units of the last place.
        worst: the argument(s) of it, as C writes them.
        wrong: results of the wrong kind: NaN, infinity, zero or sign where there should be none, or the reverse.
        first_wrong: argument(s) of the first of these.
    """

    inputs: int
    ulp: float
    worst: str
    wrong: int
    first_wrong: str


class HostLibrary:
    """The float and the double part as shared objects in `folder`. Raises CalledProcessError if they do not compile."""

    def __init__(self, folder: Path) -> None:
        self.floats = _shared(folder / "floats.so", _FLOAT_SOURCES)
        self._doubles = _shared(folder / "doubles.so", _DOUBLE_SOURCES)
        self._float_program = _program(folder / "float_reference")
        self._double_program = _program(folder / "double_reference")

    def accuracy(self, function: str, step: int = 1) -> Accuracy:
        """A function of one argument, for every `step`-th of the 2^32 bit patterns."""
        return self._accuracy(function, str(step))

    def pair_accuracy(self, function: str, count: int, seed: int) -> Accuracy:
        """A function of two arguments, for corner cases and `count` random pairs."""
        return self._accuracy(function, str(count), str(seed))

    def double_differences(self, count: int, seed: int) -> str:
        """Differences of the double functions from the host's, for `count` pairs of operands; empty if none."""
        done = subprocess.run(
            [self._double_program, self._doubles, str(count), str(seed)], capture_output=True, text=True, check=False
        )
        tried, _, failures = done.stdout.splitlines()[-1].split()
        assert int(tried) == count, done.stderr
        return "" if failures == "0" else done.stdout

    def _accuracy(self, *arguments: str) -> Accuracy:
        done = subprocess.run(
            [self._float_program, self.floats, *arguments], capture_output=True, text=True, check=True
        )
        inputs, ulp, x, y, wrong, wrong_x, wrong_y = done.stdout.split()
        two = arguments[0] in PAIR_FUNCTIONS
        return Accuracy(
            int(inputs), float(ulp), f"{x}, {y}" if two else x, int(wrong), f"{wrong_x}, {wrong_y}" if two else wrong_x
        )


def _shared(target: Path, sources: tuple[Path, ...]) -> Path:
    fused = ["-mfma"] if " fma " in Path("/proc/cpuinfo").read_text(encoding="utf-8") else []  # else libm's, slower
    flags = ["-std=c11", "-O2", "-ffp-contract=off", "-fno-builtin", "-shared", "-fPIC", "-Wl,-Bsymbolic", *fused]
    command = ["gcc", *flags, f"-I{INCLUDE_DIR}", f"-I{LIBRARY_DIR}", *map(str, sources), "-o", str(target), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target


def _program(target: Path) -> Path:
    source = HERE / f"{target.name}.cpp"
    subprocess.run(
        ["g++", "-O2", "-std=c++17", str(source), "-o", str(target), "-ldl"], check=True, capture_output=True
    )
    return target
