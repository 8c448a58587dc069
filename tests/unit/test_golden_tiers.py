"""The fast tier against the readable one: results, masks, memory, findings and counts of whole launches."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from config import HardwareConfig
from golden_model import barrier
from golden_model.fast import build
from golden_model.fast.build import compiled
from golden_model.fast.generate import generate
from golden_model.fast.values import Untranslatable
from golden_model.isa import alu, atomic, control, csr, float32, float_round, lanes, memory, muldiv, simt, table
from golden_model.isa.alu import ALU
from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Instruction
from tests.unit.golden_program import launch_of, machine_with, program, words
from tests.unit.golden_tiers import both_tiers, fuzz_case, needs_compiler
from tests.unit.test_golden_machine import EXCHANGE

pytestmark = needs_compiler


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("block", [4, 11, 16])
def test_exchange_over_a_barrier(block: int, cores: int) -> None:
    result = both_tiers(EXCHANGE, HardwareConfig(num_cores=cores), grid=5, block=block, lmem=4 * block)
    assert not result.findings


def test_several_launches_keep_state() -> None:
    both_tiers(EXCHANGE, grid=7, block=12, lmem=48, launches=3)


@pytest.mark.parametrize(
    ("kernel", "finding"),
    [
        ("csrr t0, thread_id\n beqz t0, x\n nop\nx: ret", "divergent-branch"),
        ("csrr t0, thread_id\n lw t1, 0(t0)\n ret", "misaligned-access"),
        (".word 0xffffffff\n ret", "illegal-instruction"),
        (
            "li t0, 15\n tmc t0\n csrr a0, mscratch\n csrr t1, cta_thread_id_x\n sw t1, 0(a0)",
            "undefined-store",
        ),
        ("jr zero", "fetch-fault"),
        ("sw s9, 0(a0)\n ret", "undefined-store"),
        ("lw t0, 0(s9)\n ret", "undefined-address"),
        ("beqz s9, x\nx: ret", "undefined-branch"),
        ("li t0, 1\n csrr t1, thread_id\n split t2, t1\n tmc zero", "ipdom-not-empty"),
        ("li t0, 5\n join t0\n ret", "illegal-instruction"),
        ("bar zero, zero\n ret", "barrier-count"),
        ("csrr t0, 0x123\n ret", "illegal-instruction"),
        ("lla t0, x\n li t1, 0x13\n sw t1, 0(t0)\nx: .word 0\n ret", ""),
        ("csrr t2, cta_rank\n li t0, 2\n addi t2, t2, 2\n bar zero, t2\n ret", "barrier-count"),
    ],
)
def test_findings(kernel: str, finding: str) -> None:
    """What the fast tier does not execute itself is found all the same, and what it executes afterwards is right."""
    result = both_tiers(kernel, block=6)
    assert any(text.startswith(finding) for text in result.findings) or not finding


def test_a_wrong_call_of_the_dispatch_window() -> None:
    """A call that was right for one launch is not taken for right in the next."""
    machine = machine_with(program("ret\nkernel_other: nop\n ret"))
    image = program("ret\nkernel_other: nop\n ret")
    machine.tier = "fast"
    for kernel in ("k", "other"):
        machine.launch(launch_of(image, kernel, grid=(9, 1, 1)))
        machine.run()
    assert not machine.findings


def test_hang_and_limit_are_reported_alike() -> None:
    assert "no warp can step" in str(
        both_tiers("csrr t0, cta_rank\n beqz t0, x\n li t0, 9\n bar zero, t0\nx: ret").summary
    )
    assert "still running" in str(both_tiers("x: j x", limit=500).summary)


@pytest.mark.parametrize("seed", range(30))
def test_fuzz(seed: int) -> None:
    shapes = [
        HardwareConfig(),
        HardwareConfig(num_threads=8, num_warps=2, num_cores=2),
        HardwareConfig(num_threads=1, num_warps=2),
    ]
    fuzz_case(seed, shapes[seed % len(shapes)])


FULL = HardwareConfig(ext_a=True, ext_f=True, ext_simt_full=True, ext_packed=True)


@pytest.mark.parametrize("seed", range(200, 230))
def test_fuzz_of_all_extensions(seed: int) -> None:
    fuzz_case(seed, [FULL, replace(FULL, num_cores=2, num_threads=8), replace(FULL, num_threads=2)][seed % 3])


def test_fuzz_64_bit_all_extensions() -> None:
    for seed in range(300, 304):
        fuzz_case(seed, replace(FULL, xlen=64, flen=64))


def test_fuzz_64_bit() -> None:
    for seed in range(100, 106):
        fuzz_case(seed, HardwareConfig(xlen=64))


# ------------------------------------------------------------------ one definition, two tiers


# (module or class, function, text in it, mutated text, kernel that shows it)
STORE = "\n csrr t0, thread_id\n slli t0, t0, 2\n add t0, t0, a0\n sw t6, 0(t0)\n ret"
MUTANTS: list[tuple[Any, str, str, str, str]] = [
    (alu, "add", "a + b", "a + b + 1", "csrr t1, thread_id\n add t6, t1, t1" + STORE),
    (muldiv, "mulhu", ">> x.bits", ">> x.bits - 1", "li t1, -1\n csrr t2, thread_id\n mulhu t6, t1, t2" + STORE),
    (control, "execute_branch", "taken >> warp.last & 1", "taken & 1", "csrr t1, thread_id\n li t6, 1\n"
     " beqz t1, x\n li t6, 2\nx:" + STORE),
    (control, "execute_jal", "step.pc + 4", "step.pc + 8", "jal t6, x\nx:" + STORE),
    (memory, "execute_load", "value |= fill", "value |= 0", "li t1, -1\n sw t1, 0(a0)\n lh t6, 0(a0)" + STORE),
    (simt, "execute_split", "<=", "<", "csrr t1, thread_id\n andi t1, t1, 1\n split t2, t1\n csrr t6, minstret\n"
     " beqz t1, x\nx: join t2" + STORE),
    (simt, "_predicate", "& 1 != negate", "& 2 != negate", "csrr t1, thread_id\n li t2, 15\n pred t1, t2\n"
     " csrr t6, active_threads\n tmc t2" + STORE),
    (csr, "set_bits", "old | operand", "old ^ operand", "li t1, 3\n csrw mtval, t1\n csrrs t2, mtval, t1\n"
     " csrr t6, mtval" + STORE),
    (barrier.BarrierUnit, "arrival", "count - 1", "count - 2", "csrr t1, cta_id\n li t2, 2\n bar.arrive t6, t1, t2\n"
     " bar.arrive t6, t1, t2\n bar.arrive t6, t1, t2" + STORE),
    (lanes, "shuffle_down", "lane + bits", "lane + bits + 1", "csrr t1, thread_id\n li t2, 0xc1\n shfl.down t6, t1, t2"
     + STORE),
    (atomic, "larger", "(old) >", "(old) <", "li t1, 5\n amomax.w t6, t1, (a0)\n lw t6, 0(a0)" + STORE),
    (float_round, "rounds_up", "rest > half", "rest >= 0", "li t1, 0x3f800000\n li t2, 0x30000001\n fmv.w.x f0, t1\n"
     " fmv.w.x f1, t2\n fadd.s f0, f0, f1\n fmv.x.w t6, f0" + STORE),
    (float32, "_moved", "!= 0", "== 0", "li t1, 0x3f800000\n fmv.w.x f0, t1\n"
     " fadd.s f0, f0, f0, rup\n csrr t6, fflags" + STORE),
]  # fmt: skip


@pytest.mark.parametrize(("place", "name", "old", "new", "kernel"), MUTANTS, ids=[mutant[1] for mutant in MUTANTS])
def test_a_mutant_of_one_definition_changes_both_tiers(
    place: Any, name: str, old: str, new: str, kernel: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The definition is written anew with one change; both tiers then agree on another result."""
    monkeypatch.setattr(build, "FLAGS", ("-O0", *build.FLAGS[1:]))  # many compilations, short runs
    needs = {
        lanes: FULL,
        barrier.BarrierUnit: FULL,
        atomic: HardwareConfig(ext_a=True),
        float32: HardwareConfig(ext_f=True),
        float_round: HardwareConfig(ext_f=True),
    }
    config = needs.get(place, HardwareConfig())
    right = _results(kernel, config)
    assert right[0] == right[1]
    original = getattr(place, name)
    source = textwrap.dedent(inspect.getsource(original))
    assert old in source
    path = tmp_path / f"mutant_{name}.py"
    path.write_text("from __future__ import annotations\n" + source.replace(old, new, 1), encoding="utf-8")
    scope = original.__globals__
    made: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope, made)
    mutant = made[name]
    monkeypatch.setattr(place, name, mutant)
    for row in table.INSTRUCTIONS:
        for field in ("execute", "lane", "float_lane", "source"):
            if getattr(row, field) is original:
                object.__setattr__(row, field, mutant)
    build.library.cache_clear()
    try:
        wrong = _results(kernel, config)
    finally:
        for row in table.INSTRUCTIONS:
            for field in ("execute", "lane", "float_lane", "source"):
                if getattr(row, field) is mutant:
                    object.__setattr__(row, field, original)
        build.library.cache_clear()
    assert wrong[0] != right[0], "the readable tier does not see it"
    assert wrong[1] == wrong[0], "the fast tier does something else"


def _results(kernel: str, config: HardwareConfig) -> tuple[list[int], list[int]]:
    results = []
    for tier in ("readable", "fast"):
        image = program(kernel)
        machine = machine_with(image, config)
        machine.tier = "fast" if tier == "fast" else "readable"
        machine.launch(launch_of(image))
        machine.run(1000)
        assert not machine.tier_note
        results.append(words(machine, 4))
    return results[0], results[1]


# ------------------------------------------------------------------ what cannot be translated


def unbounded(a: int, b: int, x: Xlen) -> int:
    return int(a**b)


def late_report(warp: object, op: object, step: object) -> None:
    warp.write(step, op.rd, warp.regs[op.rs1], 0)  # type: ignore[attr-defined]
    warp.illegal(step, "too late")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"lane": unbounded}, "unbounded cannot be translated to C: operator Pow is not translated"),
        ({"execute": late_report}, "reports after state has changed; report first"),
    ],
)
def test_refusals_are_sentences(change: dict[str, object], part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in ALU if row.name == "xor")
    fields = {
        name: getattr(row, name) for name in ("name", "mask", "match", "syntax", "unit", "execute", "extension", "lane")
    }
    changed = Instruction(**(fields | change))
    rows = tuple(changed if other is row else other for other in table.INSTRUCTIONS)
    monkeypatch.setattr("golden_model.fast.generate.INSTRUCTIONS", rows)
    with pytest.raises(Untranslatable) as caught:
        generate(HardwareConfig())
    assert part in str(caught.value)


def test_without_a_compiler_the_readable_tier_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(build, "compiler", lambda: None)
    build.library.cache_clear()
    image = program("ret")
    machine = machine_with(image)
    machine.tier = "fast"
    machine.launch(launch_of(image))
    assert machine.run().ctas == 1
    assert machine.tier_note == "the readable tier runs: there is no C compiler (cc, gcc or clang) on the path"
    build.library.cache_clear()


def test_the_cache_is_by_content() -> None:
    first = compiled("int one(void) { return 1; }")
    stamp = first.stat().st_mtime_ns
    assert compiled("int one(void) { return 1; }") == first
    assert first.stat().st_mtime_ns == stamp
    assert compiled("int one(void) { return 2; }") != first


@pytest.mark.parametrize("seed", range(4))
def test_an_order_from_a_seed_is_the_same(seed: int) -> None:
    """One counter that all warps increment without atomics: its value depends on the order."""
    kernel = "li t1, 20\nx: lw t0, 0(a0)\n addi t0, t0, 1\n nop\n sw t0, 0(a0)\n addi t1, t1, -1\n bnez t1, x\n ret"
    result = both_tiers(kernel, HardwareConfig(num_cores=2), grid=9, block=8, seed=seed)
    assert result.memory != both_tiers(kernel, HardwareConfig(num_cores=2), grid=9, block=8).memory, "another order"
