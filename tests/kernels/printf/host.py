"""Host program of printf."""

import re

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(5, 33, 100),
    minimum=Minimum(Exercise(splits=33)),
    timing="in which order the lines of different warps come, and on which core",
)
def printf(t: Session) -> None:
    """N lines on the console, each whole, by lanes that take different branches."""
    src = t.random(np.uint8, t.size, ord("a"), ord("z") + 1)
    texts = [f"task={i}, value={chr(value) if i & 1 else hex(value)}" for i, value in enumerate(src)]
    console = t.console()
    printed = t.output(np.int32, t.size, "printed")
    expected = np.array([len(f"cid=0: {text}\n") for text in texts], np.int32)
    args: list[Argument] = [u32(t.size), t.input(src, "src"), printed]
    t.launch("printf", args, threads=t.size, expect={printed: expected})
    lines = [re.sub(r"^#\d+: cid=\d+: ", "", line) for line in console.drain()]
    t.check("printed lines", sorted(lines) == sorted(texts), f"{len(lines)} lines, the first {lines[:1]}")
