"""State that both sides see: one description, from which come the C structures and the ctypes ones."""

from __future__ import annotations

from typing import Any

from config import HardwareConfig
from golden_model.fast import follow_layout
from golden_model.fast.structs import Struct, struct

STORED_CSRS = (0x300, 0x305, 0x340, 0x341, 0x342, 0x343)  # plain registers of each warp, in the order of W.csr
PAGE_OPS = 1024  # instructions of a page
MAX_BUFFERS = 4096
MAX_SEGMENTS = 1024


def effects(lanes: int, known: dict[str, Any]) -> Struct:
    """What the instruction that was just executed did beside registers, PC and mask; only where it is traced."""
    single = (
        "wmask", "rd", "rd_file", "undefined", "control", "fflags", "memory", "op", "size", "mask", "unknown",
        "data_given",
        "barrier", "bar_op", "bar_count", "bar_phase", "released", "ipdom", "ip_op", "ip_sp", "ip_mask", "undo",
    )  # fmt: skip
    none: tuple[int, ...] = ()
    return struct(
        "Effects",
        [("u32", name, none) for name in single]
        + [("u64", "ip_pc", none), ("u64", "bar_id", none)]
        + [("u64", "addr", (lanes,)), ("u64", "data", (lanes,))]
        # Stores of the instruction, to be taken back: where, how wide, bytes and shadow before.
        + [("u64", name, (lanes,)) for name in ("undo_addr", "undo_size", "undo_data", "undo_shadow")],
        known,
    )


class Layout:
    """All structures of one configuration."""

    def __init__(self, config: HardwareConfig, csr_count: int, traced: bool = False, diagnose: bool = False) -> None:
        self.traced = traced
        lanes, warps = config.num_threads, config.num_warps
        reg, freg = f"u{config.xlen}", f"u{config.flen}"
        known: dict[str, Any] = {}
        none: tuple[int, ...] = ()
        self.lmem_pages = (config.lmem_base + config.lmem_size - 1 >> 12) - (config.lmem_base >> 12) + 1
        self.op = struct(
            "Op",
            [("u64", "fn", none), ("i64", "imm", none), ("u32", "csr_index", none), ("u32", "csr", none)]
            + [("u8", name, none) for name in ("rd", "rs1", "rs2", "rs3", "csr_kind", "csr_flags", "window_call", "rm")]
            + ([("u32", "word", none), ("u32", "unit", none)] if traced else [])
            + ([("u32", "diag", none), ("u32", "hint", none)] if diagnose else []),
            known,
        )
        self.page = struct(
            "Page",
            [("u8*", "data", none), ("u8*", "shadow", none), ("Op*", "ops", none), ("u64", "is_code", none)],
            known,
        )
        self.entry = struct(
            "Entry",
            [("u32", n, none) for n in ("count", "waiters", "phase", "participants", "events", "arrived")],
            known,
        )
        self.ipdom = struct(
            "Ipdom",
            [("u64", "pc", none), ("u64", "first_join", none), ("u32", "mask", none), ("u32", "second", none)],
            known,
        )
        self.cta = struct("Cta", [("u64", "id", none), ("u32", "block", (3,)), ("u32", "flags", none)], known)
        self.slot = struct(
            "Slot",
            [("Cta", "cta", none), ("u32", "valid", none), ("u32", "live", none), ("u32", "started", none)],
            known,
        )
        self.fill = struct(
            "Fill",
            [("u64", "table", none), ("u64", "undefined", none), ("u32", "index", none), ("u32", "source", none)],
            known,
        )
        self.warp = struct(
            "W",
            [
                (reg, "x", (32, lanes)),
                (freg, "f", (32, lanes)),
                ("u32", "undef", (32,)),
                ("u32", "fundef", (32,)),
                ("u64", "pc", none),
                ("u64", "next_pc", none),
                ("u64", "uid", none),
                ("u32", "tmask", none),
                ("u32", "next_mask", none),
                ("u32", "last", none),
                ("u32", "wid", none),
                ("u32", "blocked", none),
                ("u32", "fcsr", none),
                ("u32", "saved_mask", none),
                ("u32", "ipdom_len", none),
                ("u32", "has_cta", none),
                ("u32", "spawned", none),
                ("u32", "slot", none),
                ("u32", "rank", none),
                ("u32", "starts", none),
                ("u32", "pad", none),
                ("Cta", "cta", none),
                ("Ipdom", "ipdom", (config.ipdom_depth,)),
                ("u64", "csr", (len(STORED_CSRS),)),
                (reg, "csr_values", (csr_count, lanes)),
                ("u32", "csr_undefined", (csr_count,)),
                ("u8", "csr_valid", (csr_count + -csr_count % 8,)),
            ],
            known,
        )
        self.core = struct(
            "C",
            [
                ("W", "warps", (warps,)),
                ("Entry", "barriers", (warps * config.num_barriers,)),
                ("Page", "lmem", (self.lmem_pages,)),
                ("u64", "mcycle", none),
                ("u64", "minstret", none),
                ("u32", "ready", none),
                ("u32", "ended", none),
                ("u32", "core_id", none),
                ("u32", "tail", none),
                ("u32", "initialised", none),
                ("u32", "pending", none),  # slot whose warps are being started, or NONE
                ("Slot", "slots", (warps,)),
            ],
            known,
        )
        self.segment = struct("Segment", [("u64", name, none) for name in ("start", "end", "offset")], known)
        self.effects = effects(lanes, known)
        self.machine = struct(
            "M",
            [
                ("Page*", "pages", none),
                ("C*", "cores", none),
                ("u64", "executed", none),
                ("u64", "threads", none),
                ("u64", "limit", none),
                ("u64", "approved_call", none),
                ("u64", "buffer_lo", (MAX_BUFFERS,)),
                ("u64", "buffer_hi", (MAX_BUFFERS,)),
                ("u32", "buffers", none),
                ("u32", "num_cores", none),
                ("u32", "bail", none),
                ("u32", "ended", none),
                ("u32", "core_at", none),
                ("u32", "warp_at", none),
                ("u32", "reserved", none),
                ("u32", "seeded", none),
                ("u32", "random_at", none),
                ("u32", "random", (624,)),
                ("u32", "native", none),  # C dispatches
                ("u32", "dispatching", none),
                ("u32", "foreign_end", none),  # Python has to know when a warp ends
                ("u32", "queued", none),
                ("u32", "queue_at", none),
                ("u32", "queue_more", none),
                ("u32", "usable", none),
                ("u32", "needed", none),  # slots of a whole cluster
                ("u32", "num_ranks", none),
                ("u32", "stride", none),  # bytes of local memory from slot to slot
                ("u32", "next_core", none),
                ("u32", "locked", none),  # core, or NONE
                ("u32", "fills", none),
                ("u32", "progress", none),
                ("u32", "odd_core", none),
                ("u32", "odd_warp", none),
                ("u32", "pad", none),
                ("u64", "odd_pc", none),
                ("u64", "startup", none),
                ("u64", "rewind", none),
                ("u64", "param", none),
                ("u64", "window", none),  # a start address that Python has checked
                ("u64", "ctas", none),
                ("u64", "starts", none),
                ("u32*", "rank_masks", none),
                ("Cta*", "queue", none),
                ("Fill", "fill", (csr_count,)),
            ]
            + (
                [
                    ("u64", "missing", none),
                    ("Effects", "fx", none),
                    ("Page*", "own_pages", none),
                    ("Page*", "other_pages", none),
                    ("Segment", "segments", (MAX_SEGMENTS,)),
                    ("u64", "num_segments", none),
                ]
                if traced
                else []
            )
            + (
                [
                    ("u64", "diag", none),
                    ("u64", "changes", none),
                    ("u64", "stale", none),  # registers that a start makes undefined
                    ("u64", "acc_addr", (8 * lanes,)),
                    ("u64", "acc_data", (8 * lanes,)),
                    ("u64", "acc_n", none),
                    ("u64", "acc_silent", none),
                ]
                if diagnose
                else []
            ),
            known,
        )
        self.structs = (
            self.op, self.page, self.entry, self.ipdom, self.cta, self.slot, self.fill, self.warp, self.core,
            self.segment, self.effects, self.machine,
        )  # fmt: skip
        self.follow = follow_layout.structs(lanes, config.xlen, config.flen, known) if traced else ()

    def c_text(self) -> str:
        return "\n".join(struct.c_text for struct in self.structs)
