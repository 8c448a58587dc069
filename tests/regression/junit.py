"""JUnit XML of one run: a test case for each launch and each host check."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from tests.regression.result import Outcome, RunResult


def write_junit(path: Path, result: RunResult) -> None:
    """Write `results.xml`, completely or not at all; seed, knobs and counts are properties of the suite."""
    cases = [_kernel_case(result, index) for index in range(len(result.kernels))]
    cases += [_case(result, check.name, check.outcome, check.detail, 0.0) for check in result.checks]
    listed = {check.name for check in result.checks}
    orphans = [failure for failure in result.failures if not failure.kernel and failure.check not in listed]
    cases += [_case(result, failure.check, Outcome.FAIL, failure.screen, 0.0) for failure in orphans]
    if not cases:
        cases = [_case(result, "run", Outcome.FAIL, "nothing was run", 0.0)]
    suite = ET.Element(
        "testsuite",
        name=result.test,
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        skipped=str(sum(case.find("skipped") is not None for case in cases)),
        errors="0",
        time=f"{result.wall_seconds:.3f}",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(result).items():
        ET.SubElement(properties, "property", name=name, value=value)
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    temporary = path.with_name(path.name + ".partial")
    ET.ElementTree(root).write(temporary, encoding="utf-8", xml_declaration=True)
    temporary.replace(path)


def _properties(result: RunResult) -> dict[str, str]:
    return {
        **{name.lower(): value for name, value in result.knobs.items()},
        "backend": result.backend,
        "repro": result.repro,
        "cycles": str(result.cycles),
        "instructions": str(result.instructions),
        "compared": str(result.compared),
        **{f"adopted.{kind}": str(count) for kind, count in sorted(result.adopted.items())},
    }


def _kernel_case(result: RunResult, index: int) -> ET.Element:
    kernel = result.kernels[index]
    screens = [failure.screen for failure in result.failures if failure.launch == kernel.launch and failure.kernel]
    return _case(result, kernel.kernel, kernel.outcome, "\n\n".join(screens) or kernel.message, kernel.wall_seconds)


def _case(result: RunResult, name: str, outcome: Outcome, detail: str, seconds: float) -> ET.Element:
    case = ET.Element("testcase", classname=f"{result.backend}.{result.test}", name=name, time=f"{seconds:.3f}")
    if outcome is Outcome.FAIL:
        failure = ET.SubElement(case, "failure", message=_printable(detail.strip().split("\n")[0]))
        failure.text = _printable(f"{detail}\n\nreproduce: {result.repro}")
    elif outcome is Outcome.NOT_APPLICABLE:
        ET.SubElement(case, "skipped", message=_printable(detail))
    return case


def _printable(text: str) -> str:
    """XML 1.0 cannot hold most control characters."""
    return "".join(char if char >= " " or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)
