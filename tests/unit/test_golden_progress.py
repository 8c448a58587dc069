"""The progress bar of long runs: on a terminal only, and not in the first second."""

from __future__ import annotations

import io

import pytest

from golden_model.cli.execution import Bar


class Screen(io.StringIO):
    """Standard error that is a terminal, or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool, seconds: float) -> str:
    """What stands on standard error after two reports, the last one so long after the start."""
    screen, clock = Screen(terminal), iter([0.0, 0.1, seconds])
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("golden_model.cli.execution.time.perf_counter", lambda: next(clock))
    bar = Bar("add_k", 40)
    bar.update(1_000, 1)
    bar.update(3_000_000, 10)
    bar.close()
    return screen.getvalue()


def test_it_says_how_far_and_how_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, True, 2.0)
    assert "add_k" in text and "block 10 of 40" in text
    assert "3,000,000 warp instructions, 1,500,000/s" in text
    assert "1,000 warp" not in text  # a short run has none


def test_a_short_run_and_a_pipe_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, True, 0.9) == ""
    assert shown(monkeypatch, False, 2.0) == ""
