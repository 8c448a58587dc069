"""Drives one execution unit of the core: random gaps between instructions, random stalls of its commit port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from cocotb.triggers import FallingEdge, ReadOnly, Timer

from config import HardwareConfig
from tests.rtl.bench import elements, joined
from tests.rtl.core_structs import DECODED, CoreLayouts

CORNERS = (0, 1, 2, 3, 0x7F, 0x80, 0xFF, 31, 32, 33, 63, 64)


@dataclass
class Instruction:
    """What a unit receives. Lane operands have one value per lane."""

    wid: int = 0
    pc: int = 0x8000_0000
    tmask: int = 1
    rs1: Sequence[int] = ()
    rs2: Sequence[int] = ()
    dec: dict[str, int] = field(default_factory=dict)
    rs3: Sequence[int] = ()


def lanes_of(tmask: int) -> list[int]:
    """Active lanes; what a unit gives for another one means nothing."""
    return [lane for lane in range(tmask.bit_length()) if tmask >> lane & 1]


@dataclass
class Commit:
    """What came back, `cycle` counted by the bench."""

    cycle: int
    fields: dict[str, int]
    data: list[int]
    extra: dict[str, int]


class UnitBench:
    """One unit with the ports exec_valid/ready, exec, commit_valid/ready, commit.

    Args:
        watch: names of further outputs that are sampled in the commit cycle.
    """

    def __init__(self, dut: Any, config: HardwareConfig, rng: Random, watch: Sequence[str] = ()) -> None:
        self.dut, self.config, self.rng, self.watch = dut, config, rng, watch
        self.layouts = CoreLayouts(config)
        dut.exec_valid.value = 0
        dut.exec.value = 0
        dut.commit_ready.value = 0

    def check_widths(self) -> None:
        assert len(self.dut.exec) == self.layouts.exec.width
        assert len(self.dut.commit) == self.layouts.commit.width

    def pack(self, uid: int, ins: Instruction) -> int:
        xlen = self.config.xlen
        return self.layouts.exec.pack(
            {
                "wid": ins.wid,
                "uid": uid,
                "pc": ins.pc,
                "tmask": ins.tmask,
                "dec": DECODED.pack(ins.dec),
                "rs1": joined(ins.rs1, xlen),
                "rs2": joined(ins.rs2, xlen),
                "rs3": joined(ins.rs3, xlen),
            }
        )

    async def run(self, program: Sequence[Instruction], gap: float = 0.3, stall: float = 0.3) -> list[Commit]:
        """Send the program (uid = position) and return its commits in its order, which must be theirs."""
        commits = await self.run_out_of_order(program, gap, stall)
        assert list(commits) == list(range(len(program))), "results in another order"
        return list(commits.values())

    async def run_out_of_order(
        self, program: Sequence[Instruction], gap: float = 0.3, stall: float = 0.3
    ) -> dict[int, Commit]:
        """Send the program and return its commits by uid, in the order in which they came; each must come once."""
        dut, rng = self.dut, self.rng
        commits: list[Commit] = []
        sent = cycle = 0
        held: int | None = None
        while len(commits) < len(program):
            await FallingEdge(dut.clk)
            dut.commit_ready.value = int(rng.random() >= stall)
            dut.exec_valid.value = 0
            dut.exec.value = rng.getrandbits(self.layouts.exec.width)  # must not matter
            await Timer(1, "ns")  # exec_ready follows commit_ready
            if sent < len(program) and dut.exec_ready.value and rng.random() >= gap:
                dut.exec_valid.value = 1
                dut.exec.value = self.pack(sent, program[sent])
                sent += 1
            await ReadOnly()
            if dut.commit_valid.value:
                packed = int(dut.commit.value)
                assert held is None or held == packed, "a result changed while it waited"
                held = packed
                if dut.commit_ready.value:
                    commits.append(self._commit(cycle, packed))
                    held = None
            else:
                assert held is None, "a result was withdrawn"
            cycle += 1
            assert cycle < 200 * len(program) + 1000, f"{len(commits)} of {len(program)} instructions committed"
        found = {commit.fields["uid"]: commit for commit in commits}
        assert sorted(found) == list(range(len(program))), "an instruction came back twice"
        for uid, commit in found.items():
            ins = program[uid]
            assert commit.fields["wid"] == ins.wid and commit.fields["pc"] == ins.pc
            assert commit.fields["tmask"] == ins.tmask
            assert commit.fields["rd"] == ins.dec.get("rd", 0) and commit.fields["use_rd"] == ins.dec.get("use_rd", 0)
        return found

    def _commit(self, cycle: int, packed: int) -> Commit:
        fields = self.layouts.commit.unpack(packed)
        data = elements(fields["data"], self.config.xlen, self.config.num_threads)
        return Commit(cycle, fields, data, {name: int(getattr(self.dut, name).value) for name in self.watch})

    def operand(self) -> int:
        """A random value with many corner cases."""
        rng, xlen = self.rng, self.config.xlen
        kind = rng.random()
        if kind < 0.3:
            return rng.choice(CORNERS)
        if kind < 0.5:
            return (-rng.choice(CORNERS)) % (1 << xlen)
        if kind < 0.7:
            return ((1 << (xlen - 1)) + rng.choice((-1, 0, 1))) % (1 << xlen)
        return rng.getrandbits(xlen) >> rng.choice((0, 0, 0, xlen // 2, xlen - 8))

    def operands(self) -> list[int]:
        return [self.operand() for _ in range(self.config.num_threads)]

    def beats(self, tmask: int) -> int:
        """Beats of SIMD_WIDTH lanes that an instruction takes: those with an active lane."""
        width = self.config.simd_lanes
        return sum(bool(tmask >> low & ((1 << width) - 1)) for low in range(0, self.config.num_threads, width))

    def mask(self) -> int:
        """A random thread mask that is not empty."""
        lanes = self.config.num_threads
        return self.rng.choice(((1 << lanes) - 1, 1 << self.rng.randrange(lanes), self.rng.randrange(1, 1 << lanes)))


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def sext32(value: int, xlen: int) -> int:
    return signed(value, 32) & ((1 << xlen) - 1)
