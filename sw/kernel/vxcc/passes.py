"""Compiler passes loaded into clang.

Stock clang knows nothing of divergence (SPLIT, JOIN, PRED), so branches that lanes of a warp decide differently need a
pass over the IR. It comes as a plugin for clang's new pass manager; without one, kernels may only have branches that
are uniform in each warp, which the golden model checks in every run.
"""

from __future__ import annotations

from pathlib import Path

from sw.kernel.vxcc.errors import SourceError


def plugin_flags(plugin: Path | None) -> list[str]:
    """Flags that load a pass plugin; none without a plugin."""
    return [] if plugin is None else [f"-fpass-plugin={plugin}"]


def plugin_identity(plugin: Path | None) -> bytes:
    """Content of the plugin, for the build key. Raises SourceError if it cannot be read."""
    if plugin is None:
        return b""
    try:
        return plugin.read_bytes()
    except OSError as error:
        raise SourceError(f"pass plugin {plugin} cannot be read: {error.strerror}") from error
