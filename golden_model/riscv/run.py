"""Running a bare program and finding out how it ended.

Two conventions, as the usual tests use them:

* `tohost`: the program stores a word there and spins. 1 = pass; 2·n + 1 = check n failed; an even word is a system call
  of a host, which there is none.
* exit code: the program stores a word to 0x8348 (docs/reference/vortex.md §1.4) and ends with `tmc x0`. 0 = pass.

A program with the symbol `tohost` that ends without storing there is judged by its exit code.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from config import HardwareConfig
from golden_model.console import EXIT_CODE
from golden_model.errors import HangError, LaunchError, LimitError
from golden_model.launch import Launch
from golden_model.machine import Machine, Tier
from golden_model.riscv.elf import START, Program
from golden_model.scheduler import Watch

_LOOK = 20_000  # warp instructions between two looks at tohost


class Verdict(Enum):
    """How a program ended."""

    PASS = "PASS"
    FAIL = "FAIL"  # it says so itself
    FAULT = "FAULT"  # an illegal instruction, a misaligned access …
    TIMEOUT = "TIMEOUT"
    UNCLEAR = "UNCLEAR"  # it ended and said nothing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one program."""

    verdict: Verdict
    detail: str  # one sentence; empty after a pass
    instructions: int
    findings: tuple[str, ...] = ()


class _Told(Exception):
    """The program has stored to tohost."""


def config_of(xlen: int) -> HardwareConfig:
    """A core of one warp with every extension."""
    return HardwareConfig(
        num_warps=1, num_threads=1, xlen=xlen, flen=xlen, ext_a=True, ext_f=True, ext_simt_full=True, ext_packed=True
    )  # fmt: skip


def run(program: Program, limit: int = 10_000_000, tier: Tier = "fast") -> Outcome:
    """Run to the end, to a store to tohost or to `limit` instructions."""
    machine = Machine(config_of(program.xlen), tier=tier)
    for segment in program.segments:
        machine.load_image(segment)
    if program.tohost is not None:
        machine.write(program.tohost, bytes(8))
    executed = 0

    def look(instructions: int, blocks: int) -> None:
        nonlocal executed
        executed = instructions
        if _told(machine, program):
            raise _Told

    problem = ""
    try:
        machine.launch(Launch(START, START))
        executed = machine.run(limit, watch=Watch(progress=look, every=_LOOK)).warp_instructions
    except _Told:
        pass
    except (HangError, LaunchError) as error:
        problem = str(error)
    except LimitError:
        problem = f"still running after {limit} instructions"
        executed = limit
    return _judge(machine, program, problem, executed)


def _judge(machine: Machine, program: Program, problem: str, executed: int) -> Outcome:
    findings = tuple(str(finding) for finding in machine.findings)
    faults = [str(finding) for finding in machine.findings if finding.kind.is_fault]
    told = _told(machine, program)
    if faults:
        return Outcome(Verdict.FAULT, faults[0], executed, findings)
    if told:
        if told & 1 == 0:
            return Outcome(Verdict.UNCLEAR, f"tohost holds {told:#x}, a system call; there is no host", executed)
        passed = told == 1
        return Outcome(
            Verdict.PASS if passed else Verdict.FAIL, "" if passed else f"check {told >> 1} failed", executed, findings
        )
    if problem:
        return Outcome(Verdict.TIMEOUT, problem, executed, findings)
    code, unwritten = machine.memory.load(EXIT_CODE, 4)
    if unwritten:
        return Outcome(Verdict.UNCLEAR, "it ended and wrote neither tohost nor an exit code", executed, findings)
    return Outcome(
        Verdict.PASS if code == 0 else Verdict.FAIL, "" if code == 0 else f"exit code {code}", executed, findings
    )


def _told(machine: Machine, program: Program) -> int:
    if program.tohost is None:
        return 0
    return machine.memory.load(program.tohost & ~3, 4)[0]
