"""Which tests exist: the folders of tests/kernels/ that have a host program.

A host program named `faulty.py` runs a kernel that is wrong on purpose: it can be run by name, but it is in no list of
tests that have to pass.
"""

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
    """The test of that name, also one whose kernel is wrong on purpose.

    Raises:
        RunError: there is none (the message lists those that exist), or its host program is broken.
    """
    if name in known_tests():
        program = "host"
    elif name in {path.parent.name for path in KERNELS_FOLDER.glob("*/faulty.py")}:
        program = "faulty"
    else:
        raise RunError(f"TEST={name}: no such test; known: {', '.join(known_tests()) or 'none'}")
    try:
        module = importlib.import_module(f"tests.kernels.{name}.{program}")
    except Exception as error:
        raise RunError(f"tests/kernels/{name}/{program}.py cannot be imported: {describe(error)}") from error
    declared = [value for value in vars(module).values() if isinstance(value, KernelTest)]
    if len(declared) != 1 or declared[0].name != name:
        raise RunError(f"tests/kernels/{name}/{program}.py must define exactly one test, a function named {name}")
    return declared[0]
