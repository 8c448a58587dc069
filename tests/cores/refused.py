"""Cores that do not fit, made from the serial core by small changes, and what is said about them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from config import ExternalCore, HardwareConfig
from hw.tb.build.elaborate import CoreError
from hw.tb.build.external import ResolvedCore, resolve_core

SERIAL = Path(__file__).parent / "serial"
TOP = "serial_gpu"


def core(folder: Path = SERIAL) -> ExternalCore:
    """The serial core in `folder`."""
    return ExternalCore(folder / "serial.f", TOP)


def changed(tmp_path: Path, file: str, *changes: tuple[str, str]) -> ExternalCore:
    """A copy of the serial core in which texts of one file are replaced; each must be there."""
    folder = tmp_path / "core"
    shutil.copytree(SERIAL, folder)
    path = folder / file
    text = path.read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")
    return core(folder)


def resolve(which: ExternalCore, tmp_path: Path, **hardware: object) -> ResolvedCore:
    return resolve_core(which, HardwareConfig.load(overrides=hardware), tmp_path / "cache")


def refusal(which: ExternalCore, tmp_path: Path, **hardware: object) -> str:
    """What is said about a core that is refused: sentences, nothing of Verilator's own form."""
    with pytest.raises(CoreError) as caught:
        resolve(which, tmp_path, **hardware)
    message = str(caught.value)
    assert "%Error" not in message and "Traceback" not in message and "Exiting due to" not in message
    return message


def with_list(tmp_path: Path, text: str, **fields: object) -> ExternalCore:
    """The serial core with another file list, whose paths may start at its folder through `$SERIAL`."""
    filelist = tmp_path / "list.f"
    filelist.write_text(text.replace("$SERIAL", str(SERIAL)), encoding="utf-8")
    return replace(core(), filelist=filelist, **fields)  # type: ignore[arg-type]
