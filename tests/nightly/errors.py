"""What a user of the nightly regression did wrong, in a sentence."""

from __future__ import annotations


class NightlyError(Exception):
    """The run cannot be started or a report cannot be made; the message says what, where and what to do."""
