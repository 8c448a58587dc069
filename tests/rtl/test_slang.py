"""A second compiler reads the design: slang finds no error and none of the faults below in any shape.

Verilator is lenient where the language is not (a name used before its declaration), and two independent readings agree
about drivers: no net with none, none with two.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pyslang import driver

from config import HardwareConfig
from tests.static.test_verilog import RTL, SHAPES, design_files

# Beyond slang's errors (a variable with two drivers is one) and its default warnings.
ASKED = ("extra", "unassigned-variable", "undriven-net", "undriven-port", "unused-result", "inferred-latch")
# What our style wants or Verilator's -Wall already judges, with the reason.
NOT_ASKED = {
    "useless-cast": "widths are written out, because Verilator takes constants for 32 bits",
    "case-redundant-default": "`unique` names the intention, `default` what happens to an illegal value",
    "packed-array-conv": "lanes as a packed array and as one vector are the same bits",
}


@dataclass(frozen=True)
class Slang:
    """The compiler, and where its words go."""

    output: pytest.CaptureFixture[str]

    def problems(self, top: str, hardware: HardwareConfig, files: list[Path]) -> str:
        """Everything that slang says about a design; empty: nothing."""
        compiler = driver.Driver()
        compiler.addStandardArgs()
        words = ["slang", "--top", top, "-I", str(RTL), "--error-limit", "20"]
        words += [f"-W{name}" for name in ASKED] + [f"-Wno-{name}" for name in NOT_ASKED]
        words += [f"-D{name}={value}".replace("'", "\\'") for name, value in hardware.verilog_defines().items()]
        words += [str(path) for path in files]
        assert compiler.parseCommandLine(" ".join(words)) and compiler.processOptions()
        parsed = compiler.parseAllSources()
        compilation = compiler.createCompilation()
        compiler.reportCompilation(compilation, True)
        compiler.runAnalysis(compilation)
        good = compiler.reportDiagnostics(True)
        text = self.output.readouterr().err
        return text if text or (parsed and good) else "slang refuses the design and says nothing"


@pytest.fixture
def slang(capfd: pytest.CaptureFixture[str]) -> Slang:
    return Slang(capfd)


@pytest.mark.parametrize("top", ["Vortex_axi", "vx_pcie_gpu"])
@pytest.mark.parametrize("shape", SHAPES)
def test_design(shape: str, top: str, slang: Slang) -> None:
    found = slang.problems(top, HardwareConfig.load(overrides=SHAPES[shape]), design_files(top))
    assert not found, found[:6000]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("logic a; assign a = clk; assign a = !clk; assign out = a;", "multiple"),
        ("logic a; assign out = a;", "never assigned"),
        ("wire a; assign out = a;", "undriven"),
        ("logic a; always_ff @(posedge clk) a <= clk; always_ff @(negedge clk) a <= 1'b0; assign out = a;", "driven"),
        ("assign out = later; logic later; assign later = clk;", "before its declaration"),
        ("logic a; always_comb if (clk) a = 1'b1; assign out = a;", "latch"),
    ],
)
def test_the_compiler_sees_such_a_fault(body: str, expected: str, tmp_path: Path, slang: Slang) -> None:
    source = tmp_path / "faulty.sv"
    source.write_text(f"module faulty (input wire clk, output wire out);\n{body}\nendmodule\n", encoding="utf-8")
    assert expected in slang.problems("faulty", HardwareConfig(), [source])
