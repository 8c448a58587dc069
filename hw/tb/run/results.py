"""cocotb's results.xml as typed data."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class TestOutcome:
    """One cocotb test: `failure` is None for a pass, else the first line of what went wrong."""

    __test__ = False  # not a test class, whatever pytest makes of the name

    module: str
    name: str
    seconds: float
    simulated_ns: float
    failure: str | None = None
    skipped: bool = False

    @property
    def passed(self) -> bool:
        return self.failure is None and not self.skipped


def read_results(path: Path) -> list[TestOutcome]:
    """Parse a results file.

    Raises:
        ValueError: missing or not XML, so the simulator did not get to its end.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    except ElementTree.ParseError as error:
        raise ValueError(f"{path} is not complete XML: {error}") from error
    return [_outcome(case) for case in root.iter("testcase")]


def _outcome(case: ElementTree.Element) -> TestOutcome:
    failure = None
    for tag in ("failure", "error"):
        element = case.find(tag)
        if element is not None:
            text = element.get("message") or element.get("error_msg") or (element.text or "").strip()
            failure = text or f"{tag} without a message"
    properties = {item.get("name"): item.get("value", "0") for item in case.iter("property")}
    return TestOutcome(
        module=case.get("classname", ""),
        name=case.get("name", ""),
        seconds=float(case.get("time", "0") or 0),
        simulated_ns=float(properties.get("sim_time_duration", "0")),
        failure=failure,
        skipped=case.find("skipped") is not None,
    )
