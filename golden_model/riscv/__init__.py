"""Bare RISC-V programs: ELF files of the usual instruction set tests, on lane 0 of warp 0."""

from golden_model.riscv.elf import ElfError, Program, load
from golden_model.riscv.run import Outcome, Verdict, run

__all__ = ["ElfError", "Outcome", "Program", "Verdict", "load", "run"]
