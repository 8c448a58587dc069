"""AXI transactions as columns: request and response handshakes paired by id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import AxiChannel, Kind
from hw.tb.checkers.axi_pairs import pair_by_id
from hw.tb.debug.library.instructions import SLACK, Epochs
from hw.tb.debug.recording import Recording

Values = npt.NDArray[Any]
OPEN = -1  # response cycle of a transaction without response
_BANK_SHIFT = np.uint64(48)
_EPOCH_SHIFT = np.uint64(56)


@dataclass(frozen=True)
class Transactions:
    """Columns in the order of the requests. `response` is the cycle of the (last) response, OPEN if there is none."""

    write: npt.NDArray[np.bool_]
    bank: Values
    id: Values
    addr: Values
    bytes: Values
    request: npt.NDArray[np.int64]
    response: npt.NDArray[np.int64]
    error: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.addr)

    def take(self, index: Values) -> Transactions:
        return Transactions(
            self.write[index], self.bank[index], self.id[index], self.addr[index], self.bytes[index],
            self.request[index], self.response[index], self.error[index],
        )  # fmt: skip


def transactions_between(
    recording: Recording, epochs: Epochs, first: int, last: int, kind: Kind = Kind.AXI
) -> Transactions:
    """Transactions that were open in some of the cycles `first` to `last`.

    Pairing starts a little before the window; requests that are older than that are not shown.
    """
    table = recording[kind]
    rows = table.window(max(first - SLACK, 0), last + SLACK)
    channel, cycle = table["channel"][rows], table["cycle"][rows].astype(np.int64)
    beat_last, resp = table["last"][rows], table["resp"][rows]
    # Ids are matched within a bank and between two resets; an id has far fewer than 48 bits.
    ident = table["id"][rows] | table["bank"][rows].astype(np.uint64) << _BANK_SHIFT
    ident = ident | epochs.of(table["seq"][rows]).astype(np.uint64) << _EPOCH_SHIFT
    parts = []
    for asks, answers, write in ((AxiChannel.AR, AxiChannel.R, False), (AxiChannel.AW, AxiChannel.B, True)):
        ask = np.flatnonzero(channel == asks)
        answer = np.flatnonzero((channel == answers) & (True if write else beat_last != 0))
        # A response to a request from before these rows would shift every later pair of its id.
        answer = answer[~_stray(ident, ask, answer, len(channel))]
        pairs = pair_by_id(ident[ask], ident[answer])
        response = np.full(len(ask), OPEN, np.int64)
        response[pairs.request] = cycle[answer[pairs.response]]
        error = np.zeros(len(ask), np.bool_)
        error[pairs.request] = resp[answer[pairs.response]] != 0
        beats = table["len"][rows][ask].astype(np.int64) + 1
        parts.append(
            Transactions(
                np.full(len(ask), write),
                table["bank"][rows][ask],
                table["id"][rows][ask],
                table["addr"][rows][ask],
                beats << table["size"][rows][ask],
                cycle[ask],
                response,
                error,
            )
        )
    joined = Transactions(*(np.concatenate([getattr(part, name) for part in parts]) for name in _FIELDS))
    seen = (joined.request <= last) & ((joined.response >= first) | (joined.response == OPEN))
    joined = joined.take(seen)
    return joined.take(np.argsort(joined.request, kind="stable"))


_FIELDS = ("write", "bank", "id", "addr", "bytes", "request", "response", "error")


def _stray(ident: Values, ask: Values, answer: Values, rows: int) -> npt.NDArray[np.bool_]:
    """Responses that come when no request of their id is open; a loop, since each one changes what the next meets."""
    if rows == 0:
        return np.zeros(0, np.bool_)
    open_requests: dict[int, int] = {}
    stray = np.zeros(len(answer), np.bool_)
    events = sorted([(int(row), -1) for row in ask] + [(int(row), at) for at, row in enumerate(answer)])
    names = ident.tolist()
    for row, at in events:
        count = open_requests.get(names[row], 0)
        if at < 0:
            open_requests[names[row]] = count + 1
        elif count:
            open_requests[names[row]] = count - 1
        else:
            stray[at] = True
    return stray


def bus_read(seen: Transactions, addr: int, first: int, last: int) -> str:
    """The read that brought an address between two cycles, in words; `cache` if there is none."""
    hit = ~seen.write & (seen.addr <= addr) & (seen.addr + seen.bytes.astype(np.uint64) > addr)
    at = np.flatnonzero(hit & (seen.request >= first) & (seen.response <= last))
    if not len(at):
        return "cache"
    row = int(at[0])
    end = "no response" if int(seen.response[row]) == OPEN else f"response {int(seen.response[row]):,}"
    return (
        f"AXI bank {int(seen.bank[row])} id {int(seen.id[row])} at {int(seen.addr[row]):#x}, "
        f"request {int(seen.request[row]):,}, {end}"
    )
