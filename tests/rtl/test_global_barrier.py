"""Barriers across cores: vx_barrier of each core and vx_global_barrier, with local barriers and ends of warps between.

The reference performs every operation when it takes effect; which warps it lets go, on which core, must be what the
units do, the other cores' warps one cycle later.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly

from tests.rtl import runner
from tests.rtl.bench import elements, joined, start_clock_and_reset

CYCLES = 6000
ROUND = 150  # cycles
SYNC, ARRIVE, WAIT = 0, 1, 2
ACROSS = 1 << 31
LOCAL = 2 << 8
PATIENCE = 40  # cycles until the end of a warp has let others go


@dataclass
class Entry:
    """One barrier of one core."""

    count: int = 0
    waiting: int = 0
    phase: int = 0
    present: int = 0


@dataclass
class Core:
    active: int
    waits: int = 0  # suspended warps
    entries: dict[int, Entry] = field(default_factory=dict)
    offered: tuple[int, int, int, int] | None = None  # op, warp, id, count
    tokens: dict[tuple[int, int], int] = field(default_factory=dict)  # (warp, id) of ARRIVE -> phase
    phases: Counter[int] = field(default_factory=Counter)  # of each warp

    def entry(self, identifier: int) -> Entry:
        return self.entries.setdefault(identifier & 0x7FFF_FFFF, Entry())


class Model:
    """Reference section 2.7."""

    def __init__(self, cores: int, warps: int) -> None:
        self.cores = [Core((1 << warps) - 1) for _ in range(cores)]
        self.wanted: dict[int, int] = {}  # barrier -> cores that take part
        self.ends = 0

    def perform(self, number: int) -> tuple[int, bool, dict[int, int]]:
        """What core `number` offers takes effect: its warps let go, if the warp goes on, warps of others let go."""
        core = self.cores[number]
        assert core.offered is not None
        op, wid, identifier, count = core.offered
        core.offered = None
        entry = core.entry(identifier)
        if op == WAIT:
            if count & 1 != entry.phase:
                return 1 << wid, True, {}
            entry.waiting |= 1 << wid
            core.waits |= 1 << wid
            return 0, False, {}
        if op == ARRIVE:
            if identifier & ACROSS:
                core.tokens[wid, identifier] = entry.phase
        else:
            entry.waiting |= 1 << wid
            core.waits |= 1 << wid
        if identifier & ACROSS:
            entry.present |= 1 << wid
            self.wanted[identifier] = count
            gone = self.settle(identifier)
        elif entry.count == count - 1:
            entry.count = 0
            gone = {number: self.flip(core, entry)}
        else:
            entry.count += 1
            gone = {}
        mine = gone.pop(number, 0)
        return mine, op == ARRIVE or bool(mine >> wid & 1), gone

    def flip(self, core: Core, entry: Entry) -> int:
        gone, entry.waiting, entry.phase = entry.waiting, 0, 1 - entry.phase
        core.waits &= ~gone
        return gone

    def settle(self, identifier: int) -> dict[int, int]:
        arrived = [
            number
            for number, core in enumerate(self.cores)
            if core.entry(identifier).present and not core.active & ~core.entry(identifier).present
        ]
        if len(arrived) < min(self.wanted[identifier], len(self.cores)):
            return {}
        del self.wanted[identifier]
        self.ends += 1
        gone = {}
        for number in arrived:
            entry = self.cores[number].entry(identifier)
            entry.present = 0
            gone[number] = self.flip(self.cores[number], entry)
        return gone

    def end_warp(self, number: int, wid: int) -> dict[int, int]:
        self.cores[number].active &= ~(1 << wid)
        gone: dict[int, int] = {}
        for identifier in list(self.wanted):
            for other, warps in self.settle(identifier).items():
                gone[other] = gone.get(other, 0) | warps
        return gone


def choose(rng: Random, core: Core, cores: int, warps: int) -> tuple[int, int, int, int] | None:
    """A warp that neither waits nor has ended does something.

    All warps go through the same phases, on two barriers in turn, each in one step or by ARRIVE and WAIT.
    """
    free = [wid for wid in range(warps) if core.active >> wid & 1 and not core.waits >> wid & 1]
    if not free:
        return None
    wid = rng.choice(free)
    if rng.random() < 0.3:
        return ARRIVE, wid, LOCAL, 1  # a local barrier of one
    identifier = ACROSS | core.phases[wid] % 2 << 8
    if (wid, identifier) in core.tokens:
        core.phases[wid] += 1
        return WAIT, wid, identifier, rng.getrandbits(31) << 1 | core.tokens.pop((wid, identifier))
    operation = rng.choice((SYNC, SYNC, ARRIVE))
    core.phases[wid] += operation == SYNC
    return operation, wid, identifier, rng.choice((cores, cores, cores + 3))


@cocotb.test()
async def all_cores(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    cores, warps = config.total_cores, config.num_warps
    for name in ("valid", "take", "op", "wid", "id", "count", "warp_ended"):
        getattr(dut, name).value = 0
    dut.active.value = (1 << cores * warps) - 1
    await start_clock_and_reset(dut)
    model = Model(cores, warps)
    due: dict[int, int] = {}  # warps of other cores that must be let go in the next cycle
    late: dict[int, int] = {}  # ... soon, because a warp has ended
    patience = operations = ended = remote = 0
    wid_bits = max(1, (warps - 1).bit_length())
    ends = freed = 0
    for cycle in range(CYCLES):
        await FallingEdge(dut.clk)
        dut.warp_ended.value = 0
        if cycle % ROUND == 0:  # ended warps do not come back: begin again, with all of them
            dut.valid.value = 0
            dut.reset.value = 1
            await FallingEdge(dut.clk)
            dut.reset.value = 0
            ends += model.ends
            model, due, late = Model(cores, warps), {}, {}
        quiet = not late
        for core in model.cores:
            if core.offered is None and quiet and rng.random() < 0.6:
                core.offered = choose(rng, core, cores, warps)
        ending = None
        if quiet and not due and all(core.offered is None for core in model.cores):
            number = rng.randrange(cores)
            core = model.cores[number]
            free = [wid for wid in range(warps) if core.active >> wid & 1 and not core.waits >> wid & 1]
            # Mostly the last one that the others of its core wait for.
            if free and core.active.bit_count() > 1 and rng.random() < (0.2 if len(free) == 1 else 0.01):
                ending = number, free[0]
        if ending is not None:
            dut.warp_ended.value = 1 << ending[0]
        offered = [core.offered or (0, 0, 0, 1) for core in model.cores]
        take = rng.getrandbits(cores)
        dut.valid.value = sum(1 << number for number, core in enumerate(model.cores) if core.offered is not None)
        dut.take.value = take
        dut.op.value = joined([entry[0] for entry in offered], 2)
        dut.wid.value = joined([entry[1] for entry in offered], wid_bits)
        dut.id.value = joined([entry[2] for entry in offered], 32)
        dut.count.value = joined([entry[3] for entry in offered], 32)
        dut.active.value = joined([core.active for core in model.cores], warps)
        await ReadOnly()
        ready, resume, phase = int(dut.ready.value), int(dut.resume.value), int(dut.phase.value)
        released = elements(int(dut.released.value), warps, cores)
        let_go = elements(int(dut.let_go.value), warps, cores)
        expected = due
        due = {}
        for number, core in enumerate(model.cores):
            if core.offered is None or not (take & ready) >> number & 1:
                continue
            place = f"cycle {cycle} core {number} {core.offered}"
            before = core.entry(core.offered[2]).phase
            mine, goes_on, others = model.perform(number)
            operations += 1
            assert phase >> number & 1 == before, f"{place}: phase"
            assert released[number] == mine, f"{place}: lets {released[number]:#x} go, expected {mine:#x}"
            assert bool(resume >> number & 1) == goes_on, place
            expected[number] = expected.get(number, 0) | mine
            for other, gone in others.items():
                due[other] = due.get(other, 0) | gone
                remote += gone != 0
        for number in range(cores):
            gone = let_go[number] & ~expected.get(number, 0)
            assert not expected.get(number, 0) & ~let_go[number], f"cycle {cycle} core {number}: warps are not let go"
            assert not gone & ~late.get(number, 0), f"cycle {cycle} core {number}: warps {gone:#x} are let go"
            if gone:
                late[number] &= ~gone
        late = {number: gone for number, gone in late.items() if gone}
        patience = patience + 1 if late else 0
        assert patience < PATIENCE, f"cycle {cycle}: the end of a warp does not let {late} go"
        if ending is not None:
            ended += 1
            late = {number: gone for number, gone in model.end_warp(*ending).items() if gone}
            freed += bool(late)
    assert operations > 300 and ends > 20 and ended > 1 and freed > 0, (operations, ends, ended, freed)
    assert remote > 10 or cores == 1


@pytest.mark.parametrize(("cores", "warps"), [(2, 2), (3, 4), (1, 2)])
def test_global_barrier(cores: int, warps: int) -> None:
    wrapper = Path(__file__).with_name("barrier_cores.sv")
    hardware = {"num_cores": cores, "num_warps": warps, "num_threads": 2}
    runner.run(runner.Block("barrier_cores", hardware=hardware, extra_sources=[wrapper]), __name__)
