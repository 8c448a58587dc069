"""Damaged records of any kind never make the follower fail: it passes, or it reports a difference that can be shown."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_model.follow.follower import Follower
from golden_model.launch import dcr_writes
from golden_model.records.layout import Kind
from golden_model.records.ring import Batch
from tests.unit import follow_kernels
from tests.unit.fake_hardware import prepare
from tests.unit.follow_bench import Bench
from tests.unit.follow_kernels import CLEAN, ILLEGAL

KERNELS = {**CLEAN, "illegal": ILLEGAL}
# Fields that carry no meaning for the comparison: stamps, padding, and what is only shown.
HARMLESS = {"seq", "cycle", "launch", "decode_cycle", "issue_cycle", "pad"}


def _records(name: str) -> tuple[Bench, list[Batch]]:
    bench = Bench(KERNELS[name])
    return bench, bench.hardware.launch(follow_kernels.launch(bench.image, grid=3))


RECORDED = {name: _records(name) for name in KERNELS}


def _judge(name: str, batches: list[Batch]) -> Follower:
    bench, _ = RECORDED[name]
    follower = Follower(prepare(bench.config, bench.image, bench.seed))
    launch = follow_kernels.launch(bench.image, grid=3)
    for address, value in dcr_writes(launch, bench.config, follower.machine.entry):
        follower.machine.dcr_write(address, value)
    follower.begin_launch(1)
    for batch in batches:
        follower.feed(batch)
    follower.end_launch()
    if follower.difference is not None:
        assert follower.difference.render()
        json.dumps(follower.difference.to_dict())
    return follower


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_the_records_themselves_pass(name: str) -> None:
    assert _judge(name, RECORDED[name][1]).difference is None


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(sorted(KERNELS)),
    kind=st.sampled_from([Kind.COMMIT, Kind.MEMORY, Kind.CTA, Kind.BARRIER, Kind.IPDOM, Kind.FAULT]),
    data=st.data(),
)
def test_one_damaged_field_is_survived(name: str, kind: Kind, data: st.DataObject) -> None:
    batches = [{key: records.copy() for key, records in batch.items()} for batch in RECORDED[name][1]]
    places = [(batch, index) for batch in batches for index in range(len(batch[kind]))]
    if not places:
        return
    batch, index = data.draw(st.sampled_from(places), "record")
    field = data.draw(
        st.sampled_from([name for name in batch[kind].dtype.names or () if name not in HARMLESS]), "field"
    )
    column = batch[kind][field]
    bits = 8 * column.dtype.itemsize
    value = data.draw(st.one_of(st.integers(0, (1 << bits) - 1), st.integers(0, 8)), "value")
    column[index] = np.array(value, column.dtype)
    _judge(name, batches)


def _says_something(batch: Batch, kind: Kind, index: int) -> bool:
    """A middle packet that writes no lane is empty: only the gap in `seq` can show its loss."""
    return kind is not Kind.COMMIT or bool(batch[kind]["flags"][index] or batch[kind]["wmask"][index])


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(KERNELS)),
    kind=st.sampled_from([Kind.COMMIT, Kind.MEMORY, Kind.CTA, Kind.BARRIER, Kind.IPDOM, Kind.FAULT]),
    data=st.data(),
)
def test_a_lost_record_is_noticed(name: str, kind: Kind, data: st.DataObject) -> None:
    batches = [dict(batch) for batch in RECORDED[name][1]]
    places = [
        (batch, index) for batch in batches for index in range(len(batch[kind])) if _says_something(batch, kind, index)
    ]
    if not places:
        return
    batch, index = data.draw(st.sampled_from(places), "record")
    batch[kind] = np.delete(batch[kind], index)
    assert _judge(name, batches).difference is not None


@settings(max_examples=30, deadline=None)
@given(name=st.sampled_from(sorted(KERNELS)), data=st.data())
def test_records_that_end_anywhere_are_noticed(name: str, data: st.DataObject) -> None:
    batches = RECORDED[name][1]
    keep = data.draw(st.integers(0, len(batches) - 1), "batches")
    assert _judge(name, batches[:keep]).difference is not None
