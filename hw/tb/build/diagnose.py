"""What Verilator, the C++ compiler and the linker complain about, as sentences about the user's core."""

from __future__ import annotations

import re
from pathlib import Path

SHOWN = 8
_MESSAGE = re.compile(r"%Error(?:-\w+)?: (?:(\S+?):(\d+):(?:\d+:)? )?(.+)")
_COMPILER = re.compile(r"(\S+?):(\d+):(?:\d+:)? (?:fatal )?error: (.+)")
_UNDEFINED = re.compile(r"undefined reference to [`'‘](.+?)['’]")
_UNFOUND_LIBRARY = re.compile(r"cannot find (-l\S+|\S+\.(?:a|so|o))")

# What Verilator says -> what to do about it; groups of the pattern fill the sentence.
_SENTENCES: list[tuple[re.Pattern[str], str]] = [
    (
        re.compile(r"(?:Can't|Cannot) find file containing (?:module|interface)(?:/\S+)?: '(\S+)'"),
        "module {0} is in no file of the list; add its file, or a folder with -y",
    ),
    (
        re.compile(r"Package/class '(\S+?)' not found|Package/class for ':: reference' not found: '(\S+?)'"),
        "package {0} is in no file of the list, or its file comes after this one",
    ),
    (
        re.compile(r"Define or directive not defined: '`(\w+)'"),
        "the macro `{0} is not defined; give it in RTL_DEFINES, or include the file that defines it",
    ),
    (
        re.compile(r"Cannot find include file: '?([^'\s]+)'?"),
        "the included file {0} is in no folder that is searched; add its folder to RTL_INCDIRS",
    ),
    (
        re.compile(r"Specified --top-module '(\w+)' was not found"),
        "no file of the list declares the module {0}; name the core's top in RTL_TOP",
    ),
    (
        re.compile(r"Parameters from the command line were not found in the design: (.+)"),
        "the core's top has no parameter {0} (docs/reference/dut_ports.md)",
    ),
    (
        re.compile(r"Duplicate declaration of (module|interface|package|program): '(\w+)'"),
        "{0} {1} is declared twice; rename it or leave one file out (the modules of the BAR device start with vx_)",
    ),
]
_NOISE = re.compile(r"Exiting due to|See the manual|This may be because|Command Failed|Searched in|\.\.\. ")


def verilator_sentences(output: str) -> list[str]:
    """Errors of Verilator, each once, in order."""
    sentences: list[str] = []
    for line in output.splitlines():
        match = _MESSAGE.match(line)
        if match is None or _NOISE.search(match[3]):
            continue
        file, number, text = match.groups()
        sentence = _sentence(text)
        if file is not None and not sentence.startswith("no file of the list"):
            sentence = f"{_short(file)}:{number}: {sentence}"
        if sentence not in sentences:
            sentences.append(sentence)
    return sentences


def compiler_sentences(output: str) -> list[str]:
    """Errors of the C++ compiler and the linker, each once, in order."""
    sentences: list[str] = []
    for line in output.splitlines():
        if match := _COMPILER.search(line):
            sentence = f"{_short(match[1])}:{match[2]}: {match[3]}"
        elif match := _UNDEFINED.search(line):
            sentence = (
                f"the function {match[1]} is defined nowhere; add its source to RTL_CSRCS or its library to RTL_LIBS"
            )
        elif match := _UNFOUND_LIBRARY.search(line):
            sentence = f"the library {match[1]} was not found; RTL_LIBS may need a -L option before it"
        else:
            continue
        if sentence not in sentences:
            sentences.append(sentence)
    return sentences


def listed(sentences: list[str], log: Path) -> str:
    """The first sentences, one a line, and where the rest is."""
    lines = [f"  {sentence}" for sentence in sentences[:SHOWN]] or ["  it gave no reason"]
    if len(sentences) > SHOWN:
        lines.append(f"  ... and {len(sentences) - SHOWN} more")
    return "\n".join([*lines, f"  log: {log}"])


def _sentence(text: str) -> str:
    for pattern, sentence in _SENTENCES:
        if match := pattern.search(text):
            return sentence.format(*(group for group in match.groups() if group is not None))
    return text.strip()


def _short(file: str) -> str:
    path = Path(file)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
