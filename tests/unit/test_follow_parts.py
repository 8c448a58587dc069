"""Following a design behind the address remapper: memory that lies in VRAM in parts, on both tiers of the follower."""

from __future__ import annotations

import pytest

from golden_model import FindingKind
from golden_model.device.image_table import TableEntry
from golden_model.device.remap import RemappedMemory
from golden_model.follow.accelerator import Accelerator
from golden_model.machine import Tier
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges
from tests.unit.fake_hardware import ARGS, BASE, BUFFER_SIZE, DATA, OUT
from tests.unit.follow_bench import Bench
from tests.unit.follow_kernels import CLEAN
from tests.unit.test_follow_tiers import ALLOWED, body_of, config_of, launch_of, outcome

# Ranges that begin in the middle of pages on both sides; half of the input stays in private memory.
PARTS = [
    TableEntry(ARGS, 0x8040, 0x40),
    TableEntry(DATA + 0x48, 0x10_0008, BUFFER_SIZE // 2),
    TableEntry(OUT, 0x20_0FC0, BUFFER_SIZE),
    TableEntry(BASE, 0x3_0100, 0x2000),
]


def remapped(parts: list[TableEntry], failing: AddressRanges | None = None) -> RemappedMemory:
    memory = RemappedMemory(1 << 32, Memory(1 << 26), failing=failing)
    memory.map(parts)
    return memory


def follow(name: str, tier: Tier, parts: list[TableEntry], monkeypatch: pytest.MonkeyPatch) -> tuple[Bench, list[int]]:
    """The bench after three launches, and what each handed over to Python."""
    looks: list[int] = []
    leave = Accelerator.leave

    def watched(self: Accelerator) -> None:
        if self.active:
            looks.append(self.handed_over)
        leave(self)

    with monkeypatch.context() as patched:
        patched.setattr(Accelerator, "leave", watched)
        bench = Bench(body_of(name), config_of(name), allowed=ALLOWED, tier=tier, memory=remapped(parts))
        for _ in range(3):
            assert bench.launch(launch_of(bench, name)) is None, bench.report()
    return bench, looks


@pytest.mark.parametrize("name", sorted(CLEAN))
def test_both_tiers_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    readable, none = follow(name, "readable", PARTS, monkeypatch)
    fast, looks = follow(name, "fast", PARTS, monkeypatch)
    assert outcome(readable.follower) == outcome(fast.follower)
    assert fast.golden.tier_note == "" and none == []
    assert len(looks) >= 3  # C had the state in every launch, up to its end


def test_bytes_are_where_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    bench, _ = follow("exchange", "fast", PARTS, monkeypatch)
    memory = bench.golden.memory
    assert isinstance(memory, RemappedMemory)
    plain, _ = follow("exchange", "fast", [], monkeypatch)
    assert (
        memory.read(OUT, BUFFER_SIZE) == memory.vram.read(0x20_0FC0, BUFFER_SIZE) == plain.golden.read(OUT, BUFFER_SIZE)
    )
    assert not any(memory.private.read(OUT, BUFFER_SIZE))


@pytest.mark.parametrize("entry", [TableEntry(DATA + 4, 0x10_0000, 64), TableEntry(DATA, 0x10_0004, 64)])
def test_what_c_cannot_see_runs_readably(entry: TableEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, looks = follow("exchange", "fast", [entry], monkeypatch)
    assert looks == [] and "no multiple of 8" in bench.golden.tier_note


def test_memory_that_fails_runs_readably() -> None:
    failing = AddressRanges()
    failing.add(0x100, 64)
    bench = Bench(
        CLEAN["exchange"], tier="fast", memory=remapped(PARTS, failing), allowed=(FindingKind.UNDEFINED_STORE,)
    )
    assert bench.launch() is None, bench.report()
    assert "bus errors" in bench.golden.tier_note
