"""What the first screen of each random fault must name, worked out from the changed line before any of them ran.

The measure is that of the named faults: the instruction that computes with the changed line, or the unit that stands
still because of it, and the class. Where a change can show in two ways, either is right.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """Attributes:
    why: what the change does.
    names: regular expressions, all of which the terminal's report must match.
    """

    why: str
    names: tuple[str, ...]


_CONTROL = r"probable +RTL control"
_BARRIER = r"DIFFERENCE.*barrier|HANG[\s\S]*barrier|instruction +bar"
_RESULT = r"probable +RTL result"
_ACCESS = r"(l[bhw]u?|fl[wd]|s[bhw]|fs[wd]|lr\.w|sc\.w|amo\w+\.w)"

# In the order of the draw.
EXPECTED = (
    Expected(
        "blocks are taken, their warps never start", (r"(CTA|block) \(\d, 0, 0\)|\d of \d (CTAs|blocks)", _CONTROL)
    ),
    Expected("a performance counter only; not noticed", (r"csrr",)),
    Expected(
        "flags are never gathered: who reads them gets 0",
        (r"instruction +csrr\w* .*(fflags|fcsr)", r"lane result", _RESULT),
    ),
    Expected("WGATHER writes the other lanes", (r"instruction +wgather", r"lanes +\d|mask")),
    Expected("every barrier is an illegal instruction", (r"instruction +bar", r"fault|illegal", _CONTROL)),
    Expected(
        "illegal shifts are accepted; noticed only by a program that has one",
        (r"instruction +(slli|srli|srai|\.word)",),
    ),
    Expected("a value that is not used; not noticed", (_BARRIER,)),
    Expected(
        "no lane of an access is ever done: the first one does not end",
        (
            rf"(HANG +RTL deadlock|DIFFERENCE +(memory|missing memory|extra memory))[\s\S]*`?{_ACCESS} ",
            rf"{_CONTROL}|{_RESULT}",
        ),
    ),
    Expected("every address is IO: nothing is cached", (rf"instruction +{_ACCESS} |axi|AXI",)),
    Expected("an end of a warp does not end barriers across cores", (_BARRIER,)),
    Expected("MINSTRET counts down", (r"(?i)minstret|instructions", r"DIFFERENCE.*count")),
    Expected("a slot behind the last one, for blocks of a cluster only", (r"DIFFERENCE.*(dispatch|slot)",)),
    Expected("SHFL takes another lane", (r"instruction +shfl", r"lane result", r"lanes +\d", _RESULT)),
    Expected("a performance counter only; not noticed", (r"csrr",)),
    Expected("CSRRS clears what it should keep", (r"instruction +csrr", r"lane result", _RESULT)),
    Expected("a performance counter only; not noticed", (r"csrr",)),
    Expected("illegal codes beside WGATHER are accepted", (r"instruction +(\.word|wgather)",)),
    Expected("packed loads take larger pieces", (r"instruction +packl", rf"{_RESULT}|{_CONTROL}")),
    Expected("VOTE.ANY is inverted", (r"instruction +vote\.any", r"lane result", r"lanes +\d", _RESULT)),
    Expected("an access to local memory never ends", (r"HANG +RTL deadlock", rf"`{_ACCESS} ", _CONTROL)),
    Expected("WGATHER writes rs1, in every lane", (r"instruction +wgather", r"lanes +\d|mask")),
    Expected("a performance counter, and perhaps FENCE", (r"fence|csrr",)),
    Expected("every instruction holds the other warps", (r"HANG +RTL deadlock|csrr",)),
    Expected(
        "the scheduler overwrites the PC of a warp in any cycle",
        (r"core 0, warp \d", r"DIFFERENCE.*(rtl control|fault)", _CONTROL),
    ),
)
