"""Content-addressed store of built images: a folder for each build key, complete or absent."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sw.kernel.vxcc.errors import VxccError


def digest(parts: Iterable[bytes]) -> str:
    """Key of a build: the hash of all its inputs, each with its length so that boundaries count."""
    state = hashlib.sha256()
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()[:32]


@contextmanager
def new_entry(root: Path, key: str) -> Iterator[Path]:
    """A scratch folder that becomes `root/key` if the block ends without an error, and vanishes otherwise.

    Several processes may build the same key at once; the first to finish stays. Raises VxccError if `root` is unusable.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{key[:8]}.", dir=root))
    except OSError as error:
        raise VxccError(f"the cache folder {root} cannot be written: {error.strerror}") from error
    try:
        yield scratch
        try:
            scratch.rename(root / key)
        except OSError:
            if not (root / key).is_dir():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
