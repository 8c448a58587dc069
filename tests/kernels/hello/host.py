"""Host program of hello."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(5, 9, 40),
    needs=(Need.SIMT,),
    legacy=True,
    minimum=Minimum(fixed="one block a core: the legacy library starts warps itself"),
    timing="in which order the lines of different warps come",
)
def hello(t: Session) -> None:
    """A stand-alone program: a line of main(), one of each of N tasks, and the exit code 0."""
    console = t.console()
    greeted = t.output(np.uint32, t.size, "greeted")
    args: list[Argument] = [greeted, u32(t.size)]
    t.launch_legacy("hello", args, expect={greeted: 1 + np.arange(t.size, dtype=np.uint32)})
    lines = sorted(line.partition(": ")[2] for line in console.drain())
    texts = sorted(["hello world", *(f"hello from task {task}" for task in range(t.size))])
    t.check("printed lines", lines == texts, f"{len(lines)} lines, the first {lines[:1]}")
    code = console.exit_code()
    t.check("exit code", code == 0, f"{code}")
