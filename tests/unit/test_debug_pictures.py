"""What people see: terminal view, SVG, commands on run folders; wrong input is one sentence and exit code 2."""

from __future__ import annotations

import io
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from hw.tb.debug import find
from hw.tb.debug.cli import main
from hw.tb.debug.library.run import Run
from hw.tb.debug.recording import RecordingError
from hw.tb.debug.timeline.bins import divide
from hw.tb.debug.timeline.scene import Scene, make_scene
from hw.tb.debug.timeline.states import State
from hw.tb.debug.timeline.svg import COLOURS, PictureError, write_svg
from hw.tb.debug.timeline.terminal import view
from tests.unit.debug_records import two_warps

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(Run.open(two_warps(tmp_path)), 98, 223)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results folder with one run that was recorded and one of which only the ring is left."""
    base = tmp_path / "results"
    for name in ("alpha/one", "beta/two"):
        (base / name / "sim").mkdir(parents=True)
        two_warps(base / name / "sim")
    shutil.rmtree(base / "beta/two/sim/recording")
    monkeypatch.setattr(find, "RESULTS", base)
    for function in (find.open_run, find.find_folder):
        monkeypatch.setattr(function, "__defaults__", (base,))
    return base


@pytest.mark.parametrize("columns", [1, 7, 50, 1000])
def test_bins_hold_every_cycle_once(scene: Scene, columns: int) -> None:
    bins = divide(scene, columns)
    inside = np.minimum(scene.states.end, 224) - np.maximum(scene.states.begin, 98)
    assert bins.share.sum() == inside.sum() and bins.share.shape[1] == min(columns, 126)
    assert bins.share[:, :, State.ISSUE].sum() == 9, "nine instructions were issued"


def test_terminal_view_can_be_read_without_colours(scene: Scene) -> None:
    text = io.StringIO()
    view(scene, Console(file=text, width=14 + 7 + 2 + 63, color_system=None))  # two cycles a column
    lines = text.getvalue().splitlines()
    warp = next(line for line in lines if line.startswith("core 0 warp 0"))[14:]

    def column(cycle: int) -> str:
        return warp[(cycle - 98) // 2]

    assert column(130) == "m" and column(190) == "b" and column(203) == "n" and column(215) == " "
    assert any("waits for memory" in line and "49" in line for line in lines)
    counts = "9 instructions, 1 CTAs, 1 barrier phases, 1 memory transactions, 1 loads that waited for one"
    assert counts in " ".join(text.getvalue().split()), "the console may break the line"


def test_svg_shows_states_blocks_barrier_and_memory(scene: Scene, tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    write_svg(scene, path, "a < b & c")
    root = ElementTree.parse(path).getroot()
    texts = [item.text for item in root.iter(f"{SVG}text")]
    assert {"a < b & c", "core 0 warp 0", "core 0 warp 1", "core 0 CTA slot 2", "block 7, 1, 0", "memory"} <= set(texts)
    tips = {item.findtext(f"{SVG}title"): item for item in root.iter(f"{SVG}rect")}
    wait = next(item for tip, item in tips.items() if tip and tip.startswith("waits for memory: cycles 111 to 159"))
    assert wait.get("fill") == COLOURS[State.MEMORY]
    read = next(item for tip, item in tips.items() if tip and tip.startswith("read 0x10000, id 3"))
    scale = float(wait.get("width", 0)) / (160 - 111)
    assert float(read.get("width", 0)) == pytest.approx(scale * (151 - 115), rel=0.01)
    assert float(read.get("x", 0)) - float(wait.get("x", 0)) == pytest.approx(scale * (115 - 111), rel=0.05)
    assert any("barrier 0x2" in (item.findtext(f"{SVG}title") or "") for item in root.iter(f"{SVG}line"))
    assert len(list(root.iter(f"{SVG}path"))) == 1, "one load waited for a transaction"
    width = float(root.get("width", 0))
    assert all(0 <= float(item.get("x", 0)) <= width for item in root.iter(f"{SVG}rect"))


def test_a_picture_of_too_much_is_refused(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hw.tb.debug.timeline.svg._MOST_SHAPES", 5)
    with pytest.raises(PictureError, match="choose a smaller window with FROM and TO"):
        write_svg(scene, tmp_path / "x.svg")


@pytest.mark.parametrize("ident", ["alpha/one", "alpha", "beta/two"])
def test_commands_find_a_run(results: Path, ident: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, suffixes in (("view", []), ("picture", ["svg"]), ("timeline", ["json", "kanata"])):
        assert main([command, "--run", ident]) == 0
        out = capsys.readouterr().out
        folder = next(results.glob(f"{ident}*")) if "/" in ident else next((results / ident).iterdir())
        for suffix in suffixes:
            (path,) = (folder / "timeline").glob(f"*.{suffix}")
            assert path.name in out and path.stat().st_size > 500
        assert suffixes or "core 0 warp 1" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--run", ""], "RUN is missing; runs that have: alpha/one, beta/two"),
        (["--run", "gamma"], "RUN=gamma: no run of that name has records; runs that have: alpha/one"),
        (["--run", "alpha", "--from", "x"], "FROM=x: must be a cycle number"),
        (["--run", "alpha", "--from", "9", "--to", "3"], "the window ends before it begins"),
        (["--run", "alpha", "--from", "9000"], "the run was recorded from 10 to 230"),
    ],
)
def test_wrong_input_is_a_sentence(
    results: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ") and sentence in captured.err and captured.out == ""


def test_a_damaged_recording_is_a_sentence(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (results / "alpha/one/sim/recording/AXI.id").unlink()
    assert main(["view", "--run", "alpha"]) == 2
    assert "AXI.id: a column of the recording is missing" in capsys.readouterr().err


def test_the_newest_of_several_runs_is_taken(results: Path) -> None:
    shutil.copytree(results / "alpha/one", results / "alpha/other")
    (results / "alpha/other").touch()
    assert find.find_folder("alpha").name == "other"
    with pytest.raises(RecordingError, match="make one with"):
        find.find_folder("alpha", results / "none")
