"""One core read by several processes at once, as workers of a nightly do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hw.tb.build.elaborate import elaborate
from hw.tb.build.toolchain import Toolchain

MODULE = """module top #(parameter WIDTH = 3) (input logic clk, output logic [WIDTH-1:0] out);
  assign out = {3{clk}};
endmodule
"""


def test_readers_of_one_core_do_not_disturb_each_other(tmp_path: Path) -> None:
    source = tmp_path / "top.sv"
    source.write_text(MODULE)
    tools, folder = Toolchain.find(), tmp_path / "core"
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: elaborate("top", [str(source)], tools, folder), range(6)))
    assert {(port.name, port.width) for port in found[0].ports} == {("clk", 1), ("out", 3)}
    assert found[0].parameters == ("WIDTH",)
    assert all(other == found[0] for other in found)
    assert [path.name for path in folder.iterdir()] == ["elaborate.log"]
