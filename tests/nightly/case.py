"""One case: one test on one configuration with one seed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from config import RunConfig

MODEL_KNOBS = ("CLUSTERS", "CORES", "WARPS", "THREADS", "SIMD_WIDTH")


class Case(BaseModel):
    """What runs and what it may take.

    Attributes:
        suite: the suite that it comes from.
        knobs: make variables that repeat it.
        shape: name of the hardware configuration.
        tags: tags of the suite.
        seconds, cycles: its budget.
        expected_failure: why it is known to fail; empty: it must pass.
    """

    model_config = ConfigDict(frozen=True)

    suite: str
    knobs: dict[str, str]
    shape: str
    tags: tuple[str, ...]
    seconds: float
    cycles: int
    expected_failure: str = ""

    @property
    def test(self) -> str:
        return self.knobs["TEST"]

    @property
    def seed(self) -> int:
        return int(self.knobs["SEED"])

    @property
    def name(self) -> str:
        """What is the same every night: everything but the seed."""
        knobs = self.knobs
        parts = [self.suite, self.test, self.shape, knobs["ENTRY"], knobs["LAUNCH"], knobs["MEM"]]
        if knobs["COPY"] != "backdoor":
            parts.append(f"copy_{knobs['COPY']}")
        return "-".join(parts)

    @property
    def id(self) -> str:
        """Unique in a run, a folder name, and what `-k` selects by."""
        return f"{self.name}-s{self.seed}"

    @property
    def model(self) -> str:
        """Cases of one value run on one model of the simulator."""
        others = sorted((name, value) for name, value in self.knobs.items() if name.startswith("RTL_"))
        return " ".join([self.shape, *(f"{name}={value}" for name, value in others)])

    def config(self) -> RunConfig:
        """The run. Raises ConfigError."""
        return RunConfig.from_knobs(self.knobs)
