"""Errors of the golden model; every message is a sentence for a person."""

from __future__ import annotations


class ModelError(Exception):
    """Base of everything that the golden model raises on purpose."""


class LaunchError(ModelError):
    """A launch that no core can execute; the message names the value and the rule it breaks."""


class DispatchError(ModelError):
    """A CTA or warp start that the dispatch rules forbid (docs/reference/vortex.md §5.3, §5.4)."""


class StepError(ModelError):
    """A step was asked of a warp that cannot step: inactive, or suspended at a barrier."""


class HangError(ModelError):
    """No warp can step although the launch is not over; the message says who waits where."""


class LimitError(ModelError):
    """The launch is still running after the agreed number of warp instructions."""
