"""Names of registers (RISC-V psABI) and of CSRs (docs/reference/vortex.md §3)."""

from __future__ import annotations

INTEGER_NAMES: tuple[str, ...] = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
    "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
    "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
)  # fmt: skip

FLOAT_NAMES: tuple[str, ...] = (
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1",
    "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7",
    "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
)  # fmt: skip

INTEGER_NUMBERS: dict[str, int] = {
    **{name: number for number, name in enumerate(INTEGER_NAMES)},
    **{f"x{number}": number for number in range(32)},
    "fp": 8,
}
FLOAT_NUMBERS: dict[str, int] = {
    **{name: number for number, name in enumerate(FLOAT_NAMES)},
    **{f"f{number}": number for number in range(32)},
}

ROUNDING_NUMBERS: dict[str, int] = {"rne": 0, "rtz": 1, "rdn": 2, "rup": 3, "rmm": 4, "dyn": 7}
ROUNDING_NAMES: dict[int, str] = {number: name for name, number in ROUNDING_NUMBERS.items()}

CSR_NUMBERS: dict[str, int] = {
    "fflags": 0x001, "frm": 0x002, "fcsr": 0x003, "satp": 0x180,
    "mstatus": 0x300, "misa": 0x301, "medeleg": 0x302, "mideleg": 0x303, "mie": 0x304, "mtvec": 0x305,
    "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343,
    "pmpcfg0": 0x3A0, "pmpaddr0": 0x3B0, "mnstatus": 0x744,
    "mcycle": 0xB00, "minstret": 0xB02, "mcycleh": 0xB80, "minstreth": 0xB82,
    "mvendorid": 0xF11, "marchid": 0xF12, "mimpid": 0xF13, "mhartid": 0xF14,
    "thread_id": 0xCC0, "warp_id": 0xCC1, "core_id": 0xCC2, "active_warps": 0xCC3, "active_threads": 0xCC4,
    "num_threads": 0xFC0, "num_warps": 0xFC1, "num_cores": 0xFC2, "local_mem_base": 0xFC3, "num_barriers": 0xFC4,
    "cta_id": 0xCD0, "cta_rank": 0xCD1, "cta_size": 0xCD2,
    "cta_thread_id_x": 0xCD3, "cta_thread_id_y": 0xCD4, "cta_thread_id_z": 0xCD5,
    "cta_block_id_x": 0xCD6, "cta_block_id_y": 0xCD7, "cta_block_id_z": 0xCD8,
    "cta_block_dim_x": 0xCD9, "cta_block_dim_y": 0xCDA, "cta_block_dim_z": 0xCDB,
    "cta_grid_dim_x": 0xCDC, "cta_grid_dim_y": 0xCDD, "cta_grid_dim_z": 0xCDE,
    "cta_lmem_addr": 0xCDF, "cta_cluster_size": 0xCE0, "cta_entry": 0xCE1,
}  # fmt: skip

CSR_NAMES: dict[int, str] = {number: name for name, number in CSR_NUMBERS.items()}
