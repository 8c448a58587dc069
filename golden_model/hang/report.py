"""What is said about a launch that does not end: typed data, readable as a screen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class HangVerdict(StrEnum):
    """Who is at fault."""

    KERNEL_DEADLOCK = "kernel deadlock"
    KERNEL_LIVELOCK = "kernel livelock"
    RTL_DEADLOCK = "RTL deadlock"
    MEMORY_SILENT = "memory that never answered"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Wait:
    """One warp or block that does not go on; `since` is the cycle of its last step, None if that is not known."""

    who: str
    waits_for: str
    since: int | None = None
    place: str = ""


@dataclass(frozen=True)
class Root:
    """The end of a chain of waits; `chain` leads from the first waiter to it, one sentence a step."""

    verdict: HangVerdict
    message: str
    chain: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenRequest:
    """An AXI request without its response; `device` tells the memory ports of the BAR device."""

    channel: str  # AR or AW
    bank: int
    axi_id: int
    address: int
    since: int
    device: bool = False

    def __str__(self) -> str:
        what = "read" if self.channel == "AR" else "write"
        port = "device port" if self.device else "bank"
        return (
            f"AXI {what} {port} {self.bank} id {self.axi_id:#x} address {self.address:#010x}, "
            f"outstanding since cycle {self.since}"
        )


@dataclass(frozen=True)
class Progress:
    """When a unit did something for the last time; `cycle` None: never within the records."""

    unit: str
    cycle: int | None


@dataclass(frozen=True)
class HangReport:
    """Who waits for whom, down to the root.

    Attributes:
        verdict, root: of the first root; `others` are independent ones.
        chain: from the first waiter to the root.
        cycle: up to which the records were read.
        notes: what the records can't show, such as their beginning.
    """

    verdict: HangVerdict
    root: str
    cycle: int
    chain: tuple[str, ...] = ()
    others: tuple[Root, ...] = ()
    waits: tuple[Wait, ...] = ()
    outstanding: tuple[OpenRequest, ...] = ()
    progress: tuple[Progress, ...] = ()
    notes: tuple[str, ...] = ()

    def render(self) -> str:
        """Plain text, without a trailing newline."""
        out = [f"HANG  {self.verdict}", f"  {self.root}"]
        if len(self.chain) > 1:
            out += ["", "  who waits for whom:"]
            out += [f"    {'  ' * depth}{text}" for depth, text in enumerate(self.chain)]
        if self.others:
            out += ["", "  also:", *(f"    {other.verdict}: {other.message}" for other in self.others)]
        if self.waits:
            out += ["", f"  where everything stands in cycle {self.cycle}:"]
            for wait in self.waits:
                since = "" if wait.since is None else f" (since cycle {wait.since})"
                out.append(f"    {wait.who}: {wait.waits_for}{since}{', at ' + wait.place if wait.place else ''}")
        if self.outstanding:
            out += ["", "  requests without a response:", *(f"    {request}" for request in self.outstanding)]
        if self.progress:
            out += ["", "  last progress:"]
            out += [
                f"    {item.unit:<24}{'never' if item.cycle is None else f'cycle {item.cycle}'}"
                for item in self.progress
            ]
        return "\n".join([*out, *(f"  note: {note}" for note in self.notes)])
