"""The probe's memory of instructions in flight: an old one that waits is passed by any number of younger ones."""

from __future__ import annotations

from pathlib import Path

from golden_model.records.layout import Kind
from golden_model.records.ring import RingReader
from hw.tb.agents.axi.policy import MemoryPolicy
from tests.unit.tb_native import Bus

YOUNGER = 1000


def _bus(folder: Path) -> Bus:
    return Bus(folder, MemoryPolicy.preset("fixed20"), capacity=4096)


def _pc(warp: int, uid: int) -> int:
    return 0x8000_0000 + 0x10000 * warp + 4 * uid


def _step(bus: Bus, warp: int, uid: int) -> None:
    bus.issue(warp, uid, _pc(warp, uid))
    bus.commit(warp, uid)


def test_loads_that_wait_for_long_keep_their_own_facts(tmp_path: Path) -> None:
    bus = _bus(tmp_path)
    reader = RingReader(tmp_path / "ring.bin")
    late = [0, 1, 70]
    for uid in range(YOUNGER):
        for warp in (0, 1):
            bus.issue(warp, uid, _pc(warp, uid))
            if uid not in late:
                bus.commit(warp, uid)
    for warp in (1, 0):
        for uid in late:
            bus.commit(warp, uid)
    assert bus.probe_errors == 0
    commits = reader.read()[Kind.COMMIT]
    assert len(commits) == 2 * YOUNGER
    assert commits["uid"][-6:].tolist() == late * 2
    assert commits["warp"][-6:].tolist() == [1, 1, 1, 0, 0, 0]
    facts = zip(commits["pc"].tolist(), commits["warp"].tolist(), commits["uid"].tolist(), strict=True)
    assert all(pc == _pc(warp, uid) for pc, warp, uid in facts)


def test_an_old_instruction_commits_once(tmp_path: Path) -> None:
    bus = _bus(tmp_path)
    bus.issue(0, 0, _pc(0, 0))
    for uid in range(1, 100):
        _step(bus, 0, uid)
    bus.commit(0, 0)
    assert bus.probe_errors == 0
    bus.commit(0, 0)
    assert bus.probe_errors == 1


def test_what_faulted_is_not_waited_for(tmp_path: Path) -> None:
    bus = _bus(tmp_path)
    for uid in range(2000):
        bus.issue(0, uid, _pc(0, uid))
        bus.fault(0, uid)
    assert bus.probe_errors == 0


def test_a_design_that_loses_instructions_is_told_so(tmp_path: Path) -> None:
    bus = _bus(tmp_path)
    for uid in range(64 + 256):
        bus.issue(0, uid, _pc(0, uid))
    assert bus.probe_errors == 0
    bus.issue(0, 320, _pc(0, 320))
    assert bus.probe_errors == 1
