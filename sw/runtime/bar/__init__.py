"""A host on the BARs of a device (docs/reference/pcie_bar.md)."""

from sw.runtime.bar.host import BarError, BarHost, BarLaunch, BarResult, LaunchMode
from sw.runtime.bar.transport import BarTransport

__all__ = ["BarError", "BarHost", "BarLaunch", "BarResult", "BarTransport", "LaunchMode"]
