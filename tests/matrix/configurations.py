"""The shapes of the matrix."""

from __future__ import annotations

from config import HardwareConfig


def _shape(
    warps: int,
    threads: int,
    cores: int = 1,
    clusters: int = 1,
    banks: int = 1,
    lmem_log_size: int = 14,
    l2_size: int = 0,
    write_back: bool = False,
    simd_width: int = 0,
) -> HardwareConfig:
    return HardwareConfig(
        num_clusters=clusters,
        num_cores=cores,
        num_warps=warps,
        num_threads=threads,
        simd_width=simd_width,
        axi_num_banks=banks,
        lmem_log_size=lmem_log_size,
        l2_size=l2_size,
        dcache_writeback=write_back,
    )


# Clusters, cores, warps, lanes, banks, the L2, a write-back D-cache and lanes a beat, each from its least to its
# largest, and mixed.
CONFIGURATIONS: dict[str, HardwareConfig] = {
    "4w4t": _shape(4, 4),
    "2c4w4t": _shape(4, 4, cores=2),
    "2x2c4w4t-2banks": _shape(4, 4, cores=2, clusters=2, banks=2),
    "2w2t": _shape(2, 2),
    "4w8t-2banks": _shape(4, 8, banks=2),
    "2c8w8t": _shape(8, 8, cores=2),
    "4w32t": _shape(4, 32),
    "32w4t": _shape(32, 4),
    "4w1t": _shape(4, 1),
    "1w4t": _shape(1, 4),
    "2x1c4w4t": _shape(4, 4, clusters=2),
    "4c2w4t-4banks": _shape(2, 4, cores=4, banks=4),
    "2c4w2t-2banks": _shape(4, 2, cores=2, banks=2),
    "8w4t": _shape(8, 4),
    "8w16t": _shape(8, 16),
    "2c2w16t-2banks": _shape(2, 16, cores=2, banks=2),
    "16w8t": _shape(16, 8),
    "2w32t-4banks": _shape(2, 32, banks=4),
    "1w1t": _shape(1, 1),
    "3c4w4t": _shape(4, 4, cores=3),
    "2w8t": _shape(2, 8),
    "8w2t": _shape(8, 2),
    "2c16w4t": _shape(16, 4, cores=2),
    "2x2c2w8t": _shape(2, 8, cores=2, clusters=2),
    "16w16t": _shape(16, 16),
    "32w32t": _shape(32, 32, lmem_log_size=16),
    "4w4t-l2": _shape(4, 4, l2_size=1 << 20),
    "4w4t-2banks-write-back": _shape(4, 4, banks=2, write_back=True),
    "2x2c4w4t-2banks-l2": _shape(4, 4, cores=2, clusters=2, banks=2, l2_size=1 << 13),
    "8c4w4t-2banks": _shape(4, 4, cores=8, banks=2),
    "4w4t-simd1": _shape(4, 4, simd_width=1),
    "4w8t-simd2": _shape(4, 8, simd_width=2),
    "2c8w16t-simd8": _shape(8, 16, cores=2, simd_width=8),
}
