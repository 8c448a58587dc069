"""A copy of the design's sources with every fault of the catalogue in it, and the model of that copy."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cosim.bar.faults.catalogue import FAULTS, SeededFault
from tests.cosim.bar.model import RTL, Library, Variant, build

_END_OF_PORTS = "\n);\n"


def build_seeded(folder: Path) -> Library:
    """The model, from a copy of the sources that is written to `folder`; built once per contents."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(RTL, folder)
    for fault in FAULTS:
        path = folder / "pcie" / f"{fault.module}.sv"
        path.write_text(with_fault(path.read_text(), fault))
    return build(Variant(rtl=folder, optimize=0))


def with_fault(source: str, fault: SeededFault) -> str:
    """The module's text with the fault in it, asleep. Raises AssertionError if the design has changed there."""
    found = source.count(fault.design)
    assert found == 1, (
        f"seeded fault {fault.name}: hw/rtl/pcie/{fault.module}.sv has this line {found} times instead of once, "
        f"adapt tests/cosim/bar/faults/catalogue.py: {fault.design}"
    )
    assert _END_OF_PORTS in source, f"hw/rtl/pcie/{fault.module}.sv has no end of its ports"
    head, body = source.split(_END_OF_PORTS, 1)
    declared = f'    bit seeded;\n    initial seeded = $test$plusargs("fault={fault.name}") != 0;\n'
    return f"{head}{_END_OF_PORTS}{declared}{body.replace(fault.design, fault.fault)}"
