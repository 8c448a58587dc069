"""Host program of dogfood: a launch for each sub-test (docs/reference/vortex.md §11.3)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sw.runtime import Buffer
from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

TASK_SIZE = 2
BAR, GBAR = 22, 23

Numbers = NDArray[Any]
Compute = Callable[[Numbers, Numbers], Numbers]
Operand = tuple[Buffer, Numbers]


def divided(a: Numbers, b: Numbers) -> Numbers:
    """Integer division towards zero."""
    return np.asarray(np.trunc(a.astype(np.float64) / b).astype(np.int32))


def trigonometric(a: Numbers, b: Numbers) -> Numbers:
    """A sine in every fourth element."""
    product = a * b
    sine = np.sin(product.astype(np.float64)).astype(np.float32)
    return np.where(np.arange(a.size) % 4 == 0, sine, product)


# Name, type of the operands, what comes out.
TESTS: tuple[tuple[str, type[Any], Compute], ...] = (
    ("iadd", np.int32, lambda a, b: a + b),
    ("imul", np.int32, lambda a, b: a * b),
    ("idiv", np.int32, divided),
    ("idiv-mul", np.int32, lambda a, b: divided(a, b) + a * b),
    ("fadd", np.float32, lambda a, b: a + b),
    ("fsub", np.float32, lambda a, b: a - b),
    ("fmul", np.float32, lambda a, b: a * b),
    ("fmadd", np.float32, lambda a, b: fma(a, b, b)),
    ("fmsub", np.float32, lambda a, b: fma(a, b, -b)),
    ("fnmadd", np.float32, lambda a, b: fma(-a, b, -b)),
    ("fnmsub", np.float32, lambda a, b: fma(-a, b, b)),
    ("fnmadd-madd", np.float32, lambda a, b: fma(-a, b, -b) + fma(a, b, b)),
    ("fdiv", np.float32, lambda a, b: a / b),
    ("fdiv2", np.float32, lambda a, b: a / b + b / a),
    ("fsqrt", np.float32, lambda a, b: np.sqrt(a * b)),
    ("ftoi", np.float32, lambda a, b: np.trunc(a + b).astype(np.int32)),
    ("ftou", np.float32, lambda a, b: np.trunc(a + b).astype(np.uint32)),
    ("itof", np.int32, lambda a, b: (a + b).astype(np.float32)),
    ("utof", np.uint32, lambda a, b: (a + b).astype(np.float32)),
    ("fclamp", np.float32, lambda a, b: np.minimum(np.maximum(np.float32(1), a), b)),
    ("iclamp", np.int32, lambda a, b: np.minimum(np.maximum(1, a), b)),
    ("trig", np.float32, trigonometric),
    ("bar", np.int32, lambda a, b: a + 1),
    ("gbar", np.int32, lambda a, b: a + 1),
)


def operand(t: Session, kind: type[Any], count: int) -> Operand:
    """A buffer of positive numbers and what it holds."""
    values: Numbers = t.floats(count, 0.05, np.pi) if kind is np.float32 else t.random(kind, count, 1, 1 << 20)
    return t.input(values, f"{count} numbers of {kind.__name__}"), values


@kernel_test(sizes=Sizes(16, 48, 512), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1, barriers=4)))
def dogfood(t: Session) -> None:
    """Twenty-four computations through a table of functions; N threads of two elements each."""
    t.require_full_blocks(t.size)
    hardware = t.device.config.hardware
    operands: dict[tuple[type[Any], int], tuple[Operand, Operand]] = {}  # shared: a device holds few ranges
    for number, (name, kind, compute) in enumerate(TESTS):
        if number == GBAR and (hardware.total_cores < 2 or not Need.SIMT.met_by(hardware)):
            continue  # a barrier between cores needs several
        threads = hardware.total_harts if number in (BAR, GBAR) else t.size
        count = threads * TASK_SIZE
        if (kind, count) not in operands:
            operands[kind, count] = operand(t, kind, count), operand(t, kind, count)
        (src0, a), (src1, b) = operands[kind, count]
        expected = compute(a, b)
        dst = t.output(expected.dtype, count, f"dst of {name}")
        args: list[Argument] = [u32(number), u32(threads), u32(TASK_SIZE), src0, src1, dst]
        t.launch("dogfood", args, threads=threads, expect={dst: expected}, ulp=6)
