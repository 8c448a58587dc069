"""Agent of the BAR device: items, transports, monitor, register model, coverage, sequences."""

from hw.tb.agents.bar.agent import BarAgent, BarSeat
from hw.tb.agents.bar.transport import Message, Transport, TransportError

__all__ = ["BarAgent", "BarSeat", "Message", "Transport", "TransportError"]
