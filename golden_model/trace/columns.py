"""The columns of a trace: the one definition from which file, CSV and comparison follow.

One row is one warp instruction, in the order of execution. Values are unsigned; a lane mask has bit i for lane i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

VERSION = 1
NONE = 0xFF  # of the *_op columns and `fault`: the instruction did nothing of the kind


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `where` names the mask that says in which lanes a lane column has a value."""

    name: str
    code: str  # numpy scalar code
    meaning: str
    lanes: bool = False  # one value per lane
    where: str = ""
    unknown: str = ""  # mask of lanes whose value has no meaning
    hexadecimal: bool = False  # how CSV shows it


COLUMNS: tuple[Column, ...] = (
    Column("launch", "u4", "launches since reset, the first is 1"),
    Column("core", "u2", "global core id"),
    Column("warp", "u2", "warp index in the core"),
    Column("uid", "u8", "number of the instruction in its warp, from 0 after reset, gap-free"),
    Column("slot", "u2", "CTA slot of the warp"),
    Column("block_x", "u4", "block index"),
    Column("block_y", "u4", "block index"),
    Column("block_z", "u4", "block index"),
    Column("rank", "u2", "warp of the block"),
    Column("pc", "u8", "address of the instruction", hexadecimal=True),
    Column("instr", "u4", "instruction word; 0 if it could not be fetched", hexadecimal=True),
    Column("tmask", "u8", "thread mask with which it executed", hexadecimal=True),
    Column("next_pc", "u8", "PC afterwards", hexadecimal=True),
    Column("next_mask", "u8", "thread mask afterwards; 0 = the warp has ended", hexadecimal=True),
    Column("rd_file", "u1", "file of the result: 0 none, 1 integer, 2 float"),
    Column("rd", "u1", "register of the result"),
    Column("wmask", "u8", "lanes of rd that were written", hexadecimal=True),
    Column("undefined", "u8", "lanes of the result that have no meaning: nothing to compare there", hexadecimal=True),
    Column("result", "u8", "value written to rd", True, "wmask", "undefined", hexadecimal=True),
    Column("mem_op", "u1", "0 load, 1 store, 2 fence, 3 atomic, 255 none"),
    Column("mem_space", "u1", "0 global, 1 local memory, 2 I/O window; of the lowest active lane"),
    Column("mem_size", "u1", "bytes a lane accesses; 0 for a fence"),
    Column("mem_mask", "u8", "lanes that access memory", hexadecimal=True),
    Column("mem_undefined", "u8", "lanes whose store data has no meaning", hexadecimal=True),
    Column("addr", "u8", "address", True, "mem_mask", hexadecimal=True),
    Column("data", "u8", "store data, zero above mem_size bytes", True, "mem_mask", "mem_undefined", hexadecimal=True),
    Column("barrier_op", "u1", "0 BAR, 1 BAR.ARRIVE, 2 BAR.WAIT, 3 expect-tx, 255 none"),
    Column("barrier_id", "u4", "barrier id word", hexadecimal=True),
    Column("barrier_count", "u4", "participants, or the token of BAR.WAIT"),
    Column("barrier_phase", "u1", "phase before the operation"),
    Column("released", "u8", "warps that it let go; 0 = the warp waits", hexadecimal=True),
    Column("ipdom_op", "u1", "0 push, 1 flip, 2 pop, 255 none"),
    Column("ipdom_sp", "u2", "stack pointer before the operation"),
    Column("fault", "u1", "1 bus read, 2 bus write, 3 illegal instruction, 4 fetch, 6 misaligned, 255 none"),
    Column("fault_addr", "u8", "address of the fault", hexadecimal=True),
)
BY_NAME = {column.name: column for column in COLUMNS}
PLACEMENT = frozenset({"core", "warp", "uid", "slot"})  # hardware's choice: no difference when compared by block


def row_dtype(lanes: int) -> np.dtype:
    """Structured dtype of a row; lane columns are arrays of `lanes` elements."""
    return np.dtype([(c.name, "<" + c.code, (lanes,)) if c.lanes else (c.name, "<" + c.code) for c in COLUMNS])


def header(lanes: int) -> list[str]:
    """Column names of the CSV: a lane column `result` is `result0`, `result1`, …"""
    names: list[str] = []
    for column in COLUMNS:
        names += [f"{column.name}{lane}" for lane in range(lanes)] if column.lanes else [column.name]
    return names
