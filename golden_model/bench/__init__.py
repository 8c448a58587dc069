"""Speed of the model."""

from golden_model.bench.loops import KERNELS as LOOPS
from golden_model.bench.table import CASES, speed_table

__all__ = ["CASES", "LOOPS", "speed_table"]
