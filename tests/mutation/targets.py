"""What is mutated, and the tests that may notice."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]

# The definitions: what an instruction, a warp, a core, dispatch and memory do. Not the texts around them.
FILES: tuple[str, ...] = (
    *(
        f"golden_model/isa/{name}.py"
        for name in ("alu", "atomic", "bits", "control", "csr", "decode", "float32", "float_convert", "float_round",
                     "floating", "instruction", "lanes", "memory", "muldiv", "operands", "rv64", "simt")
    ),
    *(
        f"golden_model/{name}.py"
        for name in ("barrier", "core", "csr", "dispatch", "global_barrier", "ipdom", "kmu", "launch", "memory",
                     "ranges", "reservations", "scheduler", "threads", "warp", "window")
    ),
)  # fmt: skip

# Tests of the readable tier; the fast one follows from the same definitions (tests/unit/test_golden_tiers.py).
_NAMES = (
    "encodings", "values", "alu", "lane_rules", "storage", "accesses", "adoption", "ends", "launching",
    "barrier_units", "running", "atomic", "csr", "dispatch", "divergence", "findings", "float", "float_round",
    "float_steps", "isa", "kill", "lanes", "legacy", "library", "machine", "memory", "progress", "properties",
    "riscv", "simt_full",
)  # fmt: skip
TESTS: tuple[str, ...] = tuple(f"tests/unit/test_golden_{name}.py" for name in _NAMES)

# Of pytest; tests of the golden model alone, one after the other.
ARGUMENTS = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")
