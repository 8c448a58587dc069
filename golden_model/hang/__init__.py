"""Why a launch does not end, from its records alone (golden_model/hang/README.md)."""

from golden_model.hang.explain import explain_hang
from golden_model.hang.report import HangReport, HangVerdict

__all__ = ["HangReport", "HangVerdict", "explain_hang"]
