"""What a host program needs, in one import."""

from sw.runtime import f32, i32, u8, u32, u64
from sw.runtime.args import Argument
from sw.runtime.exercise import Exercise
from tests.regression.kernel_test import Minimum, Need, Sizes, kernel_test
from tests.regression.session import Session

__all__ = [
    "Argument",
    "Exercise",
    "Minimum",
    "Need",
    "Session",
    "Sizes",
    "f32",
    "i32",
    "kernel_test",
    "u8",
    "u32",
    "u64",
]
