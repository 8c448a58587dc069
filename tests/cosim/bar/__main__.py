"""python -m tests.cosim.bar FIRST COUNT: the command sequences of these seeds on the RTL, against the golden device."""

from __future__ import annotations

import sys

from tests.cosim.bar.campaign import Figures, campaign
from tests.cosim.bar.model import build
from tests.cosim.bar.parts import load, parts_of, path_of, save, state_of_sources

MOST_FAILURES = 5


def main(arguments: list[str]) -> int:
    """Exit status: 0 no difference, 1 differences, 2 wrong arguments."""
    try:
        first, count = (int(argument, 0) for argument in arguments)
        if first < 0 or count < 1:
            raise ValueError
    except ValueError:
        print("usage: python -m tests.cosim.bar FIRST COUNT (first seed, not negative; how many sequences, at least 1)")
        return 2
    library, state, figures = build(), state_of_sources(), Figures()
    print(f"seeds {first} to {first + count - 1}, sources {state}", flush=True)
    for seeds in parts_of(first, count):
        path = path_of(state, seeds)
        part = load(path)
        if part is None:
            part = campaign(library, seeds, most_failures=MOST_FAILURES)
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
