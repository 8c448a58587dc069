"""vx_sfu: random sequences of all of its instructions and of several warps against a model of lists.

Barriers across cores are in test_global_barrier.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.bench import elements, start_clock_and_reset
from tests.rtl.core_structs import CoreLayouts, Fault, Sfu
from tests.rtl.unit_bench import Instruction, UnitBench

OPERATIONS = 1000
STORED = (0x300, 0x305, 0x340, 0x341, 0x342, 0x343)
IGNORED = (0x180, 0x302, 0x303, 0x304, 0x3A0, 0x3B0, 0x744)
FLOAT = {0x001: (0, 5), 0x002: (5, 3), 0x003: (0, 8)}  # lowest bit and width in fcsr; with EXT_F
CTA_VALUES = {
    0xCD0: "slot", 0xCD1: "rank", 0xCD2: "num_warps", 0xCDF: "lmem_addr", 0xCE0: "cluster_size", 0xCE1: "entry",
}  # fmt: skip
VORTEX = (*range(0xCC0, 0xCC5), *range(0xCD3, 0xCDF), *range(0xFC0, 0xFC5))
MACHINE = (0x301, 0xF11, 0xF12, 0xF13, 0xF14, 0xB01, 0xB81, 0xB05, 0xB9F)
UNKNOWN = (0x000, 0x004, 0x7C0, 0xC00, 0xCC5, 0xCE2, 0xFC5, 0xBA0)


@dataclass
class Warp:
    """State that the unit keeps for a warp, and its mask."""

    tmask: int
    stack: list[list[int]] = field(default_factory=list)  # [mask, pc, second]
    csrs: dict[int, int] = field(default_factory=dict)
    fcsr: int = 0
    waits: bool = False
    saved_mask: int = 0  # of the last trap


@dataclass
class Expected:
    """What one instruction must do."""

    data: list[int] | None = None
    illegal: bool = False
    next_pc: int | None = None
    next_mask: int | None = None
    resume: bool = True
    released: int = 0
    ipdom: tuple[int, int, int, int] | None = None  # op, sp, mask, pc
    write_mask: int | None = None  # other than the thread mask
    spawned: int = 0


class Model:
    """The rules of reference sections 2.3 to 2.7 and 3, with Python lists and dictionaries."""

    def __init__(self, config: HardwareConfig, cta: dict[str, int], core_id: int) -> None:
        self.config, self.cta, self.core_id = config, cta, core_id
        self.full = (1 << config.num_threads) - 1
        self.warps = [Warp(self.full) for _ in range(config.num_warps)]
        self.barriers: dict[tuple[int, int], list[int]] = {}  # arrived, waiting, phase

    def execute(self, ins: Instruction, op: Sfu) -> Expected:
        warp = self.warps[ins.wid]
        last = ins.tmask.bit_length() - 1
        a, b = ins.rs1[last], ins.rs2[last]
        if op in (Sfu.CSRRW, Sfu.CSRRS, Sfu.CSRRC):
            return self._csr(ins, op, warp, a)
        if op is Sfu.BAR:
            return self._barrier(ins, a, b)
        if op is Sfu.BAR_ARRIVE:
            return self._arrive(a, b)
        if op is Sfu.BAR_WAIT:
            return self._wait(ins, a, b)
        if op is Sfu.WSPAWN:
            spawned = sum(1 << i for i in range(self.config.num_warps) if i < a and i != ins.wid)
            for wid in range(self.config.num_warps):
                if spawned >> wid & 1:
                    self.warps[wid].stack.clear()
                    self.warps[wid].csrs[0x340] = warp.csrs.get(0x340, 0)
            return Expected(next_pc=ins.pc + 4, next_mask=ins.tmask, spawned=spawned)
        if op is Sfu.TRAP:
            warp.csrs.update({0x341: ins.pc, 0x342: ins.dec["imm"], 0x343: 0})
            warp.saved_mask = ins.tmask
            return Expected(next_pc=warp.csrs.get(0x305, 0) & ~3, next_mask=ins.tmask)
        if op is Sfu.RETURN:
            warp.tmask = warp.saved_mask or ins.tmask
            return Expected(next_pc=warp.csrs.get(0x341, 0) & ~3, next_mask=warp.tmask)
        if op in (Sfu.VOTE, Sfu.SHUFFLE, Sfu.WGATHER):
            return self._exchange(ins, op)
        if op is Sfu.WSYNC:
            return Expected()
        if op is Sfu.ILLEGAL:
            return Expected(illegal=True)
        result = self._mask(ins, op, warp, a, b & self.full)
        if not result.illegal:
            assert result.next_mask is not None
            warp.tmask = result.next_mask
        return result

    def _mask(self, ins: Instruction, op: Sfu, warp: Warp, a: int, restore: int) -> Expected:
        negate = ins.dec["imm"] & 1
        then = sum(1 << i for i in range(self.config.num_threads) if ins.tmask >> i & 1 and ins.rs1[i] & 1 != negate)
        other, after, sp = ins.tmask & ~then, ins.pc + 4, len(warp.stack)
        if op is Sfu.TMC:
            return Expected(next_pc=after, next_mask=a & self.full)
        if op is Sfu.PRED:
            return Expected(next_pc=after, next_mask=then or restore)
        if op is Sfu.SPLIT:
            data = [sp] * self.config.num_threads
            if not then or not other:
                return Expected(data, next_pc=after, next_mask=ins.tmask)
            if sp == self.config.ipdom_depth:
                return Expected(illegal=True)
            warp.stack.append([ins.tmask, after, 0])
            fewer = then if then.bit_count() <= other.bit_count() else other
            return Expected(data, next_pc=after, next_mask=fewer, ipdom=(0, sp, ins.tmask, after))
        if a == sp or self.config.num_threads == 1:
            return Expected(next_pc=after, next_mask=ins.tmask)
        if not warp.stack:
            return Expected(illegal=True)
        mask, pc, second = warp.stack[-1]
        if second:
            warp.stack.pop()
            return Expected(next_pc=after, next_mask=mask, ipdom=(2, sp, mask, pc))
        warp.stack[-1][2] = 1
        return Expected(next_pc=pc, next_mask=mask & ~ins.tmask, ipdom=(1, sp, mask, pc))

    def _barrier(self, ins: Instruction, identifier: int, count: int) -> Expected:
        if identifier >> 31 or count == 0:
            return Expected(illegal=True)
        entry = self._entry(identifier)
        entry[1] |= 1 << ins.wid
        self.warps[ins.wid].waits = True
        released = self._arrival(entry, count)
        resume = bool(released)
        return Expected(next_pc=ins.pc + 4, next_mask=ins.tmask, resume=resume, released=released)

    def _entry(self, identifier: int) -> list[int]:
        """Arrivals, waiting warps, phase, announced transactions."""
        key = (identifier & 0xFF) % self.config.num_warps, (identifier >> 8) % self.config.num_barriers
        return self.barriers.setdefault(key, [0, 0, 0, 0])

    def _arrival(self, entry: list[int], count: int) -> int:
        """Warps that the arrival lets go."""
        if entry[0] != count - 1:
            entry[0] += 1
            return 0
        entry[0] = 0
        if entry[3]:
            return 0
        released, entry[1], entry[2] = entry[1], 0, 1 - entry[2]
        for wid, warp in enumerate(self.warps):
            if released >> wid & 1:
                warp.waits = False
        return released

    def _arrive(self, identifier: int, operand: int) -> Expected:
        entry = self._entry(identifier)
        data = [entry[2]] * self.config.num_threads
        if operand >> 31:
            entry[3] += operand & 0x7FFF_FFFF
            return Expected(data)
        if operand == 0:
            return Expected(illegal=True)
        return Expected(data, released=self._arrival(entry, operand))

    def _wait(self, ins: Instruction, identifier: int, token: int) -> Expected:
        entry = self._entry(identifier)
        goes_on = token & 1 != entry[2]
        if not goes_on:
            entry[1] |= 1 << ins.wid
            self.warps[ins.wid].waits = True
        released = int(goes_on) << ins.wid
        return Expected(next_pc=ins.pc + 4, next_mask=ins.tmask, resume=goes_on, released=released)

    def _exchange(self, ins: Instruction, op: Sfu) -> Expected:
        lanes, kind = self.config.num_threads, ins.dec["imm"] & 3
        active = [lane for lane in range(lanes) if ins.tmask >> lane & 1]
        if op is Sfu.VOTE:
            bits = [ins.rs1[lane] & 1 for lane in active]
            ballot = sum(1 << lane for lane in active if ins.rs1[lane] & 1)
            vote = (int(all(bits)), int(any(bits)), int(len(set(bits)) == 1), ballot)[kind]
            return Expected([vote] * lanes)
        if op is Sfu.SHUFFLE:
            data = list(ins.rs1)
            for i in active:
                b, c, m = (ins.rs2[i] >> shift & lanes - 1 for shift in (0, 6, 12))
                low = i & m
                high = low | c & ~m
                source = (i - b, i + b, i ^ b, low | b & ~m)[kind]
                valid = source >= low if kind == 0 else source <= high
                if valid and source in active:
                    data[i] = ins.rs1[source]
            return Expected(data)
        if lanes == 1:
            return Expected(list(ins.rs1), write_mask=1)
        data, mask = [0] * lanes, 0
        for i in range(lanes):
            source = i // 4 * 4 + kind
            if source not in active:
                source = active[-1]
            place = (i - kind) % 4
            if place:
                mask |= 1 << i
                data[i] = (ins.rs1, ins.rs2, ins.rs3)[place - 1][source]
        return Expected(data, write_mask=mask)

    def _csr(self, ins: Instruction, op: Sfu, warp: Warp, a: int) -> Expected:
        number = ins.dec["imm"] & 0xFFF
        operand = ins.dec["imm"] >> 12 & 31 if ins.dec["use_imm"] else a
        writes = op is Sfu.CSRRW or operand != 0
        old = self._read(number, ins, warp)
        if old is None or (writes and number not in (*STORED, *IGNORED, *FLOAT)):
            return Expected(illegal=True)
        if writes and number in FLOAT:
            low, width = FLOAT[number]
            mask = (1 << width) - 1
            new = {Sfu.CSRRW: operand, Sfu.CSRRS: old[0] | operand, Sfu.CSRRC: old[0] & ~operand}[op]
            warp.fcsr = warp.fcsr & ~(mask << low) | (new & mask) << low
        if writes and number in STORED:
            value = warp.csrs.get(number, 0)
            warp.csrs[number] = {Sfu.CSRRW: operand, Sfu.CSRRS: value | operand, Sfu.CSRRC: value & ~operand}[op]
        return Expected(old)

    def _read(self, number: int, ins: Instruction, warp: Warp) -> list[int] | None:
        config, cta, lanes = self.config, self.cta, range(self.config.num_threads)
        layouts = CoreLayouts(config)
        if number in STORED:
            return [warp.csrs.get(number, 0)] * len(lanes)
        if number in FLOAT:
            low, width = FLOAT[number]
            return [warp.fcsr >> low & (1 << width) - 1] * len(lanes) if config.ext_f else None
        first = self.core_id * config.num_warps + ins.wid
        same = {
            **dict.fromkeys((*IGNORED, 0xF11, 0xF12, 0xF13, 0xB01, 0xB81, 0xB05, 0xB9F), 0),
            **{csr: cta[name] for csr, name in CTA_VALUES.items()},
            0x301: config.misa,
            0xCC1: ins.wid,
            0xCC2: self.core_id,
            0xCC3: ACTIVE,
            0xCC4: ins.tmask,
            0xFC0: config.num_threads,
            0xFC1: config.num_warps,
            0xFC2: config.total_cores,
            0xFC3: config.lmem_base,
            0xFC4: config.num_barriers,
        }
        for axis in range(3):
            same[0xCD6 + axis] = elements(cta["block_idx"], 32, 3)[axis]
            same[0xCD9 + axis] = elements(cta["block_dim"], layouts.dim, 3)[axis]
            same[0xCDC + axis] = elements(cta["grid_dim"], 32, 3)[axis]
        if number in same:
            return [same[number]] * len(lanes)
        if 0xCD3 <= number <= 0xCD5:
            return [elements(cta["thread_idx"], layouts.tid, 3 * len(lanes))[3 * i + number - 0xCD3] for i in lanes]
        return {0xCC0: list(lanes), 0xF14: [first * len(lanes) + i for i in lanes]}.get(number)

    def csrs(self) -> list[int]:
        return [*STORED, *IGNORED, *FLOAT, *FLOAT, *CTA_VALUES, *UNKNOWN, *VORTEX, *MACHINE]


ACTIVE = 1


def choose(rng: Random, bench: UnitBench, model: Model) -> tuple[Instruction, Sfu] | None:
    """A random next instruction of a warp that is not waiting at a barrier."""
    config = bench.config
    ready = [wid for wid, warp in enumerate(model.warps) if not warp.waits]
    wid = rng.choice(ready)
    warp = model.warps[wid]
    op = rng.choice([*list(Sfu)[:5], Sfu.SPLIT, Sfu.JOIN, Sfu.PRED, *list(Sfu)[5:], Sfu.BAR_ARRIVE, Sfu.BAR_WAIT])
    if warp.stack and rng.random() < 0.2:
        op = Sfu.JOIN
    if op is Sfu.JOIN and not warp.stack and rng.random() < 0.9:
        op = Sfu.SPLIT
    first, second, third = bench.operands(), bench.operands(), bench.operands()
    last = warp.tmask.bit_length() - 1
    imm = rng.getrandbits(1)
    use_imm = 0
    if op is Sfu.JOIN:
        first[last] = max(0, len(warp.stack) - rng.choice((0, 1, 1, 1)))
    elif op is Sfu.TMC:
        first[last] = (rng.getrandbits(config.num_threads) | rng.getrandbits(8) << config.num_threads) & 0xFFFF_FFFF
    elif op is Sfu.PRED:
        second[last] = rng.getrandbits(32) if rng.random() < 0.9 else 0
    elif op is Sfu.WSPAWN:
        first[last] = rng.choice((0, 1, config.num_warps, config.num_warps + 1, rng.getrandbits(32)))
    elif op is Sfu.TRAP:
        imm = rng.choice((3, 11))
    elif op in (Sfu.VOTE, Sfu.SHUFFLE, Sfu.WGATHER):
        imm = rng.getrandbits(2)
        if op is Sfu.VOTE and rng.random() < 0.5:
            first = [value & ~1 | imm for value in first]  # all alike
    elif op in (Sfu.BAR, Sfu.BAR_ARRIVE, Sfu.BAR_WAIT):
        others = len(ready) - 1
        slot, number = rng.randrange(config.num_warps), rng.randrange(2)
        first[last] = slot | number << 8
        arrived, _, phase, events = model.barriers.get((slot, number), (0, 0, 0, 0))
        # Never lock everybody: the last free warp must complete the phase that it arrives at.
        second[last] = arrived + 1 if not others or rng.random() < 0.5 else arrived + rng.randint(1, others + 1)
        if rng.random() < 0.15:
            second[last] = 0
        if op is Sfu.BAR_ARRIVE and rng.random() < 0.1 and not others and number == 1 and slot == 1:
            second[last] = 1 << 31 | rng.randrange(3)  # nothing ever completes them: one barrier is used up
        if op is Sfu.BAR_WAIT:
            second[last] = rng.getrandbits(31) << 1 | (1 - phase if not others or events else rng.getrandbits(1))
        if op is Sfu.BAR and events:
            second[last] = 0
    elif op in (Sfu.CSRRW, Sfu.CSRRS, Sfu.CSRRC):
        number = rng.choice(STORED) if rng.random() < 0.5 else rng.choice(model.csrs())
        use_imm = rng.getrandbits(1)
        imm = rng.choice((0, rng.getrandbits(5))) << 12 | number
        if rng.random() < 0.5:
            first[last] = 0
    dec = {"op": int(op), "imm": imm, "use_imm": use_imm, "use_rd": int(op not in (Sfu.TMC, Sfu.BAR)), "rd": 5}
    return Instruction(wid, rng.getrandbits(20) << 2, warp.tmask, first, second, dec, third), op


@cocotb.test()
async def random_instructions(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    core_id = runner.parameter("CORE_ID", 0)
    bench = UnitBench(dut, config, rng)
    layouts = bench.layouts
    struct = layouts.cta_csrs
    cta = {name: rng.getrandbits(width) for name, width in struct.fields}
    dut.cta_csrs.value = struct.pack(cta)
    for name in ("start_valid", "start_wid", "start_param", "core_busy", "instruction_commits", "mpm_index"):
        getattr(dut, name).value = 0
    dut.fflags_valid.value = 0
    dut.active_warps.value = ACTIVE
    dut.warp_ended.value = dut.gbar_rsp.value = 0
    dut.in_flight.value = 1
    await start_clock_and_reset(dut)
    bench.check_widths()
    assert len(dut.cta_csrs) == struct.width

    model = Model(config, cta, core_id)
    seen: dict[str, int] = {}
    for uid in range(OPERATIONS):
        chosen = choose(rng, bench, model)
        assert chosen is not None
        ins, op = chosen
        await FallingEdge(dut.clk)
        dut.start_valid.value = 0
        dut.commit_ready.value = 0
        await Timer(1, "ns")
        assert dut.exec_ready.value
        dut.exec_valid.value = 1
        dut.exec.value = bench.pack(uid, ins)
        raised, raising = rng.getrandbits(5) & rng.getrandbits(5), rng.randrange(config.num_warps)
        dut.fflags_valid.value, dut.fflags_wid.value, dut.fflags.value = int(raised != 0), raising, raised
        model.warps[raising].fcsr |= raised
        await FallingEdge(dut.clk)
        dut.fflags_valid.value = 0
        assert [int(mode.value) for mode in dut.frm] == [warp.fcsr >> 5 for warp in model.warps]
        dut.exec_valid.value = 0
        dut.exec.value = rng.getrandbits(layouts.exec.width)  # must not matter
        depth = len(model.warps[ins.wid].stack)
        expected = model.execute(ins, op)
        ends = expected.next_mask == 0
        if ends:  # must wait until it is the only instruction in flight
            dut.in_flight.value = 2
            await ReadOnly()
            assert not dut.commit_valid.value, f"{op.name} ended its warp while an older instruction was in flight"
            await FallingEdge(dut.clk)
            dut.in_flight.value = 1
        if op in (Sfu.SHUFFLE, Sfu.WGATHER):  # the lanes of one beat in a cycle
            for _ in range(config.num_threads // config.simd_lanes - 1):
                await ReadOnly()
                assert not dut.commit_valid.value, f"{op.name} is complete before its last beat"
                await FallingEdge(dut.clk)
        for _ in range(rng.choice((0, 0, 2))):  # nothing may happen before the commit is taken
            await ReadOnly()
            assert dut.commit_valid.value and not dut.resolve_valid.value
            assert int(dut.released.value) == 0 and int(dut.spawned.value) == 0
            await FallingEdge(dut.clk)
        dut.commit_ready.value = 1
        await ReadOnly()
        check(dut, bench, model, ins, op, expected, depth)
        kind = f"{op.name}{'!' if expected.illegal else ''}{expected.ipdom[0] if expected.ipdom else ''}"
        seen[kind] = seen.get(kind, 0) + 1
        await RisingEdge(dut.clk)
        warp = model.warps[ins.wid]
        if warp.tmask == 0 or expected.illegal:  # the warp ended; it starts again with an empty stack
            await FallingEdge(dut.clk)
            param = rng.getrandbits(32)
            dut.commit_ready.value = 0
            dut.start_valid.value = 1
            dut.start_wid.value = ins.wid
            dut.start_param.value = param
            warp.stack.clear()
            warp.csrs[0x340] = param
            warp.tmask = rng.randrange(1, 1 << config.num_threads)
            await RisingEdge(dut.clk)
    wanted = {"TMC", "PRED", "BAR", "BAR!", "WSYNC", "ILLEGAL!", "CSRRW", "CSRRS", "CSRRC", "CSRRW!", "SPLIT", "JOIN"}
    wanted |= {"WSPAWN", "BAR_ARRIVE", "BAR_ARRIVE!", "BAR_WAIT", "TRAP", "RETURN", "VOTE", "SHUFFLE", "WGATHER"}
    if config.num_threads > 1:
        wanted |= {"SPLIT0", "JOIN1", "JOIN2"}
    assert wanted <= set(seen), f"never happened: {wanted - set(seen)}"


def check(dut: Any, bench: UnitBench, model: Model, ins: Instruction, op: Sfu, expected: Expected, depth: int) -> None:
    place = f"{op.name} warp {ins.wid} mask {ins.tmask:#x} depth {depth} imm {ins.dec['imm']:#x}"
    assert dut.commit_valid.value
    commit = bench.layouts.commit.unpack(int(dut.commit.value))
    assert commit["fault"] == (Fault.ILLEGAL if expected.illegal else Fault.NONE), place
    if expected.illegal:
        assert commit["fault_addr"] == ins.pc and not dut.resolve_valid.value, place
        return
    if expected.data is not None:
        data = elements(commit["data"], bench.config.xlen, bench.config.num_threads)
        mask = ins.tmask if expected.write_mask is None else expected.write_mask
        assert int(dut.write_mask.value) == mask, f"{place}: lanes {int(dut.write_mask.value):#x} are written"
        written = [lane for lane in range(len(data)) if mask >> lane & 1]
        assert [data[lane] for lane in written] == [expected.data[lane] for lane in written], (
            f"{place}: {data}, expected {expected.data}"
        )
    assert int(dut.spawned.value) == expected.spawned, place
    if expected.spawned:
        assert int(dut.spawn_pc.value) == ins.rs2[ins.tmask.bit_length() - 1], place
    assert bool(dut.resolve_valid.value) == (expected.next_mask is not None), place
    assert int(dut.released.value) == expected.released, place
    if expected.next_mask is None:
        return
    assert int(dut.wid.value) == ins.wid
    assert int(dut.resolve_mask.value) == expected.next_mask, f"{place}: mask {int(dut.resolve_mask.value):#x}"
    assert int(dut.resolve_pc.value) == expected.next_pc, place
    assert bool(dut.resolve_resume.value) == expected.resume, place
    if op in (Sfu.BAR, Sfu.BAR_WAIT):
        return
    ipdom = int(dut.trace_ipdom.value)
    if expected.ipdom is None:
        assert ipdom == 0, place
        return
    config = bench.config
    width = config.ipdom_depth.bit_length()
    pc, mask = ipdom & (1 << 32) - 1, ipdom >> 32 & (1 << config.num_threads) - 1
    sp = ipdom >> 32 + config.num_threads & (1 << width) - 1
    kind = ipdom >> 32 + config.num_threads + width & 3
    assert (kind, sp, mask, pc) == expected.ipdom, place


@cocotb.test()
async def counters(dut: Any) -> None:
    """MCYCLE counts busy cycles, MINSTRET commits; the host reads both halves."""
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    UnitBench(dut, config, rng)
    inputs = (
        "start_valid",
        "core_busy",
        "instruction_commits",
        "cta_csrs",
        "active_warps",
        "in_flight",
        "warp_ended",
        "fflags_valid",
    )
    for name in inputs:
        getattr(dut, name).value = 0
    dut.mpm_index.value = dut.gbar_rsp.value = 0
    await start_clock_and_reset(dut)
    cycles = commits = 0
    for _ in range(300):
        await FallingEdge(dut.clk)
        busy, committed = rng.getrandbits(1), rng.getrandbits(1)
        dut.core_busy.value = busy
        dut.instruction_commits.value = committed
        index = rng.randrange(64)
        dut.mpm_index.value = index
        await ReadOnly()
        expected = {0: cycles, 2: commits}.get(index & 31, 0) if index < 32 else 0
        assert int(dut.mpm_value.value) == expected, f"counter {index}"
        cycles += busy
        commits += committed


@pytest.mark.parametrize(
    ("warps", "lanes", "width", "floats"),
    [(4, 4, 4, True), (2, 8, 8, False), (2, 32, 32, True), (2, 2, 2, True), (2, 1, 1, True), (2, 8, 2, True)],
)
def test_sfu(warps: int, lanes: int, width: int, floats: bool) -> None:
    hardware = {"num_warps": warps, "num_threads": lanes, "simd_width": width, "ext_f": floats}
    runner.run(runner.Block("vx_sfu", hardware=hardware, parameters={"CORE_ID": 1}), __name__)
