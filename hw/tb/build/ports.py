"""The ports that a core under test must have (docs/reference/dut_ports.md), and a comparison with those that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from config import HardwareConfig

PARAMETERS = ("AXI_DATA_WIDTH", "AXI_ADDR_WIDTH", "AXI_TID_WIDTH", "AXI_NUM_BANKS")
FAULT_PORTS = ("fault_valid", "fault_kind", "fault_addr", "fault_pc", "fault_info")
_REFERENCE = "docs/reference/dut_ports.md"


@dataclass(frozen=True)
class Port:
    """One port; `elements` is the length of its unpacked array, None if it is none; `width` in bits."""

    name: str
    direction: str  # input, output, or what else the language has
    width: int
    elements: int | None = None

    def shape(self) -> str:
        array = "" if self.elements is None else f", unpacked array of {self.elements}"
        return f"{self.direction}, {self.width} bit{'' if self.width == 1 else 's'}{array}"


def expected_ports(hardware: HardwareConfig, tid_width: int) -> list[Port]:
    """Every port, optional ones last, for the widths of `hardware`."""
    address, data, banks = hardware.axi_addr_width, hardware.axi_data_width, hardware.axi_num_banks
    request = {
        "valid": 1,
        "addr": address,
        "id": tid_width,
        "len": 8,
        "size": 3,
        "burst": 2,
        "lock": 2,
        "cache": 4,
        "prot": 3,
        "qos": 4,
        "region": 4,
    }
    outputs = {f"{channel}{name}": width for channel in ("aw", "ar") for name, width in request.items()}
    outputs |= {"wvalid": 1, "wdata": data, "wstrb": data // 8, "wlast": 1, "bready": 1, "rready": 1}
    inputs = {"awready": 1, "wready": 1, "arready": 1, "bvalid": 1, "bid": tid_width, "bresp": 2}
    inputs |= {"rvalid": 1, "rdata": data, "rlast": 1, "rid": tid_width, "rresp": 2}
    control = {"clk": 1, "reset": 1, "start": 1}
    control |= {"dcr_req_valid": 1, "dcr_req_rw": 1, "dcr_req_addr": 12, "dcr_req_data": 32}
    faults = dict(zip(FAULT_PORTS, (1, 4, 64, 64, 32), strict=True))
    return [
        *(Port(name, "input", width) for name, width in control.items()),
        *(Port(f"m_axi_{name}", "output", width, banks) for name, width in outputs.items()),
        *(Port(f"m_axi_{name}", "input", width, banks) for name, width in inputs.items()),
        *(Port(name, "output", width) for name, width in (("dcr_rsp_valid", 1), ("dcr_rsp_data", 32), ("busy", 1))),
        *(Port(name, "output", width) for name, width in faults.items()),
    ]


def misfits(top: str, found: Sequence[Port], hardware: HardwareConfig, tid_width: int) -> list[str]:
    """One sentence for each port that is not as the harness needs it; empty: the core fits."""
    has: Mapping[str, Port] = {port.name: port for port in found}
    wanted = expected_ports(hardware, tid_width)
    some_faults = any(name in has for name in FAULT_PORTS)
    problems = []
    for port in wanted:
        actual = has.get(port.name)
        if actual is None and port.name in FAULT_PORTS:
            if some_faults:
                problems.append(f"port {port.name} is missing: of the optional fault ports a core has all or none")
        elif actual is None:
            problems.append(f"port {port.name} is missing ({port.shape()})")
        elif actual != port:
            problems.append(f"port {port.name} is wrong: needed {port.shape()}; found {actual.shape()}")
    known = {port.name for port in wanted}
    problems += [
        f"port {port.name} is unknown, so nothing would drive it ({port.shape()})"
        for port in found
        if port.name not in known and port.direction != "output"
    ]
    return [f"{top}: {problem}" for problem in problems]


def report(problems: Sequence[str]) -> str:
    """All misfits as one message."""
    head = f"the core does not fit: {len(problems)} port{'' if len(problems) == 1 else 's'} (see {_REFERENCE})"
    return "\n".join([head, *(f"  {problem}" for problem in problems)])
