"""Layouts of the packed structs of hw/rtl/vx_pkg.sv, vx_trace_pkg.sv and vx_mem_pkg.sv for one configuration.

Written down a second time on purpose: the benches compare `Struct.width` with the port's width, so a change of a struct
that a bench does not know shows at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from config import HardwareConfig
from tests.rtl.bench import Struct


def _bits(count: int) -> int:
    """Bits of an index below `count`, at least one."""
    return max(1, (count - 1).bit_length())


@dataclass(frozen=True)
class Layouts:
    """Widths and structs of one configuration."""

    config: HardwareConfig

    @property
    def wid(self) -> int:
        return _bits(self.config.num_warps)

    @property
    def tid(self) -> int:
        return self.config.cta_tid_width

    @property
    def dim(self) -> int:
        return self.tid + 1

    @property
    def line_addr(self) -> int:
        return self.config.axi_addr_width - 6

    @property
    def cta_desc(self) -> Struct:
        xlen = self.config.xlen
        return Struct(
            [
                ("pc", xlen),
                ("entry", xlen),
                ("param", xlen),
                ("block_idx", 96),
                ("block_dim", 3 * self.dim),
                ("grid_dim", 96),
                ("block_size", self.dim),
                ("warp_step", 3 * self.tid),
                ("lmem_stride", self.config.lmem_log_size + 1),
                ("cluster_size", self.wid + 1),
                ("first_of_cluster", 1),
                ("last_of_cluster", 1),
            ]
        )

    @property
    def warp_start(self) -> Struct:
        xlen = self.config.xlen
        return Struct(
            [("wid", self.wid), ("pc", xlen), ("tmask", self.config.num_threads), ("param", xlen), ("slot", self.wid)]
        )

    @property
    def cta_csrs(self) -> Struct:
        xlen = self.config.xlen
        return Struct(
            [
                ("slot", self.wid),
                ("rank", self.wid),
                ("num_warps", self.wid + 1),
                ("thread_idx", self.config.num_threads * 3 * self.tid),
                ("block_idx", 96),
                ("block_dim", 3 * self.dim),
                ("grid_dim", 96),
                ("lmem_addr", xlen),
                ("cluster_size", self.wid + 1),
                ("entry", xlen),
            ]
        )

    @property
    def trace_cta(self) -> Struct:
        xlen = self.config.xlen
        return Struct(
            [
                ("accept_valid", 1),
                ("accept_block_idx", 96),
                ("accept_slot", self.wid),
                ("accept_lmem_addr", xlen),
                ("accept_first_of_cluster", 1),
                ("accept_num_warps", self.wid + 1),
                ("start_valid", 1),
                ("start", self.warp_start.width),
                ("start_rank", self.wid),
                ("end_valid", 1),
                ("end_wid", self.wid),
                ("end_slot", self.wid),
                ("retire_valid", 1),
                ("retire_slot", self.wid),
            ]
        )

    @property
    def icache_req(self) -> Struct:
        return Struct([("addr", self.config.axi_addr_width), ("tag", self.wid + 2)])

    @property
    def icache_rsp(self) -> Struct:
        return Struct([("data", 32), ("tag", self.wid + 2), ("err", 1)])

    @property
    def amo(self) -> Struct:
        return Struct([("op", 4), ("wide", 1), ("upper", 1), ("wid", self.wid), ("mask", 512 // self.config.xlen)])

    @property
    def gbar_req(self) -> Struct:
        config = self.config
        return Struct(
            [
                ("valid", 1),
                ("recheck", 1),
                ("entry", _bits(config.num_warps * config.num_barriers)),
                ("cores", config.total_cores.bit_length()),
            ]
        )

    @property
    def gbar_rsp(self) -> Struct:
        entry = _bits(self.config.num_warps * self.config.num_barriers)
        flags = ("mine", "recheck", "grant", "complete", "ending", "release_phase")
        return Struct([("turn", 1), ("entry", entry), *((name, 1) for name in flags)])

    @property
    def dcache_req(self) -> Struct:
        return Struct(
            [
                ("rw", 1),
                ("amo", self.amo.width),
                ("io", 1),
                ("addr", self.line_addr),
                ("byteen", 64),
                ("data", 512),
                ("tag", 6),
            ]
        )

    @property
    def dcache_rsp(self) -> Struct:
        return Struct([("data", 512), ("tag", 6), ("err", 1)])

    @property
    def lmem_req(self) -> Struct:
        lanes, xlen = self.config.num_threads, self.config.xlen
        return Struct(
            [
                ("rw", 1),
                ("mask", lanes),
                ("addr", lanes * self.config.lmem_log_size),
                ("byteen", lanes * xlen // 8),
                ("data", lanes * xlen),
                ("tag", 6),
            ]
        )

    @property
    def lmem_rsp(self) -> Struct:
        return Struct([("data", self.config.num_threads * self.config.xlen), ("tag", 6)])

    @property
    def mem_req(self) -> Struct:
        return Struct([("rw", 1), ("amo", self.amo.width), ("addr", self.line_addr), ("byteen", 64), ("data", 512)])

    @property
    def mem_rsp(self) -> Struct:
        return Struct([("data", 512), ("tag", 4), ("err", 1)])

    @property
    def cache_perf(self) -> Struct:
        names = ("reads", "writes", "read_misses", "write_misses", "evictions", "mshr_stalls")
        return Struct([(name, 44) for name in names])
