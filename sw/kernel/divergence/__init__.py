"""Pass plugin for clang-19 that makes divergent branches follow all lanes of a warp, and what checks its work."""

from __future__ import annotations

from sw.kernel.divergence.check import BranchDifference, unexplained_branches
from sw.kernel.divergence.report import Branch, FunctionReport, read_report

__all__ = ["Branch", "BranchDifference", "FunctionReport", "read_report", "unexplained_branches"]
