"""Running the same launch on both tiers of the golden model, and random programs to do it with."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from config import HardwareConfig
from golden_model import HangError, LimitError, Machine
from golden_model.fast.build import compiler
from golden_model.isa.atomic import ATOMIC
from golden_model.isa.instruction import Instruction, Unit
from golden_model.isa.lanes import LANES
from golden_model.isa.operands import Kind, Operand
from golden_model.isa.table import INSTRUCTIONS, legal
from tests.unit.golden_program import launch_of, machine_with, program

needs_compiler = pytest.mark.skipif(compiler() is None, reason="the fast tier needs a C compiler")
Prepare = Callable[[Machine], None]


@dataclass
class Outcome:
    """Everything that a run leaves behind."""

    summary: object
    findings: list[str]
    warps: list[object]
    cores: list[object]
    memory: dict[int, tuple[bytes, bytes]]


def outcome(machine: Machine, limit: int, seed: int | None = None) -> Outcome:
    """Run the launch to its end, or to its hang."""
    try:
        summary: object = machine.run(limit, seed)
    except (HangError, LimitError) as error:
        summary = str(error)
    assert not machine.tier_note, machine.tier_note
    warps = [
        (warp.regs, warp.undef, warp.fregs, warp.fundef, warp.pc, warp.uid, warp.tmask, warp.blocked, warp.fcsr,
         {number: value for number, value in warp.csr_storage.items() if value}, warp.ipdom.entries)
        for core in machine.cores
        for warp in core.warps
    ]  # fmt: skip
    cores = [(core.mcycle, core.minstret, core.barriers.entries, core.lmem.pages()) for core in machine.cores]
    memory = {page: (machine.read(page, 4096), machine.memory.undefined(page, 4096)) for page in machine.memory.pages()}
    for number, core in enumerate(machine.cores):
        base = machine.config.lmem_base
        size = machine.config.lmem_size
        memory[-number] = core.lmem.read(base, size), core.lmem.undefined(base, size)
    return Outcome(
        summary, [f"{finding} {finding.other}" for finding in machine.findings], list(warps), list(cores), memory
    )


def both_tiers(
    kernel: str,
    config: HardwareConfig | None = None,
    grid: int = 2,
    block: int = 8,
    lmem: int = 0,
    limit: int = 20_000,
    launches: int = 1,
    prepare: Prepare | None = None,
    seed: int | None = None,
) -> Outcome:
    """Outcome of a kernel, after asserting that it is the same on both tiers."""
    image = program(kernel, xlen=config.xlen if config else 32)
    results = []
    for tier in ("readable", "fast"):
        machine = machine_with(image, config)
        machine.tier = "fast" if tier == "fast" else "readable"
        if prepare is not None:
            prepare(machine)
        for _ in range(launches):
            machine.launch(launch_of(image, grid=(grid, 1, 1), block=(block, 1, 1), lmem=lmem))
            result = outcome(machine, limit, seed)
        results.append(result)
    readable, fast = results
    assert fast.summary == readable.summary
    assert fast.findings == readable.findings
    assert fast.cores == readable.cores
    for number, (mine, theirs) in enumerate(zip(fast.warps, readable.warps, strict=True)):
        assert mine == theirs, f"warp {number}"
    assert fast.memory.keys() == readable.memory.keys()
    for page, content in readable.memory.items():
        assert fast.memory[page] == content, f"page {page:#x}"
    return readable


# ------------------------------------------------------------------ random programs

_REGISTERS = ("t0", "t1", "t2", "s1", "a1", "a2", "a3", "a4", "a5", "s4", "s5", "t6")  # s4 … are never initialised
_HEAD = """
    csrr t0, cta_thread_id_x
    csrr t1, mhartid
    slli s2, t1, 5
    andi s2, s2, 2016
    add s2, s2, a0
    csrr s3, cta_lmem_addr
    slli t2, t0, 2
    add s3, s3, t2
    sw t0, 0(s3)
    li s1, 0x12345678
    mul a1, t1, s1
    xor a2, t0, a1
    li a3, -1
    li a4, 3
    sub a5, a1, t0
"""


class Fuzz:
    """A random kernel; text and launch follow from the seed."""

    def __init__(self, seed: int, config: HardwareConfig) -> None:
        self.random = random.Random(seed)
        self.config = config
        self.labels = 0
        self.lines: list[str] = [_HEAD]
        self.rows = [
            row
            for row in INSTRUCTIONS
            if legal(row, config) and row.unit in (Unit.ALU, Unit.MULDIV) and "{upper}" not in row.syntax
        ]
        self.floats = [row for row in INSTRUCTIONS if legal(row, config) and row.unit is Unit.FLOAT]
        self.between = [row for row in LANES if legal(row, config)]
        self.extra: list[Callable[[], None]] = []
        if self.floats:
            self.extra += [lambda: self.instance(self.random.choice(self.floats))] * 8 + [
                self.float_access,
                self.packed,
            ]
        if self.between:
            self.extra += [lambda: self.instance(self.random.choice(self.between))] * 4 + [self.asynchronous, self.trap]
        if config.ext_a:
            self.extra += [self.atomic] * 3

    def text(self, length: int = 40) -> str:
        self.block(length, depth=0)
        return "\n".join([*self.lines, "    ret"])

    def block(self, length: int, depth: int) -> None:
        choices = [self.compute] * 10 + [self.access] * 5 + [self.csr, self.skip, *self.extra]
        for _ in range(length):
            kind = self.random.random()
            if depth < 2 and kind < 0.08:
                self.split(depth)
            elif depth < 2 and kind < 0.12:
                self.loop(depth)
            elif depth == 0 and kind < 0.15:
                self.barrier()
            else:
                self.random.choice(choices)()

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def register(self) -> str:
        return self.random.choice(_REGISTERS)

    def operand(self, operand: Operand) -> str:
        if operand.kind is Kind.INTEGER_REGISTER:
            return self.register()
        if operand.kind is Kind.ROUNDING:
            return self.random.choice(("rne", "rtz", "rdn", "rup", "rmm", "dyn"))
        if operand.kind is Kind.FLOAT_REGISTER:
            return f"f{self.random.randrange(8)}"
        return str(self.random.randint(operand.lowest, operand.highest))

    def instance(self, row: Instruction) -> None:
        self.lines.append(f"    {row.name} " + ", ".join(self.operand(operand) for operand in row.operands))

    def compute(self) -> None:
        self.instance(self.random.choice(self.rows))

    def access(self) -> None:
        size = self.random.choice((1, 2, 4))
        offset = self.random.randrange(0, 32, size)
        if self.random.random() < 0.01:
            offset += 1  # perhaps misaligned
        base = self.random.choice(("s2", "s2", "s3"))
        offset %= 4 if base == "s3" else 32
        name = {1: ("lb", "lbu", "sb"), 2: ("lh", "lhu", "sh"), 4: ("lw", "lw", "sw")}[size][self.random.randrange(3)]
        self.lines.append(f"    {name} {self.register()}, {offset}({base})")

    def csr(self) -> None:
        name = self.random.choice(("mhartid", "cta_id", "cta_rank", "active_threads", "thread_id", "mcycle", "minstret",
                                   "cta_block_id_x", "mtval", "num_warps", "active_warps"))  # fmt: skip
        self.lines.append(f"    csrr {self.register()}, {name}")
        if self.random.random() < 0.3:
            self.lines.append(f"    {self.random.choice(('csrrw', 'csrrs', 'csrrc'))} {self.register()}, mtval, t0")

    def float_access(self) -> None:
        self.lines.append(f"    {self.random.choice(('flw', 'fsw'))} f{self.random.randrange(8)}, 4(s2)")
        if self.random.random() < 0.3:
            self.lines.append(f"    csrrwi t6, frm, {self.random.randrange(5)}\n    csrr t6, fflags")

    def packed(self) -> None:
        if self.between:
            self.lines.append(
                f"    li t6, {self.random.choice((0, 2, 4, -2))}\n    packlb.f f1, s2, t6\n    packlh.f f2, s2, t6"
            )

    def atomic(self) -> None:
        rows = [row for row in ATOMIC if row.size == 4]
        row = self.random.choice(rows)
        operands = [self.register() for _ in row.operands]
        operands[-1] = self.random.choice(("a0", "s2", "s2", "s3"))
        if operands[-1] == "s3" and self.random.random() < 0.9:
            operands[-1] = "a0"  # local memory has no atomics
        operands[0] = "t6"
        self.lines.append(f"    {row.name} " + ", ".join(operands))

    def asynchronous(self) -> None:
        self.lines.append("    csrr t4, cta_id\n    addi t4, t4, 256\n    csrr t5, cta_size")
        self.lines.append("    bar.arrive t3, t4, t5\n    bar.wait t4, t3" if self.random.random() < 0.5 else "    nop")

    def trap(self) -> None:
        """A handler that comes back behind the instruction."""
        handler, after = self.label(), self.label()
        self.lines.append(f"    lla t3, {handler}\n    csrw mtvec, t3\n    {self.random.choice(('ecall', 'ebreak'))}")
        self.lines.append(
            f"    j {after}\n{handler}: csrr t3, mepc\n    addi t3, t3, 4\n    csrw mepc, t3\n    mret\n{after}:"
        )

    def skip(self) -> None:
        """A branch that may diverge: a finding."""
        target = self.label()
        name = self.random.choice(("beq", "bne", "blt", "bge", "bltu", "bgeu"))
        self.lines.append(f"    {name} {self.register()}, {self.register()}, {target}")
        self.compute()
        self.lines.append(f"{target}:")

    def split(self, depth: int) -> None:
        other, end = self.label(), self.label()
        pointer = f"s{6 + depth}"
        self.lines.append(f"    andi t3, {self.register()}, 1\n    split {pointer}, t3\n    beqz t3, {other}")
        self.block(self.random.randrange(4), depth + 1)
        self.lines.append(f"    j {end}\n{other}:")
        self.block(self.random.randrange(4), depth + 1)
        self.lines.append(f"{end}: join {pointer}")

    def loop(self, depth: int) -> None:
        start, counter = self.label(), f"s{8 + depth}"
        self.lines.append(f"    li {counter}, {self.random.randint(1, 4)}\n{start}:")
        self.block(self.random.randrange(5), depth + 1)
        self.lines.append(f"    addi {counter}, {counter}, -1\n    bnez {counter}, {start}")

    def barrier(self) -> None:
        self.lines.append("    csrr t4, cta_id\n    csrr t5, cta_size\n    bar t4, t5")


def fuzz_case(seed: int, config: HardwareConfig, prepare: Prepare | None = None) -> Outcome:
    """One random kernel on both tiers."""
    print(f"fuzz seed {seed}, {config.label()}")
    fuzz = Fuzz(seed, config)
    if config.ext_f:
        fuzz.lines.append("\n".join(f"    fmv.w.x f{i}, {register}" for i, register in enumerate(_REGISTERS[:6])))
    text = fuzz.text()
    block = fuzz.random.randint(1, config.core_threads)
    try:
        return both_tiers(
            text,
            config,
            grid=fuzz.random.randint(1, 5),
            block=block,
            lmem=256,
            prepare=prepare,
            seed=seed if seed % 4 == 0 else None,
        )
    except AssertionError:
        print(text)
        raise
