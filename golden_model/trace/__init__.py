"""Traces: one row per warp instruction, written by the model or by anybody, and the first difference of two."""

from golden_model.trace.columns import COLUMNS, VERSION, row_dtype
from golden_model.trace.compare import Difference, compare
from golden_model.trace.mapping import Mapping, MappingError, load_mapping
from golden_model.trace.read import Trace, TraceError, read
from golden_model.trace.text import write_csv
from golden_model.trace.writer import TraceWriter

__all__ = [
    "COLUMNS",
    "VERSION",
    "Difference",
    "LaneColumns",
    "Mapping",
    "MappingError",
    "Trace",
    "TraceError",
    "TraceWriter",
    "columns",
    "compare",
    "load_mapping",
    "read",
    "row_dtype",
    "write_csv",
]
