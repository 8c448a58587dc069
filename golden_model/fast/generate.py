"""C source of one configuration: structures, runtime, one function per instruction, the loop."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from config import HardwareConfig
from golden_model.core import IO_BASE, IO_END
from golden_model.csr import Csr, build_csrs
from golden_model.fast import follow_layout
from golden_model.fast.layout import STORED_CSRS, Layout
from golden_model.fast.state import State
from golden_model.fast.translate import Function, Translation
from golden_model.fast.values import Const, Int, Obj
from golden_model.isa.instruction import Instruction
from golden_model.isa.table import INSTRUCTIONS, legal

_FOLDER = Path(__file__).parent
_FOLLOWING = ("join.c", "follow_dispatch.c", "compare.c", "follow.c")
_DIAGNOSIS = ("_state", "_order", "_cells", "")
_HEAD = """#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef int32_t i32; typedef int64_t i64; typedef __int128 i128; typedef unsigned __int128 u128;
"""


@dataclass(frozen=True)
class Tables:
    """What the tables of the generated C mean; known without translating anything."""

    layout: Layout
    rows: tuple[Instruction, ...]  # rows[i] is executed by exec_table[i]
    csrs: tuple[Csr, ...]  # csrs[i] has index i + 1; index 0 = no such register


def tables(config: HardwareConfig, traced: bool = False, diagnose: bool = False) -> Tables:
    """Structures, instructions and CSRs of a configuration. `traced`: for following a design, see `generate`."""
    csrs = tuple(build_csrs(config).values())
    rows = tuple(row for row in INSTRUCTIONS if legal(row, config))
    return Tables(Layout(config, len(csrs) + 1, traced, diagnose), rows, csrs)


def generate(config: HardwareConfig, traced: bool = False, diagnose: bool = False) -> str:
    """C source for a configuration. Raises Untranslatable if a definition cannot be expressed.

    With `traced` every instruction also says what it did (`Effects`), and the functions that follow the records of a
    design stand at the end (join.c, follow.c). With `diagnose` it has the checks of golden_model/diagnosis.
    """
    made = tables(config, traced, diagnose)
    layout, rows, csrs = made.layout, made.rows, made.csrs
    translation = Translation(State(config, traced))
    warp, step = Obj("warp", "w"), Obj("step", "w")
    roots: list[Function] = []
    table: list[str] = []
    for row in rows:
        function = translation.function(row.execute, [warp, Obj("op", "op", row), step])
        roots.append(function)
        table.append(function.name)
    reads, writes = [], []
    for index, csr in enumerate(csrs, 1):
        if csr.changes:
            read = translation.function(csr.read, [warp, Const(0)])
            roots.append(read)
            reads.append(f"  case {index}: value = (REG){read.name}(m, c, w, op); break;")
        if csr.write is not None:
            write = translation.function(csr.write, [warp, Int("(REG)value", translation.state.reg)])
            roots.append(write)
            writes.append(f"  case {index}: {write.name}(m, c, w, op, (REG)value); return 1;")
    constants = {
        "LANES": config.num_threads, "NUM_WARPS": config.num_warps, "FULL": f"{config.full_mask}u",
        "PC_MASK": f"{translation.state.xlen.mask & ~3}ULL", "LMEM_BASE": f"{config.lmem_base}ULL",
        "LMEM_SIZE": f"{config.lmem_size}ULL", "MEMORY_SIZE": "(1ULL << 32)" if config.xlen == 32 else "(1ULL << 33)",
        "REG": f"u{config.xlen}", "REG_MASK": f"{translation.state.xlen.mask}ULL",
        "FREG_MASK": "0xffffffffULL" if config.flen == 32 else "~0ULL",
        "MSCRATCH_AT": STORED_CSRS.index(0x340),
        "NUM_BARRIERS": config.num_barriers, "IO_BASE": IO_BASE, "IO_END": IO_END,
        **({"DIAGNOSE": 1} if diagnose else {}),
    }  # fmt: skip
    parts = [
        _HEAD,
        *(f"#define {name} {value}" for name, value in constants.items()),
        layout.c_text(),
        (_FOLDER / "runtime.c").read_text(encoding="utf-8"),
        *(function.text for function in _ordered(roots)),
        "static int csr_read_changing(M *m, C *c, W *w, const Op *op, REG *out) {\n  REG value;\n"
        "  switch (op->csr_index) {\n" + "\n".join(reads) + "\n  default: return 0;\n  }\n"
        "  for (int k = 0; k < LANES; k++) out[k] = value;\n  return 1;\n}",
        "static int csr_write(M *m, C *c, W *w, const Op *op, u64 value) {\n  switch (op->csr_index) {\n"
        + "\n".join(writes)
        + "\n  default: return 0;\n  }\n}",
        "const void *const exec_table[] = {" + ", ".join(f"(const void *){name}" for name in table) + "};",
        *((_FOLDER / f"diagnosis{part}.c").read_text(encoding="utf-8") for part in _DIAGNOSIS if diagnose),
        *((_FOLDER / name).read_text(encoding="utf-8") for name in ("order.c", "dispatch.c", "loop.c")),
    ]
    if traced:
        parts.insert(1, "#define TRACED 1")
        parts.append(follow_layout.c_text(config.num_threads, layout.follow))
        parts += [(_FOLDER / name).read_text(encoding="utf-8") for name in _FOLLOWING]
    return "\n".join(parts)


def _ordered(roots: list[Function]) -> list[Function]:
    """Every function that is needed, callees first."""
    done: dict[int, Function] = {}

    def visit(function: Function) -> None:
        if id(function) not in done:
            for callee in function.needs:
                visit(callee)
            done[id(function)] = function

    for root in roots:
        visit(root)
    return list(done.values())
