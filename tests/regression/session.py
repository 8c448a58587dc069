"""What a host program works with: inputs, outputs, launches and the host's own expectation (the third leg).

Contents of every buffer are tracked in program order. Each launch is followed, in the same queue, by reads of all
buffers that it was given: outputs must equal what the test expects, inputs and the guard zones behind every buffer must
be untouched. So several launches can wait behind each other and each is still checked by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sw.runtime import Buffer, Device, InvalidValueError, Kernel, LaunchError, LaunchResult, Module, ModuleError
from sw.runtime.args import Argument
from sw.runtime.buffer import PendingRead
from sw.runtime.launch import Dims, max_occupancy
from sw.runtime.messages import LaunchStatus
from tests.regression.console import DeviceConsole
from tests.regression.expectation import Comparison, Judge, Tolerance, compare
from tests.regression.images import Images
from tests.regression.result import HostCheck, Outcome, shortened

GUARD_BYTES = 64
_POISON = 0xA5

# Counters of class CORE that split the cycles of a core (docs/reference/vortex.md §3.5).
_MCYCLE, _MINSTRET, _CLASS_CORE = 0xB00, 0xB02, 1
_REASONS = {
    "issued": 0xB06, "idle": 0xB03, "fetch": 0xB08, "ibuffer": 0xB09, "scoreboard": 0xB0A, "operands": 0xB0B,
    "ALU": 0xB0C, "FPU": 0xB0D, "LSU": 0xB0E, "SFU": 0xB0F,
}  # fmt: skip

Array = NDArray[np.generic]
_IntT = TypeVar("_IntT", bound=np.integer[Any])


@dataclass(frozen=True)
class _Snapshot:
    """A queued read of one buffer and what must come back, guard zone included."""

    buffer: Buffer
    expected: Array
    read: PendingRead
    tolerance: Tolerance
    judge: Judge | None


@dataclass
class Launched:
    """One queued launch with its snapshots; `result` and `comparisons` are filled when it has ended."""

    kernel: str
    launch_id: int
    snapshots: list[_Snapshot]
    result: LaunchResult | None = None
    comparisons: list[Comparison] = field(default_factory=list)


class Session:
    """The environment of one host program on one device.

    Attributes:
        size: elements, from the knob N or the test's default.
        rng: the only source of random data; follows from the seed.
    """

    def __init__(self, device: Device, images: Images, size: int, seed: int) -> None:
        self.device = device
        self.size = size
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.launches: list[Launched] = []
        self.checks: list[HostCheck] = []
        self._images = images
        self._modules: dict[str, Module] = {}
        self._contents: dict[int, tuple[Buffer, Array, Tolerance]] = {}

    # ------------------------------------------------------------------ kernels

    def kernel(self, name: str) -> Kernel:
        """Handle of one of the test's kernels; loads its image, replacing another one at the same place."""
        image = self._images.of(name)
        return self._module(name).kernel(image.exported)

    def expect_different_handles(self, names: Sequence[str]) -> None:
        """Check that the kernels are different handles and addresses, and that asking twice gives the same handle."""
        check = "kernel handles differ"
        if not self._images.shared:
            self._note(check, Outcome.NOT_APPLICABLE, "each kernel has an image of its own in this entry generation")
            return
        handles = [self.kernel(name) for name in names]
        different = len({id(handle) for handle in handles}) == len({handle.pc for handle in handles}) == len(names)
        same = all(self.kernel(name) is handle for name, handle in zip(names, handles, strict=True))
        places = ", ".join(f"{handle.name} {handle.pc:#x}" for handle in handles)
        self._note(check, Outcome.PASS if different and same and len(names) > 1 else Outcome.FAIL, places)

    def expect_no_kernel(self, name: str) -> None:
        """Check that a name that is not in the image is refused."""
        check = f"no kernel {name}"
        if not self._images.shared:
            self._note(check, Outcome.NOT_APPLICABLE, "images of this entry generation have no names")
            return
        try:
            found = self._module(self._images.kernels[0].kernel).kernel(name)
        except ModuleError as error:
            self._note(check, Outcome.PASS, str(error))
        else:
            self._note(check, Outcome.FAIL, f"the name was accepted: {found!r}")

    def expect_every_cycle_counted(self) -> None:
        """Check that the reasons for which each core issued nothing, and its issues, add up to its cycles (MCYCLE)."""
        if self.device.backend_name.startswith("golden"):
            self._note("cycles", Outcome.NOT_APPLICABLE, "the golden model has no cycles")
            return
        self.finish()
        for core in range(self.device.config.hardware.total_cores):
            cycles = self.device.counter(_MCYCLE, core)
            parts = {name: self.device.counter(csr, core, _CLASS_CORE) for name, csr in _REASONS.items()}
            issued = self.device.counter(_MINSTRET, core) == parts["issued"]
            shares = ", ".join(f"{name} {value / max(cycles, 1):.1%}" for name, value in parts.items() if value)
            outcome = Outcome.PASS if sum(parts.values()) == cycles and issued else Outcome.FAIL
            self._note(f"every cycle of core {core}", outcome, f"{shares}: {sum(parts.values()):,} of {cycles:,}")

    def order(self, names: Sequence[str]) -> tuple[str, ...]:
        """One of all orders of `names`: consecutive seeds go through every one of them."""
        orders = list(itertools.permutations(names))
        return orders[self.seed % len(orders)]

    def check(self, name: str, holds: bool, detail: str) -> None:
        """Note a check that the host program made itself; one that does not hold fails the run."""
        self._note(name, Outcome.PASS if holds else Outcome.FAIL, detail)

    # ------------------------------------------------------------------ data

    def random(self, dtype: type[_IntT], count: int, low: int = 0, high: int = 1 << 31) -> NDArray[_IntT]:
        """`count` random integers in [low, high) as `dtype`."""
        return self.rng.integers(low, high, count).astype(dtype)

    def floats(self, count: int, low: float = 0.0, high: float = 1.0) -> NDArray[np.float32]:
        """`count` random single-precision numbers in [low, high)."""
        return self.rng.uniform(low, high, count).astype(np.float32)

    def input(self, data: Array, name: str) -> Buffer:
        """Buffer that holds `data`; it must still hold it after every launch, unless a launch expects otherwise."""
        return self._place(np.ascontiguousarray(data), name)

    def output(self, dtype: DTypeLike, count: int, name: str = "dst") -> Buffer:
        """Buffer of `count` elements filled with a poison pattern."""
        kind = np.dtype(dtype)
        return self._place(np.full(count * kind.itemsize, _POISON, np.uint8).view(kind), name)

    # ------------------------------------------------------------------ launches

    def launch(
        self,
        kernel: str,
        args: Sequence[Argument],
        *,
        expect: Mapping[Buffer, Array],
        threads: Dims | None = None,
        grid: Dims | None = None,
        block: Dims | None = None,
        lmem: int = 0,
        cluster: Dims = 1,
        ulp: int = 0,
        absolute: float = 0.0,
        judge: Mapping[Buffer, Judge] | None = None,
    ) -> Launched:
        """Queue a launch and the comparison of every buffer that it was given.

        Args:
            kernel: exported name.
            args: argument block in order; buffers stand for their addresses.
            expect: what buffers must hold afterwards; buffers that are not named must not change.
            threads: global size; grid and block are then those of the largest occupancy.
            grid: CTAs per axis; together with `block`, instead of `threads`.
            block: threads per CTA per axis.
            lmem: bytes of local memory per CTA.
            cluster: CTAs per cluster per axis.
            ulp, absolute: distance allowed between floats of the expected buffers; units of the last place, number.
            judge: buffers whose contents the host can't predict, and who says what is wrong with them.
        """
        if (threads is None) == (grid is None or block is None):
            raise InvalidValueError(f"launch of {kernel!r}: give either threads, or grid and block")
        if threads is not None:
            grid, block = max_occupancy(self.device.config.hardware, threads)
        assert grid is not None and block is not None
        handle = self.kernel(kernel)
        launch_id = self.device.enqueue(handle, grid, block, args, lmem, cluster)
        for buffer, array in expect.items():
            self._set(buffer, array, Tolerance(ulp, absolute))
        judges = judge or {}
        given = [argument for argument in args if isinstance(argument, Buffer)]
        watched = {buffer.address: buffer for buffer in [*given, *expect, *judges]}
        snapshots = [
            _Snapshot(
                buffer,
                self._contents[address][1],
                self.device.request_read(address, buffer.size + GUARD_BYTES),
                self._contents[address][2],
                judges.get(buffer),
            )
            for address, buffer in watched.items()
        ]
        launched = Launched(kernel, launch_id, snapshots)
        self.launches.append(launched)
        return launched

    def launch_legacy(
        self, kernel: str, args: Sequence[Argument], *, expect: Mapping[Buffer, Array], ulp: int = 0
    ) -> Launched:
        """Queue a program of the legacy library: one block of one warp on each core, which starts the others itself."""
        hardware = self.device.config.hardware
        cores, lanes = hardware.total_cores, hardware.num_threads
        return self.launch(kernel, args, grid=cores, block=lanes, expect=expect, ulp=ulp)

    def console(self) -> DeviceConsole:
        """The console, emptied; call it once, before the launch."""
        return DeviceConsole(self.device)

    def require_full_warps(self) -> None:
        """Refuse a size that leaves a warp with idle lanes, for kernels whose bounds check must not diverge.

        Raises:
            LaunchError: the size and the multiple that it must be.
        """
        lanes = self.device.config.hardware.num_threads
        if self.size % lanes:
            raise LaunchError(
                f"N={self.size}: this test needs a multiple of {lanes}, the lanes of a warp, because its kernels are "
                "compiled without handling of divergent branches"
            )

    def require_full_blocks(self, threads: Dims) -> None:
        """Refuse a size that the largest blocks do not cover exactly, for kernels without a bounds check.

        Raises:
            LaunchError: the size and the multiple that it must be.
        """
        sizes = [threads] if isinstance(threads, int) else list(threads)
        _, block = max_occupancy(self.device.config.hardware, threads)
        for size, width in zip(sizes, block, strict=False):
            if size % width:
                raise LaunchError(f"N={self.size}: this test needs a multiple of {width} on this processor")

    def read(self, buffer: Buffer, dtype: DTypeLike) -> Array:
        """Contents of a buffer after all launches so far, for host programs that decide by them."""
        return self.device.read(buffer, np.dtype(dtype))

    def finish(self) -> None:
        """Wait for every launch and compare what it left in memory, unless it never ran to its end."""
        for launched in self.launches:
            if launched.result is None:
                launched.result = self.device.wait(launched.launch_id)
                if launched.result.status in (LaunchStatus.DONE, LaunchStatus.FAULT):
                    launched.comparisons = [self._compare(snapshot) for snapshot in launched.snapshots]

    # ------------------------------------------------------------------ inside

    def _module(self, kernel: str) -> Module:
        path = self._images.of(kernel).path
        key = str(path)
        if key not in self._modules:
            for loaded in self._modules.values():
                self.device.unload_module(loaded)
            self._modules = {key: self.device.load_module(path)}
        return self._modules[key]

    def _place(self, data: Array, name: str) -> Buffer:
        whole = self.device.alloc(max(1, data.nbytes) + GUARD_BYTES, name)
        self.device.write(whole, data.tobytes() + bytes([_POISON]) * (whole.size - data.nbytes))
        buffer = Buffer(self.device, whole.address, whole.size - GUARD_BYTES, name)
        self._contents[buffer.address] = (buffer, data.copy(), Tolerance())
        return buffer

    def _set(self, buffer: Buffer, array: Array, tolerance: Tolerance) -> None:
        known = self._contents.get(buffer.address)
        if known is None:
            raise InvalidValueError(f"buffer {buffer.name!r} was not made by this session")
        before = known[1]
        if array.dtype != before.dtype or array.shape != before.shape:
            raise InvalidValueError(
                f"the expectation of {buffer.name!r} is {array.dtype}{list(array.shape)}, "
                f"the buffer {before.dtype}{list(before.shape)}"
            )
        self._contents[buffer.address] = (buffer, array.copy(), tolerance)

    def _compare(self, snapshot: _Snapshot) -> Comparison:
        raw = self.device.finish_read(snapshot.read)
        size = snapshot.expected.nbytes
        actual = np.frombuffer(raw[:size], snapshot.expected.dtype)
        guard = np.frombuffer(raw[size:], np.uint8)
        return compare(
            snapshot.buffer.name,
            snapshot.buffer.address,
            snapshot.expected,
            actual,
            guard,
            _POISON,
            snapshot.tolerance,
            snapshot.judge,
        )

    def _note(self, name: str, outcome: Outcome, detail: str) -> None:
        self.checks.append(HostCheck(shortened(name, 80), outcome, shortened(detail, 400)))
