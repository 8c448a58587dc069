"""Structures of join.c, compare.c and follow.c: what is known of a design (golden_model/follow/track.py)."""

from __future__ import annotations

from typing import Any

from golden_model.fast.structs import Struct, struct
from golden_model.records.layout import LAYOUT, Kind, dtype

HISTORY = 12  # golden_model/follow/track.py
WINDOW = 1 << 12  # uids of one warp, from the next one on, that have a place
ORDER = 1 << 16  # memory instructions that wait for their turn
BARRIER_ORDER = 1 << 12  # barrier operations of a core that do
WORK = 1 << 14
FOLLOWED = (Kind.COMMIT, Kind.MEMORY, Kind.CTA, Kind.BARRIER, Kind.IPDOM)

# Why follow() came back.
REASONS = (
    "DONE", "SHAPE", "MEMORY", "BARRIER", "IPDOM", "COMMIT", "CTA", "STEP", "ENDED", "DECODE", "PAGE", "FULL", "MORE",
    "DISPATCH",
)  # fmt: skip
DONE, SHAPE, MEMORY, BARRIER, IPDOM, COMMIT, CTA, STEP, ENDED, DECODE, PAGE, FULL, MORE, DISPATCH = range(len(REASONS))
COUNTS = (
    "instructions", "lanes", "memory_accesses", "barriers", "divergences", "ctas", "warps_started",
    "undefined_register", "undefined_memory", "undefined_store",
)  # fmt: skip
CTAS = 1 << 10  # CTA records of one kind that wait for the golden model

_C_TYPES = {"u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64"}
_NONE: tuple[int, ...] = ()


def structs(lanes: int, xlen: int, flen: int, known: dict[str, Any]) -> tuple[Struct, ...]:
    """Row (MEMORY record), Ins (instruction), Log (executed one), Writer, T (warp), Seen (CTA slot), F (everything)."""
    per_lane = (lanes,)
    row = struct(
        "Row",
        [(kind, name, _NONE) for kind, name in (("u64", "seq"), ("u64", "cycle"), ("u32", "mask"), ("u32", "next"))]
        + [("u32", name, _NONE) for name in ("op", "size", "space", "pad")]
        + [("u64", "addr", per_lane), ("u64", "data", per_lane)],
        known,
    )
    slot = struct(
        "Ins",
        [
            ("u64", name, _NONE)
            for name in (
                "uid", "cycle", "issue_cycle", "pc", "next_pc", "next_mask",
                "bar_seq", "bar_cycle", "bar_released", "ip_seq", "ip_cycle", "ip_mask", "ip_pc",
            )
        ]
        + [
            ("u32", name, _NONE)
            for name in (
                "instr", "tmask", "wmask", "slot", "rd", "rd_file", "control", "complete", "fflags", "committed",
                "first_row", "last_row", "barrier", "bar_id", "bar_count", "bar_op", "bar_phase",
                "ipdom", "ip_op", "ip_sp", "next_free", "pad",
            )
        ]
        + [("u64", "data", per_lane)],
        known,
    )  # fmt: skip
    log = struct(
        "Log",
        [("u64", name, _NONE) for name in ("uid", "cycle", "pc", "next_pc")]
        + [
            ("u32", name, _NONE)
            for name in ("instr", "tmask", "next_mask", "wmask", "rd", "rd_file", "control", "python")
        ]
        + [
            (f"u{max(xlen, flen)}", "result", per_lane),
            ("u32", "memory", _NONE),
            ("u32", "op", _NONE),
            ("u64", "mask", _NONE),
        ]
        + [("u64", "addr", per_lane), ("u64", "data", per_lane)],
        known,
    )
    writer = struct(
        "Writer",
        [("u64", name, _NONE) for name in ("uid", "cycle", "pc")]
        + [("u32", name, _NONE) for name in ("instr", "wmask", "python", "pad")]
        + [(f"u{max(xlen, flen)}", "result", per_lane)],
        known,
    )
    track = struct(
        "T",
        [("u64", name, _NONE) for name in ("next_uid", "blocker_uid", "b_seq", "b_cycle", "b_released")]
        + [("i64", "last_memory_uid", _NONE)]
        + [
            ("u32", name, _NONE)
            for name in (
                "held", "b_id", "b_count", "b_op", "b_phase", "core", "wid", "pending", "starts", "hist_at",
                "hw_active", "hw_slot", "hw_spawned", "ends_seen", "ends_golden", "started", "ended", "pad",
            )
        ]
        + [("u32", "at", (WINDOW,)), ("Log", "hist", (HISTORY,)), ("Writer", "writers", (64,))],
        known,
    )  # fmt: skip
    seen = struct(
        "Seen",
        [("u32", name, _NONE) for name in ("held", "num_warps", "ended", "pad")] + [("u32", "block", (3,))],
        known,
    )
    records = [(f"{kind.name.title()}Record*", kind.name.lower()) for kind in FOLLOWED]
    follow = struct(
        "F",
        [("M*", "m", _NONE), ("T*", "tracks", _NONE), ("Ins*", "slots", _NONE), ("Row*", "rows", _NONE)]
        + [("u64*", "order", _NONE), ("u64*", "barrier_order", _NONE), ("Seen*", "seen", _NONE)]
        + [("CtaRecord*", "accepts", _NONE), ("CtaRecord*", "starts", _NONE)]
        + [(kind, name, _NONE) for kind, name in records]
        + [("u64", f"n_{kind.name.lower()}", _NONE) for kind in FOLLOWED]
        + [("u64", f"i_{kind.name.lower()}", _NONE) for kind in FOLLOWED]
        + [("u64", "i_seen", _NONE), ("u64", "order_head", _NONE), ("u64", "order_tail", _NONE)]
        + [("u64", "count", (len(COUNTS),)), ("u64", "retired", (256,))]
        + [("u64", "bar_head", (256,)), ("u64", "bar_tail", (256,))]
        # CTA records that wait; of starts each core has its own ring.
        + [("u64", "accept_head", _NONE), ("u64", "accept_tail", _NONE), ("u64", "launched", _NONE)]
        + [("u64", "start_head", (256,)), ("u64", "start_tail", (256,))]
        + [
            ("u32", name, _NONE)
            for name in (
                "checked", "track", "free_slot", "used_slots", "free_row", "used_rows", "max_rows",
                "num_cores", "depth", "wake_all", "again",
            )
        ]
        + [("u32", "work", (WORK,))],
        known,
    )  # fmt: skip
    return row, slot, log, writer, track, seen, follow


def c_text(lanes: int, made: tuple[Struct, ...]) -> str:
    """The record structures of golden_model/records/layout.py in C, the constants, then those of `structs`."""
    out = []
    for kind in FOLLOWED:
        name = f"{kind.name.title()}Record"
        lines = []
        for field, code, count in LAYOUT[kind]:
            array = f"[{lanes if count == 'lanes' else count}]" if count != 1 else ""
            lines.append(f"  {_C_TYPES[code]} {field}{array};")
        out.append(f"typedef struct {{\n{chr(10).join(lines)}\n}} {name};")
        out.append(f'_Static_assert(sizeof({name}) == {dtype(kind, lanes).itemsize}, "layout differs from numpy");')
    constants = {
        "HISTORY": HISTORY,
        "WINDOW": WINDOW,
        "ORDER": ORDER,
        "BARRIER_ORDER": BARRIER_ORDER,
        "WORK": WORK,
        "CTAS": CTAS,
    }
    out += [f"#define {name} {value}" for name, value in constants.items()]
    out.append("enum { " + ", ".join(f"F_{name} = {number}" for number, name in enumerate(REASONS)) + " };")
    out.append("enum { " + ", ".join(f"N_{name.upper()} = {number}" for number, name in enumerate(COUNTS)) + " };")
    return "\n".join([*out, *(one.c_text for one in made)])
