"""Busy checker: a normal launch passes; gaps, early falls and activity behind them have their names."""

from __future__ import annotations

import numpy as np
import pytest

from golden_model.follow.difference import Difference
from golden_model.records.layout import AxiChannel, Kind, RunEvent
from golden_model.records.ring import Batch
from hw.tb.checker import LaunchEnd
from hw.tb.checkers import BusyChecker
from tests.unit.axi_traffic import FIRST, Row, batches, run_record
from tests.unit.fake_hardware import to_array
from tests.unit.test_checkers_axi import LAUNCH

NORMAL = [
    run_record(100, RunEvent.START),
    run_record(103, RunEvent.BUSY_RISE),
    run_record(500, RunEvent.BUSY_FALL),
    run_record(510, RunEvent.QUIESCENT),
    run_record(520, RunEvent.DCR_READ, 0),
    run_record(600, RunEvent.DCR_RESPONSE, 0),
]


def _write(begun: int, ended: int | None, axi_id: int = 1) -> list[Row]:
    place = {"id": axi_id, "addr": FIRST, "bank": 0}
    rows: list[Row] = [
        {**place, "cycle": begun, "channel": AxiChannel.AW, "size": 6, "burst": 1},
        {**place, "cycle": begun, "channel": AxiChannel.W, "last": 1},
    ]
    return rows if ended is None else [*rows, {**place, "cycle": ended, "channel": AxiChannel.B}]


def judge(
    run: list[Row], axi: list[Row] | None = None, *, strict: bool = True, commits: list[int] | None = None
) -> Difference | None:
    checker = BusyChecker(strict=strict)
    checker.begin_launch(LAUNCH)
    for seed in (1, 2):
        checker.reset()
        for batch in batches(axi or [], seed, run):
            _add_commits(batch, commits or [])
            difference = checker.records(batch)
            if difference is not None:
                return difference
    return None


def _add_commits(batch: Batch, cycles: list[int]) -> None:
    run = batch[Kind.RUN]["cycle"].tolist() + batch[Kind.AXI]["cycle"].tolist()
    inside = [{"cycle": cycle} for cycle in cycles if run and min(run) <= cycle]
    batch[Kind.COMMIT] = to_array(Kind.COMMIT, inside, 4)


def test_a_normal_launch_passes() -> None:
    axi = [*_write(200, 240), *_write(480, 498, 2), *_write(540, 590, 3)]  # the last one belongs to the flush
    assert judge(NORMAL, axi, commits=[150, 499]) is None


def test_a_launch_without_run_records_is_not_checked() -> None:
    checker = BusyChecker()
    end = LaunchEnd(np.zeros(0, np.uint8), {}, {})
    for run, checks in ((NORMAL, []), ([], ["busy not watched"]), (NORMAL[:3], ["busy not watched"])):
        checker.reset()
        checker.begin_launch(LAUNCH)
        for batch in batches([], 1, run):
            assert checker.records(batch) is None
        assert [difference.check for difference in checker.end_launch(end)] == checks


def test_two_launches_pass() -> None:
    second = [{**row, "cycle": row["cycle"] + 1000} for row in NORMAL]
    assert judge([*NORMAL, *second], [*_write(200, 240), *_write(1300, 1350)]) is None


@pytest.mark.parametrize("ended", [503, None])
def test_busy_must_not_fall_before_the_last_acknowledgement(ended: int | None) -> None:
    difference = judge(NORMAL, _write(495, ended))
    assert difference is not None
    assert (difference.check, difference.cycle) == ("busy with writes", 500)
    assert judge(NORMAL, _write(495, 503), strict=False) is None


def test_a_flush_must_not_be_answered_before_the_last_acknowledgement() -> None:
    difference = judge(NORMAL, _write(595, 606))
    assert difference is not None
    assert (difference.check, difference.cycle) == ("flush with writes", 600)


def test_a_gap_of_busy_is_noticed() -> None:
    run = [*NORMAL[:2], run_record(300, RunEvent.BUSY_FALL), run_record(302, RunEvent.BUSY_RISE), *NORMAL[2:]]
    difference = judge(run)
    assert difference is not None
    assert (difference.check, difference.cycle) == ("busy gap", 300)


def test_busy_without_a_launch_is_noticed() -> None:
    difference = judge([*NORMAL, run_record(700, RunEvent.BUSY_RISE)])
    assert difference is not None
    assert difference.check == "busy without launch"


def test_start_during_a_launch_is_noticed() -> None:
    difference = judge([*NORMAL[:2], run_record(200, RunEvent.START), *NORMAL[2:]])
    assert difference is not None
    assert difference.check == "start while busy"


@pytest.mark.parametrize("cycle", [505, 515])
def test_a_write_after_busy_fell_is_noticed(cycle: int) -> None:
    difference = judge(NORMAL, [*_write(200, 240), *_write(cycle, cycle + 2)])
    assert difference is not None
    assert (difference.check, difference.cycle) == ("write after busy", cycle)


def test_a_read_after_busy_fell_is_noticed() -> None:
    read = {"cycle": 505, "channel": AxiChannel.AR, "id": 1, "addr": FIRST, "size": 6, "burst": 1}
    difference = judge(NORMAL, [read])
    assert difference is not None
    assert difference.check == "read after busy"


def test_a_commit_after_busy_fell_is_noticed() -> None:
    difference = judge(NORMAL, commits=[150, 504])
    assert difference is not None
    assert (difference.check, difference.cycle) == ("activity after busy", 504)


def test_reset_ends_a_launch() -> None:
    run = [*NORMAL[:2], run_record(200, RunEvent.RESET), *[{**row, "cycle": row["cycle"] + 1000} for row in NORMAL]]
    assert judge(run, _write(195, None)) is None
