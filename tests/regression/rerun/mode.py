"""When a failed run is run again by itself."""

from __future__ import annotations

from enum import Enum

from tests.regression.errors import RunError


class DebugMode(Enum):
    """The knob DEBUG. `AUTO` does it if the debug model is there already, `ALWAYS` builds it first."""

    OFF = "off"
    AUTO = "auto"
    ALWAYS = "always"

    @classmethod
    def of(cls, text: str) -> DebugMode:
        """From the knob's text; empty is `auto`. Raises RunError."""
        try:
            return cls(text or "auto")
        except ValueError:
            raise RunError(f"DEBUG={text}: must be one of auto, off, always") from None
