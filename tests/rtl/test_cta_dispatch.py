"""vx_cta_dispatch against the rules of docs/reference/vortex.md §5.3-5.7, with warps that end at random moments.

The bench plays the pipeline of a core: it keeps `active_warps`, lets warps live for a random time and sometimes starts
one itself (as WSPAWN would). Everything expected is computed here from the launch and from the bench's own choices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.bench import elements, joined, start_clock_and_reset
from tests.rtl.structs import Layouts

Triple = tuple[int, int, int]
SLACK = 3  # cycles that the dispatcher may take to accept a CTA that it could accept


@dataclass(frozen=True)
class Launch:
    """What the host would program; steps are the formula of §8.3 for three dimensions."""

    block: Triple
    lmem: int
    cluster: int
    ctas: int
    pc: int
    entry: int
    param: int
    rewind: int

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    def steps(self, lanes: int) -> Triple:
        bx, by, bz = self.block
        return lanes % bx, lanes // bx % by, lanes // (bx * by) % bz

    @property
    def stride(self) -> int:
        return -(-self.lmem // 64) * 64

    def usable(self, config: HardwareConfig) -> int:
        if self.stride == 0:
            return config.num_warps
        return max(1, min(config.num_warps, config.lmem_size // self.stride))


@dataclass
class Cta:
    number: int
    slot: int
    warps: int
    started: int = 0
    ended: int = 0
    threads: list[Triple] = field(default_factory=list)


@dataclass
class Warp:
    cta: Cta | None  # None: started by the bench itself
    rank: int
    ends_in: int
    checked: bool = False


@dataclass
class Dispatcher:
    """The rules, step by step."""

    config: HardwareConfig
    launch: Launch
    tail: int = 0
    slots: dict[int, Cta] = field(default_factory=dict)
    expanding: Cta | None = None
    init: set[int] = field(default_factory=set)
    stored_pc: dict[int, int] = field(default_factory=dict)

    def placement(self, first: bool) -> int | None:
        """Slot of the next CTA, or None if it has to wait."""
        usable = self.launch.usable(self.config)
        base = 0 if self.tail >= usable else self.tail
        window = max(1, min(self.launch.cluster, usable)) if first else 1
        if first and base + window > usable:
            base = 0
        return None if any(slot in self.slots for slot in range(base, base + window)) else base

    def accept(self, number: int, first: bool) -> Cta:
        slot = self.placement(first)
        assert slot is not None
        cta = Cta(number, slot, -(-self.launch.threads // self.config.num_threads))
        self.slots[slot] = cta
        self.expanding = cta
        self.tail = 0 if slot + 1 >= self.launch.usable(self.config) else slot + 1
        return cta

    def mask(self, rank: int) -> int:
        lanes = self.config.num_threads
        rest = self.launch.threads % lanes
        last = rank == -(-self.launch.threads // lanes) - 1
        return (1 << rest) - 1 if last and rest else (1 << lanes) - 1

    def start_pc(self, wid: int) -> int:
        if wid not in self.init:
            return self.launch.pc
        return (self.stored_pc[wid] - self.launch.rewind) % (1 << self.config.xlen)


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.config = runner.hardware()
        self.layouts = Layouts(self.config)
        self.rng = Random(cocotb.RANDOM_SEED)
        self.warps: dict[int, Warp] = {}
        self.foreign_pc: dict[int, int] = {}
        self.hold = False
        self.spawned = self.partial = self.reused = self.waited = 0

    async def begin(self) -> None:
        for name in ("launch", "rewind", "cta_valid", "cta", "active_warps", "warp_end_valid", "warp_end_wid"):
            getattr(self.dut, name).value = 0
        self.dut.warp_end_pc.value = 0
        self.dut.csr_wid.value = self.dut.hold.value = 0
        await start_clock_and_reset(self.dut)
        assert len(self.dut.cta) == self.layouts.cta_desc.width, "tests/rtl/structs.py does not match cta_desc_t"
        assert len(self.dut.cta_csrs) == self.layouts.cta_csrs.width, "tests/rtl/structs.py does not match cta_csrs_t"
        assert len(self.dut.trace) == self.layouts.trace_cta.width, "tests/rtl/structs.py does not match trace_cta_t"

    def descriptor(self, launch: Launch, number: int) -> int:
        dim, tid = self.layouts.dim, self.layouts.tid
        return self.layouts.cta_desc.pack(
            {
                "pc": launch.pc,
                "entry": launch.entry,
                "param": launch.param,
                "block_idx": joined([number, number ^ 0x5555, 7 * number], 32),
                "block_dim": joined(launch.block, dim),
                "grid_dim": joined([launch.ctas, 2, 3], 32),
                "block_size": launch.threads,
                "warp_step": joined(launch.steps(self.config.num_threads), tid),
                "lmem_stride": launch.stride,
                "cluster_size": launch.cluster,
                "first_of_cluster": int(number % launch.cluster == 0),
                "last_of_cluster": int(number % launch.cluster == launch.cluster - 1),
            }
        )

    async def run(self, launch: Launch) -> None:
        """One launch from `launch` pulse to the last retirement."""
        dut, rng = self.dut, self.rng
        model = Dispatcher(self.config, launch)
        dut.rewind.value = launch.rewind
        dut.launch.value = 1
        await RisingEdge(dut.clk)
        dut.launch.value = 0
        number = 0  # next CTA to offer
        offered_cycles = 0
        done: list[Cta] = []
        eagerness = rng.choice([0.2, 0.6, 1.0])
        for _ in range(200 * launch.ctas + 2000):
            valid = number < launch.ctas and (offered_cycles > 0 or rng.random() < eagerness)
            dut.cta_valid.value = int(valid)
            # The distributor offers the descriptor before it raises valid; ready may not depend on valid.
            if number < launch.ctas:
                dut.cta.value = self.descriptor(launch, number)
            ending = self.choose_end(model)
            checked = self.choose_csr_check()
            self.hold = rng.random() < 0.1
            dut.hold.value = int(self.hold)
            await RisingEdge(dut.clk)

            trace = self.layouts.trace_cta.unpack(int(dut.trace.value))
            first = number % launch.cluster == 0
            legal = number < launch.ctas and model.expanding is None and model.placement(first) is not None
            ready = bool(dut.cta_ready.value)
            if number < launch.ctas:
                assert not ready or legal, f"CTA {number} accepted against the rules: {model}"
                offered_cycles = offered_cycles + 1 if valid and legal and not ready else int(valid)
                assert offered_cycles <= SLACK, f"CTA {number} could be accepted and is not: {model}"
            self.waited += valid and not legal
            assert bool(dut.busy.value) == bool(model.slots), "busy"
            if checked is not None:
                self.check_csrs(model, checked)

            started = self.check_start(model, trace)
            accepted = valid and ready
            assert bool(trace["accept_valid"]) == accepted
            if accepted:
                cta = model.accept(number, first)
                assert trace["accept_slot"] == cta.slot and trace["accept_num_warps"] == cta.warps
                assert trace["accept_lmem_addr"] == self.config.lmem_base + cta.slot * launch.stride
                assert elements(trace["accept_block_idx"], 32, 3)[0] == number
                assert trace["accept_first_of_cluster"] == first
                number += 1
                offered_cycles = 0
            self.apply_end(model, ending, trace, done)
            if started is not None:
                wid, warp = started
                self.warps[wid] = warp
            dut.active_warps.value = sum(1 << wid for wid in self.warps)
            if number == launch.ctas and not self.warps and model.expanding is None and not model.slots:
                break
        else:
            raise AssertionError(f"{launch} did not end: {number} CTAs offered, {model}")
        dut.cta_valid.value = 0
        dut.warp_end_valid.value = 0
        assert len(done) == launch.ctas
        everything = sorted(
            (x, y, z) for z in range(launch.block[2]) for y in range(launch.block[1]) for x in range(launch.block[0])
        )
        for cta in done:
            assert sorted(cta.threads) == everything, f"CTA {cta.number}: each thread exactly once"

    def choose_end(self, model: Dispatcher) -> int | None:
        """At most one warp ends in a cycle; sometimes the bench starts a warp of its own."""
        for warp in self.warps.values():
            warp.ends_in -= 1
        ripe = [wid for wid, warp in self.warps.items() if warp.ends_in <= 0 and (warp.checked or warp.cta is None)]
        wid = self.rng.choice(ripe) if ripe else None
        self.dut.warp_end_valid.value = int(wid is not None)
        self.dut.warp_end_wid.value = wid if wid is not None else self.rng.randrange(self.config.num_warps)
        pc = self.rng.getrandbits(self.config.xlen - 2) * 4
        self.dut.warp_end_pc.value = pc
        if wid is not None and self.warps[wid].cta is not None:
            model.stored_pc[wid] = pc
        return wid

    def apply_end(self, model: Dispatcher, wid: int | None, trace: dict[str, int], done: list[Cta]) -> None:
        if wid is None:
            assert not trace["end_valid"] and not trace["retire_valid"]
            idle = [index for index in range(self.config.num_warps) if index not in self.warps]
            # Only while no CTA is being expanded: which warp is taken must stay predictable.
            if len(idle) > 1 and model.expanding is None and self.rng.random() < 0.02:
                self.warps[idle[-1]] = Warp(None, 0, self.rng.randint(1, 20))
                self.spawned += 1
            return
        warp = self.warps.pop(wid)
        assert trace["end_valid"] and trace["end_wid"] == wid
        if warp.cta is None:
            assert not trace["retire_valid"] and trace["end_slot"] == 0
            return
        warp.cta.ended += 1
        last = warp.cta.ended == warp.cta.warps
        assert trace["end_slot"] == warp.cta.slot
        assert bool(trace["retire_valid"]) == last
        if last:
            assert trace["retire_slot"] == warp.cta.slot
            del model.slots[warp.cta.slot]
            done.append(warp.cta)

    def check_start(self, model: Dispatcher, trace: dict[str, int]) -> tuple[int, Warp] | None:
        cta = model.expanding
        free = [wid for wid in range(self.config.num_warps) if wid not in self.warps]
        expected = cta is not None and bool(free) and not self.hold
        assert bool(self.dut.warp_start_valid.value) == expected == bool(trace["start_valid"]), "one warp per cycle"
        if not expected or cta is None:
            return None
        packed = int(self.dut.warp_start.value)
        start = self.layouts.warp_start.unpack(packed)
        wid = free[0]
        assert start == {
            "wid": wid,
            "pc": model.start_pc(wid),
            "tmask": model.mask(cta.started),
            "param": model.launch.param,
            "slot": cta.slot,
        }, f"warp {cta.started} of CTA {cta.number}"
        assert trace["start"] == packed and trace["start_rank"] == cta.started
        self.partial += start["tmask"] != (1 << self.config.num_threads) - 1
        self.reused += wid in model.init
        model.init.add(wid)
        warp = Warp(cta, cta.started, self.rng.choice([1, 4, 40]))
        cta.started += 1
        if cta.started == cta.warps:
            model.expanding = None
        return wid, warp

    def choose_csr_check(self) -> int | None:
        unchecked = [wid for wid, warp in self.warps.items() if warp.cta is not None and not warp.checked]
        wid = self.rng.choice(unchecked) if unchecked else None
        self.dut.csr_wid.value = wid if wid is not None else self.rng.randrange(self.config.num_warps)
        return wid

    def check_csrs(self, model: Dispatcher, wid: int) -> None:
        warp, launch, lanes = self.warps[wid], model.launch, self.config.num_threads
        cta = warp.cta
        assert cta is not None
        csrs = self.layouts.cta_csrs.unpack(int(self.dut.cta_csrs.value))
        thread_idx = csrs.pop("thread_idx")
        assert csrs == {
            "slot": cta.slot,
            "rank": warp.rank,
            "num_warps": cta.warps,
            "block_idx": joined([cta.number, cta.number ^ 0x5555, 7 * cta.number], 32),
            "block_dim": joined(launch.block, self.layouts.dim),
            "grid_dim": joined([launch.ctas, 2, 3], 32),
            "lmem_addr": self.config.lmem_base + cta.slot * launch.stride,
            "cluster_size": launch.cluster,
            "entry": launch.entry,
        }, f"CSRs of warp {wid}, rank {warp.rank} of CTA {cta.number}"
        tid = self.layouts.tid
        for lane, packed in enumerate(elements(thread_idx, 3 * tid, lanes)):
            if model.mask(warp.rank) >> lane & 1:
                linear = warp.rank * lanes + lane
                bx, by, _ = launch.block
                index = (linear % bx, linear // bx % by, linear // (bx * by))
                assert tuple(elements(packed, tid, 3)) == index, f"{launch.block}, rank {warp.rank}, lane {lane}"
                cta.threads.append(index)
        warp.checked = True


def blocks(config: HardwareConfig, rng: Random) -> Iterator[Triple]:
    """Shapes that fill the core on each axis, then random ones."""
    full = config.core_threads
    yield from ((full, 1, 1), (1, full, 1), (1, 1, full))
    if full > 1:
        yield full - 1, 1, 1
    if full >= 12 and config.num_threads == 4:
        yield 3, 2, 2
    while True:
        x = rng.randint(1, full)
        y = rng.randint(1, full // x)
        yield x, y, rng.randint(1, full // (x * y))


@cocotb.test()
async def random_launches(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    config, rng = bench.config, bench.rng
    shapes = blocks(config, rng)
    for number in range(14):
        stride = rng.choice([0, 1, 64, 5000, config.lmem_size // 2, config.lmem_size])
        cluster = rng.choice([size for size in (1, 1, 2, 3, 4) if size <= config.num_warps])
        launch = Launch(
            block=next(shapes),
            lmem=stride,
            cluster=cluster,
            ctas=cluster * rng.randint(1, 12 // cluster),
            pc=rng.getrandbits(config.xlen - 2) * 4,
            entry=rng.getrandbits(config.xlen),
            param=rng.getrandbits(config.xlen),
            rewind=(12, 16, 20)[number % 3],
        )
        dut._log.info("launch %d: %s", number, launch)
        await bench.run(launch)
    assert bench.reused and bench.waited
    assert bench.partial or config.num_threads == 1
    assert bench.spawned or config.num_warps == 1


@cocotb.test()
async def reset_in_mid_launch(dut: Any) -> None:
    """Reset with warps active and a CTA half expanded leaves nothing behind."""
    bench = Bench(dut)
    await bench.begin()
    config = bench.config
    launch = Launch((config.core_threads, 1, 1), 64, 1, 3, 0x80000000, 0x80000100, 0x1000, 20)
    dut.launch.value = 1
    await RisingEdge(dut.clk)
    dut.launch.value = 0
    dut.rewind.value = 20
    dut.cta.value = bench.descriptor(launch, 0)
    dut.cta_valid.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.cta_valid.value = 0
    dut.active_warps.value = 0
    dut.reset.value = 1
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    await RisingEdge(dut.clk)
    assert not dut.busy.value and not dut.warp_start_valid.value
    await bench.run(launch)


@pytest.mark.parametrize("shape", [(4, 4), (8, 8), (2, 2), (1, 4)], ids=lambda shape: f"{shape[0]}w{shape[1]}t")
def test_cta_dispatch(shape: tuple[int, int]) -> None:
    runner.run(runner.Block("vx_cta_dispatch", hardware={"num_warps": shape[0], "num_threads": shape[1]}), __name__)
