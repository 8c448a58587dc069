"""Hangs in real simulations: the explanation on the first screen names the verdict, the root and who waits for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.faults.campaign import run_with
from tests.faults.catalogue import find_fault
from tests.regression.failure.write import failure_lines

SHOWS = {
    "barrier_missing_warp": (
        r"HANG +kernel deadlock",
        r"barrier 0 of core 0 slot 0 waits for 4 warps, 3 have arrived",
        r"core 0 warp 1 \(CTA \(0, 0, 0\) rank 1\) ended in cycle \d+",
    ),
    "lock_kept": (r"HANG +kernel livelock", r"polling 0x\w+", r"wrote it last and ended"),
    "dropped_response": (r"HANG +memory that never answered", r"id 0x\w+", r"address 0x8000\w+"),
    "warp_never_resumes": (r"HANG +RTL deadlock", r"core 0 warp 1", r"split_join"),
}


@pytest.mark.parametrize("name", SHOWS)
def test_the_first_screen_explains(name: str, tmp_path: Path) -> None:
    run = run_with(find_fault(name), tmp_path)
    assert run.failure is not None
    text = "\n".join(failure_lines(run.failure, run.folder))
    missing = [pattern for pattern in SHOWS[name] if not re.search(pattern, text)]
    assert not missing, f"{missing}\n{text}"
