"""What the host side needs of a device, and the registry through which backends are found by name.

`golden` registers itself from this folder; `rtl` and `cosim` are registered by the package that drives the simulator
when that package is imported. Nothing here imports them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from config import RunConfig
from sw.runtime.errors import InvalidValueError
from sw.runtime.messages import Event, Message


class Backend(Protocol):
    """One device behind messages and events. Used from one client thread only.

    Attributes:
        name: registry name, for reports.
        config: the run's knobs and hardware shape; the host side takes every limit from here.
    """

    name: str
    config: RunConfig

    def send(self, message: Message) -> None:
        """Append `message` to the device's in-order queue and return at once.

        Raises:
            DeviceLostError: the device is gone.
        """
        ...

    def receive(self, timeout_s: float | None = None) -> Event:
        """Return the next event, waiting for it; this is where simulated time passes.

        Args:
            timeout_s: wall-clock seconds; None waits for as long as the device can still make progress.

        Raises:
            DeviceTimeoutError: nothing happened within `timeout_s`, or nothing can happen (empty queue).
            DeviceLostError: the device is gone.
        """
        ...

    def close(self) -> None:
        """Release the device; further calls raise DeviceLostError. Closing twice is allowed."""
        ...


BackendFactory = Callable[[RunConfig], Backend]

_factories: dict[str, BackendFactory] = {}


def register_backend(name: str, factory: BackendFactory) -> None:
    """Make `open_backend(name, …)` work; registering a name again replaces the factory."""
    _factories[name] = factory


def backend_names() -> list[str]:
    """Names that `open_backend` knows, sorted."""
    return sorted(_factories)


def open_backend(name: str, config: RunConfig) -> Backend:
    """Create the backend registered under `name`.

    Raises:
        InvalidValueError: no such backend; the message lists those that exist.
    """
    factory = _factories.get(name)
    if factory is None:
        raise InvalidValueError(f"unknown backend {name!r}; known: {', '.join(backend_names()) or 'none'}")
    return factory(config)
