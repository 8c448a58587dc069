"""Pairs the handshakes of one AXI bank to transactions: k-th response of an id to k-th request of that id.

Everything is numpy over a whole batch; what is still outstanding is carried to the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import AxiChannel
from golden_model.records.ring import Records

Cycles = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]

NEVER = np.iinfo(np.int64).max


@dataclass
class Pairs:
    """For every response the index of its request; `orphans` are responses without one, `open` requests without."""

    request: Indices  # per matched response
    response: Indices  # indices of the matched responses, ascending
    orphans: Indices
    open: Indices


def pair_by_id(requests: npt.NDArray[np.uint64], responses: npt.NDArray[np.uint64]) -> Pairs:
    """Match by id, in order.

    Args:
        requests: ids of the requests in their order, the oldest first.
        responses: ids of the responses in their order.
    """
    by_id = np.argsort(requests, kind="stable")
    sorted_ids = requests[by_id]
    first = np.searchsorted(sorted_ids, responses, "left")
    last = np.searchsorted(sorted_ids, responses, "right")
    position = first + _occurrence(responses)
    matched = position < last
    chosen = by_id[position[matched]]
    is_open = np.ones(len(requests), np.bool_)
    is_open[chosen] = False
    return Pairs(chosen, np.flatnonzero(matched), np.flatnonzero(~matched), np.flatnonzero(is_open))


def _occurrence(values: npt.NDArray[np.uint64]) -> Indices:
    """For each element how many equal ones stand before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(values) else np.zeros(0, int)
    group = np.repeat(starts, np.diff(np.append(starts, len(values))))
    result = np.empty(len(values), np.intp)
    result[order] = np.arange(len(values)) - group
    return result


def _rows(records: Records) -> npt.NDArray[np.uint8]:
    """Records as rows of bytes: numpy copies structured elements field by field, many times slower."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), records.dtype.itemsize)


def take(records: Records, index: npt.NDArray[Any]) -> Records:
    """`records[index]`, a copy."""
    taken: Records = _rows(records)[index].reshape(-1).view(records.dtype)
    return taken


def joined(first: Records, second: Records) -> Records:
    """One array of both, a copy."""
    both: Records = np.concatenate((_rows(first), _rows(second))).reshape(-1).view(first.dtype)
    return both


@dataclass
class Reads:
    """Reads that were answered: request and response records, element by element."""

    requests: Records
    responses: Records


@dataclass
class BankBatch:
    """What one batch brought for one bank."""

    new_requests: Records  # AR records of this batch
    reads: Reads
    orphan_reads: Records  # R records without request
    new_writes: WriteTable  # AW+W pairs that became complete
    responses: Records  # B records that belong to a write
    response_of: Indices  # per element of `responses` the write's number (see BankPairs)
    early_responses: Records  # B records whose write data has not been accepted
    orphan_responses: Records  # B records without request


@dataclass
class WriteTable:
    """Writes of one bank in the order of their AW; `number` counts them since reset."""

    number: Indices
    requests: Records  # AW
    data: Records  # W


class BankPairs:
    """Pairing state of one bank."""

    def __init__(self, empty: Records) -> None:
        self._reads = empty  # AR records without R
        self._addresses = empty  # AW records without W
        self._datas = empty  # W records without AW
        self._unanswered = empty  # AW records without B, in order
        self._unanswered_numbers = np.zeros(0, np.intp)
        self._accepted = 0  # AW records since reset
        self._complete = 0  # writes whose AW and W were accepted

    @property
    def open_reads(self) -> Records:
        """AR records that wait for their R."""
        return self._reads

    @property
    def open_writes(self) -> Records:
        """AW records that wait for their B."""
        return self._unanswered

    @property
    def waiting_for_data(self) -> Records:
        """AW records that wait for their W."""
        return self._addresses

    @property
    def open_data(self) -> int:
        """W records that wait for their AW."""
        return len(self._datas)

    def add(self, records: Records) -> BankBatch:
        """Pair the records of this bank, in their order."""
        channel = records["channel"]
        ar, r, aw, w, b = (
            take(records, channel == kind)
            for kind in (AxiChannel.AR, AxiChannel.R, AxiChannel.AW, AxiChannel.W, AxiChannel.B)
        )
        requests = joined(self._reads, ar)
        pairs = pair_by_id(requests["id"], r["id"])
        reads = Reads(take(requests, pairs.request), take(r, pairs.response))
        self._reads = take(requests, pairs.open)
        writes = self._add_writes(aw, w)
        unanswered = joined(self._unanswered, aw)
        numbers = np.concatenate((self._unanswered_numbers, np.arange(self._accepted, self._accepted + len(aw))))
        self._accepted += len(aw)
        answered = pair_by_id(unanswered["id"], b["id"])
        response_of = numbers[answered.request]
        matched = take(b, answered.response)
        self._unanswered, self._unanswered_numbers = take(unanswered, answered.open), numbers[answered.open]
        known = response_of < self._complete
        return BankBatch(
            ar,
            reads,
            take(r, pairs.orphans),
            writes,
            take(matched, known),
            response_of[known],
            take(matched, ~known),
            take(b, answered.orphans),
        )

    def _add_writes(self, aw: Records, w: Records) -> WriteTable:
        """The k-th W belongs to the k-th AW: AXI4 has no write interleaving, and bursts have one beat here."""
        addresses = joined(self._addresses, aw)
        datas = joined(self._datas, w)
        number = min(len(addresses), len(datas))
        self._addresses, self._datas = addresses[number:], datas[number:]
        numbers = np.arange(self._complete, self._complete + number)
        self._complete += number
        return WriteTable(numbers, addresses[:number], datas[:number])
