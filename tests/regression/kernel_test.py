"""How a host program is declared: a function with a name, the kernels of its image, its sizes and what it must show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from config import HardwareConfig, RunConfig
from sw.runtime.exercise import Exercise

if TYPE_CHECKING:
    from tests.regression.session import Session

Body = Callable[["Session"], None]
Generate = Callable[[RunConfig], dict[str, str]]


class Need(Enum):
    """What a kernel asks of the processor beyond integers and SPLIT, JOIN, PRED, BAR, TMC, WSYNC.

    Each is a field of the configuration, its smallest and largest value, and a text.
    """

    FLOAT = ("ext_f", 1, 1, "single-precision floats (EXT_F)")
    ATOMICS = ("ext_a", 1, 1, "atomics (EXT_A)")
    SIMT = ("ext_simt_full", 1, 1, "votes, shuffles, WSPAWN, WGATHER and asynchronous barriers")
    PACKED = ("ext_packed", 1, 1, "packed loads (ext_packed)")
    CORES = ("total_cores", 2, 1 << 16, "two cores, whose caches are not coherent")
    ONE_CORE = ("total_cores", 1, 1, "a single core, because a core doesn't see what another one wrote")

    @property
    def text(self) -> str:
        return self.value[3]

    def met_by(self, hardware: HardwareConfig) -> bool:
        field, smallest, largest, _ = self.value
        return smallest <= int(getattr(hardware, field)) <= largest


@dataclass(frozen=True)
class Sizes:
    """Values of the knob N: seconds on the golden model, a run in lockstep, and as much as one may want."""

    smoke: int
    default: int
    large: int


@dataclass(frozen=True)
class Minimum:
    """What all launches of a run together must exercise, so that a kernel can't degenerate unnoticed.

    The figures hold at the default size and above, on the default shape; elsewhere "some" is enough, and with fewer
    lanes nothing need diverge. `rounds` is how often the CTAs must fill every warp slot of the processor; where what is
    tested fixes the geometry, `fixed` says why, and rounds are not asked for. `one_core` names figures that only a
    single core owes.
    """

    exercise: Exercise = field(default_factory=Exercise)
    rounds: int = 3
    fixed: str = ""
    one_core: tuple[str, ...] = ()


@dataclass(frozen=True)
class KernelTest:
    """One test: `tests/kernels/<name>/` holds its device source and `host.py`, which defines exactly one of these.

    Attributes:
        kernels: the exported names; every one must be launched by `body`.
        sizes: values of the knob N.
        generate: makes sources beside those of the folder: texts by file name, equal for equal configurations.
        needs: what it asks of the processor; elsewhere it is refused.
        minimum: what it must exercise; None: nobody asks.
        knobs: defaults of this test for knobs that the user does not set.
        timing: what in its results depends on time or on the order of warps, for readers of a report.
        legacy: its program is `main()` with the legacy library, in an image of its own generation.
        counts_vary: its kernels whose number of instructions depends on where blocks run and in which order: lanes try
            again until they succeed, or branch on what belongs to the hart.
    """

    name: str
    kernels: tuple[str, ...]
    sizes: Sizes
    body: Body
    description: str
    generate: Generate | None = None
    needs: tuple[Need, ...] = ()
    minimum: Minimum | None = None
    knobs: Mapping[str, str] = field(default_factory=dict)
    timing: str = ""
    legacy: bool = False
    counts_vary: tuple[str, ...] = ()

    def unmet(self, hardware: HardwareConfig) -> str:
        """Why it can't run there, as a sentence; empty if it can."""
        missing = [need.text for need in self.needs if not need.met_by(hardware)]
        return f"TEST={self.name} can't run on this processor: it needs {' and '.join(missing)}" if missing else ""


def kernel_test(
    *,
    kernels: Sequence[str] = (),
    size: int = 0,
    sizes: Sizes | None = None,
    generate: Generate | None = None,
    needs: Sequence[Need] = (),
    minimum: Minimum | None = None,
    knobs: Mapping[str, str] | None = None,
    timing: str = "",
    legacy: bool = False,
    counts_vary: Sequence[str] = (),
) -> Callable[[Body], KernelTest]:
    """Turn a host function into a test named after it; its docstring's first line is the description.

    `kernels` is by default one of the test's name. A single `size` stands for all three.
    """

    def declare(body: Body) -> KernelTest:
        description = (body.__doc__ or "").strip().splitlines() or [""]
        name = body.__name__
        return KernelTest(
            name,
            tuple(kernels) or (name,),
            sizes or Sizes(size, size, size),
            body,
            description[0],
            generate,
            tuple(needs),
            minimum,
            dict(knobs or {}),
            timing,
            legacy,
            tuple(counts_vary),
        )

    return declare
