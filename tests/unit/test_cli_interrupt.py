"""Ctrl-C wherever it comes."""

from __future__ import annotations

import os
import signal

import pytest

from golden_model.cli.interrupt import Interruption


class _Destructor:
    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def test_a_signal_inside_a_destructor_is_not_lost() -> None:
    with Interruption() as interruption:
        interruption.check()
        made = _Destructor()
        del made  # an exception raised in here would be printed and ignored
        with pytest.raises(KeyboardInterrupt):
            interruption.check()


def test_a_second_signal_acts_at_once_and_the_handler_goes_with_the_run() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
