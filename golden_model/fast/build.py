"""Compiling generated C, cached by content under build/golden."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

from config import HardwareConfig
from golden_model.barrier import BarrierUnit
from golden_model.core import Core
from golden_model.fast.generate import Tables, generate, tables
from golden_model.fast.values import Untranslatable
from golden_model.ipdom import IpdomStack
from golden_model.warp import Warp

FLAGS = (
    "-O3",
    "-std=gnu11",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-tree-loop-distribute-patterns",
    "-shared",
    "-fPIC",
    "-w",
)
NATIVE = "-march=native"  # left out where the compiler does not know it
CACHE = Path(__file__).parents[2] / "build" / "golden"


class NoFastTier(Exception):
    """Why there is no fast tier here, as a sentence."""


def compiler() -> str | None:
    """The system's C compiler: $CC, cc, gcc or clang."""
    wanted = os.environ.get("CC", "").split()
    names = [*wanted[:1], "cc", "gcc", "clang", "clang-19"]
    return next((found for name in names if (found := shutil.which(name))), None)


@cache
def library(config: HardwareConfig, traced: bool = False, diagnose: bool = False) -> tuple[Tables, ctypes.CDLL]:
    """The compiled fast tier of a configuration, `traced` for following a design, `diagnose` with the checks of
    golden_model/diagnosis. Raises NoFastTier.

    Translating takes longer than loading, so a second cache goes from what is translated to what came out of it.
    """
    made = tables(config, traced, diagnose)
    known = CACHE / f"from-{_origin(config, made)}{'-diagnosis' if diagnose else ''}"
    with contextlib.suppress(OSError):
        target = CACHE / known.read_text(encoding="utf-8")
        if target.exists():
            return made, ctypes.CDLL(str(target))
    try:
        text = generate(config, traced, diagnose)
    except Untranslatable as problem:
        raise NoFastTier(str(problem)) from None
    target = compiled(text)
    with contextlib.suppress(OSError):
        scratch = known.with_suffix(f".{os.getpid()}")
        scratch.write_text(target.name, encoding="utf-8")
        scratch.replace(known)
    return made, ctypes.CDLL(str(target))


def _origin(config: HardwareConfig, made: Tables) -> str:
    """Key of everything that decides the C text: sources, configuration, and the functions in the table as they are
    now (a test may have put another one there)."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256(f"{config.key()} {made.layout.traced} {compiler()} {FLAGS} {_processor()}".encode())
    for folder in (package, package / "isa", package / "fast", package / "records"):
        for path in sorted([*folder.glob("*.py"), *folder.glob("*.c")]):
            digest.update(path.name.encode() + path.read_bytes())
    places: dict[int, dict[str, object]] = {}
    for row in made.rows:
        digest.update(f"{row.name} {row.mask} {row.match} {row.size} {row.signed}".encode())
        for function in (row.execute, row.lane, row.float_lane, row.source):
            if isinstance(function, FunctionType):
                digest.update(_fingerprint(function))
                places[id(function.__globals__)] = function.__globals__
    scopes = [*places.values(), *(dict(vars(kind)) for kind in (Warp, Core, BarrierUnit, IpdomStack))]
    for scope in scopes:  # grows by the modules that the definitions take functions from
        for value in scope.values():
            if isinstance(value, FunctionType):
                digest.update(_fingerprint(value))
                if value.__module__.startswith("golden_model.isa.") and id(value.__globals__) not in places:
                    places[id(value.__globals__)] = value.__globals__
                    scopes.append(value.__globals__)
    return digest.hexdigest()[:24]


def _fingerprint(function: FunctionType) -> bytes:
    code = function.__code__
    known = [value for value in code.co_consts if not isinstance(value, CodeType)]
    return f"{function.__module__} {function.__qualname__} {code.co_names} {known}".encode() + code.co_code


@cache
def _processor() -> str:
    """What tells processors apart that do not run each other's native code; a cache may be shared by machines."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return platform.platform() + platform.processor()


def compiled(text: str) -> Path:
    """Shared object of this C text, compiled unless the cache has it. Raises NoFastTier."""
    cc = compiler()
    if cc is None:
        raise NoFastTier("there is no C compiler (cc, gcc or clang) on the path")
    key = hashlib.sha256("\0".join([cc, *FLAGS, _processor(), text]).encode()).hexdigest()[:24]
    target = CACHE / f"fast-{key}.so"
    if target.exists():
        return target
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            source, made = Path(scratch) / "fast.c", Path(scratch) / "fast.so"
            source.write_text(text, encoding="utf-8")
            for flags in ((*FLAGS, NATIVE), FLAGS):
                command = [cc, *flags, str(source), "-o", str(made)]
                outcome = subprocess.run(command, capture_output=True, text=True, check=False)
                if outcome.returncode == 0:
                    break
            if outcome.returncode:
                raise NoFastTier(f"{cc} refuses the generated code: {outcome.stderr.strip()[:400]}")
            made.replace(target)
    except OSError as error:
        raise NoFastTier(f"{CACHE} cannot be written: {error.strerror}") from None
    return target
