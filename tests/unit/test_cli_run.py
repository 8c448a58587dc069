"""The command line with bad input: one clear sentence, an exit code, no traceback, nothing half-written."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from config import LaunchPath
from sw.runtime import u32
from tests.regression import catalogue, cli, pipeline
from tests.regression.images import Images, KernelImage
from tests.regression.kernel_test import KernelTest, Sizes
from tests.regression.session import Session
from tests.unit.vxbin_files import write_vxbin

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of these tests go to a folder of their own."""
    folder = tmp_path / "results"
    monkeypatch.setattr(pipeline, "RESULTS", folder)
    return folder


def _sentence(capture: pytest.CaptureFixture[str]) -> str:
    printed = capture.readouterr()
    text = printed.out + printed.err
    assert "Traceback" not in text
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("reproduce")]
    assert len(lines) == 1, text
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["TEST=no_such_test"], "TEST=no_such_test: no such test; known: "),
        (["TEST=../kernels"], "no such test"),
        (["SIM=questa"], "SIM=questa: the only simulator is verilator"),
        (["ENTRY=new"], "ENTRY=new: must be one of cta_entry, s11, direct"),
        (["MEM=evil"], "MEM=evil: must be one of kind, ordered, hostile"),
        (["LAUNCH=kmu", "COPY=bar"], "COPY=bar: with LAUNCH=kmu nothing goes through the BARs; use LAUNCH=bar or"),
        (["LAUNCH=pcie"], "LAUNCH=pcie: must be one of kmu, bar, both"),
        (["COPY=dma"], "COPY=dma: must be one of backdoor, bar"),
        (["WAVES=yes"], "WAVES=yes: must be one of 0, 1"),
        (["SEED=first"], "SEED=first: must be a whole number"),
        (["SEED=-1"], "SEED=-1: must be at least 0"),
        (["N=0"], "N=0: must be at least 1"),
        (["WARPS=3"], "WARPS=3: must be a power of two"),
        (["THREADS=64"], "THREADS=64: must be a power of two between 1 and 32"),
        (["CORES=0"], "CORES=0: must be at least 1"),
        (["CLUSTERS=65"], "CLUSTERS=65: must be"),
        (["COLOUR=red"], "unknown knob COLOUR; known: "),
        (["BACKEND=fpga"], "BACKEND=fpga: must be one of cosim, rtl, golden"),
        (["multikernel"], "argument 'multikernel': write knobs as NAME=VALUE"),
        (["=3"], "write knobs as NAME=VALUE"),
    ],
)
def test_knobs(arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str], results: Path) -> None:
    assert cli.main(["run", "BACKEND=golden", *arguments], {}) == cli.EXIT_USAGE
    assert expected in _sentence(capsys)
    assert not results.exists()


@pytest.mark.parametrize("arguments", [[], ["walk"], ["list", "more"]])
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments, {}) == cli.EXIT_USAGE
    assert capsys.readouterr().err.startswith("usage: python -m tests.regression run")


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list"], {}) == cli.EXIT_PASS
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == catalogue.known_tests()
    assert "Three kernels of one image" in next(line for line in lines if line.startswith("multikernel"))


def test_launch_path_follows_the_test() -> None:
    """Both paths for the main test, the BARs for every other one, and the repeat line says which."""
    for arguments, path in (
        ([], LaunchPath.BOTH),
        (["TEST=vecadd_i"], LaunchPath.BAR),
        (["TEST=vecadd_i", "LAUNCH=kmu"], LaunchPath.KMU),
        (["LAUNCH=bar"], LaunchPath.BAR),
    ):
        config = cli.parse_request(arguments, {}).config
        assert config.launch is path
        assert f"LAUNCH={path.value} " in config.repro_line()


def test_seed_comes_from_cocotb_when_not_given() -> None:
    environment = {"COCOTB_RANDOM_SEED": "77"}
    assert cli.parse_request([], environment).config.seed == 77
    assert cli.parse_request(["SEED=5"], environment).config.seed == 5
    assert cli.parse_request(["SEED=5", "SEED=6"], environment).config.seed == 6
    assert cli.parse_request([], {}).config.seed == 1


# ---------------------------------------------------------------------- host programs that ask for too much

Body = Callable[[Session], None]


def _launch(**geometry: object) -> Body:
    def body(t: Session) -> None:
        dst = t.output(np.int32, 16)
        t.launch("add_k", [u32(16), dst], expect={dst: np.zeros(16, np.int32)}, **geometry)  # type: ignore[arg-type]

    return body


def _absent_kernel(t: Session) -> None:
    t.device.load_module(t._images.kernels[0].path).kernel("no_such_kernel")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_absent_kernel, "has no kernel 'no_such_kernel'; it has: add_k, mul_k, acc_k"),
        (_launch(grid=0, block=16), "grid dimension x is 0: a launch needs at least one block on every axis"),
        (_launch(grid=1, block=(4, 0)), "block dimension y is 0"),
        (_launch(grid=1, block=17), "block 17x1x1 has 17 threads: a core holds at most 16 (4 warps of 4 threads)"),
        (_launch(grid=3, block=4, cluster=2), "grid dimension x is 3: not a multiple of the cluster's 2 blocks"),
        (_launch(grid=1, block=4, lmem=1 << 20), "local memory of 1048576 bytes per block: a core has 16384 bytes"),
        (_launch(grid=1), "give either threads, or grid and block"),
        (lambda t: t.random(np.int32, -1).sum(), "the host program of multikernel failed: ValueError"),
        (lambda t: t.launch("div_k", [], threads=4, expect={}), "kernel 'div_k', which the test does not declare"),
    ],
)
def test_refused_launches(
    body: Body,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write_vxbin(tmp_path / "three.vxbin")
    images = Images(tuple(KernelImage(name, path, name) for name in ("add_k", "mul_k", "acc_k")))
    test = KernelTest("multikernel", (), Sizes(16, 16, 16), body, "")
    monkeypatch.setattr(pipeline, "find_test", lambda name: test)
    monkeypatch.setattr(pipeline, "compile_images", lambda test, config: images)
    assert cli.main(["run", "BACKEND=golden"], {}) == cli.EXIT_FAIL
    assert expected in _sentence(capsys)


@pytest.mark.parametrize(
    ("name", "size", "expected"),
    [
        ("multikernel", 250, "N=250: this test needs a multiple of 4, the lanes of a warp"),
        ("vecadd_i", 252, "N=252: this test needs a multiple of 16 on this processor"),
        ("sgemm_i", 6, "N=6: this test needs a multiple of 4 on this processor"),
        ("lmem_reduce", 8, "N=8: this test needs a multiple of 16 on this processor"),
    ],
)
def test_sizes_that_kernels_cannot_take(
    name: str, size: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", f"TEST={name}", "BACKEND=golden", f"N={size}"], {}) == cli.EXIT_FAIL
    assert expected in _sentence(capsys)


def test_host_program_that_cannot_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "host.py").write_text("")
    monkeypatch.setattr(catalogue, "KERNELS_FOLDER", tmp_path)
    assert cli.main(["run", "TEST=broken", "BACKEND=golden"], {}) == cli.EXIT_USAGE
    assert "tests/kernels/broken/host.py cannot be imported: ModuleNotFoundError" in _sentence(capsys)


# ---------------------------------------------------------------------- files and tools


def _malformed(raw: bytes) -> dict[str, tuple[bytes, str]]:
    base, end = struct.unpack("<QQ", raw[:16])
    return {
        "truncated": (raw[:15], "header alone needs 16"),
        "empty range": (struct.pack("<QQ", base, base) + raw[16:], "is not above min_vma"),
        "low": (struct.pack("<QQ", 0x40, end) + raw[16:], "lies below 0x10000"),
        "footer count": (raw[:-12] + b"\xff\xff\xff\xff" + raw[-8:], "announces 4294967295 entries"),
        "empty image": (struct.pack("<QQ", base, end), "holds no image"),
        "wild pc": (raw[:-20] + struct.pack("<Q", 0x9000_0000) + raw[-12:], "outside the image"),
    }


@pytest.mark.parametrize("case", ["truncated", "empty range", "low", "footer count", "empty image", "wild pc"])
def test_malformed_images(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_vxbin(tmp_path / "bad.vxbin")
    raw, expected = _malformed(path.read_bytes())[case]
    path.write_bytes(raw)
    images = Images(tuple(KernelImage(name, path, name) for name in ("add_k", "mul_k", "acc_k")))
    monkeypatch.setattr(pipeline, "compile_images", lambda test, config: images)
    assert cli.main(["run", "TEST=multikernel", "BACKEND=golden"], {}) == cli.EXIT_FAIL
    sentence = _sentence(capsys)
    assert expected in sentence
    assert "multikernel.vxbin" in sentence
    assert "file offset" in sentence


def test_missing_compiler(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], results: Path) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert cli.main(["run", "BACKEND=golden"], {}) == cli.EXIT_USAGE
    assert "clang" in _sentence(capsys)
    assert not results.exists()


def test_sources_that_do_not_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], results: Path
) -> None:
    shutil.copytree(catalogue.KERNELS_FOLDER / "vecadd_i", tmp_path / "vecadd_i")
    source = tmp_path / "vecadd_i" / "kernel.cpp"
    source.write_text(source.read_text().replace("blockIdx.x", "blockIdxx.x"))
    monkeypatch.setattr("tests.regression.compile.KERNELS_FOLDER", tmp_path)
    assert cli.main(["run", "TEST=vecadd_i", "BACKEND=golden"], {}) == cli.EXIT_USAGE
    printed = capsys.readouterr().err
    assert printed.startswith("error: ")
    assert "blockIdxx" in printed
    assert "Traceback" not in printed
    assert not results.exists()


def test_results_folder_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(pipeline, "RESULTS", tmp_path / "file" / "results")
    assert cli.main(["run", "BACKEND=golden"], {}) == cli.EXIT_USAGE
    assert "results cannot be written to" in _sentence(capsys)


# ---------------------------------------------------------------------- whole runs on the golden model


@pytest.mark.parametrize("entry", ["cta_entry", "s11", "direct"])
def test_multikernel_on_the_golden_model(entry: str, results: Path) -> None:
    command = [sys.executable, "-m", "tests.regression", "run", "TEST=multikernel", "BACKEND=golden", f"ENTRY={entry}"]
    done = subprocess.run([*command, "N=64"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout, "no colours in a pipe"
    assert done.stdout.splitlines()[-1].startswith("PASS  multikernel  6 launches")
    assert done.stdout.count("n/a") == (2 if entry == "direct" else 0)


@pytest.mark.parametrize("name", ["isa_programs", "lmem_reduce", "sgemm_i", "split_join", "vecadd_i"])
@pytest.mark.parametrize("shape", [(), ("WARPS=2", "THREADS=2"), ("CORES=2", "WARPS=8", "THREADS=8")])
def test_other_kernels_on_the_golden_model(name: str, shape: tuple[str, ...], results: Path) -> None:
    size = "N=16" if name == "sgemm_i" else "N=64"
    assert cli.main(["run", f"TEST={name}", "BACKEND=golden", size, *shape], {}) == cli.EXIT_PASS
    assert len(list(results.glob("*/*/results.xml"))) == 1
    assert len(list(results.glob("*/*/results.json"))) == 1
