"""The knob SCOPE: an instance of the design by its path from the top."""

from __future__ import annotations

from pathlib import Path

from hw.tb.debug.waves.fst import FstError, names_of
from tests.regression.errors import RunError
from tests.regression.result import RunResult

_SHOWN = 6


def check_scope(scope: str, folder: Path) -> None:
    """Compare SCOPE with the instances in the waves that earlier runs left in a results folder, if there are any.

    Raises:
        RunError: no instance has this path; the message names those that end so.
    """
    known = _instances(folder) if scope else set()
    if not known or scope in known:
        return
    word = scope.rsplit(".", 1)[-1]
    inside = [name for name in known if name.startswith("vx_tb_top")]
    similar = sorted(name for name in inside if word in name.rsplit(".", 1)[-1])[:_SHOWN]
    raise RunError(f"SCOPE={scope}: no instance has this path; similar: {', '.join(similar) or 'none'}")


def explain_scope(scope: str, result: RunResult) -> None:
    """A simulator dies of a scope that names nothing. Raises RunError if that is what happened."""
    if scope and any(failure.check == "simulator" for failure in result.failures[:1]):
        raise RunError(
            f"SCOPE={scope}: the simulator died, as it does if no instance has this path; write it from the top, such "
            "as vx_tb_top.dut.axi, or leave SCOPE out: the waves show all paths"
        )


def _instances(folder: Path) -> set[str]:
    found: set[str] = set()
    for path in [*folder.glob("waves*.fst"), *folder.glob("debug/*.fst")]:
        try:
            names = names_of(path)
        except FstError:
            continue
        for name in names:
            parts = name.split(".")
            found |= {".".join(parts[:count]) for count in range(1, len(parts))}
        # One that was limited to an instance knows only that one.
        if not any(name.startswith("vx_tb_top.clk") for name in names):
            found.clear()
        if found:
            return found
    return found
