"""What is wrong with a core is found before a model is built, and said in sentences that name it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from config import ConfigError, ExternalCore, RunConfig
from hw.tb.build.ports import Port, misfits
from tests.cores.refused import SERIAL, TOP, changed, core, refusal, resolve, with_list
from tests.regression.errors import RunError
from tests.regression.expected_failures import judge, read_expectations
from tests.regression.result import Failure, KernelResult, Outcome, RunResult

MISFITS = {
    "missing port": (
        [("    output wire [1:0] m_axi_awburst[AXI_NUM_BANKS],\n", ""), ("assign m_axi_awburst[b] = 2'b01;", "")],
        "serial_gpu: port m_axi_awburst is missing (output, 2 bits, unpacked array of 1)",
    ),
    "wrong width": (
        [("input wire [11:0] dcr_req_addr", "input wire [9:0] dcr_req_addr")],
        "serial_gpu: port dcr_req_addr is wrong: needed input, 12 bits; found input, 10 bits",
    ),
    "no array": (
        [("input wire m_axi_bvalid[AXI_NUM_BANKS]", "input wire m_axi_bvalid"), (".bvalid(m_axi_bvalid)", ".bvalid()")],
        "port m_axi_bvalid is wrong: needed input, 1 bit, unpacked array of 1; found input, 1 bit",
    ),
    "wrong direction": (
        [("    output wire busy", "    input wire busy"), ("assign busy = ", "wire unused = ")],
        "port busy is wrong: needed output, 1 bit; found input, 1 bit",
    ),
    "input that nothing drives": (
        [("    input wire start,", "    input wire start,\n    input wire test_enable,")],
        "port test_enable is unknown, so nothing would drive it (input, 1 bit)",
    ),
    "some fault ports": (
        [("    output wire [3:0] fault_kind,\n", ""), ("assign fault_kind =", "wire [3:0] kind =")],
        "port fault_kind is missing: of the optional fault ports a core has all or none",
    ),
}


@pytest.mark.parametrize("what", MISFITS)
def test_a_port_that_does_not_fit_is_named(what: str, tmp_path: Path) -> None:
    changes, sentence = MISFITS[what]
    message = refusal(changed(tmp_path, "serial_gpu.sv", *changes), tmp_path)
    assert message.startswith("the core does not fit: 1 port (see docs/reference/dut_ports.md)\n")
    assert sentence in message


def test_every_misfit_is_reported_at_once() -> None:
    config = RunConfig().hardware
    problems = misfits("top", [Port("clk", "input", 1), Port("busy", "output", 2)], config, 8)
    assert len(problems) == 48  # of 49, clk is there
    assert "top: port reset is missing (input, 1 bit)" in problems
    assert "top: port busy is wrong: needed output, 1 bit; found output, 2 bits" in problems


def test_a_core_that_fits_decides_the_id_width_and_may_lack_fault_ports(tmp_path: Path) -> None:
    found = resolve(core(), tmp_path, axi_num_banks=2)
    assert (found.hardware.axi_tid_width, found.sources.fault_ports, found.notes) == (3, True, ())
    ports = ["wire fault_valid", "wire [3:0] fault_kind", "wire [63:0] fault_addr", "wire [63:0] fault_pc"]
    text = [(f"    output {port},\n", "") for port in ports]
    text += [("    output wire busy,\n\n", "    output wire busy\n"), ("    output wire [31:0] fault_info\n", "")]
    names = ("valid", "kind", "addr", "pc", "info")
    text += [(f"assign fault_{name} =", f"wire [63:0] fault_{name} =") for name in names]
    other = resolve(changed(tmp_path, "serial_gpu.sv", *text), tmp_path)
    assert not other.sources.fault_ports
    assert other.notes == ("serial_gpu has no fault ports: a warp that stops by a fault looks like one that ended",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("serial_pkg.sv\nno_such_file.sv\n", "list.f:1: the file "),
        ("+incdir+nowhere\n$SERIAL/serial_pkg.sv\n", "list.f:1: the folder "),
        ("$SERIAL/serial_pkg.sv\n-f other.f\n", "list.f:2: the file list "),
        ("// nothing\n", "names no Verilog file"),
        ("$NO_SUCH_VARIABLE_HERE/a.sv\n", "list.f:1: the environment variable NO_SUCH_VARIABLE_HERE is not set"),
        ("--timing\n", "list.f:1: --timing needs a simulator that keeps time itself"),
        ("--fly-to-the-moon\n", "list.f:1: the option --fly-to-the-moon is not understood in a file list"),
        ("+define+9LIVES\n", "list.f:1: '9LIVES' is no define"),
        ("-y\n", "list.f:1: -y needs a value behind it"),
        ("$SERIAL/README.md\n", "list.f:1: README.md has none of the suffixes"),
        ("-F list.f\n", "file lists name each other more than 16 deep"),
        ('"unfinished\n', "list.f:1: No closing quotation"),
    ],
)
def test_file_lists(text: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(with_list(tmp_path, text), tmp_path)


WHOLE = "-F $SERIAL/serial.f\n"


@pytest.mark.parametrize(
    ("text", "fields", "sentence"),
    [
        (WHOLE, {"top": "Vortex_axi"}, "no file of the list declares the module Vortex_axi; name the core's top in"),
        ("$SERIAL/serial_pkg.sv\n$SERIAL/serial_gpu.sv\n", {}, "module serial_launch is in no file of the list"),
        (
            WHOLE,
            {"prepare": "echo it broke; exit 3"},
            "RTL_PREPARE=echo it broke; exit 3: ended with exit code 3\n  | it b",
        ),
        (WHOLE, {"csrcs": (Path("/nowhere/dpi.cpp"),)}, "RTL_CSRCS: the file /nowhere/dpi.cpp does not exist"),
        (WHOLE, {"bind": (Path("/nowhere/bind.sv"),)}, "RTL_BIND: the file /nowhere/bind.sv does not exist"),
        (WHOLE, {"incdirs": (Path("/nowhere"),)}, "RTL_INCDIRS: the folder /nowhere does not exist"),
        (
            WHOLE,
            {"defines": ("VX_CFG_NUM_WARPS=8",)},
            "the define VX_CFG_NUM_WARPS=8 contradicts the configuration, in which it is 4; use WARPS=",
        ),
        (WHOLE, {"defines": ("A=1", "A=2")}, "the macro A is defined as 1 and as 2"),
        (
            WHOLE,
            {"defines": ("SERIAL_ANSWER=1",)},
            "serial_generated.svh is in no folder that is searched; add its folder",
        ),
    ],
    ids=lambda item: "" if isinstance(item, (dict, str)) and item != WHOLE else None,
)
def test_cores_that_can_not_be_read(text: str, fields: dict[str, object], sentence: str, tmp_path: Path) -> None:
    assert sentence in refusal(with_list(tmp_path, text, **fields), tmp_path)


def test_an_undefined_macro_and_a_syntax_error_are_named_with_their_place(tmp_path: Path) -> None:
    undefined = changed(tmp_path / "a", "serial_bus.sv", ("32'(addr) % BANKS", "32'(addr) % `NO_SUCH"))
    message = refusal(undefined, tmp_path)
    assert "serial_bus.sv:31: the macro `NO_SUCH is not defined; give it in RTL_DEFINES" in message
    broken = changed(tmp_path / "b", "serial_bus.sv", ("assign address =", "assign address =="))
    assert "serial_bus.sv:34: syntax error" in refusal(broken, tmp_path)


def test_a_define_that_nothing_reads_is_noted(tmp_path: Path) -> None:
    found = resolve(with_list(tmp_path, WHOLE, defines=("SERIAL_WRONG_MUL", "SERIAL_WORNG")), tmp_path)
    assert len(found.notes) == 1 and "mentions SERIAL_WORNG; is it spelt right?" in found.notes[0]


def test_an_unchanged_core_is_elaborated_once(tmp_path: Path) -> None:
    which = changed(tmp_path, "serial_bus.sv")
    steps: list[str] = []
    for _ in range(2):
        resolve_core_with(which, tmp_path, steps)
    assert steps == ["elaborating serial_gpu"]
    bus = which.filelist.parent / "serial_bus.sv"
    bus.write_text(bus.read_text(encoding="utf-8") + "// changed\n", encoding="utf-8")
    resolve_core_with(which, tmp_path, steps)
    assert len(steps) == 2


def resolve_core_with(which: ExternalCore, tmp_path: Path, steps: list[str]) -> None:
    from hw.tb.build.external import resolve_core

    resolve_core(which, RunConfig().hardware, tmp_path / "cache", steps.append)


@pytest.mark.parametrize(
    ("knobs", "sentence"),
    [
        ({"RTL_TOP": "a"}, "RTL_TOP belongs to a core of your own; name its file list in RTL_FILELIST"),
        ({"RTL_FILELIST": "a.f b.f"}, "RTL_FILELIST=a.f b.f: must be one file"),
        ({"RTL_FILELIST": "a.f", "RTL_TOP": "a-b"}, "RTL_TOP=a-b: must be the name of a module"),
        ({"RTL_FILELIST": "a.f", "RTL_DEFINES": "-DX"}, "RTL_DEFINES: '-DX' is no define; write NAME or NAME=VALUE"),
        ({"RTL_FILELIST": "a.f", "RTL_LIBS": "'x"}, "RTL_LIBS='x: No closing quotation"),
        ({"RTL_FILELIST": "a.f", "MODE": "lockstep"}, "MODE=lockstep: without probes the instructions of this core"),
        ({"MODE": "loose"}, "MODE=loose: must be one of lockstep, free"),
    ],
)
def test_knobs(knobs: dict[str, str], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig.from_knobs(knobs)
    assert str(caught.value).startswith(sentence)


def test_knobs_survive_the_repeat_line() -> None:
    knobs = {
        "RTL_FILELIST": str(SERIAL / "serial.f"),
        "RTL_TOP": TOP,
        "RTL_DEFINES": "A='two words' B",
        "RTL_INCDIRS": "/a /b",
        "RTL_CSRCS": "/c.cpp",
        "RTL_CFLAGS": "-O1",
        "RTL_LIBS": "-lm",
        "RTL_BIND": "/d.sv",
        "RTL_PREPARE": "make -C 'x y'",
        "MODE": "free",
    }
    first = RunConfig.from_knobs(knobs)
    assert RunConfig.from_knobs(first.knobs()) == first
    assert first.core is not None and first.core.defines == ("A=two words", "B")
    assert "RTL_FILELIST=tests/cores/serial/serial.f RTL_TOP=serial_gpu " in first.repro_line()
    assert ExternalCore.from_knobs(first.core.knobs(absolute=True)) == first.core


def test_cores_share_nothing_with_the_in_tree_core() -> None:
    for path in (*SERIAL.glob("*.sv"), *SERIAL.glob("*.f")):
        names = re.findall(r"\bvx_\w+", path.read_text(encoding="utf-8"))
        assert path.name == "serial_bind.sv" or not names, f"{path.name}: {names}"


def test_known_failures(tmp_path: Path) -> None:
    known = tmp_path / "known.txt"
    known.write_text("# core x\n\nmultikernel: final memory: bits are dropped: always\n", encoding="utf-8")
    expected = read_expectations(known)
    passed = RunResult("multikernel", "rtl", {}, "make", kernels=(KernelResult("k", 1, Outcome.PASS, ""),))
    memory = replace(passed, failures=(Failure("final memory", "memory", "m", "s"),))
    hang = replace(passed, failures=(Failure("hang", "progress", "m", "s"),))
    assert judge(memory, expected) == (True, "XFAIL  multikernel  final memory: bits are dropped: always")
    assert judge(memory, {}) == (False, "")
    assert judge(passed, {}) == (True, "")
    assert not judge(passed, expected)[0] and judge(passed, expected)[1].startswith("XPASS  multikernel passed, but")
    assert judge(hang, expected) == (False, "multikernel was expected to fail by: final memory, not by: hang")
    for text, sentence in (
        ("multikernel: hang\n", "known.txt:1: 'multikernel: hang': write `test: check: reason`"),
        ("no_such: a: b\n", "no_such"),
        ("multikernel: a: b\nmultikernel: c: d\n", "known.txt:2: multikernel has a line already"),
    ):
        known.write_text(text, encoding="utf-8")
        with pytest.raises(RunError, match=re.escape(sentence)):
            read_expectations(known)
    with pytest.raises(RunError, match="the list cannot be read"):
        read_expectations(tmp_path / "missing.txt")
