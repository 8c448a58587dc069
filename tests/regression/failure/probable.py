"""From a failure to the class of its cause, by what was seen; a guess that says why."""

from __future__ import annotations

from golden_model.findings import FindingKind
from golden_model.follow.difference import Category, Difference
from golden_model.hang.report import HangReport, HangVerdict
from tests.regression.failure.report import Cause, Context, Probable

_FINDING = "finding "
_RACES = tuple(kind.value for kind in FindingKind if kind.value.startswith("race-"))
_DIVERGENCE = {
    kind.value
    for kind in (
        FindingKind.DIVERGENT_BRANCH,
        FindingKind.DIVERGENT_JUMP,
        FindingKind.IPDOM_OVERFLOW,
        FindingKind.IPDOM_MISMATCH,
        FindingKind.DIFFERENT_JOINS,
        FindingKind.IPDOM_NOT_EMPTY,
        FindingKind.UNDEFINED_JOIN,
        FindingKind.UNDEFINED_PREDICATE,
        FindingKind.UNDEFINED_MASK,
        FindingKind.BARRIER_COUNT,
    )
}
_CONTROL = (Category.CONTROL, Category.DISPATCH, Category.BARRIER, Category.FAULT, Category.COUNT, Category.BUSY)
_HANG = {
    HangVerdict.KERNEL_DEADLOCK: Cause.KERNEL,
    HangVerdict.KERNEL_LIVELOCK: Cause.KERNEL,
    HangVerdict.RTL_DEADLOCK: Cause.RTL_CONTROL,
    HangVerdict.MEMORY_SILENT: Cause.MEMORY_PROTOCOL,
    HangVerdict.UNDECIDED: Cause.UNKNOWN,
}
# Checks of the LSU's records: what was sent, not what came back.
_SENT = ("memory order", "missing memory access", "extra memory access", "extra record")


def probable(check: str, difference: Difference | None, context: Context, hang: HangReport | None) -> Probable:
    """The class of a failure with its evidence."""
    if hang is not None:
        return Probable(_HANG[hang.verdict], (f"{hang.verdict}: {hang.root}",))
    if difference is None:
        return Probable(Cause.UNKNOWN, (f"{check} says nothing of instructions",))
    if check.startswith(_FINDING):
        return _of_finding(check.removeprefix(_FINDING), difference)
    category = difference.category
    if category is Category.KERNEL:
        return Probable(Cause.KERNEL, (difference.message,))
    if category is Category.HOST:
        return Probable(Cause.HOST, _host_evidence(check))
    if category is Category.AXI:
        return Probable(Cause.MEMORY_PROTOCOL, (f"a rule of the AXI ports was broken: {difference.message}",))
    if category is Category.MEMORY:
        return _of_memory(check, difference)
    if category is Category.RESULT:
        return _of_result(difference, context)
    if category in _CONTROL:
        return Probable(Cause.RTL_CONTROL, (f"the check {check} compares control, not values", difference.message))
    if category is Category.DEVICE:
        return Probable(Cause.RTL_CONTROL, ("seen at the registers of the BAR device", difference.message))
    return Probable(Cause.UNKNOWN, (difference.message,))


def _of_finding(kind: str, difference: Difference) -> Probable:
    evidence = (difference.message, "both models execute the kernel the same way, so the design is not at fault")
    if kind in _RACES:
        return Probable(Cause.KERNEL_RACE, evidence)
    return Probable(Cause.KERNEL_DIVERGENCE if kind in _DIVERGENCE else Cause.KERNEL, evidence)


def _host_evidence(check: str) -> tuple[str, ...]:
    if check == "host-expectation":
        return (
            "no instruction differed from the golden model before, so the design did what the kernel says",
            "the kernel, its arguments or the host's own expectation is wrong",
        )
    return ("the host program or the runtime refused or lost something, before or after the instructions",)


def _of_memory(check: str, difference: Difference) -> Probable:
    if check in _SENT:
        return Probable(Cause.RTL_CONTROL, ("the LSU's accesses are not those of the instructions",))
    if difference.uid is None:
        evidence = ("every store was right when the LSU accepted it, the bytes in memory are not",)
        return Probable(Cause.MEMORY_PROTOCOL, evidence)
    return Probable(Cause.RTL_RESULT, (f"the LSU sent a wrong {check.removeprefix('memory ')}",))


def _of_result(difference: Difference, context: Context) -> Probable:
    evidence: list[str] = []
    bits = difference.differing_bits
    if isinstance(bits, list):
        texts = [f"lane {lane}: {value:#x}" for lane, value in enumerate(bits) if value]
        if texts:
            evidence.append(f"differing bits {', '.join(texts)}")
    transactions = context.transactions or tuple(difference.transactions)
    foreign = [p for p in context.producers if (p.store.core, p.store.warp) != (difference.core, difference.warp)]
    for producer in foreign:
        evidence.append(
            f"lane {producer.lane} loaded {producer.address:#x}, which core {producer.store.core} warp "
            f"{producer.store.warp} wrote in cycle {producer.store.cycle}"
        )
    if not transactions and not foreign:
        return Probable(Cause.RTL_RESULT, (*evidence, "no other warp and no memory transaction fed the instruction"))
    if foreign and not any(barrier.arrivals or barrier.phase for barrier in context.barriers):
        evidence.append("no barrier was ever used, so nothing orders that store and this load")
        return Probable(Cause.KERNEL_RACE, tuple(evidence))
    if not transactions:
        return Probable(Cause.RTL_RESULT, (*evidence, "no AXI read brought it: it came from a cache or local memory"))
    newest = transactions[-1]
    evidence.append(f"AXI id {newest.axi_id:#x} brought the block {newest.address:#x} in cycle {newest.response_cycle}")
    brought = _brought(difference, newest.data)
    if brought == "expected":
        return Probable(Cause.RTL_RESULT, (*evidence, "it contains the expected value, so the core changed it"))
    if brought == "actual":
        return Probable(Cause.MEMORY_PROTOCOL, (*evidence, "it contains the wrong value already"))
    return Probable(Cause.RTL_RESULT, tuple(evidence))


def _brought(difference: Difference, data: str) -> str:
    """Whether the words of a block contain the expected or the actual value of the lanes that differ."""
    if not isinstance(difference.expected, list) or not isinstance(difference.actual, list):
        return ""
    block = bytes.fromhex(data)
    words = {int.from_bytes(block[at : at + 4], "little") for at in range(0, len(block), 4)}
    lanes = [lane for lane in difference.lanes if lane < min(len(difference.expected), len(difference.actual))]
    for name, values in (("expected", difference.expected), ("actual", difference.actual)):
        wanted = {value for lane in lanes if (value := values[lane]) is not None}
        if wanted and wanted <= words:
            return name
    return ""
