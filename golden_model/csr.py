"""Control and status registers (docs/reference/vortex.md §3). One row per register.

Reads give a value per lane. Registers that hardware may choose freely (`choice`) take an adopted value when a follower
hands one in. `undefined` says in which lanes the value has no meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from config import HardwareConfig

if TYPE_CHECKING:
    from golden_model.step import Step
    from golden_model.warp import Warp

COUNTER_MASK = (1 << 44) - 1  # counters are 44 bits wide

Read = Callable[["Warp", int], int]  # (warp, lane) -> value
Write = Callable[["Warp", int], None]


def _outside_cta(warp: Warp) -> int:
    """Lanes that belong to no thread of the block have no thread index."""
    return ~warp.cta_mask & warp.full_mask


@dataclass(frozen=True, slots=True)
class Csr:
    """One register."""

    number: int
    name: str
    read: Read
    write: Write | None = None
    ignores_writes: bool = False  # a write is dropped instead of being an illegal instruction
    choice: bool = False
    undefined: Callable[[Warp], int] | None = None
    changes: bool = False  # the value may change while a warp runs; others are fixed from its start to its end
    of_cta: bool = False  # every start of a warp may give another value; others that do not change are fixed from reset
    of_launch: bool = False  # with `of_cta`: only the first start in a launch may

    def read_lanes(self, warp: Warp, step: Step) -> tuple[list[int], int]:
        """Value per lane (of active lanes) and the mask of lanes in which it is undefined."""
        result = [0] * warp.num_lanes
        adopted = warp.adoption.csr_value if self.choice and warp.adoption is not None else None
        if self.choice:
            step.adopted = self.name
        mask = warp.xlen.mask
        for lane in warp.lanes:
            result[lane] = (self.read(warp, lane) if adopted is None else adopted) & mask
        return result, 0 if self.undefined is None else self.undefined(warp) & warp.tmask


def build_csrs(config: HardwareConfig) -> dict[int, Csr]:
    """Registers that a configuration has, by number."""
    rows = [*_machine(config), *_vortex(config), *_cta(), *_counters(config)]
    if config.ext_f:
        rows += _float()
    return {row.number: row for row in rows}


def _constant(number: int, name: str, value: int, ignores_writes: bool = False) -> Csr:
    return Csr(number, name, lambda warp, lane: value, ignores_writes=ignores_writes)


def _storage(number: int, name: str) -> Csr:
    """A plain register of each warp."""

    def read(warp: Warp, lane: int) -> int:
        return warp.csr_storage.get(number, 0)

    def write(warp: Warp, value: int) -> None:
        warp.csr_storage[number] = value

    return Csr(number, name, read, write, changes=True)


def _machine(config: HardwareConfig) -> list[Csr]:
    ignored = ((0x180, "satp"), (0x302, "medeleg"), (0x303, "mideleg"), (0x304, "mie"), (0x3A0, "pmpcfg0"),
               (0x3B0, "pmpaddr0"), (0x744, "mnstatus"))  # fmt: skip
    stored = ((0x300, "mstatus"), (0x305, "mtvec"), (0x340, "mscratch"), (0x341, "mepc"), (0x342, "mcause"),
              (0x343, "mtval"))  # fmt: skip
    identity = ((0xF11, "mvendorid"), (0xF12, "marchid"), (0xF13, "mimpid"))
    return [
        *(_constant(number, name, 0, ignores_writes=True) for number, name in ignored),
        *(_storage(number, name) for number, name in stored),
        *(_constant(number, name, 0) for number, name in identity),
        _constant(0x301, "misa", config.misa),
        Csr(0xF14, "mhartid", lambda warp, lane: warp.first_hart + lane),
    ]


def _active_warps(warp: Warp, lane: int) -> int:
    return warp.core.active_warps


def _active_threads(warp: Warp, lane: int) -> int:
    return warp.tmask


def _vortex(config: HardwareConfig) -> list[Csr]:
    return [
        Csr(0xCC0, "thread_id", lambda warp, lane: lane),
        Csr(0xCC1, "warp_id", lambda warp, lane: warp.wid),
        Csr(0xCC2, "core_id", lambda warp, lane: warp.core.core_id),
        Csr(0xCC3, "active_warps", _active_warps, choice=True, changes=True),
        Csr(0xCC4, "active_threads", _active_threads, changes=True),
        _constant(0xFC0, "num_threads", config.num_threads),
        _constant(0xFC1, "num_warps", config.num_warps),
        _constant(0xFC2, "num_cores", config.total_cores),
        _constant(0xFC3, "local_mem_base", config.lmem_base),
        _constant(0xFC4, "num_barriers", config.num_barriers),
    ]


def _cta() -> list[Csr]:
    def axis(
        number: int, name: str, read: Callable[[Warp, int, int], int], undefined: bool = False, fixed: bool = False
    ) -> list[Csr]:
        hole = _outside_cta if undefined else None

        def component(i: int) -> Read:
            return lambda warp, lane: read(warp, lane, i)

        return [
            Csr(number + i, f"{name}_{'xyz'[i]}", component(i), undefined=hole, of_cta=True, of_launch=fixed)
            for i in range(3)
        ]

    return [
        Csr(0xCD0, "cta_id", lambda warp, lane: warp.slot, of_cta=True),
        Csr(0xCD1, "cta_rank", lambda warp, lane: warp.rank, of_cta=True),
        Csr(0xCD2, "cta_size", lambda warp, lane: warp.current_cta.num_warps, of_cta=True, of_launch=True),
        *axis(0xCD3, "cta_thread_id", lambda warp, lane, i: warp.thread_idx[lane][i], undefined=True),
        *axis(0xCD6, "cta_block_id", lambda warp, lane, i: warp.current_cta.cta.block_idx[i]),
        *axis(0xCD9, "cta_block_dim", lambda warp, lane, i: warp.current_cta.cta.block_dim[i], fixed=True),
        *axis(0xCDC, "cta_grid_dim", lambda warp, lane, i: warp.current_cta.cta.grid_dim[i], fixed=True),
        Csr(0xCDF, "cta_lmem_addr", lambda warp, lane: warp.current_cta.lmem_addr, of_cta=True),
        Csr(
            0xCE0, "cta_cluster_size", lambda warp, lane: warp.current_cta.cta.cluster_size, of_cta=True, of_launch=True
        ),
        Csr(0xCE1, "cta_entry", lambda warp, lane: warp.current_cta.cta.entry, of_cta=True, of_launch=True),
    ]


def _mcycle(warp: Warp) -> int:
    return warp.core.mcycle


def _minstret(warp: Warp) -> int:
    return warp.core.minstret


def _counters(config: HardwareConfig) -> list[Csr]:
    """MCYCLE, MINSTRET, and the class-dependent counters, which device code always reads as 0."""
    wide = config.xlen == 64

    def counter(number: int, name: str, value: Callable[[Warp], int]) -> list[Csr]:
        def low(warp: Warp, lane: int) -> int:
            return value(warp) & COUNTER_MASK

        def high(warp: Warp, lane: int) -> int:
            return (value(warp) & COUNTER_MASK) >> 32

        rows = [Csr(number, name, low, choice=True, changes=True)]
        return rows if wide else [*rows, Csr(number + 0x80, name + "h", high, choice=True, changes=True)]

    numbers = [0xB01, *range(0xB03, 0xB20)]
    return [
        *counter(0xB00, "mcycle", _mcycle),
        *counter(0xB02, "minstret", _minstret),
        *(_constant(number, f"mpm{number & 0x1F}", 0) for number in numbers),
        *(_constant(number + 0x80, f"mpm{number & 0x1F}h", 0) for number in numbers if not wide),
    ]


def _float() -> list[Csr]:
    def write_flags(warp: Warp, value: int) -> None:
        warp.fcsr = warp.fcsr & ~0x1F | value & 0x1F

    def write_mode(warp: Warp, value: int) -> None:
        warp.fcsr = warp.fcsr & 0x1F | (value & 7) << 5

    def write_both(warp: Warp, value: int) -> None:
        warp.fcsr = value & 0xFF

    def read_flags(warp: Warp, lane: int) -> int:
        return warp.fcsr & 0x1F

    def read_mode(warp: Warp, lane: int) -> int:
        return warp.fcsr >> 5

    def read_both(warp: Warp, lane: int) -> int:
        return warp.fcsr

    return [
        Csr(0x001, "fflags", read_flags, write_flags, changes=True),
        Csr(0x002, "frm", read_mode, write_mode, changes=True),
        Csr(0x003, "fcsr", read_both, write_both, changes=True),
    ]
