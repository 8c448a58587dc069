"""Faults in the device: a short sequence of commands meets each one, and the first difference is the one expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cosim.bar.campaign import run_sequence
from tests.cosim.bar.faults.catalogue import FAULTS, SeededFault
from tests.cosim.bar.faults.seeded import build_seeded
from tests.cosim.bar.model import Library

SEED = 1


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder: Path = tmp_path_factory.mktemp("seeded") / "rtl"
    return build_seeded(folder)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_is_caught(library: Library, fault: SeededFault) -> None:
    difference = run_sequence(library, SEED, list(fault.commands), fault=fault.name)
    assert difference is not None, f"{fault.name}: nobody notices that {fault.meaning}"
    assert re.search(fault.first, difference), f"{fault.name}: another first difference:\n{difference}"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_without_its_fault_nothing_differs(library: Library, fault: SeededFault) -> None:
    assert run_sequence(library, SEED, list(fault.commands)) is None


def test_names_do_not_begin_with_each_other() -> None:
    names = [fault.name for fault in FAULTS]
    assert not [(one, other) for one in names for other in names if one != other and other.startswith(one)]
