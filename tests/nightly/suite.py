"""A suite: which tests run on which configurations, as one TOML file of `suites/`.

```toml
description = "Every kernel on small shapes."
tier = "nightly"                 # smallest tier that runs it: smoke, nightly, weekly
tags = ["kernels"]
tests = ["*"]                    # names of tests/kernels, or patterns
[exclude]
endless = "never ends on purpose"
[axes]
shape = ["1x1c4w4t", "1x2c8w8t"]
entry = ["cta_entry", "s11", "direct"]
memory = ["kind", "hostile"]
[choice]
rule = "pairs"                   # every pair of values of two axes at least once; `all` is the whole product
count = 500                      # `pairs`: filled up at random to this many
```
"""

from __future__ import annotations

import re
import tomllib
from enum import Enum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from config import ConfigError, CopyMode, EntryGeneration, LaunchPath, MemoryPolicyName, RunConfig
from tests.nightly.case import MODEL_KNOBS
from tests.nightly.errors import NightlyError

SUITES_FOLDER = Path(__file__).parent / "suites"
_SHAPE = re.compile(r"(\d+)x(\d+)c(\d+)w(\d+)t(?:-simd(\d+))?")


class Tier(Enum):
    """How long a run may take; a suite runs in its own tier and in all larger ones."""

    SMOKE = "smoke"
    NIGHTLY = "nightly"
    WEEKLY = "weekly"

    @property
    def rank(self) -> int:
        return list(Tier).index(self)


class Scale(Enum):
    """Which of a test's sizes runs: seconds on the golden model, a run in lockstep, as much as one may want."""

    SMOKE = "smoke"
    DEFAULT = "default"
    LARGE = "large"


class Rule(Enum):
    """How cases are chosen from the product of the axes."""

    ALL = "all"
    PAIRS = "pairs"


def shape_knobs(shape: str) -> dict[str, str]:
    """Knobs of a shape such as `1x2c8w8t`: clusters, cores a cluster, warps a core, lanes a warp; `1x2c8w8t-simd2` has
    two lanes a beat. Raises ValueError."""
    match = _SHAPE.fullmatch(shape)
    if match is None:
        raise ValueError(f"shape {shape!r}: write CLUSTERSxCOREScWARPSwTHREADSt, such as 1x2c8w8t")
    knobs = {name: value for name, value in zip(MODEL_KNOBS, match.groups(), strict=True) if value is not None}
    try:
        RunConfig.from_knobs(knobs)
    except ConfigError as error:
        raise ValueError(f"shape {shape!r}: {error}") from error
    return knobs


def _checked_shape(shape: str) -> str:
    shape_knobs(shape)
    return shape


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Axes(_Strict):
    """Values of each axis; one value each is the default of the main command."""

    shape: tuple[Annotated[str, AfterValidator(_checked_shape)], ...] = Field(default=("1x1c4w4t",), min_length=1)
    entry: tuple[EntryGeneration, ...] = Field(default=(EntryGeneration.CTA_ENTRY,), min_length=1)
    launch: tuple[LaunchPath, ...] = Field(default=(LaunchPath.KMU,), min_length=1)
    memory: tuple[MemoryPolicyName, ...] = Field(default=(MemoryPolicyName.KIND,), min_length=1)
    copy_mode: tuple[CopyMode, ...] = Field(default=(CopyMode.BACKDOOR,), min_length=1, alias="copy")


class Choice(_Strict):
    """Which part of the product runs; `seeds` fresh random seeds for each case, or the fixed ones of `fixed_seeds`."""

    rule: Rule = Rule.ALL
    count: int = Field(default=0, ge=0)
    seeds: int = Field(default=1, ge=1)
    fixed_seeds: tuple[int, ...] = ()


class Budget(_Strict):
    """What one case may take: seconds of wall time on a busy machine, simulated cycles of all its launches."""

    seconds: float = Field(default=180.0, gt=0)
    cycles: int = Field(default=20_000_000, gt=0)


class ExpectedFailure(_Strict):
    """Cases that are known to fail: the test and, if given, the values of axes. One that passes is reported."""

    test: str
    reason: str = Field(min_length=1)
    shape: str = ""
    entry: str = ""
    memory: str = ""


class Suite(_Strict):
    """One file of the catalogue.

    Attributes:
        knobs: further knobs of every case, such as RTL_FILELIST of an external core.
    """

    name: str
    description: str = Field(min_length=1)
    tier: Tier = Tier.NIGHTLY
    tags: tuple[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], ...] = ()
    tests: tuple[str, ...] = Field(min_length=1)
    exclude: dict[str, str] = {}
    axes: Axes = Axes()
    choice: Choice = Choice()
    budget: Budget = Budget()
    knobs: dict[str, str] = {}
    scale: Scale = Scale.DEFAULT
    size: dict[str, int] = {}  # elements by test; the others use those of the scale
    expected_failure: tuple[ExpectedFailure, ...] = ()


def load_suites(folder: Path = SUITES_FOLDER) -> list[Suite]:
    """Every suite of the catalogue, by name.

    Raises:
        NightlyError: a file that cannot be read or breaks a rule: the file, the field and what was wrong.
    """
    return [load_suite(path) for path in sorted(folder.glob("*.toml"))]


def load_suite(path: Path) -> Suite:
    """One suite; its name is that of the file. Raises NightlyError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return Suite.model_validate({"name": path.stem, **content})
    except OSError as error:
        raise NightlyError(f"suite {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NightlyError(f"suite {path} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise NightlyError(f"suite {path.name}: {place}: {first['msg']}") from error
