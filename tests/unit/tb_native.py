"""The C++ responder and ring writer as a library of this process: compiled once, driven cycle by cycle."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import subprocess
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from config import HardwareConfig
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.build.spec import CPP_INCLUDES, TB, ModelSpec
from hw.tb.build.toolchain import Toolchain
from hw.tb.top.abi import InjectKind

LINE = 64
LANES = 4
_SOURCES = (Path(__file__).with_suffix(".cpp"), TB / "agents" / "axi" / "responder.cpp", TB / "probes" / "probe.cpp")
_BUILDS = Path(__file__).parents[2] / "build" / "unit"


class _Requests(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("awaddr", "awid", "araddr", "arid", "wstrb")),
        *((name, ctypes.c_uint8) for name in ("awvalid", "wvalid", "arvalid", "bready", "rready")),
        ("pad", ctypes.c_uint8 * 3),
        ("wdata", ctypes.c_uint8 * LINE),
    )


class _Responses(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint64) for name in ("bid", "rid", "outstanding_writes")),
        *(
            (name, ctypes.c_uint8)
            for name in ("awready", "wready", "arready", "bvalid", "rvalid", "bresp", "rresp", "pad")
        ),
        ("rdata", ctypes.c_uint8 * LINE),
    )


@cache
def library() -> Any:
    """Compile (once per content) and load."""
    headers = ModelSpec(hardware=HardwareConfig(num_threads=LANES)).generated_headers()
    digest = hashlib.sha256("".join(headers.values()).encode())
    for path in [*_SOURCES, *(header for folder in CPP_INCLUDES for header in sorted(folder.glob("*.h")))]:
        digest.update(path.read_bytes())
    folder = _BUILDS / digest.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "tb_native.so"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            for name, text in headers.items():
                (folder / name).write_text(text, encoding="utf-8")
            includes = [f"-I{path}" for path in (folder, *CPP_INCLUDES)]
            command = [Toolchain.find().cxx, "-std=c++20", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", *includes]
            done = subprocess.run(
                [*command, *map(str, _SOURCES), "-o", f"{target}.new"], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            Path(f"{target}.new").rename(target)
    loaded = ctypes.CDLL(str(target))
    loaded.tb_open.restype = ctypes.c_void_p
    loaded.tb_violation.restype = ctypes.c_char_p
    loaded.tb_policy_size.restype = loaded.tb_injected.restype = loaded.tb_probe_errors.restype = ctypes.c_uint64
    return loaded


@dataclass(frozen=True)
class ReadDone:
    """One R handshake."""

    cycle: int
    id: int
    data: bytes
    resp: int


@dataclass(frozen=True)
class WriteDone:
    """One B handshake."""

    cycle: int
    id: int
    resp: int


@dataclass
class Bus:
    """A master on one responder: queues of requests, and what came back.

    `memory` is the responder's own memory.
    """

    folder: Path
    policy: MemoryPolicy
    capacity: int = 4096
    size: int = 1 << 20
    check: bool = True  # fail when this master breaks a rule
    cycle: int = 0
    reads: list[ReadDone] = field(default_factory=list)
    writes: list[WriteDone] = field(default_factory=list)
    ar: deque[tuple[int, int]] = field(default_factory=deque)  # (address, id)
    aw: deque[tuple[int, int]] = field(default_factory=deque)
    w: deque[tuple[bytes, int]] = field(default_factory=deque)  # (data, strobe)
    accepted: dict[str, list[int]] = field(default_factory=lambda: {"ar": [], "aw": [], "w": []})  # cycles

    def __post_init__(self) -> None:
        self._c = library()
        self._world = ctypes.c_void_p(
            self._c.tb_open(str(self.folder).encode(), ctypes.c_uint64(self.size), self.capacity)
        )
        self._c.tb_policy(self._world, ctypes.byref(self.policy.to_c()))
        self.memory = np.memmap(self.folder / "memory.bin", np.uint8, "r+")
        self.out = _Responses()

    def close(self) -> None:
        self._c.tb_close(self._world)

    def read(self, address: int, axi_id: int = 0) -> None:
        self.ar.append((address, axi_id))

    def write(self, address: int, data: bytes, strobe: int = (1 << LINE) - 1, axi_id: int = 0) -> None:
        self.aw.append((address, axi_id))
        self.w.append((data, strobe))

    def inject(self, kind: InjectKind, nth: int = 0, arg: int = 0) -> None:
        self._c.tb_inject(self._world, int(kind), ctypes.c_uint64(nth), ctypes.c_uint64(arg))

    def issue(self, warp: int, uid: int, pc: int) -> None:
        """The probe's event of core 0."""
        self._c.tb_issue(self._world, warp, uid, ctypes.c_uint64(pc))

    def commit(self, warp: int, uid: int) -> None:
        """First and last packet of an instruction without a result."""
        self._c.tb_commit(self._world, warp, uid)

    def fault(self, warp: int, uid: int) -> None:
        self._c.tb_fault(self._world, warp, uid)

    @property
    def probe_errors(self) -> int:
        return int(self._c.tb_probe_errors(self._world))

    @property
    def injected(self) -> int:
        return int(self._c.tb_injected(self._world))

    def violation(self) -> str:
        """What the responder complained about since the last call; empty if nothing."""
        return (self._c.tb_violation(self._world) or b"").decode()

    def tick(self, *, bready: bool = True, rready: bool = True) -> None:
        request = _Requests(bready=bready, rready=rready)
        if self.ar:
            request.arvalid, (request.araddr, request.arid) = 1, self.ar[0]
        if self.aw:
            request.awvalid, (request.awaddr, request.awid) = 1, self.aw[0]
        if self.w:
            request.wvalid, request.wstrb = 1, self.w[0][1]
            request.wdata[:] = self.w[0][0]
        out = self.out
        self._c.tb_cycle(self._world, ctypes.byref(request), ctypes.byref(out))
        for name, queue in (("ar", self.ar), ("aw", self.aw), ("w", self.w)):
            if queue and getattr(out, f"{name}ready"):
                queue.popleft()
                self.accepted[name].append(self.cycle)
        if out.rvalid and rready:
            self.reads.append(ReadDone(self.cycle, out.rid, bytes(out.rdata), out.rresp))
        if out.bvalid and bready:
            self.writes.append(WriteDone(self.cycle, out.bid, out.bresp))
        self.cycle += 1
        if self.check:
            assert not (found := self.violation()), found

    def run(self, reads: int, writes: int, bound: int = 100_000) -> None:
        """Tick until so many reads and writes are complete."""
        while len(self.reads) < reads or len(self.writes) < writes:
            assert self.cycle < bound, f"only {len(self.reads)} reads and {len(self.writes)} writes were answered"
            self.tick()

    # ------------------------------------------------------------------ ring writer

    def commits(self, first: int, count: int) -> None:
        self._c.tb_commits(self._world, ctypes.c_uint64(first), ctypes.c_uint64(count))

    def run_record(self, event: int, data: int) -> None:
        self._c.tb_run_record(self._world, event, ctypes.c_uint64(data))

    def wants_drain(self) -> bool:
        return bool(self._c.tb_wants_drain(self._world))
