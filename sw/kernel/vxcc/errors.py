"""Errors of the compiler driver; each text is for people and complete in itself."""

from __future__ import annotations


class VxccError(Exception):
    """Base of all errors of this package."""


class MissingToolError(VxccError):
    """A compiler or linker is not installed."""


class SourceError(VxccError):
    """The request itself is wrong: a file that isn't there, no kernel, an unsupported option."""


class CompileError(VxccError):
    """A source file does not compile; the text holds the compiler's messages with source lines."""


class LinkError(VxccError):
    """The objects cannot be linked into an image."""


class ImageError(VxccError):
    """The image was linked but breaks a rule of the kernel interface."""
