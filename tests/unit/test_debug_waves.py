"""Lanes, layouts and values of waves: a small FST file made here and read by another library than wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pylibfst
import pytest
import pywellen
from PIL import Image

from hw.tb.debug.library.run import Run
from hw.tb.debug.timeline.png import write_png
from hw.tb.debug.timeline.scene import Scene, make_scene
from hw.tb.debug.timeline.states import State
from hw.tb.debug.timeline.svg import COLOURS, write_svg
from hw.tb.debug.waves.evidence import WavesError, open_at
from hw.tb.debug.waves.fst import CYCLE_NS, FstError, names_of, time_span
from hw.tb.debug.waves.lanes import Lane, lanes_of
from hw.tb.debug.waves.layouts import groups_of, write_gtkwave
from hw.tb.debug.waves.merge import add_lanes
from hw.tb.debug.waves.signals import SignalError, Waves, WaveSet
from tests.unit.debug_records import two_warps
from tests.unit.gtkwave import listed, open_layout, shows_all

_lib: Any = pylibfst.lib
_null: Any = pylibfst.ffi.NULL


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    (tmp_path / "sim").mkdir()
    return make_scene(Run.open(two_warps(tmp_path / "sim")), 90, 240)


@pytest.fixture
def waves(tmp_path: Path) -> Path:
    """Cycles 100 to 120: `clk` toggles, `count` is 3 * cycle from each edge on, `copy` is another name of it."""
    path = tmp_path / "waves.fst"
    writer = _lib.fstWriterCreate(str(path).encode(), 1)
    _lib.fstWriterSetTimescale(writer, -9)
    for scope in (b"vx_tb_top", b"dut"):
        _lib.fstWriterSetScope(writer, _lib.FST_ST_VCD_MODULE, scope, _null)
    clk = _lib.fstWriterCreateVar(writer, _lib.FST_VT_VCD_WIRE, _lib.FST_VD_IMPLICIT, 1, b"clk", 0)
    count = _lib.fstWriterCreateVar(writer, _lib.FST_VT_SV_LOGIC, _lib.FST_VD_IMPLICIT, 16, b"count [15:0]", 0)
    _lib.fstWriterCreateVar(writer, _lib.FST_VT_SV_LOGIC, _lib.FST_VD_IMPLICIT, 16, b"copy [15:0]", count)
    for _ in range(2):
        _lib.fstWriterSetUpscope(writer)
    for cycle in range(100, 121):
        _lib.fstWriterEmitTimeChange(writer, CYCLE_NS * cycle)
        _lib.fstWriterEmitValueChange(writer, clk, b"1")
        _lib.fstWriterEmitValueChange(writer, count, f"{3 * cycle:016b}".encode())
        _lib.fstWriterEmitTimeChange(writer, CYCLE_NS * cycle + CYCLE_NS // 2)
        _lib.fstWriterEmitValueChange(writer, clk, b"0")
    _lib.fstWriterClose(writer)
    return path


def test_lanes_say_what_each_warp_did(scene: Scene) -> None:
    """Against the table in debug_records."""
    lanes = {lane.name: dict(lane.changes) for lane in lanes_of(scene)}
    state = lanes["lanes.core0.warp0.state"]
    assert state[111].startswith("waits for a1 from memory: lw a1, 0(a0)")
    assert state[176] == "barrier 0x2: warps 0, 1 arrived since cycle 175, let go in cycle 200"
    assert lanes["lanes.core0.warp0.block"] == {99: "block (7, 1, 0) rank 0", 209: "-"}
    assert lanes["lanes.core0.cta_slot2"] == {0: "free", 98: "block (7, 1, 0) of launch 1", 223: "free"}
    assert lanes["lanes.axi.transaction0"] == {115: "read 0x00010000 bank 0 id 3: 35 cycles", 151: "-"}
    assert lanes["lanes.kmu"][90] == "launch"
    assert set(lanes["lanes.core0.warp1.mask"].values()) == {"1111", "-"}
    # What the load brought is there for the cycle of their last packet only.
    commits = lanes["lanes.core0.warp0.commit"]
    assert commits[160] == "lw a1, 0(a0)  a1 <- 2a 2b 2c 2d" and commits[161] == "-"


def test_lanes_come_beside_the_signals_and_change_none(waves: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.fst"
    lanes = [
        Lane(
            ("lanes", "core0", "warp0", "pc"),
            [(20, "early"), (60, "add_k+0x4"), (110, "mid"), (115, "last"), (500, "no")],
        ),
        Lane(("lanes", "axi", "t0"), [(105, "read")]),
    ]
    add_lanes(waves, target, lanes)
    before, after = pywellen.Waveform(str(waves)), pywellen.Waveform(str(target))
    old = {var.full_name: list(var.signal) for var in before.all_vars()}
    new = {var.full_name: list(var.signal) for var in after.all_vars()}
    assert len(old) == 3 and {name: new[name] for name in old} == old
    assert new["lanes.core0.warp0.pc"] == [(1000, "add_k+0x4"), (1100, "mid"), (1150, "last")]
    assert new["lanes.axi.t0"] == [(1050, "read")]
    assert time_span(target) == time_span(waves) == (1000, 1205)


def test_values_by_cycle(waves: Path) -> None:
    read = Waves(waves)
    assert (read.first, read.last) == (100, 120)
    assert [(change.cycle, change.value) for change in read.changes("*.count", 105, 107)] == [
        (105, 315), (106, 318), (107, 321),
    ]  # fmt: skip
    with pytest.raises(SignalError, match="names 2 signals: vx_tb_top"):
        read.changes("*.co*", 105, 107)
    with pytest.raises(SignalError, match="no such signal"):
        read.changes("*.none", 105, 107)
    windows = WaveSet(waves.parent)
    assert windows.changes("*.copy", 120, 120)[0].value == 360
    with pytest.raises(SignalError, match=r"cycles 90 to 110 were not traced \(traced: 100 to 120\)"):
        windows.changes("*.copy", 90, 110)


def test_a_window_is_made_ready(waves: Path, scene: Scene, tmp_path: Path) -> None:
    """Lanes, a layout whose every signal is in the file, timeline and picture."""
    assert scene.run.recording.folder == tmp_path / "sim" / "recording"
    opened = open_at(waves, tmp_path, (100, 120), 112, (0, 1))
    assert opened.lanes >= 10
    names = set(names_of(waves))
    text = opened.layout.read_text().splitlines()
    wanted = listed(opened.layout)
    assert wanted and set(wanted) <= names and "vx_tb_top.dut.clk" in wanted
    assert "-core 0 warp 1: where the failure was seen" in text
    assert any(line.startswith("*-7.3 1120 ") for line in text), "the marker is at cycle 112"
    assert "cursor_set 1120" in waves.with_suffix(".sucl").read_text()
    assert waves.with_suffix(".json").exists() and waves.with_suffix(".png").exists()


def test_gtkwave_opens_a_window(waves: Path, scene: Scene, tmp_path: Path) -> None:
    """Every row of the layout is shown, the marker stands where it should, and values there are those of the lanes."""
    layout = open_at(waves, tmp_path, (100, 120), 112, (0, 1)).layout
    window = open_layout(layout)
    assert shows_all(window, layout)
    assert window.marker == 112 * CYCLE_NS
    assert window.headlines[::2] == (
        "core 0 warp 1: where the failure was seen", "other warps", "CTAs and launches", "memory transactions", "ports",
    )  # fmt: skip
    values = {row.name: row.value for row in window.rows}
    assert values["block"] == "block (7, 1, 0) rank 1"
    assert values["core 0 warp 0 state"].startswith("waits for a1 from memory: lw a1, 0(a0)")
    assert values["clk"] == "1"
    other = {var.full_name for var in pywellen.Waveform(str(waves)).all_vars()}
    assert set(listed(layout)) <= other and window.signals == len(other)


def test_a_layout_of_signals_that_are_not_there_is_noticed(waves: Path, tmp_path: Path) -> None:
    groups = groups_of([*names_of(waves), "vx_tb_top.dut.busy"])
    layout = tmp_path / "wrong.gtkw"
    write_gtkwave(layout, waves, groups, 112, (100, 120))
    window = open_layout(layout)
    assert [row.name for row in window.rows] == ["clk"]
    assert not shows_all(window, layout)


def test_layout_is_for_the_core_of_the_failure(tmp_path: Path) -> None:
    base = "vx_tb_top.dut.g_core[{}].socket.core.trace_commit.uid[35:0]"
    groups = groups_of([base.format(0), base.format(1), "lanes.core1.warp2.pc", "lanes.core0.warp2.pc"], 1, 2)
    assert [(group.title, group.signals) for group in groups] == [
        ("core 1 warp 2: where the failure was seen", ("lanes.core1.warp2.pc",)),
        ("other warps", ("lanes.core0.warp2.pc",)),
        ("trace_commit", (base.format(1),)),
    ]
    write_gtkwave(tmp_path / "a.gtkw", tmp_path / "a.fst", groups, 50, (0, 100))
    assert "@c00200\n-trace_commit" in (tmp_path / "a.gtkw").read_text(), "trace wires are folded"


def test_broken_waves_are_a_sentence(tmp_path: Path, waves: Path) -> None:
    cut = tmp_path / "cut.fst"
    cut.write_bytes(waves.read_bytes()[:200])
    with pytest.raises(WavesError, match="not a complete FST file"):
        open_at(cut, tmp_path, (0, 10), 5)
    with pytest.raises(FstError, match="not a complete FST file"):
        names_of(tmp_path / "none.fst")
    with pytest.raises((SignalError, FstError)):
        Waves(cut)


def test_png_shows_what_the_svg_shows(scene: Scene, tmp_path: Path) -> None:
    """The colour of the wait for memory lies where the drawing has it, and nowhere in a picture without warps."""
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    write_svg(scene, svg)
    write_png(svg, png)
    image = Image.open(png)
    assert image.size == (2 * 1530, image.size[1])
    red = tuple(int(COLOURS[State.MEMORY][at : at + 2], 16) for at in (1, 3, 5))
    columns = {
        x for x in range(image.size[0]) for y in range(0, image.size[1] // 2, 4) if image.getpixel((x, y)) == red
    }
    # Cycles 111 to 160 of the window 90 to 240, whose 1400 units begin at 110.
    left, right = (2 * (110 + 1400 * (cycle - 90) / 151) for cycle in (111, 160))
    assert abs(min(columns) - left) < 4 and abs(max(columns) - right) < 4
