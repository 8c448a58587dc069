"""python -m tests.cosim.bar FIRST COUNT: the command sequences of these seeds on the RTL, against the golden device."""

from __future__ import annotations

import sys

from tests.cosim.bar.campaign import campaign
from tests.cosim.bar.model import build


def main(arguments: list[str]) -> int:
    """Exit status: 0 no difference, 1 differences, 2 wrong arguments."""
    try:
        first, count = (int(argument, 0) for argument in arguments)
    except ValueError:
        print("usage: python -m tests.cosim.bar FIRST COUNT (two numbers: first seed, how many)")
        return 2
    figures = campaign(build(), range(first, first + count), most_failures=5)
    print("\n".join(figures.failures))
    print(f"seeds {first} to {first + figures.sequences - 1}: {figures}")
    print("choices adopted: " + ", ".join(f"{name} {number}" for name, number in sorted(figures.choices.items())))
    print(figures.coverage.report())
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
