"""Both tiers of the follower give the same verdict, the same first difference to the letter, and the same account."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model import FindingKind, Launch
from golden_model.follow.follower import Follower
from golden_model.launch import dcr_writes
from golden_model.machine import Tier
from golden_model.records.layout import CommitFlag, Kind
from golden_model.records.ring import Batch
from tests.unit import follow_kernels
from tests.unit.fake_hardware import prepare
from tests.unit.follow_bench import Bench, Mutation
from tests.unit.follow_kernels import CLEAN, ILLEGAL, LOST, UNSPLIT
from tests.unit.test_follow_extensions import FULL, KERNELS, SPAWN
from tests.unit.test_follow_mutations import CASES

TIERS: tuple[Tier, Tier] = ("readable", "fast")
PLAIN = {**CLEAN, "illegal": ILLEGAL, "lost": LOST, "unsplit": UNSPLIT}
EXTENDED = {**KERNELS, "spawn": SPAWN}
ALLOWED = (FindingKind.UNDEFINED_STORE,)


def config_of(name: str) -> HardwareConfig:
    return FULL if name in EXTENDED else HardwareConfig()


def body_of(name: str) -> str:
    return {**PLAIN, **EXTENDED}[name]


def launch_of(bench: Bench, name: str) -> Launch:
    small = name == "spawn"
    return follow_kernels.launch(bench.image, grid=1 if small else 3, block=1 if small else 11)


def outcome(follower: Follower) -> tuple[object, ...]:
    """Everything that a user can see of a comparison, and where the golden warps are."""
    difference = follower.difference
    warps = [(w.pc, w.uid, w.tmask, w.regs, w.undef, w.fregs, w.fcsr, w.blocked, len(w.ipdom))
             for core in follower.machine.cores for w in core.warps]  # fmt: skip
    return (
        None if difference is None else difference.to_dict(),
        None if difference is None else difference.render(),
        +follower.coverage.adopted,
        follower.coverage.copy().adopted_by_name(),
        {name: value for name, value in vars(follower.coverage).items() if name != "adopted"},
        follower.retired,
        [] if difference is not None else warps,
        [] if difference is not None else [follower.machine.memory.read(page, 4096) for page in defined(follower)],
    )


def defined(follower: Follower) -> list[int]:
    memory = follower.machine.memory
    return [page for page in memory.pages() if memory.undefined(page, 4096) != b"\xff" * 4096]


@pytest.mark.parametrize("name", [*PLAIN, *EXTENDED])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_kernel(name: str, seed: int) -> None:
    found = []
    for tier in TIERS:
        bench = Bench(body_of(name), config_of(name), seed=seed, allowed=ALLOWED, tier=tier, shadow=2)
        for _ in range(3):
            bench.launch(launch_of(bench, name))
        assert bench.golden.tier_note == ""
        found.append(outcome(bench.follower))
    assert found[0] == found[1]


@pytest.mark.parametrize(("cores", "warps", "lanes"), [(2, 4, 4), (1, 2, 8), (2, 8, 2), (1, 1, 1), (1, 2, 32)])
@pytest.mark.parametrize("name", sorted(CLEAN))
def test_every_shape(name: str, cores: int, warps: int, lanes: int) -> None:
    found = []
    for tier in TIERS:
        config = HardwareConfig(num_cores=cores, num_warps=warps, num_threads=lanes)
        bench = Bench(CLEAN[name], config, tier=tier)
        assert bench.launch(follow_kernels.launch(bench.image, block=min(11, warps * lanes))) is None, bench.report()
        found.append(outcome(bench.follower))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", CASES)
def test_every_seeded_mutation(name: str) -> None:
    kernel, mutation, check, _ = CASES[name]
    found = []
    for tier in TIERS:
        bench = _mutated(kernel, mutation, tier)
        assert bench.difference is not None and bench.difference.check == check, bench.report()
        found.append(outcome(bench.follower))
    assert found[0] == found[1]


def _mutated(kernel: str, mutation: Mutation, tier: Tier) -> Bench:
    bench = Bench(kernel, mutate=mutation, mutated_launch=2, tier=tier)
    assert bench.launch() is None, bench.report()
    bench.launch()
    return bench


def _records(name: str) -> tuple[Bench, list[Batch]]:
    bench = Bench(body_of(name), config_of(name))
    return bench, bench.hardware.launch(launch_of(bench, name))


RECORDED: dict[str, tuple[Bench, list[Batch]]] = {}


def _judge(name: str, batches: list[Batch], tier: Tier) -> tuple[object, ...]:
    bench, _ = RECORDED[name]
    follower = Follower(prepare(bench.config, bench.image, bench.seed), allowed_findings=ALLOWED, tier=tier)
    for address, value in dcr_writes(launch_of(bench, name), bench.config, follower.machine.entry):
        follower.machine.dcr_write(address, value)
    follower.begin_launch(1)
    for batch in batches:
        follower.feed(batch)
    follower.end_launch()
    return outcome(follower)


def test_the_report_shows_the_undefined_data_that_a_store_took_from_the_design() -> None:
    if "calls" not in RECORDED:
        RECORDED["calls"] = _records("calls")
    batches = [{key: records.copy() for key, records in batch.items()} for batch in RECORDED["calls"][1]]
    for batch in batches:  # the instruction behind the store of s2, which nobody has written, never ends
        commits = batch[Kind.COMMIT]
        here = (commits["core"] == 0) & (commits["warp"] == 0) & (commits["uid"] == 20)
        batch[Kind.COMMIT] = commits[~(here & (commits["flags"] & CommitFlag.LAST != 0))]
    found = _judge("calls", batches, "readable")
    assert "sw s2, 4(sp)" in str(found[1]) and "missing commit" in str(found[1])
    assert found == _judge("calls", batches, "fast")


@settings(max_examples=120, deadline=None)
@given(
    name=st.sampled_from([*PLAIN, *EXTENDED]),
    kind=st.sampled_from([Kind.COMMIT, Kind.COMMIT, Kind.MEMORY, Kind.CTA, Kind.BARRIER, Kind.IPDOM, Kind.FAULT]),
    what=st.sampled_from(["field", "field", "bit", "loss", "swap"]),
    data=st.data(),
)
def test_any_damaged_record(name: str, kind: Kind, what: str, data: st.DataObject) -> None:
    if name not in RECORDED:
        RECORDED[name] = _records(name)
    batches = [{key: records.copy() for key, records in batch.items()} for batch in RECORDED[name][1]]
    places = [(batch, index) for batch in batches for index in range(len(batch[kind]))]
    if not places:
        return
    batch, index = data.draw(st.sampled_from(places), "record")
    if what == "loss":
        batch[kind] = np.delete(batch[kind], index)
    elif what == "swap":
        other, place = data.draw(st.sampled_from(places), "other")
        kept = batch[kind][index].copy()
        for field in set(batch[kind].dtype.names or ()) - {"seq", "cycle"}:
            batch[kind][field][index] = other[kind][field][place]
            other[kind][field][place] = kept[field]
    else:
        field = data.draw(
            st.sampled_from([n for n in batch[kind].dtype.names or () if n not in ("pad", "seq")]), "field"
        )
        column = batch[kind][field]
        bits = 8 * column.dtype.itemsize
        if what == "bit":
            column[index] ^= np.array(1 << data.draw(st.integers(0, bits - 1), "bit"), column.dtype)
        else:
            value = data.draw(st.one_of(st.integers(0, (1 << bits) - 1), st.integers(0, 8)), "value")
            column[index] = np.array(value, column.dtype)
    assert _judge(name, batches, "readable") == _judge(name, batches, "fast")
