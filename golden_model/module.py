"""The model as a library: load an image, launch its kernels with numpy arrays in and out.

    machine = Machine(HardwareConfig())
    result = load(machine, "vecadd.vxbin").launch("vecadd", grid=4, block=16, args=[np.uint32(64), a, b, dst])

`Machine.load` is the same. docs/golden_model.md has the whole story.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.arguments import Buffer, Value, place
from golden_model.console import EXIT_CODE, Console
from golden_model.errors import LaunchError
from golden_model.findings import Finding
from golden_model.launch import Launch, entry_points, legacy_launch
from golden_model.scheduler import RunSummary, Watch
from sw.kernel.vxbin import Generation, MemoryLayout, Vxbin, VxbinError, detect_generation
from sw.kernel.vxbin import load as load_vxbin

if TYPE_CHECKING:
    from golden_model.machine import Machine

Dims = int | Sequence[int]


@dataclass(frozen=True, slots=True)
class Result:
    """What a launch did beside changing its arrays."""

    summary: RunSummary
    findings: tuple[Finding, ...]  # of this launch and earlier ones of the machine
    console: tuple[str, ...]  # lines that the kernel printed
    exit_code: int | None  # None if nothing was stored there

    @property
    def clean(self) -> bool:
        """Neither findings nor faults."""
        return not self.findings


class Module:
    """A loaded image. Several may be loaded in one machine."""

    def __init__(self, machine: Machine, image: Vxbin) -> None:
        self._machine = machine
        self._image = image
        self._legacy = detect_generation(image) is Generation.LEGACY
        self._console = Console(machine.read, machine.write)
        self._console.open()

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names that `launch` knows."""
        return tuple(self._image.kernels)

    def launch(
        self,
        kernel: str,
        grid: Dims = 1,
        block: Dims = 1,
        args: Sequence[Any] = (),
        *,
        lmem: int = 0,
        cluster: Dims = 1,
        max_instructions: int = 1_000_000_000,
        seed: int | None = None,
        watch: Watch | None = None,
    ) -> Result:
        """Run one launch to its end.

        `args` are the fields of the kernel's argument structure, in order, with natural C alignment: numpy scalars
        keep their type; an int is an int32 or, if too large, a uint32; a float is a float32; a bool is refused.
        An array is copied to the device, the field is its address (u64); after the launch a writable array holds
        what the kernel left there, a read-only one (`flags.writeable`) is input only.
        An image of the legacy library (WSPAWN) runs once on each core and takes no shape.

        Raises LaunchError for what the hardware cannot run, an unknown kernel or an argument of another type;
        HangError and LimitError as `Machine.run`; arrays are not copied back then.
        """
        machine = self._machine
        fields = [_field(number, value) for number, value in enumerate(args)]
        startup, entry = entry_points(self._image, kernel, machine.entry)
        shape = _dims("grid", grid), _dims("block", block), lmem, _dims("cluster", cluster)
        if self._legacy and shape != ((1, 1, 1), (1, 1, 1), 0, (1, 1, 1)):
            raise LaunchError("the image divides its work itself (legacy library): leave out the shape of the launch")
        placed = place(machine, fields)
        try:
            if self._legacy:
                machine.launch(legacy_launch(self._image, placed.args_addr, machine.config))
            else:
                machine.launch(Launch(entry, startup, placed.args_addr, *shape))
            summary = machine.run(max_instructions, seed, watch)
        finally:
            for addr, _ in placed.buffers.values():
                machine.host_buffers.remove(addr)
            machine.host_buffers.remove(placed.args_addr)
        for number, (addr, size) in placed.buffers.items():
            array: np.ndarray = args[number]
            if array.flags.writeable:
                array[...] = np.frombuffer(machine.read(addr, size), array.dtype).reshape(array.shape)
        code, unwritten = machine.memory.load(EXIT_CODE, 4)
        lines = (*self._console.drain(), *self._console.unfinished())
        return Result(summary, tuple(machine.findings), lines, None if unwritten else code)


def load(machine: Machine, image: Path | str | bytes | Vxbin) -> Module:
    """Load a .vxbin (a path, its bytes, or what `sw.kernel.vxbin.load` returned). Raises LaunchError if it is bad."""
    if not isinstance(image, Vxbin):
        config = machine.config
        layout = MemoryLayout(
            config.xlen, config.total_harts, config.stack_base_addr, config.stack_log2_size, config.lmem_log_size
        )
        try:
            image = load_vxbin(Path(image) if isinstance(image, str) else image, layout=layout)
        except VxbinError as error:
            raise LaunchError(str(error)) from None
    machine.load_image(image)
    return Module(machine, image)


def _dims(name: str, value: Dims) -> tuple[int, int, int]:
    values = [value] if isinstance(value, int) else list(value)
    if not 1 <= len(values) <= 3:
        raise LaunchError(f"{name} {value}: one to three dimensions are needed")
    x, y, z = [*(int(v) for v in values), 1, 1][:3]
    return x, y, z


def _field(number: int, value: Any) -> Value | Buffer:
    if isinstance(value, bool | np.bool_):
        raise LaunchError(f"argument {number}: a bool has no size in C that all agree on; pass np.uint8 or np.uint32")
    if isinstance(value, int):
        if not -(1 << 31) <= value < 1 << 32:
            raise LaunchError(f"argument {number}: {value} does not fit 32 bits; pass np.uint64 or np.int64")
        return Value((value & 0xFFFF_FFFF).to_bytes(4, "little"))
    if isinstance(value, float):
        return Value(np.float32(value).tobytes())
    if isinstance(value, np.number):
        return Value(value.tobytes())
    if isinstance(value, np.ndarray) and value.size and not value.dtype.hasobject:
        return Buffer(np.ascontiguousarray(value).tobytes())
    raise LaunchError(
        f"argument {number} is {type(value).__name__}: numbers, numpy scalars and non-empty numpy arrays are understood"
    )
