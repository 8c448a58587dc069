"""Which tests exist: the folders of tests/kernels/ that have a host program."""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.regression.errors import RunError, describe
from tests.regression.kernel_test import KernelTest

KERNELS_FOLDER = Path(__file__).parents[1] / "kernels"


def known_tests() -> list[str]:
    """Names that TEST= accepts, sorted."""
    return sorted(path.parent.name for path in KERNELS_FOLDER.glob("*/host.py"))


def find_test(name: str) -> KernelTest:
    """The test of that name.

    Raises:
        RunError: there is none (the message lists those that exist), or its host program is broken.
    """
    if name not in known_tests():
        raise RunError(f"TEST={name}: no such test; known: {', '.join(known_tests()) or 'none'}")
    try:
        module = importlib.import_module(f"tests.kernels.{name}.host")
    except Exception as error:
        raise RunError(f"tests/kernels/{name}/host.py cannot be imported: {describe(error)}") from error
    declared = [value for value in vars(module).values() if isinstance(value, KernelTest)]
    if len(declared) != 1 or declared[0].name != name:
        raise RunError(f"tests/kernels/{name}/host.py must define exactly one test, a function named {name}")
    return declared[0]
