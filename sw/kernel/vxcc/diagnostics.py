"""Turns what clang and lld print into messages for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sw.kernel.vxcc.errors import CompileError, LinkError

_UNDEFINED = re.compile(r"error: undefined symbol: (.+)")
_REFERENCE = re.compile(r">>> referenced by (\S+:\d+)(?: \((.*:\d+)\))?\s*$")
_IN_FUNCTION = re.compile(r">>>\s+.*:\((.+)\)")
_LLD_ERROR = re.compile(r"^\S*lld\S*: error: (.*)$")
_ERROR_LINE = re.compile(r"^(?!clang)\S.*: (?:fatal )?error: ", re.MULTILINE)
# The label of an instruction that the pass inserted; each may be there once.
_DUPLICATED = re.compile(r"symbol '\.Lvx_once_\d+' is already defined")

# Calls that a compiler makes on its own, and what in the source causes them.
_LIBRARY_CALLS = {
    "__mulsi3": "a multiplication without the M extension",
    "__muldi3": "a 64-bit multiplication without the M extension",
    "__divsi3": "a division without the M extension",
    "__udivsi3": "a division without the M extension",
    "__modsi3": "a remainder without the M extension",
    "__umodsi3": "a remainder without the M extension",
}
# What people are used to, and what there is in its place.
_C_LIBRARY = {
    "printf": "; vx_printf of vx_print.h is there",
    "puts": "; vx_printf of vx_print.h is there",
    "malloc": "; kernels have no heap",
    "free": "; kernels have no heap",
    "exp": "; of double there is no such function, use expf",
    "log": "; of double there is no such function, use logf",
    "pow": "; of double there is no such function, use powf",
    "sin": "; of double there is no such function, use sinf",
    "cos": "; of double there is no such function, use cosf",
    "tan": "; of double there is no such function, use tanf",
    "abort": "; __builtin_trap() stops the warp",
}
_SOFT_FLOAT = re.compile(r"__(add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord|float\w*|fix\w*|extend\w*|trunc\w*)[sd]f\w*$")


def compile_error(source: Path, stderr: str) -> CompileError:
    """The error for a source file that clang refused; keeps the compiler's messages and source lines."""
    if _DUPLICATED.search(stderr):
        return CompileError(
            f"{source}: the compiler duplicated a SPLIT, JOIN or PRED of the divergence pass, so lanes would not meet "
            "where they parted. The pass or a compiler option is at fault, not the source; less control flow "
            f"in the function or another optimisation level may avoid it\n{stderr.rstrip()}"
        )
    count = len(_ERROR_LINE.findall(stderr))
    what = f"{count} error{'s' if count != 1 else ''}" if count else "the compiler failed"
    return CompileError(f"{source} does not compile: {what}\n{stderr.rstrip()}")


def link_error(stderr: str) -> LinkError:
    """The error for objects that lld refused; undefined symbols are explained."""
    lines = stderr.splitlines()
    sentences = [sentence for index, line in enumerate(lines) if (sentence := _sentence(line, lines[index + 1 :]))]
    return LinkError("the kernel cannot be linked: " + ("\n".join(sentences) or stderr.strip() or "the linker failed"))


def _sentence(line: str, following: Sequence[str]) -> str | None:
    undefined = _UNDEFINED.search(line)
    if undefined is None:
        error = _LLD_ERROR.match(line)
        return error.group(1) if error else None
    symbol = undefined.group(1)
    cause = _LIBRARY_CALLS.get(symbol)
    if symbol.startswith(("operator new", "operator delete")):
        cause = "dynamic memory, and kernels have no heap"
    elif symbol.startswith(("__atomic_", "__sync_")):
        cause = "an atomic that the configuration has no instruction for (ext_a; words only)"
    elif symbol in _C_LIBRARY:
        cause = f"the C library's {symbol}, which is wrong with more than one active lane" + _C_LIBRARY[symbol]
    elif cause is None and _SOFT_FLOAT.match(symbol):
        cause = "floating-point arithmetic that the configuration has no instructions for"
    text = f"undefined symbol {symbol}" + (f", which comes from {cause}" if cause else "")
    for detail in following:
        if not detail.startswith(">>>"):
            break
        place, function = _REFERENCE.match(detail), _IN_FUNCTION.match(detail)
        if place:
            text += f", used at {(place.group(2) or place.group(1)).removeprefix('./')}"
        elif function:
            text += f" in {function.group(1)}"
            break
    return f"{text}; kernels are linked without a C library"
