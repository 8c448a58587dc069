"""Reads a Verilator file list (`.f`): what it names, with absolute paths, and a sentence for whatever is wrong in it.

The list is read here and not handed to Verilator, because a build key needs the contents of what it names and an error
needs the line. Relative paths start at the folder of the list, as with Verilator's `-F`; a path that is not there
but exists from the working folder, as with `-f`, means that one.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from config import ConfigError
from config.external import check_define

VERILOG_SUFFIXES = {".sv", ".svh", ".v", ".vh", ".svp", ".vp", ".inc", ".vlt"}
_C_SUFFIXES = {".c", ".cc", ".cpp", ".cxx"}
_LIBRARY_SUFFIXES = {".a", ".so", ".o"}
_MAX_DEPTH = 16

# Options that are passed on, without and with an argument.
_PASSED = re.compile(
    r"-W(no|warn|error)?-.+|-Wall|-Wpedantic|--?sv|\+1364-\S+ext\+\S*|\+1800-\S+ext\+\S*|--?no-timing|--?assert|--?bbox-sys"
    r"|--?bbox-unsup|--?relative-includes|--?autoflush|--?pins-\S+|--?converge-limit|--?unroll-\S+|-G\S+=.*"
)
_PASSED_WITH_VALUE = {"--language", "--default-language", "--converge-limit", "--unroll-count", "--unroll-stmts"}
# Options about how a model is built and run, which is the harness's business.
_IGNORED = re.compile(
    r"--?(cc|exe|binary|build|main|vpi|trace|trace-\S+|coverage|coverage-\S+|savable|stats|MMD|x-assign|x-initial|O\d?)"
    r"|-O\d|-j\d*|--?quiet|--?quiet-\S+"
)
_IGNORED_WITH_VALUE = {
    "-j",
    "--Mdir",
    "-Mdir",
    "--prefix",
    "-o",
    "--threads",
    "--x-assign",
    "--x-initial",
    "--build-jobs",
}
_IGNORED_WITH_VALUE |= {"--trace-depth", "--mod-prefix", "--timescale", "-MAKEFLAGS", "--make"}


class FileListError(ValueError):
    """A file list can't be used; the message says the list, the line and what to do."""


@dataclass
class FileList:
    """What a list names, in its order; paths are absolute.

    Attributes:
        sources: Verilog files and `.vlt` files with waivers.
        defines: `NAME` or `NAME=VALUE`.
        libdirs, libfiles, libexts: `-y`, `-v`, `+libext+`.
        options: other options for Verilator.
        top: from `--top-module`, or empty.
        notes: what was left out, one sentence each.
    """

    sources: list[Path] = field(default_factory=list)
    incdirs: list[Path] = field(default_factory=list)
    libdirs: list[Path] = field(default_factory=list)
    libfiles: list[Path] = field(default_factory=list)
    libexts: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    csrcs: list[Path] = field(default_factory=list)
    cflags: list[str] = field(default_factory=list)
    libs: list[str] = field(default_factory=list)
    top: str = ""
    notes: list[str] = field(default_factory=list)


def read_filelist(path: Path) -> FileList:
    """Read `path` and the lists that it names.

    Raises:
        FileListError: a list, file or folder is missing, or a line is not understood.
    """
    result = FileList()
    _Reader(result).read(path, "RTL_FILELIST", 0)
    if not result.sources and not result.libfiles:
        raise FileListError(f"{path} names no Verilog file")
    return result


class _Reader:
    def __init__(self, result: FileList) -> None:
        self._result = result

    def read(self, path: Path, named_by: str, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise FileListError(f"{named_by}: file lists name each other more than {_MAX_DEPTH} deep; is it a circle?")
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise FileListError(f"{named_by}: the file list {path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise FileListError(f"{named_by}: {path} is no text file, so it can't be a file list") from error
        words = _words(path, text)
        while words:
            where, word = words.pop(0)
            self._word(path, where, word, words, depth)

    def _word(self, path: Path, where: str, word: str, rest: list[tuple[str, str]], depth: int) -> None:
        result = self._result

        def value() -> str:
            if not rest:
                raise FileListError(f"{where}: {word} needs a value behind it")
            return rest.pop(0)[1]

        if word in ("-f", "-F", "-file"):
            self.read(_existing(path.parent, value(), where, "file list"), where, depth + 1)
        elif word == "-y":
            result.libdirs.append(_folder(path.parent, value(), where))
        elif word == "-v":
            result.libfiles.append(_existing(path.parent, value(), where, "file"))
        elif word.startswith("+libext+"):
            result.libexts += [item for item in word.split("+")[2:] if item]
        elif word.startswith("+incdir+"):
            result.incdirs += [_folder(path.parent, item, where) for item in word.split("+")[2:] if item]
        elif word.startswith("-I") or word in ("-incdir", "--incdir"):
            folder = word[2:] if word.startswith("-I") and len(word) > 2 else value()
            result.incdirs.append(_folder(path.parent, folder, where))
        elif word.startswith("+define+"):
            result.defines += [_define(item, where) for item in word.split("+")[2:] if item]
        elif word.startswith("-D"):
            result.defines.append(_define(word[2:] or value(), where))
        elif word in ("--top-module", "--top", "-top-module"):
            result.top = value()
        elif word in ("-CFLAGS", "--CFLAGS"):
            result.cflags += shlex.split(value())
        elif word in ("-LDFLAGS", "--LDFLAGS"):
            result.libs += shlex.split(value())
        elif word in ("--timing", "-timing"):
            raise FileListError(
                f"{where}: {word} needs a simulator that keeps time itself; this harness drives the clock, and "
                "delays in the core are ignored (--no-timing)"
            )
        elif word in _PASSED_WITH_VALUE:
            result.options += [word, value()]
        elif word in _IGNORED_WITH_VALUE:
            result.notes.append(f"{where}: {word} {value()} is left out, the harness decides it")
        elif _PASSED.fullmatch(word):
            result.options.append(word)
        elif _IGNORED.fullmatch(word):
            result.notes.append(f"{where}: {word} is left out, the harness decides it")
        elif word[0] in "-+":
            raise FileListError(f"{where}: the option {word} is not understood in a file list")
        else:
            self._file(_existing(path.parent, word, where, "file"), where)

    def _file(self, path: Path, where: str) -> None:
        suffix = path.suffix.lower()
        if suffix in _C_SUFFIXES:
            self._result.csrcs.append(path)
        elif suffix in _LIBRARY_SUFFIXES:
            self._result.libs.append(str(path))
        elif suffix in VERILOG_SUFFIXES:
            if path not in self._result.sources:
                self._result.sources.append(path)
        else:
            raise FileListError(
                f"{where}: {path.name} has none of the suffixes {' '.join(sorted(VERILOG_SUFFIXES | _C_SUFFIXES))}"
            )


def _words(path: Path, text: str) -> list[tuple[str, str]]:
    """(place, word) of everything that is no comment; environment variables are filled in."""
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.DOTALL)
    words: list[tuple[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path.name}:{number}"
        line = re.sub(r"(^|\s)(//|#).*", "", line)
        try:
            words += [(where, _expanded(word, where)) for word in shlex.split(line)]
        except ValueError as error:
            raise FileListError(f"{where}: {error}") from error
    return words


def _expanded(word: str, where: str) -> str:
    def variable(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        if name not in os.environ:
            raise FileListError(f"{where}: the environment variable {name} is not set")
        return os.environ[name]

    return re.sub(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))", variable, word)


def _define(text: str, where: str) -> str:
    try:
        check_define(text, where)
    except ConfigError as error:
        raise FileListError(str(error)) from error
    return text


def _place(base: Path, name: str) -> Path:
    """From the list's folder, or from the working folder if it is only there."""
    path = (base / Path(name).expanduser()).resolve()
    from_here = Path(name).expanduser().resolve()
    return from_here if not path.exists() and from_here.exists() else path


def _existing(base: Path, name: str, where: str, what: str) -> Path:
    path = _place(base, name)
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "does not exist"
        raise FileListError(f"{where}: the {what} {path} {problem}")
    return path


def _folder(base: Path, name: str, where: str) -> Path:
    path = _place(base, name)
    if not path.is_dir():
        problem = "is no folder" if path.exists() else "does not exist"
        raise FileListError(f"{where}: the folder {path} {problem}")
    return path
