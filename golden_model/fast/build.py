"""Compiling generated C, cached by content under build/golden."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from config import HardwareConfig
from golden_model.fast.generate import Source, generate
from golden_model.fast.values import Untranslatable

FLAGS = ("-O2", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-shared", "-fPIC", "-w")
CACHE = Path(__file__).parents[2] / "build" / "golden"


class NoFastTier(Exception):
    """Why there is no fast tier here, as a sentence."""


def compiler() -> str | None:
    """The system's C compiler: $CC, cc, gcc or clang."""
    wanted = os.environ.get("CC", "").split()
    names = [*wanted[:1], "cc", "gcc", "clang", "clang-19"]
    return next((found for name in names if (found := shutil.which(name))), None)


@cache
def library(config: HardwareConfig) -> tuple[Source, ctypes.CDLL]:
    """The compiled fast tier of a configuration. Raises NoFastTier."""
    try:
        source = generate(config)
    except Untranslatable as problem:
        raise NoFastTier(str(problem)) from None
    return source, ctypes.CDLL(str(compiled(source.text)))


def compiled(text: str) -> Path:
    """Shared object of this C text, compiled unless the cache has it. Raises NoFastTier."""
    cc = compiler()
    if cc is None:
        raise NoFastTier("there is no C compiler (cc, gcc or clang) on the path")
    key = hashlib.sha256("\0".join([cc, *FLAGS, text]).encode()).hexdigest()[:24]
    target = CACHE / f"fast-{key}.so"
    if target.exists():
        return target
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            source, made = Path(scratch) / "fast.c", Path(scratch) / "fast.so"
            source.write_text(text, encoding="utf-8")
            command = [cc, *FLAGS, str(source), "-o", str(made)]
            outcome = subprocess.run(command, capture_output=True, text=True, check=False)
            if outcome.returncode:
                raise NoFastTier(f"{cc} refuses the generated code: {outcome.stderr.strip()[:400]}")
            made.replace(target)
    except OSError as error:
        raise NoFastTier(f"{CACHE} cannot be written: {error.strerror}") from None
    return target
