"""`trace` and `compare`: what is in the file, partial traces, other people's CSV, and the first difference."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from config import HardwareConfig
from golden_model import Watch
from golden_model.__main__ import app
from golden_model.trace import COLUMNS, TraceWriter, compare, read
from sw.kernel.vxbin import Entry, encode
from tests.unit.golden_program import launch_of, machine_with, program

# Every lane stores its thread index; lane 0 alone executes an addi between SPLIT and JOIN; the warps meet at a barrier.
KERNEL = """
    csrr t0, cta_thread_id_x
    slli t1, t0, 2
    add t1, t1, a0
    sw t0, 0(t1)
    lw t2, 0(t1)
    seqz t3, t0
    split t4, t3
    beqz t3, over
    addi t2, t2, 5
over: join t4
    csrr t5, cta_size
    csrr t6, cta_id
    bar t6, t5
    ret
kernel_endless:
    j kernel_endless
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = program(KERNEL)
    path = tmp_path_factory.mktemp("trace") / "k.vxbin"
    entries = [Entry(name, pc) for name, pc in built.kernels.items()]
    path.write_bytes(encode(built.min_vma, built.max_vma, built.image, entries))
    return path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def traced(image: Path, out: Path, *more: object) -> Path:
    arguments = ("--kernel", "k", "--grid", 2, "--block", 7, "--arg", "zeros:64")
    result = invoke("trace", image, "--out", out, *arguments, *more)
    assert result.exit_code == 0, result.output
    assert f"{out}: " in result.output
    return out


def test_the_file_says_what_happened(image: Path, tmp_path: Path) -> None:
    trace = read(traced(image, tmp_path / "t.npz"))
    assert set(trace.columns) == {column.name for column in COLUMNS}
    c = trace.columns
    stores = c["mem_op"] == 1
    assert stores.sum() == 4  # two blocks of two warps
    first = np.flatnonzero(stores & (c["rank"] == 0) & (c["block_x"] == 0))[0]
    base = c["addr"][first, 0]
    assert c["addr"][first].tolist() == [base, base + 4, base + 8, base + 12]
    assert c["data"][first].tolist() == [0, 1, 2, 3]
    second = np.flatnonzero(stores & (c["rank"] == 1))[0]
    assert (c["mem_mask"][second], c["data"][second].tolist()) == (0b0111, [4, 5, 6, 0])
    assert (c["barrier_op"] == 0).sum() == 4
    assert sorted(c["released"][c["barrier_op"] == 0].tolist()) != [0, 0, 0, 0]
    for block in (0, 1):
        assert c["ipdom_op"][(c["ipdom_op"] != 255) & (c["block_x"] == block)].tolist() == [0, 1, 2]
    alone = trace.columns["instr"] == 0x00538393  # addi t2, t2, 5
    assert set(c["tmask"][alone].tolist()) == {1}
    assert set(c["result"][alone][:, 0].tolist()) == {5}
    assert not c["result"][alone][:, 1:].any(), "lanes that were not written hold 0"
    for key in {tuple(k) for k in np.stack([c["core"], c["warp"]], 1).tolist()}:
        rows = (c["core"] == key[0]) & (c["warp"] == key[1])
        assert c["uid"][rows].tolist() == list(range(rows.sum()))
        assert (c["next_pc"][rows][:-1] == c["pc"][rows][1:]).all()


def test_numpy_alone_reads_it(image: Path, tmp_path: Path) -> None:
    path = traced(image, tmp_path / "t.npz")
    with np.load(path) as archive:
        assert archive["000000/pc"].dtype == np.uint64
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read("meta.json"))
    assert (about["version"], about["lanes"], about["kernel"]) == (1, 4, "k")
    assert about["columns"]["tmask"] == "thread mask with which it executed"


def test_chunks_are_put_together(tmp_path: Path) -> None:
    built = program(KERNEL)
    paths = tmp_path / "small.npz", tmp_path / "large.npz"
    for path, chunk in zip(paths, (10, 1 << 15), strict=True):
        machine = machine_with(built)
        machine.launch(launch_of(built, block=(8, 1, 1)))
        with TraceWriter(path, 4, chunk=chunk) as writer:
            summary = machine.run(watch=Watch(writer.step))
        assert writer.rows == summary.warp_instructions
    small, large = read(paths[0]), read(paths[1])
    assert len(small) == len(large) == summary.warp_instructions > 50
    for name, values in large.columns.items():
        assert (small.columns[name] == values).all()


def test_an_error_in_the_middle_leaves_what_was_traced(tmp_path: Path) -> None:
    built = program("again: addi t0, t0, 1\n j again")
    machine = machine_with(built)
    machine.launch(launch_of(built))
    path = tmp_path / "t.npz"

    def stop(instructions: int, blocks: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), TraceWriter(path, 4, chunk=8) as writer:
        machine.run(watch=Watch(writer.step, stop, every=100))
    assert 100 <= len(read(path)) == writer.rows < 120


def test_ctrl_c_leaves_a_usable_partial_trace(image: Path, tmp_path: Path) -> None:
    """A real process that gets the signal while it runs."""
    out = tmp_path / "t.npz"
    command = [sys.executable, "-m", "golden_model", "trace", str(image), "--kernel", "endless", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        limit = time.monotonic() + 60
        while time.monotonic() < limit and not (out.exists() and out.stat().st_size > 5000):
            time.sleep(0.1)
        process.send_signal(2)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, output
    assert "interrupted after" in output
    assert "Traceback" not in output
    assert len(read(out)) > 30_000


def test_csv_has_the_same_rows(image: Path, tmp_path: Path) -> None:
    npz, text = traced(image, tmp_path / "t.npz"), traced(image, tmp_path / "t.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.npz"]
    with text.open(newline="") as file:
        rows = list(csv.DictReader(file))
    trace = read(npz)
    assert len(rows) == len(trace)
    store = next(row for row in rows if row["mem_op"] == "1" and row["rank"] == "1")
    assert store["text"] == "sw t0, 0(t1)"
    assert [store[f"data{lane}"] for lane in range(4)] == ["0x4", "0x5", "0x6", ""]
    assert (store["barrier_op"], store["result0"], store["tmask"]) == ("", "", "0x7")
    outcome = invoke("compare", npz, text)
    assert outcome.exit_code == 0, outcome.output
    assert f"no difference: {len(rows)} warp instructions agree" in outcome.output


# ------------------------------------------------------------------ compare


def changed(path: Path, out: Path, where: dict[str, str], column: str, value: str) -> Path:
    """CSV with one cell changed in the first row that matches."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    head = rows[0]
    row = next(row for row in rows[1:] if all(row[head.index(name)] == text for name, text in where.items()))
    assert row[head.index(column)] != value
    row[head.index(column)] = value
    with out.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return out


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        ("result1", "0x77", "lane  1  ours                0x1   theirs               0x77  <--"),
        ("next_pc", "0x80000000", "next_pc: PC afterwards"),
        ("wmask", "0x1", "wmask: lanes of rd that were written"),
        ("tmask", "0x3", "tmask: thread mask with which it executed"),
    ],
)
def test_one_changed_cell_is_found(image: Path, tmp_path: Path, column: str, value: str, shown: str) -> None:
    ours = traced(image, tmp_path / "t.csv")
    theirs = changed(ours, tmp_path / "u.csv", {"text": "lw t2, 0(t1)", "rank": "0"}, column, value)
    result = invoke("compare", ours, theirs)
    assert result.exit_code == 1
    assert result.output.startswith("DIFFERENCE  launch 1, core 0, warp ")
    assert shown in result.output
    assert "lw t2, 0(t1)" in result.output
    assert "before it (ours):" in result.output
    assert invoke("compare", ours, theirs, "--ignore", column.rstrip("01")).exit_code == 0


def test_the_first_of_several_differences(image: Path, tmp_path: Path) -> None:
    ours = traced(image, tmp_path / "t.csv")
    late = changed(ours, tmp_path / "u.csv", {"text": "lw t2, 0(t1)", "rank": "0"}, "result0", "0x9")
    both = changed(late, tmp_path / "v.csv", {"text": "sw t0, 0(t1)", "rank": "0"}, "data2", "0x8")
    assert "data: store data" in invoke("compare", ours, both).output
    assert "result: value written" in invoke("compare", ours, late).output


def test_a_trace_that_ends_too_early(image: Path, tmp_path: Path) -> None:
    ours = traced(image, tmp_path / "t.csv")
    lines = ours.read_text().splitlines(keepends=True)
    short = tmp_path / "short.csv"
    short.write_text("".join(lines[:-1]))
    for pair in ((ours, short), (short, ours)):
        result = invoke("compare", *pair)
        assert result.exit_code == 1
        assert "short.csv has ended here, t.csv goes on with" in result.output
        assert "tmc zero" in result.output


def test_other_placement_is_no_difference_by_block(image: Path, tmp_path: Path) -> None:
    ours = traced(image, tmp_path / "t.npz")
    theirs = traced(image, tmp_path / "u.npz", "--cores", 2, "--seed", 5)
    assert invoke("compare", ours, theirs, "--by", "warp").exit_code == 1
    # Placement is visible to the kernel: slot numbers, stack pointers.
    result = compare(read(ours), read(theirs), "block", ["result", "barrier_id", "data", "addr"])
    assert result.difference is None
    assert result.instructions == len(read(ours))


def test_somebody_elses_csv(image: Path, tmp_path: Path) -> None:
    """Other titles, binary masks, all lanes in one cell, no prefix on hexadecimal numbers."""
    ours = read(traced(image, tmp_path / "t.npz"))
    theirs, mapping = tmp_path / "sim.csv", tmp_path / "sim.toml"
    c = ours.columns
    lines = ["wid;PC;mask;values;noise"]
    for i in range(len(ours)):
        values = [f"{v:x}" if c["wmask"][i] >> np.uint64(lane) & np.uint64(1) else "-" for lane, v in
                  enumerate(c["result"][i].tolist())]  # fmt: skip
        lines.append(f"{c['warp'][i]};{int(c['pc'][i]):x};{int(c['tmask'][i]):04b};{' '.join(values)};?")
    theirs.write_text("\n".join(lines))
    mapping.write_text(
        'separator = ";"\nbase = 16\n[columns]\nwarp = { title = "wid", base = 10 }\npc = "PC"\n'
        'tmask = { title = "mask", base = 2 }\nresult = { title = "values", split = " " }\n'
    )
    result = invoke("compare", tmp_path / "t.npz", theirs, "--map-theirs", mapping)
    assert result.exit_code == 0, result.output
    assert "compared: pc, tmask, result" in result.output
    theirs.write_text("\n".join(lines).replace("0 1 2 3;?", "0 1 2 4;?", 1))
    result = invoke("compare", tmp_path / "t.npz", theirs, "--map-theirs", mapping)
    assert result.exit_code == 1
    assert "lane  3  ours                0x3   theirs                0x4  <--" in result.output


@pytest.mark.parametrize(
    ("content", "mapping", "sentence"),
    [
        ("", "", "is empty"),
        ("a,b\n1,2\n", "", "no column is known; there are: a, b"),
        ("pc\nfoo\n", "", "line 2, column pc: 'foo' is no whole number in base 10"),
        ("pc,warp\n1\n", "", "line 2: 1 cells, but the first line names 2"),
        ("pc\n-1\n", "", "column pc holds a number below 0"),
        ("pc\n1\n", '[columns]\npc = "PC"', "there is no column 'PC' for pc"),
        ("pc\n1\n", '[columns]\nfoo = "pc"', "'foo' is no column of ours"),
        ("pc\n1\n", "base = 10", "[columns] is missing"),
        ("pc\n1\n", "[columns", "is no TOML"),
        ("pc\n1\n", "x = 1\n[columns]\npc = 'pc'", "'x' is unknown"),
        ("pc\n1\n", "[columns]\npc = { title = 'pc', base = 99 }", "must be a number between 2 and 36"),
        ("pc\n1\n", "[columns]\npc = { name = 'pc' }", 'must be "their title"'),
        ("pc\n1\n", "[columns]\npc = 'pc{lane}'", "one value a row"),
        ("pc\n1\n", "separator = 'ab'\n[columns]\npc = 'pc'", "must be one character"),
    ],
)
def test_bad_csv_and_bad_mappings(tmp_path: Path, content: str, mapping: str, sentence: str) -> None:
    good, bad, rules = tmp_path / "good.csv", tmp_path / "bad.csv", tmp_path / "m.toml"
    good.write_text("pc,warp\n1,0\n")
    bad.write_text(content)
    rules.write_text(mapping)
    result = invoke("compare", good, bad, *(("--map-theirs", rules) if mapping else ()))
    assert result.exit_code == 2, result.output
    assert sentence in result.output
    assert result.output.startswith("golden_model: ")
    assert result.output.count("\n") == 1


def test_other_bad_input(image: Path, tmp_path: Path) -> None:
    good, other = tmp_path / "good.csv", tmp_path / "other.csv"
    good.write_text("pc\n1\n")
    other.write_text("tmask\n1\n")
    for arguments, sentence in (
        (("compare", good, tmp_path / "absent.npz"), "cannot be read: No such file"),
        (("compare", good, image), "is no trace"),
        (("compare", good, other), "no column in common"),
        (("compare", good, good, "--by", "x"), "must be warp or block"),
        (("compare", good, good, "--ignore", "x"), "no trace has such a column"),
        (("trace", image, "--kernel", "k", "--out", "/nonexistent/t.npz"), "cannot be written"),
        (("trace", image, "--kernel", "nope"), "has no kernel 'nope'"),
    ):
        result = invoke(*arguments)
        assert result.exit_code == 2, result.output
        assert sentence in result.output
        assert "Traceback" not in result.output


def test_progress_is_reported(image: Path) -> None:
    seen: list[tuple[int, int]] = []
    built = program(KERNEL)
    machine = machine_with(built, HardwareConfig(num_warps=1))
    machine.launch(launch_of(built, grid=(3, 1, 1)))
    summary = machine.run(watch=Watch(progress=lambda n, blocks: seen.append((n, blocks)), every=10))
    assert [blocks for _, blocks in seen] == sorted(blocks for _, blocks in seen)
    assert seen[-1][1] == 3
    assert len(seen) == summary.warp_instructions // 10
