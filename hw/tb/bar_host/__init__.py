"""A host on the BARs of a whole model: launches through the BAR device instead of the KMU agent."""

from hw.tb.bar_host.backend import SimulatedBarBackend
from hw.tb.bar_host.judge import BarJudge
from hw.tb.bar_host.server import BarServer

__all__ = ["BarJudge", "BarServer", "SimulatedBarBackend"]
