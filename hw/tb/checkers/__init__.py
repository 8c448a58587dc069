"""Rules that need no golden model: AXI protocol and data, `busy`, order of reads and writes to one block."""

from hw.tb.checkers.axi import AxiChecker
from hw.tb.checkers.busy import BusyChecker
from hw.tb.checkers.exercise import ExerciseCounter

__all__ = ["AxiChecker", "BusyChecker", "ExerciseCounter"]
