"""From a run's id to its recording: RUN=<test>/<configuration>, or enough of it, below results/."""

from __future__ import annotations

from pathlib import Path

from hw.tb.debug.library.run import Run
from hw.tb.debug.recording import META, RECORDING, RecordingError, recover

RESULTS = Path(__file__).parents[3] / "results"
_RING = "ring.bin"
_AGAIN = "debug"  # where a failed run was run again


def find_folder(ident: str, results: Path = RESULTS) -> Path:
    """The folder of a run: a path, an id below `results`, or the beginning of one (the newest run is taken).

    Raises:
        RecordingError: no such run; the message lists those that can be opened.
    """
    if not ident:
        raise RecordingError(f"RUN is missing; {_known(results)}")
    for folder in (Path(ident), results / ident):
        if folder.is_dir() and _has_records(folder):
            return folder
    fitting = [folder for folder in _runs(results) if folder.relative_to(results).as_posix().startswith(ident)]
    if not fitting:
        raise RecordingError(f"RUN={ident}: no run of that name has records; {_known(results)}")
    return max(fitting, key=lambda folder: folder.stat().st_mtime)


def open_run(ident: str, results: Path = RESULTS) -> tuple[Run, Path]:
    """The run and its folder. Without RECORD=1 the records of its second run with waves, which does the same, else
    those that are still in its ring: all of a short run.

    Raises:
        RecordingError: no such run, or its records are damaged.
    """
    folder = find_folder(ident, results)
    sim = folder / "sim" if (folder / "sim").is_dir() else folder
    again = folder / _AGAIN / "sim"
    if not (sim / RECORDING / META).exists() and (again / RECORDING / META).exists():
        sim = again
    recording, ring = sim / RECORDING, sim / _RING
    if ring.exists() and not _is_complete(recording, ring):
        recover(recording, ring)
    return Run.open(recording, sorted(folder.glob("*.elf"))), folder


def _is_complete(recording: Path, ring: Path) -> bool:
    """Whether the recording is younger than the ring: then its writer was closed, or it was recovered before."""
    meta = recording / META
    if not meta.exists():
        return False
    return max(path.stat().st_mtime for path in recording.iterdir()) >= ring.stat().st_mtime


def _has_records(folder: Path) -> bool:
    return any((base / RECORDING / META).exists() or (base / _RING).exists() for base in (folder, folder / "sim"))


def _runs(results: Path) -> list[Path]:
    return [folder for folder in sorted(results.glob("*/*")) if folder.is_dir() and _has_records(folder)]


def _known(results: Path) -> str:
    names = [folder.relative_to(results).as_posix() for folder in _runs(results)]
    if not names:
        return f"no run below {results} has any; make one with: make SIM=verilator TEST=vecadd_i RECORD=1"
    return "runs that have: " + ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
