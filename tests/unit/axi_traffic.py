"""Random AXI traffic of a well-behaved master and a memory that uses the freedom AXI4 gives it, as AXI records.

A write takes effect at a random time between its handshakes and its B, a read looks at a random time between AR and R;
responses of different ids come in any order. Everything follows from one seed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from golden_model.records.layout import AxiChannel, Kind, RunEvent
from golden_model.records.ring import Batch
from tests.unit.fake_hardware import to_array

BLOCK = 64
FIRST = 0x8000_0000
Row = dict[str, Any]


@dataclass
class _Write:
    axi_id: int
    block: int
    data: bytes
    strobe: int
    address_at: int
    data_at: int
    effect_at: int
    response_at: int


@dataclass
class _Read:
    axi_id: int
    block: int
    request_at: int
    sample_at: int
    response_at: int
    data: bytes = b""


@dataclass
class Traffic:
    """Makes the records of `number` transactions to `blocks` blocks.

    `orderly`: no read and no write of a block while a write to it is not acknowledged, as the in-tree core promises.
    """

    seed: int
    number: int = 120
    blocks: int = 6
    banks: int = 1
    orderly: bool = True
    rows: list[Row] = field(default_factory=list)
    cycle: int = 10
    memory: dict[int, bytearray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.initial = self.random.randbytes(self.blocks * BLOCK)
        self.memory = {
            block: bytearray(self.initial[block * BLOCK : (block + 1) * BLOCK]) for block in range(self.blocks)
        }

    def run(self) -> Traffic:
        """Fill `rows`; `memory` holds the final contents."""
        reads: list[_Read] = []
        writes: list[_Write] = []
        last_read: dict[int, int] = {}
        last_write: dict[int, int] = {}
        for _ in range(self.number):
            self.cycle += self.random.choice((0, 1, 1, 2, 9))
            block = self.random.randrange(self.blocks)
            axi_id = self.random.randrange(5)
            if self.orderly:
                same = [write.response_at for write in writes if write.block == block]
                # The next request to the block is a cycle after the last B for it.
                self.cycle = max([self.cycle, *(end + 1 for end in same)])
            if self.random.random() < 0.6:
                request = self.cycle
                # Responses of one id keep their order.
                response = max(request + self.random.randint(2, 60), last_read.get(axi_id, 0) + 1)
                last_read[axi_id] = response
                reads.append(_Read(axi_id, block, request, self.random.randint(request + 1, response - 1), response))
                continue
            address_at = self.cycle
            data_at = address_at + self.random.randint(0, 4)
            self.cycle = max(self.cycle, data_at)  # W beats keep the order of their addresses
            both = max(address_at, data_at)
            response = max(both + self.random.randint(2, 40), last_write.get(axi_id, 0) + 1)
            last_write[axi_id] = response
            earlier = [write.effect_at for write in writes if write.block == block]
            effect = max([self.random.randint(both + 1, response - 1), *(at for at in earlier if at < response)])
            strobe = self.random.choice(
                ((1 << 64) - 1, self.random.getrandbits(64), 0xF << 4 * self.random.randrange(16))
            )
            writes.append(
                _Write(axi_id, block, self.random.randbytes(BLOCK), strobe, address_at, data_at, effect, response)
            )
            self.cycle += 1
        self._perform(reads, writes)
        self._record(reads, writes)
        self.cycle = max([self.cycle, *(row["cycle"] for row in self.rows)]) + 3
        return self

    def _perform(self, reads: list[_Read], writes: list[_Write]) -> None:
        events: list[tuple[int, int, _Read | _Write]] = [(read.sample_at, 1, read) for read in reads]
        events += [(write.effect_at, 0, write) for write in writes]
        for _, _, item in sorted(events, key=lambda event: event[:2]):
            contents = self.memory[item.block]
            if isinstance(item, _Read):
                item.data = bytes(contents)
                continue
            for index in range(BLOCK):
                if item.strobe >> index & 1:
                    contents[index] = item.data[index]

    def _record(self, reads: list[_Read], writes: list[_Write]) -> None:
        for read in reads:
            place = self._place(read.block, read.axi_id)
            shape = {"size": 6, "burst": 1}
            self.rows.append({"cycle": read.request_at, "channel": AxiChannel.AR, **place, **shape})
            data = np.frombuffer(read.data, np.uint8)
            self.rows.append({"cycle": read.response_at, "channel": AxiChannel.R, "last": 1, **place, "data": data})
        for write in writes:
            place = self._place(write.block, write.axi_id)
            self.rows.append({"cycle": write.address_at, "channel": AxiChannel.AW, **place, "size": 6, "burst": 1})
            data = np.frombuffer(write.data, np.uint8)
            self.rows.append(
                {
                    "cycle": write.data_at, "channel": AxiChannel.W, "bank": place["bank"], "last": 1,
                    "strobe": np.uint64(write.strobe), "data": data,
                }
            )  # fmt: skip
            self.rows.append({"cycle": write.response_at, "channel": AxiChannel.B, **place})

    def _place(self, block: int, axi_id: int) -> Row:
        address = FIRST + block * BLOCK
        return {"addr": address, "id": axi_id, "bank": address // BLOCK % self.banks}

    def final_memory(self) -> bytes:
        return b"".join(bytes(self.memory[block]) for block in range(self.blocks))


def batches(rows: list[Row], seed: int, run: list[Row] | None = None) -> list[Batch]:
    """Records in batches of whole cycles."""
    chance = random.Random(seed)
    flat = [(row["cycle"], Kind.AXI, row) for row in rows] + [(row["cycle"], Kind.RUN, row) for row in run or []]
    flat.sort(key=lambda entry: entry[0])
    result: list[Batch] = []
    position = 0
    while position < len(flat):
        end = min(len(flat), position + chance.randint(1, 60))
        while end < len(flat) and flat[end][0] == flat[end - 1][0]:
            end += 1
        chosen: dict[Kind, list[Row]] = {kind: [] for kind in Kind}
        for number, (_, kind, row) in enumerate(flat[position:end], position):
            chosen[kind].append({**row, "seq": number})
        result.append({kind: to_array(kind, own, 4) for kind, own in chosen.items()})
        position = end
    return result


def run_record(cycle: int, event: RunEvent, addr: int = 0) -> Row:
    return {"cycle": cycle, "event": event, "addr": addr}
