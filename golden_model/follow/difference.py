"""What a comparison that failed has to say: one dataclass, readable as a first screen and as JSON."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import StrEnum

# One value, one value per lane (None: the lane takes no part), or a text.
Value = int | str | list[int | None] | None


class Category(StrEnum):
    """Where the cause of a difference is to be looked for first."""

    RESULT = "rtl result"
    CONTROL = "rtl control"
    DISPATCH = "cta dispatch"
    BARRIER = "barrier"
    MEMORY = "memory"
    FAULT = "fault"
    KERNEL = "kernel finding"
    COUNT = "count"
    AXI = "axi"
    BUSY = "busy"
    DEVICE = "bar device"
    PROGRESS = "no progress"
    HOST = "host expectation"


@dataclass(frozen=True)
class ExecutedInstruction:
    """One instruction that the golden model executed, as the history of a warp shows it."""

    uid: int
    cycle: int  # of its last commit packet
    pc: int
    instr: int
    disassembly: str
    tmask: int
    result: str  # destination and lane values, or the memory access; empty if there is none


@dataclass(frozen=True)
class OperandWriter:
    """Who wrote a source register of the instruction that differs; `uid` None: not within this launch."""

    register: str
    uid: int | None
    cycle: int | None
    pc: int | None
    disassembly: str
    values: list[int | None]


@dataclass(frozen=True)
class Transaction:
    """One AXI read that brought the block of a loaded address, cycles of its request and its response."""

    bank: int
    axi_id: int
    address: int
    request_cycle: int | None
    response_cycle: int | None
    data: str  # hexadecimal, lowest address first


@dataclass
class Difference:
    """The first point where the design and the golden model disagree.

    `check` is the stable name of the check (docs: golden_model/follow/README.md); `message` one sentence. `expected`
    is the golden model's value, `actual` the design's; lists have one element per lane, None where the lane takes no
    part. Masks have one bit per lane. `cycle` is that of the record that differs.
    """

    check: str
    category: Category
    message: str
    launch: int = 0
    cycle: int = 0
    core: int | None = None
    warp: int | None = None
    block: tuple[int, int, int] | None = None
    slot: int | None = None
    rank: int | None = None
    lanes: list[int] = field(default_factory=list)
    uid: int | None = None
    pc: int | None = None
    symbol: str | None = None
    source: str | None = None
    disassembly: str | None = None
    expected: Value = None
    actual: Value = None
    tmask_expected: int | None = None
    tmask_actual: int | None = None
    num_lanes: int = 1
    history: list[ExecutedInstruction] = field(default_factory=list)
    writers: list[OperandWriter] = field(default_factory=list)
    transactions: list[Transaction] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def differing_bits(self) -> list[int | None] | int | None:
        """Exclusive or of expected and actual, per lane where they are per lane."""
        if isinstance(self.expected, int) and isinstance(self.actual, int):
            return self.expected ^ self.actual
        if isinstance(self.expected, list) and isinstance(self.actual, list):
            return [
                None if left is None or right is None else left ^ right
                for left, right in zip(self.expected, self.actual, strict=False)
            ]
        return None

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        result = dataclasses.asdict(self)
        result["category"] = str(self.category)
        result["differing_bits"] = self.differing_bits
        return result

    def render(self) -> str:
        """The first screen of a failure, plain text, without a trailing newline."""
        return "\n".join(_Screen(self).lines())


class _Screen:
    def __init__(self, difference: Difference) -> None:
        self._of = difference

    def lines(self) -> list[str]:
        of = self._of
        out = [f"DIFFERENCE  {of.check}  ({of.category})", f"  {of.message}", ""]
        out += [f"  {name:<12}{text}" for name, text in self._where() if text]
        out += self._values()
        if of.history:
            out += ["", f"  last instructions of this warp (golden model, oldest first; {len(of.history)}):"]
            out += [
                f"    uid {entry.uid:>6}  cycle {entry.cycle:>8}  {entry.pc:#010x}  {self._mask(entry.tmask)}  "
                f"{entry.disassembly:<34} {entry.result}".rstrip()
                for entry in of.history
            ]
        if of.writers:
            out += ["", "  operands, and who wrote them last:"]
            out += [f"    {self._writer(writer)}" for writer in of.writers]
        if of.transactions:
            out += ["", "  memory transactions that brought the data:"]
            out += [f"    {_transaction(transaction)}" for transaction in of.transactions]
        if of.notes:
            out += ["", *(f"  note: {note}" for note in of.notes)]
        return out

    def _where(self) -> list[tuple[str, str]]:
        of = self._of
        place = [
            text
            for text in (
                f"core {of.core}" if of.core is not None else "",
                f"warp {of.warp}" if of.warp is not None else "",
                f"slot {of.slot}" if of.slot is not None else "",
                f"CTA rank {of.rank}" if of.rank is not None else "",
                f"block ({', '.join(map(str, of.block))})" if of.block is not None else "",
            )
            if text
        ]
        uid = f", uid {of.uid}" if of.uid is not None else ""
        where = [("when", f"cycle {of.cycle}, launch {of.launch}{uid}"), ("where", ", ".join(place))]
        if of.pc is not None:
            symbol = f" <{of.symbol}>" if of.symbol else ""
            where.append(("pc", f"{of.pc:#010x}{symbol}"))
        where += [("instruction", of.disassembly or ""), ("source", of.source or "")]
        where.append(("lanes", ", ".join(map(str, of.lanes))))
        return where

    def _values(self) -> list[str]:
        of = self._of
        out: list[str] = []
        if isinstance(of.expected, list) or isinstance(of.actual, list):
            out += ["", "  lane  expected    actual      differing bits"]
            expected = of.expected if isinstance(of.expected, list) else []
            actual = of.actual if isinstance(of.actual, list) else []
            for lane in range(max(len(expected), len(actual))):
                left = expected[lane] if lane < len(expected) else None
                right = actual[lane] if lane < len(actual) else None
                bits = f"{left ^ right:#010x}" if left is not None and right is not None and left != right else ""
                if left is not None or right is not None:
                    out.append(f"  {lane:>4}  {_word(left):<12}{_word(right):<12}{bits}".rstrip())
        elif of.expected is not None or of.actual is not None:
            out += ["", f"  {'expected':<12}{_word(of.expected)}", f"  {'actual':<12}{_word(of.actual)}"]
            bits_of_one = of.differing_bits
            if isinstance(bits_of_one, int) and bits_of_one:
                out.append(f"  {'differing':<12}{bits_of_one:#010x}")
        masks = (of.tmask_expected, of.tmask_actual)
        if masks != (None, None):
            texts = [
                f"{name} {self._mask(mask)}"
                for name, mask in zip(("expected", "actual"), masks, strict=True)
                if mask is not None
            ]
            out.append(f"  {'thread mask':<12}{', '.join(texts)} (highest lane left)")
        return out

    def _mask(self, mask: int) -> str:
        return f"{mask:0{self._of.num_lanes}b}"

    def _writer(self, writer: OperandWriter) -> str:
        values = ", ".join("-" if value is None else _word(value) for value in writer.values)
        if writer.uid is None or writer.pc is None:
            return f"{writer.register:<5} = [{values}]  not written since the follower started"
        return (
            f"{writer.register:<5} = [{values}]  by uid {writer.uid}, cycle {writer.cycle}, "
            f"{writer.pc:#010x}  {writer.disassembly}"
        )


def _word(value: Value) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:#010x}" if isinstance(value, int) else str(value)


def _transaction(of: Transaction) -> str:
    request = "before the records kept" if of.request_cycle is None else f"cycle {of.request_cycle}"
    response = "none yet" if of.response_cycle is None else f"cycle {of.response_cycle}"
    where = f"AXI read bank {of.bank} id {of.axi_id:#x} address {of.address:#010x}"
    return f"{where}: request {request}, data {response}: {of.data}"
