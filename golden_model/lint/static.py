"""Reachable code of an image: encodings, targets, CSRs, and whether SPLIT and JOIN fit together on every path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config import EntryGeneration, HardwareConfig
from golden_model.code import Image
from golden_model.csr import build_csrs
from golden_model.isa.decode import Decoded, Decoder
from golden_model.isa.instruction import Unit
from golden_model.isa.table import identify
from golden_model.window import is_window

_BRANCHES = frozenset({"beq", "bne", "blt", "bge", "bltu", "bgeu"})


@dataclass(frozen=True, slots=True)
class Complaint:
    """One defect: `kind` is a stable name, `entry` the kernel (or `entry code`) from which it was reached."""

    kind: str
    pc: int
    entry: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.pc:#010x}, from {self.entry}: {self.detail}"


def lint(image: Image, config: HardwareConfig, generation: EntryGeneration) -> list[Complaint]:
    """All complaints, each once, in order of address."""
    walker = _Walker(image, config)
    for name, pc in image.kernels.items():
        walker.walk(name, pc)
    walker.walk("entry code", image.min_vma)
    if not walker.has_window(generation):
        detail = f"no dispatch window of generation {generation.value}: no warp can take a second block"
        walker.complain("no-window", image.min_vma, detail)
    return sorted(walker.complaints.values(), key=lambda c: (c.pc, c.kind))


class _Walker:
    def __init__(self, image: Image, config: HardwareConfig) -> None:
        self._image, self._config = image, config
        self._decoder, self._csrs = Decoder(config), build_csrs(config)
        self._end = image.min_vma + len(image.image)
        self._entry = "entry code"
        self._functions: set[int] = set()
        self.complaints: dict[tuple[str, int], Complaint] = {}

    def complain(self, kind: str, pc: int, detail: str) -> None:
        self.complaints.setdefault((kind, pc), Complaint(kind, pc, self._entry, detail))

    def has_window(self, generation: EntryGeneration) -> bool:
        starts = range(self._image.min_vma, self._end - generation.rewind + 1, 4)
        return any(is_window(self._word, start, generation) for start in starts)

    def walk(self, entry: str, pc: int) -> None:
        """Look at everything that can be reached from here; what is known already is not looked at again."""
        self._entry = entry
        pending = [pc]
        while pending:
            function = pending.pop()
            if function not in self._functions:
                self._functions.add(function)
                pending += self._function(function)

    def _word(self, pc: int) -> int:
        at = pc - self._image.min_vma
        return int.from_bytes(self._image.image[at : at + 4], "little") if 0 <= at <= len(self._image.image) - 4 else 0

    def _function(self, start: int) -> list[int]:
        """Look at one function; returns the functions that it calls. The depth is that of open SPLITs."""
        depths, calls, pending = {start: 0}, [], [start]
        while pending:
            pc = pending.pop()
            op = self._decode(pc)
            if op is None:
                continue
            depth = self._depth_after(pc, op, depths[pc])
            for target, called in self._next(pc, op, depth):
                if not self._image.min_vma <= target < self._end:
                    what = (
                        "runs off the end of the image"
                        if target == pc + 4
                        else f"goes to {target:#x}, outside the image"
                    )
                    self.complain("outside-image", pc, what)
                elif called:
                    calls.append(target)
                elif target not in depths:
                    depths[target] = depth
                    pending.append(target)
                elif depths[target] != depth:
                    detail = f"is reached with {depths[target]} and with {depth} open SPLITs"
                    self.complain("split-depth", target, detail)
        return calls

    def _decode(self, pc: int) -> Decoded | None:
        word = self._word(pc)
        op = self._decoder.decode(word)
        if op is not None:
            self._check_csr(pc, op)
            return op
        known = identify(word, self._config.xlen)
        if known is None:
            self.complain("encoding", pc, f"{word:#010x} is no instruction")
        else:
            self.complain("extension", pc, f"{known.name} belongs to an extension that the configuration does not have")
        return None

    def _check_csr(self, pc: int, op: Decoded) -> None:
        if op.instruction.unit is not Unit.CSR:
            return
        csr = self._csrs.get(op.csr)
        if csr is None:
            self.complain("csr", pc, f"CSR {op.csr:#05x} does not exist")
        elif op.name.startswith("csrrw") and csr.write is None and not csr.ignores_writes:
            self.complain("csr", pc, f"CSR {op.csr:#05x} ({csr.name}) is read-only")

    def _depth_after(self, pc: int, op: Decoded, depth: int) -> int:
        if op.name.startswith("split"):
            if depth >= self._config.ipdom_depth:
                detail = f"{depth + 1} nested SPLITs, but the stack holds {self._config.ipdom_depth}"
                self.complain("split-nesting", pc, detail)
            return depth + 1
        if op.name == "join":
            if depth == 0:
                self.complain("join", pc, "JOIN without a SPLIT before it")
            return max(0, depth - 1)
        ends = (op.name == "jalr" and op.rd == 0) or (op.name == "tmc" and op.rs1 == 0)
        if ends and depth:
            self.complain("open-split", pc, f"returns or ends with {depth} open SPLIT(s)")
        return depth

    def _next(self, pc: int, op: Decoded, depth: int) -> Iterator[tuple[int, bool]]:
        """(target, whether it is a call)."""
        if op.name in _BRANCHES:
            yield pc + op.imm, False
        if op.name == "jal":
            yield pc + op.imm, op.rd != 0
        goes_on = not (op.name in ("jal", "jalr") and op.rd == 0) and not (op.name == "tmc" and op.rs1 == 0)
        if goes_on and op.name != "mret":
            yield pc + 4, False
