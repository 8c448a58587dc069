"""The part of a batch that belongs together: numbers of instructions begin again at a reset."""

from __future__ import annotations

from collections.abc import Mapping

from golden_model.records.layout import Kind, RunEvent
from golden_model.records.ring import Batch, Records


def since_reset(batch: Mapping[Kind, Records]) -> Batch:
    """The records behind the last RESET; all of them if there is none."""
    runs = batch.get(Kind.RUN)
    resets: list[int] = runs["seq"][runs["event"] == RunEvent.RESET].tolist() if runs is not None else []
    if not resets:
        return dict(batch)
    return {kind: records[records["seq"] >= resets[-1]] for kind, records in batch.items()}
