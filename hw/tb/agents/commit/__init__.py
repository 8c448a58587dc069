"""Passive agents of the core's trace: commits and memory instructions."""

from hw.tb.agents.commit.monitors import CommitCounts, CommitMonitor, MemoryCounts, MemoryMonitor

__all__ = ["CommitCounts", "CommitMonitor", "MemoryCounts", "MemoryMonitor"]
