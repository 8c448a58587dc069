"""python -m tests.cosim.bar FIRST COUNT [strict] [bus_faults]: the sequences of these seeds, RTL against golden device.

strict: the device has a strict map. bus_faults: its cores report no faults, so only bus errors end a launch.
"""

from __future__ import annotations

import sys

from tests.cosim.bar.campaign import Figures, campaign
from tests.cosim.bar.model import Variant, build
from tests.cosim.bar.parts import load, parts_of, path_of, save, state_of_sources

MOST_FAILURES = 5


def main(arguments: list[str]) -> int:
    """Exit status: 0 no difference, 1 differences, 2 wrong arguments."""
    try:
        first, count = (int(argument, 0) for argument in arguments[:2])
        options = arguments[2:]
        if first < 0 or count < 1 or not set(options) <= {"strict", "bus_faults"}:
            raise ValueError
    except ValueError:
        print("usage: python -m tests.cosim.bar FIRST COUNT [strict] [bus_faults]: first seed, how many sequences")
        return 2
    bar = build(Variant(strict="strict" in options, core_faults="bus_faults" not in options))
    state, figures = "-".join([state_of_sources(), *sorted(options)]), Figures()
    print(f"seeds {first} to {first + count - 1}, sources {state}", flush=True)
    for seeds in parts_of(first, count):
        path = path_of(state, seeds)
        part = load(path)
        if part is None:
            part = campaign(bar, seeds, most_failures=MOST_FAILURES)
            if part.sequences == len(seeds):
                save(path, part)
        figures.add(part)
        print(f"seeds {seeds.start} to {seeds.start + part.sequences - 1}: {part}", flush=True)
        print("".join(f"{failure}\n" for failure in part.failures), end="", flush=True)
        if len(figures.failures) >= MOST_FAILURES:
            break
    print(f"\nseeds {first} to {first + figures.sequences - 1}: {figures}")
    print("choices adopted: " + ", ".join(f"{name} {number:,}" for name, number in sorted(figures.choices.items())))
    print(figures.coverage.report())
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
