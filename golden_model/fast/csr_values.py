"""Values of CSRs that are fixed while a warp runs: Python evaluates the definitions, C has tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.fast.generate import Tables

if TYPE_CHECKING:
    from golden_model.csr import Read
    from golden_model.cta import Dim3
    from golden_model.machine import Machine
    from golden_model.warp import Warp


class CsrValues:
    """Only registers that some warp has read are kept up to date.

    Attributes:
        index: place of a register in C's tables, by number.
    """

    def __init__(self, machine: Machine, tables: Tables, cores: Any) -> None:
        self._machine, self._tables = machine, tables
        self.index = {csr.number: i for i, csr in enumerate(tables.csrs, 1)}
        self._warps = [list(core.warps) for core in cores]
        self._values = [[np.ctypeslib.as_array(warp.csr_values) for warp in core] for core in self._warps]
        self._used: set[int] = set()
        self._of_cta: list[int] = []  # those of them that each start of a warp may change, lane by lane
        self._simple: list[tuple[int, int, Read]] = []  # and those that are the same in every lane
        self._of_launch: list[int] = []  # those that only the first start in a launch may change
        self._started: set[tuple[int, int]] = set()  # warps started in this run, (core, warp)
        self._last: dict[tuple[int, int, int], int] = {}  # values that C has, of registers with one for all lanes
        self._last_threads: dict[tuple[int, int, int], tuple[list[Dim3], int]] = {}

    def forget(self) -> None:
        """C may have written other values."""
        self._started.clear()
        self._last.clear()
        self._last_threads.clear()

    def begin_run(self) -> None:
        """Warps that have started already keep what they have; a start brings the rest."""
        self._started.clear()

    def refresh(self, warp: Warp) -> None:
        """Values of the registers that a start of the warp sets, as far as any warp has read them."""
        if warp.resident is None:
            return
        place = (warp.core.core_id, warp.wid)
        values = self._values[warp.core.core_id][warp.wid]
        mask = warp.xlen.mask
        for number, index, read in self._simple:
            value = read(warp, 0) & mask
            if self._last.get((*place, number)) != value:
                self._last[*place, number] = value
                values[index] = value
        for number in self._of_cta:
            self._refresh(warp, number)
        if place not in self._started:
            self._started.add(place)
            for number in self._of_launch:
                self._refresh(warp, number)

    def _refresh(self, warp: Warp, number: int) -> None:
        """Value per lane, active or not, and where it has none."""
        index = self.index[number]
        core, wid = warp.core.core_id, warp.wid
        csr, shared, mask = self._tables.csrs[index - 1], self._warps[core][wid], warp.xlen.mask
        values, place = self._values[core][wid], (core, wid, number)
        if csr.of_cta and csr.undefined is None:  # the same in every lane
            value = csr.read(warp, 0) & mask
            if self._last.get(place) == value:
                return
            self._last[place] = value
            values[index] = value
        else:
            if csr.of_cta:  # of the thread indices
                if self._last_threads.get(place) == (warp.thread_idx, warp.cta_mask):
                    return
                self._last_threads[place] = (warp.thread_idx, warp.cta_mask)
            values[index] = [csr.read(warp, i) & mask for i in range(warp.num_lanes)]
            shared.csr_undefined[index] = 0 if csr.undefined is None else csr.undefined(warp)
        shared.csr_valid[index] = 1

    def use(self, number: int) -> bool:
        """A warp has read the register: from now on C knows its value in every warp that has one.

        Returns whether that is new, and a start of a warp sets it.
        """
        csr = self._tables.csrs[self.index[number] - 1]
        if csr.changes or number in self._used:
            return False
        self._used.add(number)
        self._last.clear()  # C may have written other values since
        self._last_threads.clear()
        if csr.of_cta:
            if csr.of_launch:
                self._of_launch.append(number)
            elif csr.undefined is None:
                self._simple.append((number, self.index[number], csr.read))
            else:
                self._of_cta.append(number)
        for core in self._machine.cores:
            for warp in core.warps:
                if warp.resident is not None or not csr.of_cta:
                    self._refresh(warp, number)
        return csr.of_cta

    @property
    def used_of_cta(self) -> list[int]:
        """Registers that a start of a warp sets and that any warp has read."""
        return [*(number for number, _, _ in self._simple), *self._of_cta, *self._of_launch]
