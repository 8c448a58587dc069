"""Command line: knobs in, exit code out; every error is a sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from config import CompareMode, ConfigError, RunConfig
from sw.runtime import DeviceError
from tests.regression.batch import markdown, row_line, run_batch, summary
from tests.regression.catalogue import find_test, known_tests
from tests.regression.errors import RunError
from tests.regression.expected_failures import Expectation, judge, read_expectations
from tests.regression.minimise.command import run_minimise
from tests.regression.pipeline import BACKENDS, Request, run_test
from tests.regression.progress import make_progress
from tests.regression.report import make_console, print_result
from tests.regression.rerun.command import run_debug, waves_request
from tests.regression.rerun.mode import DebugMode
from tests.regression.typed_json import write_text

EXIT_PASS = 0
EXIT_FAIL = 1  # the test ran and failed, or found nothing to compare
EXIT_USAGE = 2  # the run could not be started

_XFAIL = "XFAIL="

_USAGE = """usage: python -m tests.regression run [KNOB=VALUE …]
       python -m tests.regression kernels [SIZE=smoke|default|large] [TESTS=name,name] [TABLE=file] [KNOB=VALUE …]
       python -m tests.regression minimise RUN=folder [RUNS=40] [SEEDS=a,b]
       python -m tests.regression debug RUN=folder [FROM=cycle TO=cycle] [SCOPE=instance]
       python -m tests.regression waves FROM=cycle TO=cycle [SCOPE=instance] [KNOB=VALUE …]
       python -m tests.regression list

Knobs: SIM TEST CLUSTERS CORES WARPS THREADS SIMD_WIDTH ISSUE_WIDTH L2 WRITEBACK ENTRY MEM LAUNCH COPY SEED WAVES
RECORD DEBUG TIER N MODE, and RTL_FILELIST RTL_TOP RTL_DEFINES RTL_INCDIRS RTL_CSRCS RTL_CFLAGS RTL_LIBS RTL_BIND
RTL_PREPARE for a core of your own (see `make help`).
XFAIL=list: failures that are known, one `test: check: reason` a line."""


def main(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """Run one command and return its exit code; prints one sentence to stderr if it cannot be started."""
    try:
        match list(arguments):
            case ["list"]:
                for name in known_tests():
                    print(f"{name:20s}{find_test(name).description}")
                return EXIT_PASS
            case ["help" | "--help" | "-h"]:
                print(_USAGE)
                return EXIT_PASS
            case ["run", *knobs]:
                return _run(knobs, environment)
            case ["kernels", *knobs]:
                return _run_all(knobs, environment)
            case ["minimise", *knobs]:
                return _minimise(knobs)
            case ["debug", *knobs]:
                return _debug(knobs)
            case ["waves", *knobs]:
                return _waves(knobs, environment)
            case _:
                print(_USAGE, file=sys.stderr)
                return EXIT_USAGE
    except (RunError, ConfigError, DeviceError) as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130


def _run_all(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run many tests, print the table, write it to TABLE."""
    knobs = split_knobs(arguments)
    size, names, table = (knobs.pop(name, "") for name in ("SIZE", "TESTS", "TABLE"))
    if size not in ("", "smoke", "default", "large"):
        raise RunError(f"SIZE={size}: must be smoke, default or large")
    if knobs.get("TEST") or knobs.get("N"):
        raise RunError("TEST and N are of single runs; choose with TESTS=name,name and SIZE=smoke|default|large")
    requests = []
    for name in names.split(",") if names else known_tests():
        sizes = find_test(name).sizes
        number = {"smoke": sizes.smoke, "large": sizes.large}.get(size, 0)
        given = [f"{knob}={value}" for knob, value in knobs.items()]
        requests.append(parse_request([*given, f"TEST={name}", *([f"N={number}"] if number else [])], environment))
    console = make_console()
    with make_progress(console) as progress:
        rows = run_batch(requests, progress, lambda row: console.print(row_line(row), markup=False))
    text = markdown(rows, requests[0])
    if table:
        write_text(Path(table), text)
    console.print(text.partition("<!-- end of the table -->")[0], markup=False)
    console.print(summary(rows), markup=False)
    return EXIT_FAIL if any(row.failed for row in rows) else EXIT_PASS


def _minimise(arguments: Sequence[str]) -> int:
    console = make_console()
    with make_progress(console) as progress:
        return run_minimise(split_knobs(arguments), lambda line: console.print(line, markup=False), progress)


def _debug(arguments: Sequence[str]) -> int:
    console = make_console()
    with make_progress(console) as progress:
        same = run_debug(split_knobs(arguments), lambda line: console.print(line, markup=False), progress)
    return EXIT_PASS if same else EXIT_FAIL


def _waves(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    knobs = split_knobs(arguments)
    first, last, scope = (knobs.pop(name, "") for name in ("FROM", "TO", "SCOPE"))
    request = parse_request([f"{name}={value}" for name, value in knobs.items()], environment)
    return _show(waves_request(request, first, last, scope), {})


def split_knobs(arguments: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` words as a mapping; a later one wins. Raises RunError for another word."""
    knobs: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name:
            raise RunError(f"argument {argument!r}: write knobs as NAME=VALUE")
        knobs[name] = value
    return knobs


def parse_request(arguments: Sequence[str], environment: Mapping[str, str]) -> Request:
    """Knobs (`NAME=VALUE`, a later one wins) to a request.

    SEED defaults to cocotb's COCOTB_RANDOM_SEED. BACKEND is for developers: `golden` and `rtl` run one side alone.
    DEBUG says whether a failed run is run again with waves.

    Raises:
        RunError, ConfigError: an argument or value that is not understood.
    """
    knobs = split_knobs(arguments)
    backend = knobs.pop("BACKEND", "")
    if backend and backend not in BACKENDS:
        raise RunError(f"BACKEND={backend}: must be one of {', '.join(BACKENDS)}")
    debug = DebugMode.of(knobs.pop("DEBUG", ""))
    if not knobs.get("SEED"):
        knobs["SEED"] = environment.get("COCOTB_RANDOM_SEED", "")
    test = find_test(knobs.get("TEST") or RunConfig().test)
    config = RunConfig.from_knobs({**test.knobs, **{name: value for name, value in knobs.items() if value}})
    judged = backend or ("rtl" if config.mode is CompareMode.FREE else BACKENDS[0])
    return Request(config=config, backend=judged, debug=debug)


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    lists = [argument for argument in arguments if argument.startswith(_XFAIL)]
    request = parse_request([argument for argument in arguments if argument not in lists], environment)
    path = lists[-1].removeprefix(_XFAIL) if lists else ""
    expected = read_expectations(Path(path)) if path else {}
    return _show(request, expected)


def _show(request: Request, expected: Mapping[str, Expectation]) -> int:
    console = make_console()
    with make_progress(console) as progress:
        outcome = run_test(request, progress)
    print_result(console, outcome.result, str(outcome.folder), outcome.failure)
    good, sentence = judge(outcome.result, expected)
    if sentence:
        console.print(sentence, markup=False)
    return EXIT_PASS if good else EXIT_FAIL
