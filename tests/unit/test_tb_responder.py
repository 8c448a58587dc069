"""The memory responder: what AXI4 promises holds under every policy, and each axis does what its name says."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from hw.tb.agents.axi.policy import (
    CPolicy,
    ErrorResponse,
    ErrorWindow,
    Latency,
    MemoryPolicy,
    ReadSample,
    Reorder,
    Throttle,
    WriteEffect,
)
from hw.tb.top.abi import InjectKind
from tests.unit.tb_native import LINE, Bus, library

PRESETS = ("kind", "ordered", "hostile", "fixed20")
QUICK = MemoryPolicy(read_latency=Latency(5, 5), write_latency=Latency(40, 40))


def _line(value: int) -> bytes:
    return bytes([value & 0xFF]) * LINE


def test_the_policy_structure_has_one_layout() -> None:
    import ctypes

    assert library().tb_policy_size() == ctypes.sizeof(CPolicy)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_request_is_answered_once_and_ids_keep_their_order(tmp_path: Path, preset: str) -> None:
    """Data of a read identifies its address, so swapped, lost and doubled responses all show."""
    rng = random.Random(7)
    bus = Bus(tmp_path, MemoryPolicy.preset(preset, 11))
    for line in range(256):
        bus.memory[line * LINE : line * LINE + 2] = [line, line ^ 0xFF]
    asked: dict[int, list[int]] = {}
    for _ in range(200):
        line, axi_id = rng.randrange(256), rng.randrange(4)
        asked.setdefault(axi_id, []).append(line)
        bus.read(line * LINE, axi_id)
    bus.run(200, 0)
    for _ in range(1000):
        bus.tick()
    assert len(bus.reads) == 200
    for axi_id, lines in asked.items():
        got = [done.data[0] for done in bus.reads if done.id == axi_id]
        assert got == lines, f"responses of id {axi_id} are out of order or wrong"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_read_after_b_sees_the_write(tmp_path: Path, preset: str) -> None:
    bus = Bus(tmp_path, MemoryPolicy.preset(preset, 3))
    for round_number in range(30):
        bus.write(0x1000, _line(round_number), axi_id=round_number % 3)
        bus.run(len(bus.reads), len(bus.writes) + 1)
        bus.read(0x1000, 1)
        bus.run(len(bus.reads) + 1, len(bus.writes))
        assert bus.reads[-1].data == _line(round_number)


@pytest.mark.parametrize("preset", PRESETS)
def test_writes_of_one_id_take_effect_in_order(tmp_path: Path, preset: str) -> None:
    bus = Bus(tmp_path, MemoryPolicy.preset(preset, 5))
    for value in range(50):
        bus.write(0x2000, _line(value), axi_id=2)
    bus.run(0, 50)
    assert bytes(bus.memory[0x2000 : 0x2000 + LINE]) == _line(49)


def test_strobes_select_bytes(tmp_path: Path) -> None:
    bus = Bus(tmp_path, MemoryPolicy.preset("kind"))
    bus.memory[0:LINE] = 0x11
    bus.write(0, _line(0xEE), strobe=1 << 3 | 1 << 63)
    bus.run(0, 1)
    changed = [byte for byte in range(LINE) if bus.memory[byte] != 0x11]
    assert changed == [3, 63]


def _value_read_while_a_write_is_open(folder: Path, policy: MemoryPolicy) -> bytes:
    bus = Bus(folder, policy)
    bus.write(0x3000, _line(0xAA), axi_id=1)
    while bus.w or bus.aw:
        bus.tick()
    bus.read(0x3000, 2)
    bus.run(1, 0)
    assert not bus.writes or policy.read_waits_for_writes, "the write was answered too early for this test"
    return bus.reads[0].data


def test_kind_shows_an_accepted_write_at_once(tmp_path: Path) -> None:
    assert _value_read_while_a_write_is_open(tmp_path, QUICK) == _line(0xAA)


@pytest.mark.parametrize("sample", [ReadSample.ADDRESS, ReadSample.RESPONSE])
def test_a_late_write_is_not_visible_before_b(tmp_path: Path, sample: ReadSample) -> None:
    policy = dataclasses.replace(QUICK, write_effect=WriteEffect.RESPONSE, read_sample=sample)
    assert _value_read_while_a_write_is_open(tmp_path, policy) == _line(0)


def test_ordered_makes_a_read_wait_for_the_older_write(tmp_path: Path) -> None:
    policy = dataclasses.replace(QUICK, write_effect=WriteEffect.RESPONSE, read_waits_for_writes=True)
    assert _value_read_while_a_write_is_open(tmp_path, policy) == _line(0xAA)


def test_sampling_at_the_address_misses_a_write_that_comes_between(tmp_path: Path) -> None:
    results = {}
    for sample in (ReadSample.ADDRESS, ReadSample.RESPONSE):
        folder = tmp_path / sample.name
        folder.mkdir()
        bus = Bus(folder, MemoryPolicy(read_latency=Latency(30, 30), read_sample=sample))
        bus.read(0x100)
        bus.tick()
        bus.write(0x100, _line(9))
        bus.run(1, 1)
        results[sample] = bus.reads[0].data
    assert results == {ReadSample.ADDRESS: _line(0), ReadSample.RESPONSE: _line(9)}


@pytest.mark.parametrize(("reorder", "ordered"), [(Reorder.NONE, True), (Reorder.DUE, False), (Reorder.RANDOM, False)])
def test_reordering_between_ids(tmp_path: Path, reorder: Reorder, ordered: bool) -> None:
    bus = Bus(tmp_path, MemoryPolicy(read_latency=Latency(1, 60), reorder_reads=reorder))
    for number in range(60):
        bus.read(number * LINE, number)
    bus.run(60, 0)
    ids = [done.id for done in bus.reads]
    assert sorted(ids) == list(range(60))
    assert (ids == sorted(ids)) is ordered


def test_throttled_channels_are_slower_and_still_finish(tmp_path: Path) -> None:
    def cycles(folder: Path, throttle: Throttle) -> int:
        folder.mkdir()
        bus = Bus(
            folder, MemoryPolicy(ar_ready=throttle, aw_ready=throttle, w_ready=throttle, r_gap=throttle, b_gap=throttle)
        )
        for number in range(100):
            bus.read(number * LINE, number)
            bus.write(number * LINE, _line(number), axi_id=number)
        bus.run(100, 100)
        return bus.cycle

    assert cycles(tmp_path / "slow", Throttle(60, 8)) > 1.5 * cycles(tmp_path / "fast", Throttle())


def test_latencies_stay_in_their_range(tmp_path: Path) -> None:
    bus = Bus(tmp_path, MemoryPolicy(read_latency=Latency(20, 60), reorder_reads=Reorder.DUE))
    for number in range(200):
        bus.read(number * LINE, number)
        for _ in range(70):
            bus.tick()
    waits = [done.cycle - bus.accepted["ar"][done.id] for done in bus.reads]
    assert len(waits) == 200
    assert min(waits) >= 20 and max(waits) <= 60
    assert max(waits) - min(waits) > 30, "the latency hardly varies"


def test_responses_stand_until_they_are_taken(tmp_path: Path) -> None:
    bus = Bus(tmp_path, MemoryPolicy.preset("fixed20"))
    bus.memory[0:LINE] = 0x5A
    bus.read(0, 3)
    bus.write(LINE, _line(1), axi_id=4)
    for _ in range(100):
        bus.tick(bready=False, rready=False)
    assert bus.out.rvalid and bus.out.rid == 3 and bytes(bus.out.rdata) == _line(0x5A)
    assert bus.out.bvalid and bus.out.bid == 4 and bus.out.outstanding_writes == 1
    bus.run(1, 1)
    bus.tick()
    assert not bus.out.rvalid and not bus.out.bvalid and bus.out.outstanding_writes == 0


def test_error_windows_answer_with_their_code_and_store_nothing(tmp_path: Path) -> None:
    window = (
        ErrorWindow(0x4000, 0x403F, reads=False),
        ErrorWindow(0x5000, 0x5FFF, writes=False, response=ErrorResponse.DECERR),
    )
    bus = Bus(tmp_path, dataclasses.replace(QUICK, windows=window))
    bus.write(0x4000, _line(7))
    bus.write(0x5000, _line(8))
    bus.read(0x4000)
    bus.read(0x5040)
    bus.read(bus.size)  # outside memory
    bus.run(3, 2)
    assert [done.resp for done in bus.writes] == [ErrorResponse.SLVERR, 0]
    assert [done.resp for done in bus.reads] == [0, ErrorResponse.DECERR, ErrorResponse.DECERR]
    assert bus.memory[0x4000] == 0 and bus.memory[0x5000] == 8


def test_one_seed_is_one_behaviour(tmp_path: Path) -> None:
    def trace(name: str, seed: int) -> list[tuple[int, int]]:
        folder = tmp_path / name
        folder.mkdir()
        bus = Bus(folder, MemoryPolicy.preset("hostile", seed))
        for number in range(100):
            bus.read(number * LINE, number % 7)
            bus.write(number * LINE, _line(number), axi_id=number % 5)
        bus.run(100, 100)
        return [(done.cycle, done.id) for done in bus.reads] + [(done.cycle, done.id) for done in bus.writes]

    assert trace("a", 1) == trace("b", 1)
    assert trace("c", 2) != trace("d", 1)


def test_injected_faults_happen_once(tmp_path: Path) -> None:
    def bus_with(kind: InjectKind, nth: int, arg: int) -> Bus:
        folder = tmp_path / kind.name
        folder.mkdir()
        bus = Bus(folder, MemoryPolicy.preset("fixed20"))
        for line in range(8):
            bus.memory[line * LINE : (line + 1) * LINE] = line
        bus.inject(kind, nth, arg)
        for line in range(8):
            bus.read(line * LINE, line)
        bus.run(8, 0)
        for line in range(8, 12):
            bus.write(line * LINE, _line(line))
        bus.run(8, 4)
        assert bus.injected == 1
        return bus

    swapped = [done.data[0] for done in bus_with(InjectKind.SWAP_READS, 2, 0).reads]
    assert [line for line in range(8) if swapped[line] != line] == [2, 3] and sorted(swapped) == list(range(8))
    corrupt = bus_with(InjectKind.CORRUPT_READ, 3, 5)
    assert [done.id for done in corrupt.reads if set(done.data) != {done.id}] == [3]
    assert corrupt.reads[3].data[5] == 3 ^ 0xFF
    dropped = bus_with(InjectKind.DROP_STROBE, 1, 9)
    assert [int(address) for address in (dropped.memory[8 * LINE : 12 * LINE] == 0).nonzero()[0]] == [LINE + 9]
    late = bus_with(InjectKind.LATE_WRITE, 3, 50)
    assert late.memory[11 * LINE] == 0, "the write is in memory although it should be late"
    for _ in range(60):
        late.tick()
    assert late.memory[11 * LINE] == 11


def test_a_master_that_withdraws_or_changes_a_request_is_caught(tmp_path: Path) -> None:
    def bus_at_a_closed_door(name: str) -> Bus:
        """A master whose requests stand before a ready that is low."""
        folder = tmp_path / name
        folder.mkdir()
        bus = Bus(folder, MemoryPolicy(max_reads=1, max_writes=1, read_latency=Latency(50, 50)), check=False)
        for number in range(2):
            bus.read(number * LINE)
            bus.write(number * LINE, _line(number), strobe=1)
        for _ in range(3):
            bus.tick()
        assert bus.ar and bus.aw and bus.w and not bus.violation()
        return bus

    same = bus_at_a_closed_door("same")
    same.w[0] = _line(1)[:1] + _line(9)[1:], 1
    same.tick()
    assert not same.violation(), "bytes without strobe may change"
    changed = bus_at_a_closed_door("address")
    changed.aw[0] = 5 * LINE, 0
    changed.tick()
    assert changed.violation() == "AW was withdrawn or changed before AWREADY"
    changed = bus_at_a_closed_door("data")
    changed.w[0] = _line(9), 1
    changed.tick()
    assert changed.violation() == "W was withdrawn or changed before WREADY"
    withdrawn = bus_at_a_closed_door("read")
    withdrawn.ar.clear()
    withdrawn.tick()
    assert withdrawn.violation() == "AR was withdrawn or changed before ARREADY"
