"""The machine's state as the definitions name it, and what stands for it in C.

A row is missing here = the translator refuses a definition that uses it. Methods that are not listed are translated
from their own Python source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from config import HardwareConfig
from golden_model.barrier import BarrierUnit
from golden_model.core import Core
from golden_model.fast.layout import STORED_CSRS
from golden_model.fast.values import BOOL, Const, Int, Lanes, Obj, Range, Record, Untranslatable, Value, constant
from golden_model.ipdom import IpdomStack
from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Instruction
from golden_model.isa.operands import IMMEDIATES
from golden_model.records.layout import RegisterFile
from golden_model.warp import Warp

COUNTER = Range(0, (1 << 63) - 1)


# Field of the step -> fields of its value that go to M.fx, by the names there. None = the value itself.
EFFECTS: dict[str, dict[str | None, str]] = {
    "is_control": {None: "control"},
    "fflags": {None: "fflags"},
    "memory": {"op": "op", "size": "size", "mask": "mask", "addr": "addr", "data": "data", "undefined": "unknown"},
    "barrier": {"op": "bar_op", "id": "bar_id", "count": "bar_count", "phase": "bar_phase", "released": "released"},
    "ipdom": {"op": "ip_op", "sp": "ip_sp", "mask": "ip_mask", "pc": "ip_pc"},
}


@dataclass(frozen=True)
class Intrinsic:
    """A method written in C. `emit` gives the value and the statements; BAIL in them refuses."""

    emit: Callable[[Obj, list[Value], str], tuple[Value, list[str]]]
    may_refuse: bool = False
    effect: bool = False
    restartable: bool = False  # doing it once more changes nothing, so refusing afterwards is harmless
    ignored: tuple[int, ...] = ()  # arguments that only the readable tier needs

    def ignores(self, position: int) -> bool:
        return position in self.ignored


class State:
    """Names of one configuration."""

    def __init__(self, config: HardwareConfig, traced: bool = False) -> None:
        self.config = config
        self.traced = traced
        self.lanes = config.num_threads
        xlen = self.xlen = Xlen.of(config.xlen)
        lane_mask = Range(0, config.full_mask)
        self.reg = Range(0, xlen.mask)
        self.freg = Range(0, (1 << config.flen) - 1)
        self.mask = lane_mask
        memory_size = 1 << 32 if config.xlen == 32 else 1 << 33
        self.C_TYPE = {"warp": "W", "core": "C", "entry": "Entry", "ipdom_entry": "Ipdom", "machine": "M"}
        self.IGNORED = {
            ("step", name)
            for name in ("is_control", "memory", "barrier", "ipdom", "adopted", "fault", "findings", "fflags")
        }
        # Of these, the ones that a traced instruction keeps in M.fx.
        self.EFFECTS = EFFECTS if traced else {}
        # Calls that only the readable tier makes: findings and faults, and what is rare and reaches far.
        self.REFUSALS = {
            *(("warp", name) for name in ("report", "fault", "illegal")),
            *(("reservations", name) for name in ("reserve", "stored", "conditional")),
            ("core", "spawn"),
            ("global_barriers", "arrive"),
        }
        self.ARRAYS = {"warps": ("warp", "c->warps", config.num_warps)}
        warp_mask = Range(0, (1 << config.num_warps) - 1)
        word = Range(0, 0xFFFF_FFFF)
        barriers = BarrierUnit(config)
        pc = self.reg
        self._fields: dict[tuple[str, str], Callable[[str], Value]] = {
            ("warp", "tmask"): lambda w: Int(f"{w}->tmask", lane_mask),
            ("warp", "pc"): lambda w: Int(f"{w}->pc", pc),
            ("warp", "last"): lambda w: Int(f"{w}->last", Range(0, config.num_threads - 1)),
            ("warp", "wid"): lambda w: Int(f"{w}->wid", Range(0, config.num_warps - 1)),
            ("warp", "blocked"): lambda w: Int(f"{w}->blocked", BOOL),
            ("warp", "fcsr"): lambda w: Int(f"{w}->fcsr", Range(0, 255)),
            ("warp", "saved_mask"): lambda w: Int(f"{w}->saved_mask", lane_mask),
            ("warp", "num_lanes"): lambda w: Const(config.num_threads),
            ("warp", "full_mask"): lambda w: Const(config.full_mask),
            ("warp", "pc_mask"): lambda w: Const(xlen.mask & ~3),
            ("warp", "xlen"): lambda w: Const(xlen),
            ("warp", "flen"): lambda w: Const(config.flen),
            ("warp", "box"): lambda w: Const(0 if config.flen == 32 else 0xFFFF_FFFF << 32),
            ("core", "reservations"): lambda c: Obj("reservations", "m"),
            ("core", "global_barriers"): lambda c: Obj("global_barriers", "m"),
            ("reservations", "any"): lambda _: Int("(m->reserved != 0)", BOOL),
            ("op", "rm"): lambda op: Int(f"{op}->rm", Range(0, 7)),
            ("warp", "adoption"): lambda w: Const(None),
            ("warp", "core"): lambda w: Obj("core", "c"),
            ("warp", "code"): lambda w: Obj("code", "m"),
            ("warp", "resident"): lambda w: Obj("resident", f"{w}->has_cta"),
            ("warp", "lanes"): lambda w: Obj("lanes", w),
            ("warp", "regs"): lambda w: Obj("regs", w),
            ("warp", "undef"): lambda w: Obj("undef", w),
            ("warp", "fregs"): lambda w: Obj("fregs", w),
            ("warp", "fundef"): lambda w: Obj("fundef", w),
            ("warp", "ipdom"): lambda w: Obj("ipdom", w),
            ("warp", "csr_storage"): lambda w: Obj("csr_storage", w),
            ("step", "pc"): lambda w: Int(f"{w}->pc", pc),
            ("step", "next_pc"): lambda w: Int(f"{w}->next_pc", pc),
            ("step", "next_mask"): lambda w: Int(f"{w}->next_mask", lane_mask),
            ("step", "tmask"): lambda w: Int(f"{w}->tmask", lane_mask),
            ("op", "rd"): lambda op: Int(f"{op}->rd", Range(0, 31)),
            ("op", "rs1"): lambda op: Int(f"{op}->rs1", Range(0, 31)),
            ("op", "rs2"): lambda op: Int(f"{op}->rs2", Range(0, 31)),
            ("op", "rs3"): lambda op: Int(f"{op}->rs3", Range(0, 31)),
            ("op", "csr"): lambda op: Int(f"{op}->csr", Range(0, 4095)),
            ("core", "memory"): lambda c: Obj("memory", "m"),
            ("memory", "size"): lambda m: Const(memory_size),
            ("core", "warps"): lambda c: Obj("warps", c),
            ("core", "barriers"): lambda c: Obj("barriers", c),
            ("core", "csrs"): lambda c: Obj("csrs", c),
            ("core", "config"): lambda c: Const(config),
            ("core", "mcycle"): lambda c: Int(f"{c}->mcycle", COUNTER),
            ("core", "minstret"): lambda c: Int(f"{c}->minstret", COUNTER),
            ("core", "active_warps"): lambda c: Int(f"active_warps({c})", warp_mask),
            ("barriers", "_slot_mask"): lambda c: Const(barriers._slot_mask),
            ("barriers", "_number_bits"): lambda c: Const(barriers._number_bits),
            ("barriers", "_number_mask"): lambda c: Const(barriers._number_mask),
            ("barriers", "entries"): lambda c: Obj("entries", c),
            ("code", "dispatch_calls"): lambda m: Obj("dispatch_calls", m),
            ("resident", "cta"): lambda w: Obj("cta", w),
            ("cta", "pc"): lambda w: Const(None),
            ("cta", "entry"): lambda w: Const(None),
            ("ipdom_entry", "mask"): lambda e: Int(f"{e}->mask", lane_mask),
            ("ipdom_entry", "pc"): lambda e: Int(f"{e}->pc", pc),
            ("ipdom_entry", "second"): lambda e: Int(f"{e}->second", BOOL),
            ("ipdom_entry", "first_join"): lambda e: Int(f"{e}->first_join", pc),
            ("entry", "count"): lambda e: Int(f"{e}->count", word),
            ("entry", "participants"): lambda e: Int(f"{e}->participants", word),
            ("entry", "events"): lambda e: Int(f"{e}->events", word),
            ("entry", "phase"): lambda e: Int(f"{e}->phase", BOOL),
            ("entry", "waiters"): lambda e: Int(f"{e}->waiters", warp_mask),
            ("entry", "arrived"): lambda e: Int(f"{e}->arrived", warp_mask),
            ("csr", "write"): lambda _: Obj("csr_write", "(op->csr_flags & 1)"),
            ("csr", "ignores_writes"): lambda _: Int("(op->csr_flags >> 1 & 1)", BOOL),
        }
        self._assignable = {
            ("step", "next_pc"), ("step", "next_mask"), ("warp", "blocked"), ("warp", "fcsr"), ("warp", "saved_mask"),
            *(("ipdom_entry", name) for name in ("second", "first_join")),
            *(("entry", name) for name in ("count", "participants", "events", "phase", "waiters", "arrived")),
        }  # fmt: skip
        self._classes: dict[str, type] = {"warp": Warp, "core": Core, "barriers": BarrierUnit, "ipdom": IpdomStack}
        self.INTRINSICS: dict[tuple[str, str], Intrinsic] = {
            ("warp", "write"): Intrinsic(self._write, effect=True, ignored=(0,)),
            ("warp", "write_float"): Intrinsic(self._write_float, effect=True, ignored=(0,)),
            ("core", "memory_at"): Intrinsic(lambda c, a, t: (Obj("at", _as_int(a[0]).text), [])),
            ("core", "prepared_at"): Intrinsic(lambda c, a, t: (Obj("ready", _as_int(a[0]).text), [])),
            ("core", "is_local"): Intrinsic(
                lambda c, a, t: (Int(f"((u64)({_as_int(a[0]).text}) - LMEM_BASE < LMEM_SIZE)", BOOL), [])
            ),
            ("at", "prepare"): Intrinsic(self._prepare, may_refuse=True),
            ("ready", "load"): Intrinsic(self._load),
            ("ready", "store"): Intrinsic(self._store, effect=True),
            ("warp", "atomic_order"): Intrinsic(lambda w, a, t: (Obj("lanes", w.text), [])),
            ("warp", "write_lanes"): Intrinsic(self._write_lanes, effect=True, ignored=(0,)),
            ("core", "is_host_buffer"): Intrinsic(self._is_host_buffer),
            ("at", "load"): Intrinsic(self._load, may_refuse=True),
            ("at", "store"): Intrinsic(self._store, may_refuse=True, effect=True, restartable=True),
            ("code", "wrong_call"): Intrinsic(self._wrong_call),
            ("csrs", "get"): Intrinsic(lambda c, a, t: (Obj("csr", "(op->csr_index)"), [])),
            ("csr", "read_lanes"): Intrinsic(self._csr_read, may_refuse=True),
            ("csr", "write"): Intrinsic(self._csr_write, may_refuse=True, effect=True, ignored=(0,)),
            ("csr_storage", "get"): Intrinsic(lambda w, a, t: (self._stored(w, a[0]), [])),
            ("ipdom", "push"): Intrinsic(self._push, effect=True),
            ("ipdom", "top"): Intrinsic(self._top),
            ("ipdom", "pop"): Intrinsic(lambda w, a, t: (Const(None), [f"{w.text}->ipdom_len--;"]), effect=True),
        }

    # ------------------------------------------------------------------ names

    def attribute(self, owner: Obj, name: str) -> Value:
        """Value of `owner.name`."""
        if owner.kind == "op" and isinstance(owner.info, Instruction):
            row = owner.info
            if name == "imm":
                ranges = [Range(operand.lowest, operand.highest) for operand in row.operands if operand in IMMEDIATES]
                return Int(f"{owner.text}->imm", ranges[0]) if ranges else Const(0)
            if name in ("lane", "float_lane", "source", "size", "name"):
                return Const(getattr(row, name))
            if name == "instruction":
                return Const(row)
        if (owner.kind, name) == ("ipdom", "depth"):
            return Const(self.config.ipdom_depth)
        found = self._fields.get((owner.kind, name))
        if found is None:
            raise Untranslatable(f"{owner.kind}.{name} has no counterpart in C")
        return found(owner.text)

    def assignable(self, owner: Value, name: str) -> str:
        """C place of an attribute that definitions may change."""
        if not isinstance(owner, Obj) or (owner.kind, name) not in self._assignable:
            raise Untranslatable(f"{getattr(owner, 'kind', owner)}.{name} cannot be assigned")
        value = self.attribute(owner, name)
        assert isinstance(value, Int)
        return value.text

    def assignable_element(self, owner: Obj, index: Int, target: ast.Subscript) -> str:
        if owner.kind == "csr_storage":
            return self._stored(owner, Const(index.range.lo)).text
        raise Untranslatable(f"line {target.lineno}: an element of {owner.kind} cannot be assigned")

    def element(self, owner: Obj, index: Int) -> Value:
        """Value of `owner[index]`."""
        w = owner.text
        match owner.kind:
            case "regs":
                return Lanes(f"{w}->x[{index.text}]", self.reg, f"u{self.config.xlen}")
            case "fregs":
                return Lanes(f"{w}->f[{index.text}]", self.freg, f"u{self.config.flen}")
            case "undef":
                return Int(f"{w}->undef[{index.text}]", self.mask)
            case "fundef":
                return Int(f"{w}->fundef[{index.text}]", self.mask)
            case "entries":
                return Obj("entry", f"(&{w}->barriers[{index.text}])")
            case "csr_storage":
                return self._stored(owner, Const(index.range.lo))
        raise Untranslatable(f"elements of {owner.kind} have no counterpart in C")

    def contains(self, item: Value, owner: Value) -> bool | Int:
        """Value of `item in owner`."""
        if isinstance(owner, Obj) and owner.kind == "dispatch_calls":
            return Int("op->window_call", BOOL)
        if isinstance(item, Const) and isinstance(owner, Const):
            return item.value in owner.value  # type: ignore[operator]
        raise Untranslatable("`in` is translated for known values only")

    def length(self, owner: Obj) -> Value:
        if owner.kind != "ipdom":
            raise Untranslatable(f"len of {owner.kind}")
        return Int(f"{owner.text}->ipdom_len", Range(0, self.config.ipdom_depth))

    def method(self, owner: Obj, name: str) -> Any:
        """Python function of a method that is translated from its source."""
        if owner.kind == "op":
            value = self.attribute(owner, name)
            return value.value if isinstance(value, Const) else None
        return getattr(self._classes.get(owner.kind), name, None)

    # ------------------------------------------------------------------ methods in C

    def _write(self, warp: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        rd, result, undefined = _as_int(arguments[1]), arguments[2], _as_int(arguments[3])
        if not isinstance(result, Lanes):
            raise Untranslatable("warp.write takes a list over the lanes")
        fill = f"{warp.text}->x[rd][k] = (u{self.config.xlen}){result.text}[k];"
        return Const(None), [_masked(warp, rd, undefined, fill, "undef", "rd", self._seen("INTEGER"))]

    def _write_float(self, warp: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        rd, result, undefined = _as_int(arguments[1]), arguments[2], _as_int(arguments[3])
        if not isinstance(result, Lanes):
            raise Untranslatable("warp.write_float takes a list over the lanes")
        fill = f"{warp.text}->f[rd][k] = (u{self.config.flen}){result.text}[k];"
        return Const(None), [_masked(warp, rd, undefined, fill, "fundef", "1", self._seen("FLOAT"))]

    def _seen(self, file: str) -> str:
        """What a traced instruction says of the register that it writes: `t` lanes, `n` undefined ones."""
        if not self.traced:
            return ""
        number = RegisterFile[file].value
        return f"m->fx.wmask = t; m->fx.rd = rd; m->fx.rd_file = {number}; m->fx.undefined = n & t; "

    def _write_lanes(self, warp: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        rd, result, undefined, mask = _as_int(arguments[1]), arguments[2], _as_int(arguments[3]), _as_int(arguments[4])
        if not isinstance(result, Lanes):
            raise Untranslatable("warp.write_lanes takes a list over the lanes")
        w = warp.text
        return Const(None), [
            f"{{ u32 rd = {rd.text}, t = {mask.text}, n = {undefined.text}; if (rd) {{ for (int k = 0; k < LANES; k++) "
            f"if (t >> k & 1) {w}->x[rd][k] = (u{self.config.xlen}){result.text}[k]; "
            f"{w}->undef[rd] = ({w}->undef[rd] & ~t) | (n & t); {self._seen('INTEGER')}}} }}"
        ]

    def _prepare(self, at: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        return Const(None), [f"if (!prepare(m, c, {at.text})) BAIL;"]

    def _load(self, at: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        size = _size(arguments[1])
        name, unknown = f"{temporary}v", f"{temporary}u"
        lines = [f"u{8 * size} {name}; u32 {unknown}; if (!load{8 * size}(m, c, {at.text}, &{name}, &{unknown})) BAIL;"]
        value = Int(name, Range(0, (1 << 8 * size) - 1))
        return Record(("0", "1"), (value, Int(unknown, BOOL))), lines

    def _store(self, at: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        size = _size(arguments[1])
        value, undefined = _as_int(arguments[2]), _as_int(arguments[3])
        call = f"store{8 * size}(m, c, {at.text}, (u{8 * size})({value.text}), {undefined.text})"
        return Const(None), [f"if (!{call}) BAIL;"]

    def _is_host_buffer(self, core: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        return Int(f"is_host_buffer(m, {_as_int(arguments[0]).text})", BOOL), []

    def _wrong_call(self, code: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        return Int(f"({_as_int(arguments[0]).text} != m->approved_call)", BOOL), []

    def _csr_read(self, csr: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        element = f"u{self.config.xlen}"
        call = f"csr_read(m, c, w, op, {temporary}, &{temporary}u)"
        lines = [f"{element} {temporary}[LANES]; u32 {temporary}u; if (!{call}) BAIL;"]
        return Record(("0", "1"), (Lanes(temporary, self.reg, element), Int(f"{temporary}u", self.mask))), lines

    def _csr_write(self, csr: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        return Const(None), [f"if (!csr_write(m, c, w, op, {_as_int(arguments[1]).text})) BAIL;"]

    def _stored(self, warp: Obj, number: Value) -> Int:
        if not isinstance(number, Const) or number.value not in STORED_CSRS:
            raise Untranslatable("csr_storage is translated for numbers of plain registers only")
        return Int(f"{warp.text}->csr[{STORED_CSRS.index(number.value)}]", self.reg)

    def _push(self, warp: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        mask, pc = _as_int(arguments[0]).text, _as_int(arguments[1]).text
        w, depth = warp.text, self.config.ipdom_depth
        entry = f"{w}->ipdom[{w}->ipdom_len++] = (Ipdom){{.mask = {mask}, .pc = {pc}}};"
        return Int(temporary, BOOL), [f"u32 {temporary} = {w}->ipdom_len < {depth}; if ({temporary}) {entry}"]

    def _top(self, warp: Obj, arguments: list[Value], temporary: str) -> tuple[Value, list[str]]:
        w = warp.text
        pointer = f"Ipdom *{temporary} = {w}->ipdom_len ? &{w}->ipdom[{w}->ipdom_len - 1] : 0;"
        return Obj("ipdom_entry", temporary), [pointer]


def _masked(warp: Obj, rd: Int, undefined: Int, fill: str, undef: str, condition: str, seen: str) -> str:
    w = warp.text
    return (
        f"{{ u32 rd = {rd.text}; if ({condition}) {{ u32 t = {w}->tmask, n = {undefined.text}; "
        f"if (t == FULL) {{ for (int k = 0; k < LANES; k++) {fill} }} "
        f"else for (int k = 0; k < LANES; k++) if (t >> k & 1) {fill} "
        f"{w}->{undef}[rd] = ({w}->{undef}[rd] & ~t) | (n & t); {seen}}} }}"
    )


def _size(value: Value) -> int:
    if not isinstance(value, Const) or value.value not in (1, 2, 4, 8):
        raise Untranslatable("the size of a memory access must be known")
    return int(value.value)


def _as_int(value: Value) -> Int:
    if isinstance(value, Const) and isinstance(value.value, int):
        return constant(int(value.value))
    if not isinstance(value, Int):
        raise Untranslatable(f"an integer is needed, not {value}")
    return value
