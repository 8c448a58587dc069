"""Speed of the golden model's readable tier: `python -m tests.unit.golden_speed`. Not a test: machines differ."""

from __future__ import annotations

import time

from config import HardwareConfig
from tests.unit.golden_program import launch_of, machine_with, program

_HEAD = "csrr t0, thread_id\n slli t1, t0, 2\n add t1, t1, a0\n li t2, 4000\n"
MIXES = {
    "alu": _HEAD + "x: addi t2, t2, -1\n mul t3, t2, t2\n xor t3, t3, t0\n bnez t2, x\n ret",
    "memory": _HEAD + "x: addi t2, t2, -1\n lw t3, 0(t1)\n sw t3, 0(t1)\n bnez t2, x\n ret",
    "divergence": _HEAD
    + "x: addi t2, t2, -1\n andi t3, t0, 1\n split t4, t3\n beqz t3, y\n addi t3, t3, 1\ny: join t4\n bnez t2, x\n ret",
}


def main() -> None:
    """Print a line per mix and number of lanes."""
    for lanes in (4, 8):
        for name, kernel in MIXES.items():
            image = program(kernel)
            machine = machine_with(image, HardwareConfig(num_threads=lanes))
            machine.launch(launch_of(image, grid=(2, 1, 1), block=(4 * lanes, 1, 1)))
            began = time.perf_counter()
            summary = machine.run()
            rate = summary.warp_instructions / (time.perf_counter() - began)
            print(f"{lanes} lanes, {name:10s}: {rate:9,.0f} warp instructions/s")


if __name__ == "__main__":
    main()
