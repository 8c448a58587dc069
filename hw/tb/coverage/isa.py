"""Instruction coverage: which instructions and CSRs a design committed, under full and under partial thread masks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from config import HardwareConfig
from golden_model.csr import build_csrs
from golden_model.isa.table import INSTRUCTIONS, identify, legal
from golden_model.records.layout import CommitFlag

_SYSTEM_OPCODE = 0x73


@dataclass
class IsaCoverage:
    """Counts of committed warp instructions.

    Attributes:
        full: committed under a mask with every lane, by mnemonic.
        partial: committed under a mask with some lanes, by mnemonic.
        csrs: accessed by a CSR instruction, by CSR number.
    """

    hardware: HardwareConfig
    full: Counter[str] = field(default_factory=Counter)
    partial: Counter[str] = field(default_factory=Counter)
    csrs: Counter[int] = field(default_factory=Counter)
    _names: dict[int, str] = field(default_factory=dict)

    def sample(self, commits: np.ndarray) -> None:
        """Add one batch of COMMIT records (golden_model/records/layout.py)."""
        whole = commits[(commits["flags"] & CommitFlag.LAST) != 0]
        is_full = whole["tmask"] == np.uint64(self.hardware.full_mask)
        for counter, chosen in ((self.full, whole[is_full]), (self.partial, whole[~is_full])):
            words, counts = np.unique(chosen["instr"], return_counts=True)
            for word, count in zip(words.tolist(), counts.tolist(), strict=True):
                counter[self._name(word)] += count
                if word & 0x7F == _SYSTEM_OPCODE and (word >> 12) & 7:
                    self.csrs[word >> 20] += count

    def _name(self, word: int) -> str:
        if word not in self._names:
            instruction = identify(word, self.hardware.xlen)
            self._names[word] = instruction.name if instruction else f"unknown {word:#010x}"
        return self._names[word]

    def missing_full(self) -> list[str]:
        """Instructions that the configuration has and that never committed under a full mask."""
        return sorted(self._wanted() - set(self.full))

    def missing_partial(self) -> list[str]:
        """Instructions that never committed under a partial mask; none can be missed with one lane."""
        return sorted(self._wanted() - set(self.partial)) if self.hardware.num_threads > 1 else []

    def missing_csrs(self) -> list[str]:
        """CSRs that the configuration has and that no instruction accessed."""
        return sorted(row.name for number, row in build_csrs(self.hardware).items() if number not in self.csrs)

    def _wanted(self) -> set[str]:
        return {row.name for row in INSTRUCTIONS if legal(row, self.hardware)}
