"""Hardware configuration: shape of the processor, caches and memory interface.

Names and defaults follow docs/reference/vortex.md section 1.2; sizes are bytes unless a name says otherwise.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.errors import ConfigError

DEFAULT_TOML = Path(__file__).with_name("default.toml")


def _is_power_of_two(value: int) -> bool:
    return value >= 1 and value & (value - 1) == 0


@dataclass(frozen=True)
class HardwareConfig:
    """Shape of one Vortex-compatible processor.

    Raises:
        ConfigError: from `validate` (called on construction) when a combination cannot exist; the message
            names the parameter, its value and the rule.
    """

    num_clusters: int = 1
    num_cores: int = 1  # per cluster
    socket_size: int = 1  # cores per socket
    num_warps: int = 4  # per core
    num_threads: int = 4  # lanes per warp
    simd_width: int = 0  # lanes that a unit executes in one cycle; 0: all of a warp's (see simd_lanes)
    issue_width: int = 1  # instructions that a core issues in one cycle
    num_barriers: int = 8  # per CTA slot
    xlen: int = 32
    flen: int = 32
    ext_m: bool = True
    ext_f: bool = True
    ext_a: bool = True
    ext_zicond: bool = True
    ext_simt_full: bool = True  # votes, shuffles, WSPAWN, all barriers, traps, WGATHER
    ext_packed: bool = True  # packed loads; only with ext_simt_full and ext_f
    icache_size: int = 16384
    icache_ways: int = 4
    dcache_size: int = 16384
    dcache_ways: int = 4
    dcache_writeback: bool = False  # only where it is the last cache before memory and the only one of its kind
    l1_line_size: int = 64
    l2_size: int = 0  # bytes over all AXI banks; 0: no L2
    l2_ways: int = 8
    lmem_log_size: int = 14
    axi_num_banks: int = 1
    axi_data_width: int = 512  # bits
    axi_addr_width: int = 32  # bits
    axi_tid_width: int = 8  # bits
    startup_addr: int = 0x8000_0000
    stack_base_addr: int = 0xFFFF_0000
    stack_log2_size: int = 13

    def __post_init__(self) -> None:
        self.validate()
        if self.simd_width == self.num_threads:  # one spelling for one hardware
            object.__setattr__(self, "simd_width", 0)

    # ------------------------------------------------------------------ construction

    @classmethod
    def load(cls, path: Path | None = None, overrides: Mapping[str, object] | None = None) -> HardwareConfig:
        """Read `path` (default: config/default.toml, table [hardware]) and apply `overrides` by field name."""
        source = path or DEFAULT_TOML
        try:
            table = tomllib.loads(source.read_text(encoding="utf-8")).get("hardware", {})
        except OSError as error:
            raise ConfigError(f"configuration file {source} cannot be read: {error.strerror}") from error
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"configuration file {source} is not valid TOML: {error}") from error
        values = {**table, **(overrides or {})}
        fields = {field.name: field for field in dataclasses.fields(cls)}
        for name, value in values.items():
            if name not in fields:
                raise ConfigError(
                    f"unknown hardware parameter {name!r} in {source}; known: {', '.join(sorted(fields))}"
                )
            wanted = type(fields[name].default)
            if type(value) is not wanted:
                raise ConfigError(f"hardware parameter {name} must be {wanted.__name__}, got {value!r}")
        return cls(**values)

    def validate(self) -> None:
        """Refuse combinations that no hardware can have, each with the rule that it breaks."""
        rules = [
            (1 <= self.num_clusters <= 64, f"num_clusters={self.num_clusters}: must be between 1 and 64"),
            (1 <= self.num_cores <= 64, f"num_cores={self.num_cores}: must be between 1 and 64 cores per cluster"),
            (
                _is_power_of_two(self.socket_size) and self.num_cores % self.socket_size == 0,
                f"socket_size={self.socket_size}: must be a power of two that divides num_cores={self.num_cores}",
            ),
            (
                _is_power_of_two(self.num_warps) and self.num_warps <= 32,
                f"num_warps={self.num_warps}: must be a power of two between 1 and 32",
            ),
            (
                _is_power_of_two(self.num_threads) and self.num_threads <= 32,
                f"num_threads={self.num_threads}: must be a power of two between 1 and 32 lanes",
            ),
            (
                self.simd_width == 0 or (_is_power_of_two(self.simd_width) and self.simd_width <= self.num_threads),
                f"simd_width={self.simd_width}: must be a power of two, at most the {self.num_threads} lanes of a warp",
            ),
            (
                self.issue_width == 1,
                f"issue_width={self.issue_width}: must be 1; the core issues one instruction a cycle",
            ),
            (
                _is_power_of_two(self.num_barriers) and self.num_barriers <= 64,
                f"num_barriers={self.num_barriers}: must be a power of two between 1 and 64",
            ),
            (self.xlen in (32, 64), f"xlen={self.xlen}: must be 32 or 64"),
            (self.flen in (32, 64), f"flen={self.flen}: must be 32 or 64"),
            (self.l1_line_size == 64, f"l1_line_size={self.l1_line_size}: the memory block is 64 bytes"),
            (
                self.axi_data_width == 8 * self.l1_line_size,
                f"axi_data_width={self.axi_data_width}: must be {8 * self.l1_line_size} bits, one cache line",
            ),
            (10 <= self.lmem_log_size <= 20, f"lmem_log_size={self.lmem_log_size}: must be between 10 and 20"),
            (
                self.stack_base_addr % (1 << self.lmem_log_size) == 0,
                f"stack_base_addr={self.stack_base_addr:#x}: LMEM starts there, so it must be a multiple of "
                f"{1 << self.lmem_log_size:#x} bytes (lmem_log_size={self.lmem_log_size})",
            ),
            (
                _is_power_of_two(self.axi_num_banks) and self.axi_num_banks <= 16,
                f"axi_num_banks={self.axi_num_banks}: must be a power of two between 1 and 16",
            ),
            (1 <= self.axi_tid_width <= 64, f"axi_tid_width={self.axi_tid_width}: must be between 1 and 64 bits"),
        ]
        for name, size, ways in (
            ("icache", self.icache_size, self.icache_ways),
            ("dcache", self.dcache_size, self.dcache_ways),
        ):
            rules.append(
                (_is_power_of_two(ways) and ways <= 16, f"{name}_ways={ways}: must be a power of two, at most 16")
            )
            rules.append(
                (
                    _is_power_of_two(size) and ways >= 1 and size // (ways * self.l1_line_size) >= 2,
                    f"{name}_size={size}: must be a power of two, at least two sets of {ways} lines",
                )
            )
        ways, least = self.l2_ways, 2 * self.l2_ways * self.l1_line_size * self.axi_num_banks
        rules += [
            (_is_power_of_two(ways) and ways <= 16, f"l2_ways={ways}: must be a power of two, at most 16"),
            (
                self.l2_size == 0 or (_is_power_of_two(self.l2_size) and least <= self.l2_size <= 1 << 26),
                f"l2_size={self.l2_size} ({self.l2_size / 1024:g} KiB): must be 0 (no L2) or a power of two from "
                f"{least / 1024:g} KiB (two sets of {ways} lines for each AXI bank) to 65536 KiB",
            ),
        ]
        rules.append(
            (
                not self.dcache_writeback or (self.total_cores == 1 and self.l2_size == 0),
                f"dcache_writeback={self.dcache_writeback}: needs a single core and no L2, because no other cache "
                f"would see what is not written yet; here are {self.total_cores} cores and l2_size={self.l2_size}",
            )
        )
        for holds, message in rules:
            if not holds:
                raise ConfigError(message)

    # ------------------------------------------------------------------ derived shape

    @property
    def total_cores(self) -> int:
        """Cores of the whole processor (`NUM_CORES` CSR 0xFC2)."""
        return self.num_clusters * self.num_cores

    @property
    def total_harts(self) -> int:
        return self.total_cores * self.num_warps * self.num_threads

    @property
    def core_threads(self) -> int:
        """Largest block: threads that one core holds."""
        return self.num_warps * self.num_threads

    @property
    def lmem_size(self) -> int:
        """Bytes of local memory of one core."""
        return 1 << self.lmem_log_size

    @property
    def lmem_base(self) -> int:
        return self.stack_base_addr

    @property
    def full_mask(self) -> int:
        """Thread mask with every lane active."""
        return (1 << self.num_threads) - 1

    @property
    def simd_lanes(self) -> int:
        """Lanes that a unit executes in one cycle (`SIMD_WIDTH`); a warp takes `num_threads / simd_lanes` beats."""
        return self.simd_width or self.num_threads

    @property
    def cta_tid_width(self) -> int:
        return max(1, int(math.log2(self.num_warps)) + int(math.log2(self.num_threads)))

    @property
    def ipdom_depth(self) -> int:
        """Entries of a warp's IPDOM stack (`DV_STACK_SIZE`)."""
        return max(1, self.num_threads - 1)

    @property
    def misa(self) -> int:
        """Value of CSR MISA (docs/reference/vortex.md sections 1.2 and 3.2)."""
        bits = (1 << 8) | (1 << 12 if self.ext_m else 0) | (1 << 20) | (1 << 23)
        bits |= (1 << 0 if self.ext_a else 0) | (1 << 5 if self.ext_f else 0)
        bits |= 1 << 3 if self.ext_f and self.flen == 64 else 0
        return bits | ((1 if self.xlen == 32 else 2) << (self.xlen - 2))

    # ------------------------------------------------------------------ projections

    def verilog_defines(self) -> dict[str, str]:
        """Macros for Verilator: `VX_CFG_<NAME>` for every parameter, flags as 0 or 1."""
        return {f"VX_CFG_{name}": value for name, value in self._resolved(hexadecimal="{:d}'h{:x}").items()}

    def compiler_defines(self) -> dict[str, str]:
        """Macros for kernel sources: the same names and values in C syntax."""
        return {f"VX_CFG_{name}": value for name, value in self._resolved(hexadecimal="0x{1:x}").items()}

    def _resolved(self, hexadecimal: str) -> dict[str, str]:
        resolved: dict[str, str] = {}
        for field in dataclasses.fields(self):
            value = self.simd_lanes if field.name == "simd_width" else getattr(self, field.name)
            if field.name.endswith("_addr"):
                resolved[field.name.upper()] = hexadecimal.format(self.xlen, value)
            else:
                resolved[field.name.upper()] = str(int(value))
        return resolved

    def key(self) -> str:
        """Canonical text of the configuration; equal text means equal hardware (part of a build key)."""
        return " ".join(f"{field.name}={getattr(self, field.name)}" for field in dataclasses.fields(self))

    def label(self) -> str:
        """Short name for tables and folders: `1x1c4w4t`; `1x1c4w8t-simd2` with two lanes a beat, `1x1c4w4t-l2_64k` with
        an L2 of 64 KiB."""
        beats = f"-simd{self.simd_width}" if self.simd_width else ""
        l2 = f"-l2_{self.l2_size // 1024}k" if self.l2_size else ""
        write_back = "-wb" if self.dcache_writeback else ""
        return f"{self.num_clusters}x{self.num_cores}c{self.num_warps}w{self.num_threads}t{beats}{l2}{write_back}"
