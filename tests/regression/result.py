"""What one run found out: written by the process that ran it, read by the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from golden_model.follow.difference import Difference
from sw.runtime.exercise import Exercise

RESULT_VERSION = 2


def shortened(text: str, most: int) -> str:
    """The text, or its beginning: names of kernels may have thousands of letters."""
    return text if len(text) <= most else text[: most - 1] + "…"


class Outcome(Enum):
    """Verdict on one kernel or one check."""

    PASS = "PASS"
    FAIL = "FAIL"
    NOT_APPLICABLE = "n/a"  # the configuration has nothing to check, and says why


@dataclass(frozen=True)
class HostCheck:
    """A check made on the host alone, such as that an absent kernel name is refused."""

    name: str
    outcome: Outcome
    detail: str


@dataclass(frozen=True)
class Failure:
    """One thing that went wrong; `screen` is the text of the first screen without the repro line.

    `cycle` is where it was seen, counted from the start of the simulation; 0 if that is not known. `detail` is what
    the screen was made from, None for what no comparison found.
    """

    check: str
    category: str
    message: str
    screen: str
    kernel: str = ""
    launch: int = 0
    cycle: int = 0
    detail: Difference | None = None


@dataclass(frozen=True)
class KernelResult:
    """One launch.

    `compared` are warp instructions compared with the golden model, `elements` are array elements compared with the
    host's own expectation, `adopted` counts hardware choices by kind, `warps_used` counts warps that ran something,
    `path` is how it was launched (`kmu` or `bar`), `exercised` is None where nobody
    saw the instructions. Times are wall-clock seconds.
    """

    kernel: str
    launch: int
    outcome: Outcome
    geometry: str
    ctas: int = 0
    instructions: int = 0
    cycles: int = 0
    compared: int = 0
    elements: int = 0
    adopted: dict[str, int] = field(default_factory=dict)
    axi_transactions: int = 0
    icache_hits: int = 0
    dcache_hits: int = 0
    max_warps_in_flight: int = 0
    warps_used: int = 0
    wall_seconds: float = 0.0
    message: str = ""
    path: str = "kmu"
    exercised: Exercise | None = None

    @property
    def ipc(self) -> float:
        return self.instructions / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class RunResult:
    """Everything about one run of one test; `failures` are in the order in which they were found."""

    test: str
    backend: str
    knobs: dict[str, str]
    repro: str
    kernels: tuple[KernelResult, ...] = ()
    checks: tuple[HostCheck, ...] = ()
    failures: tuple[Failure, ...] = ()
    wall_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    version: int = RESULT_VERSION

    @property
    def passed(self) -> bool:
        """Whether something was run and compared, and nothing failed."""
        return (
            bool(self.kernels)
            and not self.failures
            and all(kernel.outcome is Outcome.PASS for kernel in self.kernels)
            and all(check.outcome is not Outcome.FAIL for check in self.checks)
        )

    @property
    def cycles(self) -> int:
        return sum(kernel.cycles for kernel in self.kernels)

    @property
    def instructions(self) -> int:
        return sum(kernel.instructions for kernel in self.kernels)

    @property
    def compared(self) -> int:
        return sum(kernel.compared for kernel in self.kernels)

    @property
    def simulation_seconds(self) -> float:
        """Wall-clock seconds spent in launches."""
        return sum(kernel.wall_seconds for kernel in self.kernels)

    @property
    def adopted(self) -> dict[str, int]:
        """Hardware choices of all launches, by kind."""
        total: dict[str, int] = {}
        for kernel in self.kernels:
            for kind, count in kernel.adopted.items():
                total[kind] = total.get(kind, 0) + count
        return total
