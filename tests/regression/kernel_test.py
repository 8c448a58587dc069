"""How a host program is declared: a function with a name, the kernels of its image and a default size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from config import RunConfig

if TYPE_CHECKING:
    from tests.regression.session import Session

Body = Callable[["Session"], None]
Generate = Callable[[RunConfig], dict[str, str]]


@dataclass(frozen=True)
class KernelTest:
    """One test: `tests/kernels/<name>/` holds its device source and `host.py`, which defines exactly one of these.

    `kernels` are the exported names; every one must be launched by `body`. `size` is the default of the knob N.
    `generate` makes sources beside those of the folder: texts by file name, equal for equal configurations.
    """

    name: str
    kernels: tuple[str, ...]
    size: int
    body: Body
    description: str
    generate: Generate | None = None


def kernel_test(*, kernels: Sequence[str], size: int, generate: Generate | None = None) -> Callable[[Body], KernelTest]:
    """Turn a host function into a test named after it; its docstring's first line is the description."""

    def declare(body: Body) -> KernelTest:
        description = (body.__doc__ or "").strip().splitlines() or [""]
        return KernelTest(body.__name__, tuple(kernels), size, body, description[0], generate)

    return declare
