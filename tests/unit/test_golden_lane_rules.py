"""Rules about lanes, for every thread mask, every set of undefined lanes and every pattern of values of four lanes.

What is expected is written as sets of lanes from docs/reference/vortex.md §2.1 and §2.3 to §2.10, and from the rule
that a result is undefined where one of its operands is (golden_model/README.md).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import pytest

from config import HardwareConfig
from golden_model import FindingKind
from golden_model.step import Step
from golden_model.warp import Warp
from tests.unit.golden_program import BASE, OUT, bare_warp

K = FindingKind
LANES = range(4)
SUBSETS = [frozenset(lanes) for size in range(5) for lanes in itertools.combinations(LANES, size)]
A0, A1, A2 = 10, 11, 12


def mask_of(lanes: Iterable[int]) -> int:
    return sum(1 << lane for lane in lanes)


class Bench:
    """One warp that executes the same instruction again and again."""

    def __init__(self, source: str, config: HardwareConfig | None = None) -> None:
        self.machine, self.warp = bare_warp(source, config=config)

    def step(self, active: frozenset[int], values: dict[int, list[int]], undefined: dict[int, frozenset[int]]) -> Step:
        """Execute with those registers; the findings are in the step."""
        warp = self.warp
        warp.pc, warp.undef = BASE, [0] * 32
        warp.set_mask(mask_of(active))
        warp.ipdom.clear()
        warp.blocked = False
        for number, lanes in values.items():
            warp.regs[number] = list(lanes)
        for number, unknown in undefined.items():
            warp.undef[number] = mask_of(unknown)
        return warp.step()


def found(step: Step) -> dict[FindingKind, int]:
    return {finding.kind: finding.lanes for finding in step.findings}


def cases() -> Iterator[tuple[frozenset[int], frozenset[int], frozenset[int]]]:
    """Active lanes, undefined lanes, lanes with the special value."""
    for active in SUBSETS[1:]:
        for unknown in SUBSETS:
            for special in SUBSETS:
                yield active, unknown, special


def test_jalr() -> None:
    bench = Bench("jalr ra, 8(a0)")
    for active, unknown, special in cases():
        targets = [BASE + 0x100 if lane in special else BASE + 0x40 for lane in LANES]
        step = bench.step(active, {A0: targets}, {A0: unknown})
        last = max(active)
        other = {lane for lane in active - unknown if targets[lane] != targets[last]}
        expected = {}
        if active & unknown:
            expected[K.UNDEFINED_JUMP] = mask_of(active & unknown)
        if other and last not in unknown:
            expected[K.DIVERGENT_JUMP] = mask_of(other)
        assert found(step) == expected, (active, unknown, special)
        assert (step.next_pc, step.is_control, step.wmask) == (targets[last] + 8, True, mask_of(active))
        assert [step.result[lane] for lane in active] == [BASE + 4] * len(active)


@pytest.mark.parametrize("second", [False, True])
def test_branch(second: bool) -> None:
    """Lanes disagree only if they are defined; an undefined lane may still decide."""
    bench = Bench("bne a0, a1, x\n nop\n nop\nx: nop")
    for active, unknown, special in cases():
        values = {A0: [int(lane in special) for lane in LANES], A1: [0] * 4}
        step = bench.step(active, values, {A1 if second else A0: unknown})
        expected = {}
        if active & unknown:
            expected[K.UNDEFINED_BRANCH] = mask_of(active & unknown)
        defined = active - unknown
        if defined & special and defined - special:
            expected[K.DIVERGENT_BRANCH] = mask_of(defined)
        assert found(step) == expected, (active, unknown, special)
        assert step.next_pc == (BASE + 12 if max(active) in special else BASE + 4)
        assert (step.is_control, step.next_mask, step.wmask) == (True, mask_of(active), 0)


@pytest.mark.parametrize(
    ("source", "register", "kind"),
    [
        ("tmc a0", A0, K.UNDEFINED_MASK),
        ("join a0", A0, K.UNDEFINED_JOIN),
        ("bar a0, a1", A0, K.UNDEFINED_BARRIER),
        ("bar a0, a1", A1, K.UNDEFINED_BARRIER),
        ("bar.arrive a2, a0, a1", A0, K.UNDEFINED_BARRIER),
        ("bar.arrive a2, a0, a1", A1, K.UNDEFINED_BARRIER),
        ("bar.wait a0, a1", A0, K.UNDEFINED_BARRIER),
        ("bar.wait a0, a1", A1, K.UNDEFINED_BARRIER),
        ("wspawn a0, a1", A0, K.UNDEFINED_MASK),
        ("wspawn a0, a1", A1, K.UNDEFINED_JUMP),
        ("pred zero, a0", A0, K.UNDEFINED_MASK),
        ("csrrw a2, mepc, a0", A0, K.UNDEFINED_CSR),
        ("csrrs a2, mepc, a0", A0, K.UNDEFINED_CSR),
    ],
)
def test_operands_of_the_whole_warp_come_from_the_last_active_lane(
    source: str, register: int, kind: FindingKind
) -> None:
    bench = Bench(source)
    for active in SUBSETS[1:]:
        for unknown in SUBSETS:
            last = max(active)
            mine = {"tmc": 15, "join": 0}.get(source.split()[0], 1)
            values = {number: [9 if lane != last else mine for lane in LANES] for number in (A0, A1)}
            for entry in bench.machine.cores[0].barriers.entries:
                entry.restore((0,) * 6)
            step = bench.step(active, values, {register: unknown})
            assert found(step) == ({kind: 1 << last} if last in unknown else {}), (active, unknown)


def test_csr_operand_that_writes_nothing_may_be_undefined() -> None:
    """CSRRS and CSRRC of the value 0 only read."""
    for source in ("csrrs a2, mepc, a0", "csrrc a2, mhartid, a0", "csrrw a2, satp, a0"):
        bench = Bench(source)
        step = bench.step(frozenset(LANES), {A0: [0] * 4}, {A0: frozenset(LANES)})
        assert not step.findings and step.fault is None, source


@pytest.mark.parametrize("name", ["split", "split.n", "pred", "pred.n"])
def test_predicates(name: str) -> None:
    bench = Bench(f"{name} a2, a0" if name.startswith("split") else f"{name} a0, a1")
    for active, unknown, special in cases():
        bench.warp.ipdom.clear()
        values = {A0: [0xFFFF_FFFE | (lane in special) for lane in LANES], A1: [0b1010] * 4}
        step = bench.step(active, values, {A0: unknown})
        assert found(step) == ({K.UNDEFINED_PREDICATE: mask_of(active & unknown)} if active & unknown else {})
        then = active & special if not name.endswith(".n") else active - special
        other = active - then
        if name.startswith("pred"):
            assert step.next_mask == (mask_of(then) or 0b1010)
            continue
        side = then if len(then) <= len(other) else other
        assert step.next_mask == mask_of(side if then and other else active)
        assert (step.wmask, step.undefined, step.result[max(active)]) == (mask_of(active), 0, 0)
        assert (step.ipdom is not None) == bool(then and other)


@pytest.mark.parametrize("name", ["all", "any", "uni", "ballot"])
def test_votes(name: str) -> None:
    bench = Bench(f"vote.{name} a2, a0")
    for active, unknown, special in cases():
        step = bench.step(active, {A0: [0xFFFF_FFFE | (lane in special) for lane in LANES]}, {A0: unknown})
        ones = active & special
        expected = {
            "all": int(ones == active),
            "any": int(bool(ones)),
            "uni": int(ones == active or not ones),
            "ballot": mask_of(ones),
        }[name]
        assert {step.result[lane] for lane in active} == {expected}
        assert (step.wmask, step.undefined) == (mask_of(active), mask_of(active) if active & unknown else 0)


@pytest.mark.parametrize(
    "source",
    [
        "add a2, a0, a1", "slli a2, a0, 3", "xor a2, a0, a1", "mul a2, a0, a1", "sub a2, a0, a0", "sltiu a2, a0, 7",
        "fmv.w.x fa2, a0", "fcvt.s.w fa2, a0", "fcvt.s.wu fa2, a0",
    ],
)  # fmt: skip
def test_results_of_undefined_operands(source: str) -> None:
    bench = Bench(source)
    two = "a1" in source
    for active in SUBSETS[1:]:
        for first, second in itertools.product(SUBSETS, SUBSETS if two else SUBSETS[:1]):
            step = bench.step(active, {A0: [5] * 4, A1: [6] * 4}, {A0: first, A1: second})
            assert (step.wmask, step.undefined) == (mask_of(active), mask_of(active & (first | second)))


def test_undefined_lanes_of_the_destination() -> None:
    """A write defines or undefines its own lanes and leaves the others."""
    for source, fields in (("add a2, a0, zero", "undef"), ("fmv.w.x fa2, a0", "fundef")):
        bench = Bench(source)
        for active, unknown, before in cases():
            getattr(bench.warp, fields)[A2] = mask_of(before)
            if fields == "undef":
                bench.step(active, {A0: [5] * 4}, {A0: unknown, A2: before})
            else:
                bench.step(active, {A0: [5] * 4}, {A0: unknown})
            assert getattr(bench.warp, fields)[A2] == mask_of((before - active) | (active & unknown))


@pytest.mark.parametrize("source", ["lui a2, 0x80001", "auipc a2, 0x80001", "jal a2, x\nx:", "csrr a2, mhartid"])
def test_results_that_are_always_defined(source: str) -> None:
    bench = Bench(source)
    for active in SUBSETS[1:]:
        step = bench.step(active, {}, {A2: frozenset(LANES)})
        assert (step.undefined, bench.warp.undef[A2]) == (0, mask_of(set(LANES) - active))


# ------------------------------------------------------------------ memory


@pytest.mark.parametrize("source", ["lw a2, 4(a0)", "lbu a2, 4(a0)", "flw fa2, 4(a0)", "amoadd.w a2, a1, (a0)"])
def test_undefined_addresses_and_words(source: str) -> None:
    """A loaded value is undefined if its address or its memory is; the address itself is a finding."""
    bench = Bench(source)
    memory = bench.machine.memory
    offset = 0 if source.startswith("amo") else 4
    for active, unknown, special in cases():
        for lane in LANES:
            memory.write(OUT + 8 * lane + offset, bytes([lane + 1, 0, 0, 0]))
            memory.define(OUT + 8 * lane + offset, 4, lane not in special)
        step = bench.step(active, {A0: [OUT + 8 * lane for lane in LANES], A1: [0] * 4}, {A0: unknown})
        assert found(step) == ({K.UNDEFINED_ADDRESS: mask_of(active & unknown)} if active & unknown else {})
        assert (step.wmask, step.undefined) == (mask_of(active), mask_of(active & (unknown | special)))
        assert [step.result[lane] for lane in active] == [lane + 1 for lane in active]
        assert step.memory is not None and step.memory.mask == mask_of(active)


@pytest.mark.parametrize("source", ["sw a1, 4(a0)", "sh a1, 4(a0)", "fsw fa1, 4(a0)", "amoswap.w zero, a1, (a0)"])
def test_undefined_data_goes_to_memory(source: str) -> None:
    """As undefined bytes; a finding in buffers of the host, but not in other memory, and none for atomics."""
    bench = Bench(source)
    machine, warp = bench.machine, bench.warp
    offset, size = (0 if source.startswith("amo") else 4), 2 if source.startswith("sh") else 4
    for active, unknown, special in cases():
        machine.host_buffers.clear()
        for lane in special:
            machine.host_buffers.add(OUT + 8 * lane, 8)
        machine.write(OUT, bytes(64))
        warp.fregs[A1], warp.fundef[A1] = [0x1_0000 * lane + 7 for lane in LANES], mask_of(unknown)
        values = {A0: [OUT + 8 * lane for lane in LANES], A1: [0x1_0000 * lane + 7 for lane in LANES]}
        step = bench.step(active, values, {A1: unknown})
        seen = active & unknown & special
        expected = {K.UNDEFINED_STORE: mask_of(seen)} if seen and not source.startswith("amo") else {}
        assert found(step) == expected, (active, unknown, special)
        for lane in LANES:
            wrong = b"\xff" if lane in active & unknown else b"\0"
            assert machine.memory.undefined(OUT + 8 * lane + offset, size) == wrong * size
        access = step.memory
        assert access is not None
        assert (access.mask, access.size, access.undefined) == (mask_of(active), size, mask_of(active & unknown))
        low = (1 << 8 * size) - 1
        assert [access.data[lane] for lane in active] == [(0x1_0000 * lane + 7) & low for lane in active]
        assert [access.addr[lane] for lane in active] == [OUT + 8 * lane + offset for lane in active]


def test_a_store_names_the_highest_lane_that_the_host_sees() -> None:
    bench = Bench("sw a1, 0(a0)")
    step = bench.step(frozenset(LANES), {A0: [OUT + 8 * lane for lane in LANES]}, {A1: frozenset({0, 2})})
    assert f"{OUT + 16:#x}, a buffer of the host" in step.findings[0].detail


def test_warps_keep_what_inactive_lanes_had() -> None:
    for source in ("add a2, a0, a1", "lw a2, 0(a0)", "vote.ballot a2, a0", "csrr a2, mhartid", "jal a2, x\nx:"):
        bench = Bench(source)
        for active in SUBSETS[1:]:
            bench.step(active, {A0: [OUT] * 4, A1: [1] * 4, A2: [99] * 4}, {})
            assert all(bench.warp.regs[A2][lane] == 99 for lane in set(LANES) - active)


def test_the_mask_decides_the_lanes() -> None:
    warp: Warp = bare_warp("nop")[1]
    for lanes in SUBSETS:
        warp.set_mask(mask_of(lanes))
        assert (warp.lanes, warp.last) == (tuple(sorted(lanes)), max(lanes, default=0))
