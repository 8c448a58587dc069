"""AXI requests that have no response yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from golden_model.hang.report import OpenRequest
from golden_model.records.layout import AxiChannel, Kind
from golden_model.records.ring import Records

BLOCK_BYTES = 64
_ASKS = {AxiChannel.R: AxiChannel.AR, AxiChannel.B: AxiChannel.AW}


def open_requests(batch: Mapping[Kind, Records]) -> list[OpenRequest]:
    """Requests without a last response, oldest first. Responses of one id come in the order of its requests."""
    found: list[OpenRequest] = []
    for kind in (Kind.AXI, Kind.DEVICE_AXI):
        records = batch.get(kind)
        if records is None:
            continue
        waiting: dict[tuple[int, int, int], deque[OpenRequest]] = {}
        for channel, bank, number, address, cycle, last in zip(
            *(records[name].tolist() for name in ("channel", "bank", "id", "addr", "cycle", "last")), strict=True
        ):
            if channel in (AxiChannel.AR, AxiChannel.AW):
                request = OpenRequest(AxiChannel(channel).name, bank, number, address, cycle, kind is Kind.DEVICE_AXI)
                waiting.setdefault((channel, bank, number), deque()).append(request)
            elif channel == AxiChannel.B or (channel == AxiChannel.R and last):
                queue = waiting.get((_ASKS[AxiChannel(channel)], bank, number))
                if queue:  # else its request is older than the records
                    queue.popleft()
        found += [request for queue in waiting.values() for request in queue]
    return sorted(found, key=lambda request: request.since)


def read_history(batch: Mapping[Kind, Records], block: int, since: int) -> tuple[int | None, int | None]:
    """Cycles of the last AR and the last R of a block of 64 bytes at or after `since`; None: there is none."""
    records = batch.get(Kind.AXI)
    if records is None:
        return None, None
    chosen = records[(records["addr"] // BLOCK_BYTES * BLOCK_BYTES == block) & (records["cycle"] >= since)]
    cycles = [chosen["cycle"][chosen["channel"] == channel] for channel in (AxiChannel.AR, AxiChannel.R)]
    request, response = (int(values[-1]) if len(values) else None for values in cycles)
    return request, response
