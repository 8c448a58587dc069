"""A traced window made ready to look at: lanes beside the signals, layouts, a timeline and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hw.tb.debug.library.run import Run
from hw.tb.debug.recording import RECORDING, RecordingError
from hw.tb.debug.timeline.chrome import write_chrome
from hw.tb.debug.timeline.png import write_png
from hw.tb.debug.timeline.scene import Scene, WindowError, default_window, make_scene
from hw.tb.debug.timeline.svg import PictureError, write_svg
from hw.tb.debug.waves.fst import FstError, names_of
from hw.tb.debug.waves.lanes import Lane, lanes_of
from hw.tb.debug.waves.layouts import groups_of, write_gtkwave, write_surfer
from hw.tb.debug.waves.merge import add_lanes

MOST_CYCLES = 20_000  # of a window with lanes: every change is copied, a million take some seconds


class WavesError(ValueError):
    """Waves that can't be made ready; one sentence."""


@dataclass(frozen=True)
class Opened:
    """`layout` is GTKWave's file that opens the waves; `lanes` how many were added."""

    layout: Path
    lanes: int


def open_at(
    waves: Path,
    folder: Path,
    window: tuple[int, int],
    marker: int,
    where: tuple[int | None, int | None] = (None, None),
) -> Opened:
    """Make the waves in `waves` ready, in place; files of the same name lie beside them afterwards.

    Args:
        folder: results of the run, whose recording has the window.
        window: first and last cycle.
        marker: cycle at which viewers open; one outside of the window counts as its end.
        where: core and warp that the failure names.

    Raises:
        WavesError: the file holds no signal, or is not complete.
    """
    try:
        if not names_of(waves):
            raise WavesError(
                "holds no signal: SCOPE names no instance; write its path from the top, such as vx_tb_top.dut.axi"
            )
        scene = _scene(folder, window)
        lanes = lanes_of(scene) if scene is not None and window[1] - window[0] <= MOST_CYCLES else []
        if lanes:
            with_lanes = waves.with_suffix(".lanes.fst")
            add_lanes(waves, with_lanes, lanes)
            with_lanes.replace(waves)
        names = names_of(waves)
    except FstError as error:
        raise WavesError(str(error)) from error
    marker = marker if window[0] <= marker <= window[1] else window[1]
    core, warp = where if where[0] is not None else _first_warp(lanes)
    groups = groups_of(names, core, warp)
    layout = waves.with_suffix(".gtkw")
    write_gtkwave(layout, waves, groups, marker, window)
    write_surfer(waves.with_suffix(".sucl"), groups, marker)
    if scene is not None:
        _draw(scene, waves)
    return Opened(layout, len(lanes))


def _draw(scene: Scene, waves: Path) -> None:
    write_chrome(scene, waves.with_suffix(".json"))
    try:
        write_svg(scene, waves.with_suffix(".svg"))
        write_png(waves.with_suffix(".svg"), waves.with_suffix(".png"))
    except PictureError:
        return  # too much for a picture; the timeline has it


def _scene(folder: Path, window: tuple[int, int]) -> Scene | None:
    """None without a recording of this window: a core without probes, or a process that died early."""
    try:
        run = Run.open(folder / "sim" / RECORDING, sorted(folder.parent.glob("*.elf")) or sorted(folder.glob("*.elf")))
        return make_scene(run, *default_window(run, *window))
    except (RecordingError, WindowError):
        return None


def _first_warp(lanes: list[Lane]) -> tuple[int | None, int | None]:
    for lane in lanes:
        if len(lane.path) == 4 and lane.path[1].startswith("core"):
            return int(lane.path[1][4:]), int(lane.path[2][4:])
    return None, None
