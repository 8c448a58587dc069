"""Scoreboards on a design without simulator: the fake hardware's records, and its memory in a mapped file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from config import RunConfig
from golden_model import Step
from golden_model.follow.difference import Category, Difference
from golden_model.records.layout import Kind
from hw.tb.checker import LaunchEnd
from hw.tb.scoreboard import FreeScoreboard, LockstepScoreboard
from hw.tb.scoreboard.free import BLIND_SPOTS
from hw.tb.scoreboard.symbols import ElfSymbols
from sw.runtime import messages as m
from tests.unit.fake_hardware import ARGS, BASE, BUFFER_SIZE, DATA, OUT, FakeHardware, build_image, input_data, prepare
from tests.unit.follow_bench import Rows
from tests.unit.follow_kernels import CALLS, ILLEGAL, UNSPLIT, launch

Board = LockstepScoreboard | FreeScoreboard
Corrupt = Callable[[Any], None]


class Design:
    """A scoreboard, and the hardware that it judges."""

    def __init__(self, folder: Path, body: str, board: type[Board], seed: int = 1, declare: bool = True) -> None:
        path = folder / "memory.bin"
        with path.open("wb") as file:
            file.truncate(1 << 32)
        self.memory = np.memmap(path, np.uint8, "r+")
        self.config = RunConfig()
        self.image = build_image(body)
        self.hardware = FakeHardware(
            prepare(self.config.hardware, self.image, seed, memoryview(self.memory)),  # type: ignore[arg-type]
            seed,
        )
        self.board = board(self.config)
        image = self.image
        self.host(m.LoadImage(image.min_vma, image.max_vma, image.image, image.kernels, "kernel.vxbin"))
        self.host(m.WriteMemory(DATA, input_data(seed)))
        self.host(m.WriteMemory(OUT, bytes(BUFFER_SIZE)))
        self.host(m.WriteMemory(ARGS, DATA.to_bytes(4, "little") + OUT.to_bytes(4, "little")))
        if declare:
            self.host(m.DeclareBuffer(OUT, BUFFER_SIZE, "out"))
        self.number = 0

    def host(self, message: m.Message) -> None:
        self.board.host(message)

    def launch(self, corrupt: Corrupt = lambda memory: None, count: bool = True) -> list[Difference]:
        self.number += 1
        batches = self.hardware.launch(launch(self.image))
        message = m.Launch(
            self.number, "kernel", BASE, self.image.kernels["kernel"], ARGS, (5, 1, 1), (11, 1, 1), 11, (4, 0, 0), 256,
            (1, 1, 1), 20,
        )  # fmt: skip
        found = self.board.begin_launch(message)
        for batch in batches:
            found = found or self.board.records(batch)
        if found is not None:
            return [found]
        corrupt(self.memory)
        minstret = dict(enumerate(self.hardware.retired)) if count else {}
        return self.board.end_launch(LaunchEnd(self.memory, minstret))


def _flip(address: int) -> Corrupt:
    def corrupt(memory: Any) -> None:
        memory[address] ^= 1

    return corrupt


# ---------------------------------------------------------------------- lockstep


def test_lockstep_passes_and_compares_instructions_and_memory(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, LockstepScoreboard)
    for _ in range(2):
        assert design.launch() == []
    board = design.board
    assert isinstance(board, LockstepScoreboard)
    counts = board.counts()
    assert 0 < counts.compared < board.total.instructions == sum(design.hardware.retired)
    assert counts.adopted["undefined store"] == 5 * 11
    assert board.memory_bytes > 2 * 2 * BUFFER_SIZE


def test_lockstep_names_the_buffer_of_a_byte_that_was_lost(tmp_path: Path) -> None:
    differences = Design(tmp_path, CALLS, LockstepScoreboard).launch(_flip(OUT + 5))
    assert [(found.check, found.category) for found in differences] == [("final memory", Category.MEMORY)]
    assert "buffer out + 0x5" in differences[0].message


def test_lockstep_checks_stacks_too(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, LockstepScoreboard)
    # ra of hart 0, spilled 16 bytes below its stack base.
    differences = design.launch(_flip(0xFFFF_0000 - 16))
    assert "memory that the host did not allocate" in differences[0].message


def test_lockstep_returns_the_first_difference_of_the_records(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, LockstepScoreboard)

    def mutate(rows: Rows) -> None:
        rows[Kind.COMMIT][30]["pc"] += 4

    design.hardware.mutate = mutate
    assert [found.check for found in design.launch()] == ["pc"]


def test_lockstep_needs_the_counter_to_agree(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, LockstepScoreboard)
    design.hardware.retired[0] = 1
    assert [found.check for found in design.launch()] == ["minstret"]


def test_a_launch_that_the_model_refuses_is_a_difference(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, LockstepScoreboard)
    message = m.Launch(1, "kernel", BASE, BASE, ARGS, (5, 1, 1), (99, 1, 1), 31, (4, 0, 0), 0, (1, 1, 1), 20)
    found = design.board.begin_launch(message)
    assert found is not None
    assert found.check == "launch"


def test_reset_starts_over(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, LockstepScoreboard)
    assert design.launch() == []
    design.board.reset()
    fresh = FakeHardware(prepare(design.config.hardware, design.image, 1, memoryview(design.memory)), 2)  # type: ignore[arg-type]
    design.hardware = fresh
    assert design.launch() == []


def test_a_fault_of_the_kernel_is_no_difference(tmp_path: Path) -> None:
    assert Design(tmp_path, ILLEGAL, LockstepScoreboard).launch() == []


# ---------------------------------------------------------------------- free


def test_free_mode_passes_and_compares_the_buffers(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, FreeScoreboard)
    for _ in range(2):
        assert design.launch() == []
        assert isinstance(design.board, FreeScoreboard)
        assert design.board.buffer_bytes == BUFFER_SIZE


@pytest.mark.parametrize(
    ("corrupt", "check"), [(_flip(OUT + 44), "final memory"), (lambda memory: None, None)], ids=["byte", "nothing"]
)
def test_free_mode_notices_a_wrong_byte_of_a_buffer(tmp_path: Path, corrupt: Corrupt, check: str | None) -> None:
    differences = Design(tmp_path, CALLS, FreeScoreboard).launch(corrupt)
    assert [found.check for found in differences] == ([check] if check else [])


def test_free_mode_notices_a_wrong_number_of_instructions(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, FreeScoreboard)
    design.hardware.retired[0] = 1
    differences = design.launch()
    assert [found.check for found in differences] == ["minstret"]
    assert BLIND_SPOTS in differences[0].notes


def test_free_mode_accepts_any_choice_of_warps(tmp_path: Path) -> None:
    design = Design(tmp_path, CALLS, FreeScoreboard)
    assert design.launch() == []
    # One warp less ran the entry code, which has 11 instructions before its window.
    design.hardware.retired[0] -= 11
    assert design.launch() == []


def test_free_mode_without_buffers_compares_nothing_and_fails(tmp_path: Path) -> None:
    differences = Design(tmp_path, CALLS, FreeScoreboard, declare=False).launch()
    assert [found.check for found in differences] == ["nothing compared"]


def test_free_mode_reports_findings_of_the_kernel(tmp_path: Path) -> None:
    differences = Design(tmp_path, UNSPLIT, FreeScoreboard).launch()
    assert [found.category for found in differences] == [Category.KERNEL]


def test_free_mode_misses_a_stale_return_address_and_says_so(tmp_path: Path) -> None:
    """The one that lockstep catches: WSYNC is skipped once, memory and MINSTRET are (nearly) right."""
    design = Design(tmp_path, CALLS, FreeScoreboard)
    done: list[int] = []

    def stale(hardware: FakeHardware, step: Step) -> None:
        if step.pc == design.image.labels["return"] and not done:
            done.append(step.uid)
            hardware.machine.cores[step.core].warps[step.warp].pc += 4

    design.hardware.bug = stale
    assert design.launch(count=False) == []
    assert done
    assert "stale return address" in BLIND_SPOTS


# ---------------------------------------------------------------------- names


def test_an_elf_that_cannot_be_read_has_no_names(tmp_path: Path) -> None:
    (tmp_path / "bad.elf").write_bytes(b"no elf")
    for name in ("bad.elf", "missing.elf"):
        assert ElfSymbols(tmp_path / name).locate(0x8000_0000) == (None, None)
