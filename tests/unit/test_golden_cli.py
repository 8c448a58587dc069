"""The command line: results, findings and one-sentence refusals; and the console ring behind it."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from golden_model.__main__ import app
from golden_model.arguments import Value, parse
from golden_model.bench import CASES, LOOPS
from golden_model.console import BASE, DATA, EXIT_CODE, LOST, RD, Console
from golden_model.memory import Memory
from sw.kernel.vxbin import Entry, encode, load
from tests.unit.golden_program import program
from tests.unit.golden_tiers import needs_compiler

# dst[i] = src[i] + bias for i < count; a0 = {u32 count, i32 bias, u64 src, u64 dst}
ADD = """
    csrr t0, cta_block_id_x
    csrr t1, cta_block_dim_x
    mul t0, t0, t1
    csrr t1, cta_thread_id_x
    add t0, t0, t1
    lw t2, 4(a0)
    lw t3, 8(a0)
    lw t4, 16(a0)
    slli t0, t0, 2
    add t3, t3, t0
    add t4, t4, t0
    lw t5, 0(t3)
    add t5, t5, t2
    sw t5, 0(t4)
    ret
kernel_hang:
    li t0, 2
    bar zero, t0
    ret
kernel_bad:
    csrr t0, thread_id
    bnez t0, x
x:  .word 0
kernel_print:
    li t0, 0x240
    li t1, 0x0a6948
    sw t1, 0(t0)
    li t1, 3
    sw t1, 0x40(zero)
    ret
"""


IMAGES = Path("golden_model/bench/images")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = program(ADD)
    kernels = {"add_k" if name == "k" else name: pc for name, pc in built.kernels.items()}
    entries = [Entry(name, pc) for name, pc in kernels.items()]
    path = tmp_path_factory.mktemp("golden") / "add.vxbin"
    path.write_bytes(encode(built.min_vma, built.max_vma, built.image, entries))
    return path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


ADD_ARGS = (
    "--kernel",
    "add_k",
    "--grid",
    4,
    "--block",
    8,
    "--arg",
    "u32:32",
    "--arg",
    "i32:-3",
    "--arg",
    "iota:32",
    "--arg",
    "zeros:128",
)


def test_run_writes_and_dumps_results(image: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bin"
    result = invoke("run", image, *ADD_ARGS, "--out", f"3:{out}", "--dump", 3)
    assert result.exit_code == 0, result.output
    assert struct.unpack("<32i", out.read_bytes()) == tuple(i - 3 for i in range(32))
    assert "add_k: 4 CTAs, 8 warps," in result.output
    assert "4294967293 4294967294 4294967295" in result.output.replace("  ", " ")
    assert "finding" not in result.output


def test_input_from_a_file_and_other_shapes(image: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "in.bin", tmp_path / "out.bin"
    source.write_bytes(struct.pack("<32I", *range(1000, 1032)))
    arguments = ("--arg", "u32:32", "--arg", "i32:1", "--arg", f"in:{source}", "--arg", "zeros:128")
    hardware = ("--cores", 2, "--warps", 2, "--threads", 8, "--seed", 3)
    grid = ("--grid", "2,1,1", "--block", "16")
    result = invoke("run", image, "--kernel", "add_k", *grid, *arguments, *hardware, "--out", f"3:{out}")
    assert result.exit_code == 0, result.output
    assert struct.unpack("<32I", out.read_bytes()) == tuple(range(1001, 1033))


def test_findings_make_it_fail(image: Path) -> None:
    result = invoke("run", image, "--kernel", "bad", "--block", 4)
    assert result.exit_code == 1
    assert "finding: divergent-branch: core 0 warp 0" in result.output
    assert "bne t0, zero" in result.output
    assert "finding: illegal-instruction" in result.output


def test_hang_is_diagnosed(image: Path) -> None:
    result = invoke("run", image, "--kernel", "hang", "--block", 4)
    assert result.exit_code == 1
    assert "hang: launch 1: no warp can step" in result.output
    assert "suspended at barrier 0 of CTA slot 0" in result.output


def test_limit(image: Path) -> None:
    result = invoke("run", image, *ADD_ARGS, "--max-instructions", 10)
    assert result.exit_code == 1
    assert "still running after" in result.output


def test_console_output_is_printed(image: Path) -> None:
    result = invoke("run", image, "--kernel", "print", "--block", 1)
    assert result.exit_code == 0, result.output
    assert "#0: Hi\n" in result.output


def test_disassembly(image: Path) -> None:
    result = invoke("disasm", image, "--kernel", "add_k", "--count", 2)
    lines = result.output.splitlines()
    assert lines[0] == "add_k:"
    assert lines[1].endswith("cd6022f3  csrrs t0, cta_block_id_x, zero")
    assert len(lines) == 3
    assert invoke("disasm", image).output.count("\n") > 30


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--kernel", "nope"), "has no kernel 'nope'; it has: add_k, hang, bad, print"),
        (("--kernel", "add_k", "--block", 17), "block 17x1x1 has 17 threads, but a core has only 16"),
        (("--kernel", "add_k", "--block", 0), "block x=0"),
        (("--kernel", "add_k", "--grid", "a"), "--grid a: write one to three whole numbers"),
        (("--kernel", "add_k", "--grid", "1,2,3,4"), "write one to three whole numbers"),
        (("--kernel", "add_k", "--grid", 3, "--cluster", 2), "grid x=3 is not a multiple of cluster x=2"),
        (("--kernel", "add_k", "--lmem", 99999), "99999 bytes of local memory"),
        (("--kernel", "add_k", "--threads", 3), "num_threads=3: must be a power of two"),
        (("--kernel", "add_k", "--arg", "7"), "--arg 7: write KIND:VALUE"),
        (("--kernel", "add_k", "--arg", "u32:x"), "'x' is no whole number"),
        (("--kernel", "add_k", "--arg", "u8:256"), "does not fit its type"),
        (("--kernel", "add_k", "--arg", "f32:abc"), "'abc' is no number"),
        (("--kernel", "add_k", "--arg", "in:/nonexistent"), "the file cannot be read: No such file"),
        (("--kernel", "add_k", "--arg", "zeros:0"), "a buffer has 1"),
        (("--kernel", "add_k", "--arg", "u32:1", "--dump", 0), "argument 0 is no buffer (buffers: none)"),
        (("--kernel", "add_k", "--arg", "zeros:4", "--out", "0"), "--out 0: write N:FILE"),
        (("--kernel", "add_k", "--arg", "zeros:4", "--out", "1:x"), "argument 1 is no buffer (buffers: 0)"),
    ],
)
def test_bad_input_is_one_sentence(image: Path, arguments: tuple[object, ...], sentence: str) -> None:
    result = invoke("run", image, *arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert result.output.startswith("golden_model: ")
    assert result.output.count("\n") == 1
    assert "Traceback" not in result.output


def test_unreadable_images(tmp_path: Path, image: Path) -> None:
    for path in (tmp_path / "absent.vxbin", tmp_path):
        result = invoke("run", path)
        assert result.exit_code == 2
        assert result.output.startswith("golden_model: ")
    short = tmp_path / "short.vxbin"
    short.write_bytes(b"abc")
    assert invoke("disasm", short).exit_code == 2
    assert invoke("disasm", image, "--kernel", "x").exit_code == 2
    assert invoke("disasm", image, "--xlen", 31).exit_code == 2
    result = invoke("run", image, *ADD_ARGS, "--out", "3:/nonexistent/file")
    assert (result.exit_code, "cannot be written" in result.output) == (2, True)


def test_argument_values() -> None:
    for text, packed in (
        ("u8:255", b"\xff"),
        ("i16:-2", b"\xfe\xff"),
        ("u64:0x1_00000000", bytes([0, 0, 0, 0, 1, 0, 0, 0])),
        ("f32:1.5", struct.pack("<f", 1.5)),
        ("f64:-0.1", struct.pack("<d", -0.1)),
    ):
        value = parse(text)
        assert isinstance(value, Value)
        assert value.packed == packed


# ------------------------------------------------------------------ console ring


class Ring:
    """Device side of one slot."""

    def __init__(self) -> None:
        self.memory = Memory(1 << 32)
        self.console = Console(self.memory.read, self.memory.write)
        self.console.open()

    def put(self, slot: int, text: bytes) -> None:
        produced = self.word(BASE + 4 * slot)
        for byte in text:
            if produced - self.word(RD + 4 * slot) >= 512:
                self.set(LOST + 4 * slot, self.word(LOST + 4 * slot) + 1)
                continue
            self.memory.write(DATA + 512 * slot + produced % 512, bytes([byte]))
            produced += 1
            self.set(BASE + 4 * slot, produced)

    def word(self, addr: int) -> int:
        return self.memory.load(addr, 4)[0]

    def set(self, addr: int, value: int) -> None:
        self.memory.write(addr, value.to_bytes(4, "little"))


def test_addresses() -> None:
    assert (RD - BASE, DATA - BASE, LOST - BASE, EXIT_CODE) == (256, 512, 33280, 0x8348)


def test_lines_stay_buffered_until_they_end() -> None:
    ring = Ring()
    ring.put(3, b"one\ntw")
    ring.put(63, b"x\n")
    assert ring.console.drain() == ["#3: one", "#63: x"]
    assert ring.console.unfinished() == ["#3: tw"]
    assert ring.word(RD + 12) == 6
    ring.put(3, b"o\n")
    assert ring.console.drain() == ["#3: two"]


def test_ring_wraps_and_counts_what_is_lost() -> None:
    ring = Ring()
    for _ in range(3):
        ring.put(0, b"a" * 399 + b"\n")
        assert ring.console.drain() == ["#0: " + "a" * 399]
    ring.put(0, b"b" * 600)
    assert ring.console.drain() == ["[#0: lost 88 bytes]"]
    assert ring.console.unfinished() == ["#0: " + "b" * 512]


def test_counters_wrap_at_32_bits() -> None:
    ring = Ring()
    for addr in (BASE, RD):
        ring.set(addr, 0xFFFFFFFE)
    ring.console._consumed[0] = 0xFFFFFFFE
    for offset, byte in ((510, b"o"), (511, b"k"), (0, b"\n")):
        ring.memory.write(DATA + offset, byte)
    ring.set(BASE, 1)
    assert ring.console.drain() == ["#0: ok"]


def test_a_slot_far_behind_keeps_its_last_512_bytes() -> None:
    """A device that ignores the ring's limit: what was overwritten cannot come back."""
    ring = Ring()
    ring.memory.write(DATA, b"n" * 511 + b"\n")
    ring.set(BASE, 1024)
    assert ring.console.drain() == ["#0: " + "n" * 511]


# ------------------------------------------------------------------ tiers


def test_both_tiers_print_the_same(image: Path) -> None:
    texts = []
    for tier in ("fast", "readable"):
        result = invoke("run", image, "--tier", tier, *ADD_ARGS, "--dump", 3)
        assert result.exit_code == 0, result.output
        texts.append(re.sub(r"[\d,]+ warp instructions/s", "", result.output))
    assert texts[0] == texts[1]
    assert "add_k: 4 CTAs" in texts[0]


def test_unknown_tier(image: Path) -> None:
    result = invoke("run", image, "--tier", "quick")
    assert result.exit_code == 2
    assert "--tier quick: must be fast or readable" in result.output


@needs_compiler
def test_bench_prints_a_ratio_per_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"sgemm_i": 16, "multikernel": 64}
    small = [replace(case, readable=sizes[case.image], fast=64) for case in CASES if not case.ext_f]
    monkeypatch.setattr("golden_model.bench.table.CASES", small)
    monkeypatch.setattr("golden_model.bench.loops.KERNELS", {"arithmetic": LOOPS["arithmetic"]})
    result = invoke("bench", "--lanes", 4, "--seconds", 0.01, "--loops")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert len(lines) == 1 + len(small) + 1
    assert all(float(line.split()[-3]) > 1 for line in lines[1:])


@pytest.mark.skipif(shutil.which("clang-19") is None, reason="clang-19 is not installed")
@pytest.mark.parametrize("name", ["sgemm", "sgemm_i", "multikernel"])
def test_images_of_the_benchmark_are_what_their_sources_say(name: str, tmp_path: Path) -> None:
    source = IMAGES / "sgemm.cpp" if name == "sgemm" else Path(f"tests/kernels/{name}/kernel.cpp")
    command = [sys.executable, "-m", "sw.kernel.vxcc", str(source), "-o", str(tmp_path / "k.vxbin")]
    subprocess.run([*command, "--set", f"ext_f={str(name == 'sgemm').lower()}"], check=True)
    assert load(tmp_path / "k.vxbin") == load(IMAGES / f"{name}.vxbin")
