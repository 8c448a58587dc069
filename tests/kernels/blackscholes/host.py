"""Host program of blackscholes: the same formula in double precision."""

import numpy as np
from numpy.typing import NDArray

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

RATE, VOLATILITY = np.float64(np.float32(0.02)), np.float64(np.float32(0.3))
COEFFICIENTS = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)

Doubles = NDArray[np.float64]


def normal(x: Doubles) -> Doubles:
    """The polynomial of the kernel, whose own error against the normal distribution is 1e-7."""
    t = 1 / (1 + 0.2316419 * np.abs(x))
    tail = 0.39894228 * np.exp(-0.5 * x * x) * sum(c * t ** (k + 1) for k, c in enumerate(COEFFICIENTS))
    return np.where(x < 0, tail, 1 - tail)


@kernel_test(sizes=Sizes(14, 62, 1000), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1)))
def blackscholes(t: Session) -> None:
    """N call and put prices: exponential, logarithm, square root, division."""
    price, strike, years = t.floats(t.size, 5, 30), t.floats(t.size, 1, 100), t.floats(t.size, 0.25, 10)
    s, k, y = (array.astype(np.float64) for array in (price, strike, years))
    spread = VOLATILITY * np.sqrt(y)
    d1 = (np.log(s / k) + (RATE + VOLATILITY**2 / 2) * y) / spread
    present = k * np.exp(-RATE * y)
    prices = {
        "call": s * normal(d1) - present * normal(d1 - spread),
        "put": present * normal(spread - d1) - s * normal(-d1),
    }
    inputs = [t.input(array, name) for name, array in (("price", price), ("strike", strike), ("years", years))]
    outputs = {t.output(np.float32, t.size, name): array.astype(np.float32) for name, array in prices.items()}
    args: list[Argument] = [u32(t.size), f32(float(RATE)), f32(float(VOLATILITY)), *inputs, *outputs]
    t.launch("blackscholes", args, threads=t.size, expect=outputs, absolute=1e-4)
