"""Which kernels are measured, and what the public design needs for kernels of the same shape.

The public design's figures were measured on its RTL: 1 core, 4 warps, 4 lanes, RV32IMF, L1 caches on, its DRAM model.
Its kernels are other sources with the same work, so instruction counts differ a little.
"""

from __future__ import annotations

from dataclasses import dataclass

CYCLES_GOAL = 1.4  # times fewer cycles than the public design
IPC_GOAL = 1.5  # times its instructions a cycle


@dataclass(frozen=True)
class Reference:
    """The public design on one kernel: warp instructions and cycles, all launches together."""

    instructions: int
    cycles: int

    @property
    def ipc(self) -> float:
        return self.instructions / self.cycles


@dataclass(frozen=True)
class Row:
    """One kernel at one size.

    Attributes:
        launches: how many launches of the test, from the first, do the work of the reference's run; 0: all.
        limit: what limits it here, in words.
    """

    test: str
    size: int
    reference: Reference
    launches: int = 0
    limit: str = ""

    @property
    def name(self) -> str:
        return f"{self.test} n={self.size}"


ROWS = (
    Row(
        "vecadd",
        4096,
        Reference(24_892, 71_075),
        limit="first touch of every line; nothing reads ahead",
    ),
    Row("sgemm", 32, Reference(47_632, 115_057), limit="instructions: seven for each product"),
    Row("sgemm", 64, Reference(333_840, 798_456), limit="instructions; the matrices are twice the D-cache"),
    Row("conv3", 64, Reference(79_888, 199_091), launches=1, limit="instructions"),
    Row(
        "sgemm2",
        16,
        Reference(21_776, 67_363),
        limit="a request a cycle: the lanes of an access lie in several lines",
    ),
    Row(
        "sgemmx",
        32,
        Reference(19_296, 81_635),
        limit="bank conflicts of LMEM: lanes read words that lie four apart",
    ),
    Row("sgemv", 32, Reference(42_000, 144_016), limit="LSU, one line a cycle in order of issue: 2.4 lines a load"),
    Row(
        "mstress",
        64,
        Reference(11_632, 29_687),
        limit="one line a cycle: the lanes of a load are gathered from four lines",
    ),
    Row(
        "multikernel",
        256,
        Reference(15_716, 43_801),
        limit="one line a cycle; three short launches begin with cold caches",
    ),
)
