"""Runs tests in simulator processes."""

from hw.tb.run.launcher import SimResult, simulate
from hw.tb.run.results import TestOutcome
from hw.tb.run.settings import RunSettings

__all__ = ["RunSettings", "SimResult", "TestOutcome", "simulate"]
