"""Properties over random cases: nesting of SPLIT and JOIN, arrivals at barriers."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model.barrier import BarrierUnit
from tests.unit.golden_program import bare_warp

LANES = 8
CONFIG = HardwareConfig(num_threads=LANES)
DEPTH = 3


@dataclass
class Fork:
    """One SPLIT: lanes of `mask` take the then side."""

    mask: int
    negated: bool
    then: list[Fork] = field(default_factory=list)
    other: list[Fork] = field(default_factory=list)


def forks(depth: int) -> st.SearchStrategy[Fork]:
    inner = st.lists(forks(depth - 1), max_size=1) if depth > 1 else st.just([])
    return st.builds(Fork, st.integers(0, 255), st.booleans(), inner, inner)


class Writer:
    """Assembler text of a tree; every side of every fork has a counter word at 8 × number in local memory of a lane."""

    def __init__(self) -> None:
        self.lines = ["csrr s0, thread_id", "slli s1, s0, 8", "add s1, s1, a0"]
        self.visits: list[list[int]] = []  # by counter: how often each lane comes by
        self.masks: list[int] = []  # expected by marker

    def tree(self, fork: Fork, active: int, depth: int) -> None:
        number = len(self.masks)
        predicate, pointer = f"s{2 + depth}", f"s{6 + depth}"
        self.masks.append(active)
        self.lines += [f"li t0, {fork.mask}", "srl t0, t0, s0", f"andi {predicate}, t0, 1"]
        name, branch = ("split.n", "bnez") if fork.negated else ("split", "beqz")
        self.lines += [f"{name} {pointer}, {predicate}", f"{branch} {predicate}, other{number}"]
        taken = active & (~fork.mask if fork.negated else fork.mask)
        self.side(fork.then, taken, depth)
        self.lines += [f"j end{number}", f"other{number}:"]
        self.side(fork.other, active & ~taken, depth)
        self.lines += [f"end{number}: join {pointer}", f"csrr t1, active_threads\nmark{number}: nop"]

    def side(self, inner: list[Fork], active: int, depth: int) -> None:
        at = 4 * len(self.visits)
        self.visits.append([active >> lane & 1 for lane in range(LANES)])
        self.lines += [f"lw t2, {at}(s1)", "addi t2, t2, 1", f"sw t2, {at}(s1)"]
        for fork in inner:
            self.tree(fork, active, depth + 1)


@settings(max_examples=30, deadline=None)
@given(fork=forks(DEPTH), mask=st.integers(1, 255))
def test_split_and_join_restore_the_mask_for_any_nesting(fork: Fork, mask: int) -> None:
    """Behind each JOIN all lanes that came to its SPLIT are active; each lane takes the sides of its predicates."""
    writer = Writer()
    writer.tree(fork, mask, 0)
    machine, warp = bare_warp("\n".join([*writer.lines, "tmc zero"]), mask, CONFIG)
    base = 0x4_0000
    warp.regs[10] = [base] * LANES
    machine.write(base, bytes(256 * LANES))
    for _ in range(5000):
        step = warp.step()
        assert not step.findings
        if step.warp_ended:
            break
        if step.name == "csrrs" and step.rd == 6:
            assert step.tmask == step.result[(step.tmask.bit_length() - 1)]
    else:
        raise AssertionError("the program does not end")
    assert step.tmask == mask, "the whole mask is back at the end"
    assert len(warp.ipdom) == 0
    for number, expected in enumerate(writer.visits):
        seen = [int.from_bytes(machine.read(base + 256 * lane + 4 * number, 4), "little") for lane in range(LANES)]
        assert seen == expected, f"side {number}"


@settings(max_examples=150, deadline=None)
@given(
    participants=st.integers(1, 4),
    identifier=st.sampled_from((0, 1, 0x100, 0x703)),
    choices=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(("sync", "arrive", "wait"))), max_size=60),
)
def test_barriers_conserve_arrivals(participants: int, identifier: int, choices: list[tuple[int, str]]) -> None:
    """Every arrival belongs to one phase; a phase ends with its last arrival and lets everybody go who waits for it."""
    unit = BarrierUnit(CONFIG)
    arrivals = phases = blocked = 0
    tokens = [0] * 4
    for wid, operation in choices:
        if blocked >> wid & 1:
            continue
        if operation == "wait":
            event = unit.wait(wid, identifier, tokens[wid])
            assert bool(event.released) == (tokens[wid] != phases & 1)
            blocked |= 0 if event.released else 1 << wid
            continue
        completes = arrivals % participants == participants - 1
        arrivals += 1
        if operation == "arrive":
            event = unit.arrive(identifier, participants)
            tokens[wid] = event.phase
            expected = blocked if completes else 0
        else:
            event = unit.sync(wid, identifier, participants)
            expected = blocked | 1 << wid if completes else 0
            blocked |= 1 << wid
        assert event.phase == phases & 1
        assert event.released == expected
        if completes:
            phases += 1
            blocked = 0
        entry = unit.entry(identifier)
        assert arrivals == phases * participants + entry.count
        assert (entry.waiters, entry.phase) == (blocked, phases & 1)
    untouched = [e for e in unit.entries if e is not unit.entry(identifier)]
    assert not any(any(e.fields()) for e in untouched)
