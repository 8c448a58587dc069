"""Random command sequences: replay, text, shrinking, coverage, and what must hold after every single action."""

from __future__ import annotations

import pytest

from golden_model.device import Source, TableProblem
from golden_model.device.registers import REGISTERS, Access
from golden_model.device.sequences import (
    Coverage,
    GoldenExecutor,
    Observation,
    SequenceError,
    from_text,
    generate,
    run,
    shrink,
    to_text,
)
from golden_model.device.sequences.actions import Action, ReadRegister, SetSink, WriteRegister
from golden_model.device.sequences.commands import Command, Dispatch, Do, Observe, PopDoorbells, Reset
from golden_model.device.sequences.layout import VRAM_SIZE
from golden_model.device.sequences.programs import Program

SEEDS = range(60)
_STORED = {row.offset: row for row in REGISTERS if row.access is Access.RW and not row.volatile}


class Checker(GoldenExecutor):
    """Looks at the device after every action, past the bus."""

    def perform(self, action: Action) -> Observation:
        device = self.device
        before = (int(device.interrupts.errors), device.interrupts.status, device.launch_id)
        observation = super().perform(action)
        assert device.busy == (device.launch is not None)
        assert (device.dma is not None) == bool(int(device.dma_status) & 1)
        assert bin(int(device.dma_status)).count("1") <= 1
        assert len(device.doorbells.tokens) <= 64
        for message in observation.messages:
            assert not device.msix.masked(message.vector) or isinstance(action, (WriteRegister, SetSink))
        held_back = not device.msix.enabled or device.msix.function_mask or device.msix.waiting is not None
        for vector in range(16):
            assert not device.msix.pending >> vector & 1 or held_back or device.msix.masked(vector)
        self._check_effects(action, observation, *before)
        return observation

    def _check_effects(self, action: Action, seen: Observation, errors: int, status: int, launch_id: int) -> None:
        now = self.device.interrupts
        reset = isinstance(action, WriteRegister) and action.bar == 0 and action.offset == 0x100
        if not reset:
            assert self.device.launch_id in (launch_id, launch_id + 1)
            acknowledges = isinstance(action, WriteRegister) and action.offset == 0x208
            if int(now.errors) & ~errors and not acknowledges:
                assert now.status >> Source.ERROR & 1
            if errors & ~int(now.errors):
                assert isinstance(action, WriteRegister) and action.offset == 0x108
            if status & ~now.status:
                assert isinstance(action, WriteRegister) and action.offset == 0x208
        if isinstance(action, ReadRegister) and action.bar == 0 and action.size == 4:
            if action.offset == 0x104:
                assert seen.value in (1, 2, 5, 6)
                assert bool(int(seen.value) & 4) == bool(now.errors)
            if action.offset in _STORED and isinstance(seen.value, int):
                assert seen.value & ~_STORED[action.offset].readable == 0


def test_invariants_hold_and_coverage_grows(report_figure) -> None:  # type: ignore[no-untyped-def]
    coverage = Coverage(VRAM_SIZE)
    reasons = set()
    commands = 0
    for seed in SEEDS:
        sequence = generate(seed)
        executor = Checker.fresh(seed, coverage)
        run(executor, sequence.commands)
        commands += len(sequence.commands)
        reasons |= {refusal.reason for refusal in executor.device.refusals}
    report_figure(
        f"BAR device: {len(SEEDS)} command sequences (seeds {SEEDS.start} to {SEEDS.stop - 1}), {commands} commands on "
        f"the golden device, {coverage.reached:.1%} of registers × accesses × states × errors"
    )
    assert coverage.reached > 0.4, coverage.report()
    assert len(coverage.holes()) == len(set(coverage.holes()))
    assert len(reasons) > 30


def test_every_table_problem_can_be_generated() -> None:
    for problem in TableProblem:
        if problem is TableProblem.OUTSIDE_VRAM:
            continue
        executor = GoldenExecutor.fresh()
        run(executor, [Reset(), Dispatch(Program.RECALL, table=problem)])
        assert executor.device.launch is not None
        executor.device.launch.read_table()
        assert [refusal.reason for refusal in executor.device.refusals] == [problem]


@pytest.mark.parametrize("vortex", [True, False])
@pytest.mark.parametrize("program", Program)
def test_programs_do_what_they_say(program: Program, vortex: bool) -> None:
    executor = GoldenExecutor.fresh()
    run(executor, [Reset(), Dispatch(program, vortex, grid=(3, 2, 1), block=(5, 1, 1))])
    device = executor.device
    assert device.launch is not None
    device.launch.finish(2000)
    ends_well = program in (Program.STORE, Program.KEEP, Program.RECALL, Program.ECHO)
    assert (device.launch is not None) == (program is Program.LOOP)
    assert bool(device.interrupts.status & 1) == ends_well
    assert bool(device.fault.kind) == (not ends_well and program is not Program.LOOP)


def test_same_seed_same_sequence_same_observations() -> None:
    first, second = generate(7), generate(7)
    assert first == second and 20 <= len(first.commands) <= 200
    assert generate(8).commands != first.commands
    assert len(generate(9, 33).commands) == 33
    assert run(GoldenExecutor.fresh(1), first.commands) == run(GoldenExecutor.fresh(1), second.commands)


def test_text_and_back() -> None:
    for seed in range(25):
        commands = generate(seed).commands
        assert from_text(to_text(commands)) == commands
    assert from_text("# a comment\n\n  Reset enable=false\n") == [Reset(enable=False)]


@pytest.mark.parametrize("line", ["Nonsense", "Reset enabled=true", "Do Reset", "Doorbells first=x", "Reset enable"])
def test_bad_text_is_a_sentence(line: str) -> None:
    with pytest.raises(SequenceError, match="line 2"):
        from_text(f"Observe\n{line}")


def test_shrinking_finds_the_two_commands_that_matter() -> None:
    """The planted failure: token 77 comes out of the queue."""
    ring, pop = Do(WriteRegister(4, 0x90, 77)), PopDoorbells(70)
    after = [command for command in generate(12, 20).commands if "PopDoorbells" not in to_text([command])]
    planted = [*generate(11, 60).commands, Reset(), ring, Observe(), pop, *after]

    def fails(candidate: list[Command]) -> bool:
        return any(
            isinstance(seen.action, ReadRegister) and seen.action.offset == 0x604 and seen.value == 77
            for seen in run(GoldenExecutor.fresh(), candidate)
        )

    assert fails(planted)
    assert shrink(planted, fails) == [ring, pop]


def test_shrink_keeps_order_and_is_minimal() -> None:
    def fails(items: list[int]) -> bool:
        return 3 in items and 17 in items and items.index(3) < items.index(17)

    assert shrink(list(range(40)), fails) == [3, 17]
    assert len(shrink(list(range(40)), fails, max_trials=3)) >= 2
