"""vx_remap_bank against the golden RemappedMemory: random ranges, split and merged blocks, hostile memory behind it.

Every access of the core is applied to the model when it is taken: the block orders accesses of one block, and different
blocks share no byte.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from golden_model.device.image_table import TableEntry
from golden_model.device.remap import RemappedMemory
from golden_model.memory import Memory
from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

ENTRIES = 64
VRAM_SIZE = 0x8000
BASE = 0x1000  # core blocks that are hit: BASE to BASE + SPAN
SPAN = 0x800
TAGS = 16


def random_map(rng: Random, style: int) -> list[TableEntry]:
    """Disjoint ranges around the blocks that are hit: none, one of all, few, or many tiny ones."""
    if style == 0:
        return []
    if style == 1:
        return [TableEntry(0, 0, VRAM_SIZE)]
    longest = 400 if style == 2 else 20
    entries: list[TableEntry] = []
    vma = BASE - rng.randrange(100)
    room = deque(rng.sample(range(0, VRAM_SIZE - 512, 512), ENTRIES - 4))  # disjoint places in VRAM, any alignment
    while vma < BASE + SPAN and room and len(entries) < ENTRIES:
        size = rng.randint(1, longest)
        entries.append(TableEntry(vma, room.popleft() + rng.randrange(100), size))
        vma += size + rng.choice((0, 0, 1, 3, 64, rng.randrange(200)))
    return entries


@dataclass
class MemorySide:
    """Memory behind the pieces: any latency; a read samples and a write takes effect with its answer.

    Answers of reads in any order, of writes in order within a bank and tag.
    """

    rng: Random
    banks: int
    vram: dict[int, int] = field(default_factory=dict)
    private: dict[int, int] = field(default_factory=dict)
    reads: list[tuple[int, bool, int]] = field(default_factory=list)
    writes: list[tuple[int, int, bool, int, int, int]] = field(default_factory=list)

    def at(self, vram: bool) -> dict[int, int]:
        return self.vram if vram else self.private

    def block(self, vram: bool, block: int) -> int:
        data = self.at(vram)
        return sum(data.get(64 * block + i, 0) << 8 * i for i in range(64))

    def take_write(self, index: int) -> tuple[int, int]:
        bank, tag, vram, block, data, strobe = self.writes.pop(index)
        for i in range(64):
            if strobe >> i & 1:
                self.at(vram)[64 * block + i] = data >> 8 * i & 0xFF
        return bank, tag


@cocotb.test()
async def random_accesses(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    bank_bits = runner.parameter("BANK_BITS", 0)
    strict = bool(runner.parameter("STRICT", 0))
    for name in (
        *("isolate", "map_count", "s_awvalid", "s_wvalid", "s_bready", "s_arvalid", "s_rready", "req_ready"),
        *("rd_valid", "wr_valid", "rd_tag", "rd_data", "rd_err", "wr_bank", "wr_tag", "wr_err"),
    ):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    split = merged = errors = 0  # pieces beyond the first of reads, of writes; bus errors
    for style in (2, 3, 1, 0, 2, 3):
        entries = random_map(rng, style)
        for index in range(ENTRIES):
            entry = entries[index] if index < len(entries) else TableEntry(rng.getrandbits(32), 0, 1)
            dut.map_vma[index].value = entry.vma
            dut.map_last[index].value = entry.vma_end - 1 if index < len(entries) else rng.getrandbits(32)
            dut.map_offset[index].value = entry.vram_offset
        dut.map_count.value = len(entries)
        model = RemappedMemory(1 << 32, Memory(VRAM_SIZE), strict)
        model.map(entries)
        side = MemorySide(rng, 1 << bank_bits)
        counts = await _traffic(dut, rng, model, side, bank_bits)
        split += counts[0]
        merged += counts[1]
        errors += counts[2]
        for block in range(BASE, BASE + SPAN, 64):
            seen = bytearray()
            for memory, offset, size in model.pieces(block, 64):
                where = side.at(memory is model.vram)
                mapped = memory is not None
                seen += bytes(where.get(offset + i, 0) if mapped else 0 for i in range(size))
            assert bytes(seen) == model.read(block, 64), f"style {style}: block {block:#x} after all writes"
    assert split > 200 and merged > 50, (split, merged)
    assert (errors > 20) == strict


async def _traffic(
    dut: Any, rng: Random, model: RemappedMemory, side: MemorySide, bank_bits: int
) -> tuple[int, int, int]:
    """Random accesses until all are answered; (pieces beyond the first of reads, of writes; errors)."""
    reads: defaultdict[int, deque[tuple[int, bytes, bool]]] = defaultdict(deque)  # id -> block, expected data, error
    acks: deque[tuple[int, bool]] = deque()
    write: tuple[int, int, int, int] | None = None
    read: tuple[int, int] | None = None
    shown_read: tuple[int, int] | None = None
    blocks = [BASE + 64 * i for i in range(SPAN // 64)]
    pieces = [0, 0]
    taken = [0, 0]
    errors = 0
    left = 600
    cycle = 0
    while left or write or read or any(reads.values()) or acks:
        cycle += 1
        assert cycle < 60_000, f"stuck: {len(reads)} reads and {len(acks)} writes unanswered"
        if write is None and left and rng.random() < 0.5:
            strobe = rng.choice(
                (2**64 - 1, rng.getrandbits(64), 0xF << 4 * rng.randrange(16), 1 << rng.randrange(64), 0)
            )
            write = (rng.choice(blocks), rng.randrange(4), rng.getrandbits(512), strobe)
            left -= 1
        if read is None and left and rng.random() < 0.5:
            read = (rng.choice(blocks), rng.randrange(32))
            left -= 1
        aw = write is not None and rng.random() < 0.9
        dut.s_awvalid.value = dut.s_wvalid.value = int(aw)  # W follows AW or not
        if write is not None:
            dut.s_awblock.value, dut.s_awid.value, dut.s_wdata.value, dut.s_wstrb.value = (write[0] >> 6, *write[1:])
        dut.s_arvalid.value = int(read is not None)
        if read is not None:
            dut.s_arblock.value, dut.s_arid.value = read[0] >> 6, read[1]
        dut.s_bready.value = int(rng.random() < 0.8)
        dut.s_rready.value = int(rng.random() < 0.8)
        dut.req_ready.value = int(rng.random() < 0.8)
        if shown_read is None and side.reads and rng.random() < 0.6:
            index = rng.randrange(len(side.reads))
            tag, vram, block = side.reads.pop(index)
            shown_read = (tag, side.block(vram, block))
        dut.rd_valid.value = int(shown_read is not None)
        if shown_read is not None:
            dut.rd_tag.value, dut.rd_data.value = shown_read
        dut.wr_valid.value = 0
        if side.writes and rng.random() < 0.4:
            firsts = [
                i for i, w in enumerate(side.writes) if all((v[0], v[1]) != (w[0], w[1]) for v in side.writes[:i])
            ]
            bank, tag = side.take_write(rng.choice(firsts))
            dut.wr_valid.value, dut.wr_bank.value, dut.wr_tag.value = 1, bank, tag
        await RisingEdge(dut.clk)

        if dut.s_bvalid.value and dut.s_bready.value:
            identifier, error = acks.popleft()
            assert (int(dut.s_bid.value), bool(dut.s_berr.value)) == (identifier, error), "B"
            errors += error
        if dut.s_rvalid.value and dut.s_rready.value:
            block, expected, error = reads[int(dut.s_rid.value)].popleft()
            shown = int(dut.s_rdata.value).to_bytes(64, "little")
            assert shown == expected, f"read of {block:#x}: {shown.hex()} instead of {expected.hex()}"
            assert bool(dut.s_rerr.value) == error, f"read of {block:#x}: error"
            errors += error
        if dut.req_valid.value and dut.req_ready.value:
            block, vram, tag = int(dut.req_block.value), bool(dut.req_vram.value), int(dut.req_tag.value)
            bank = block & (1 << bank_bits) - 1
            if dut.req_write.value:
                strobe = int(dut.req_strb.value)
                assert strobe, "a write without a byte"
                side.writes.append((bank, tag, vram, block, int(dut.req_data.value), strobe))
                pieces[1] += 1
            else:
                side.reads.append((tag, vram, block))
                pieces[0] += 1
        if shown_read is not None and dut.rd_ready.value:
            shown_read = None
        if aw and dut.s_awready.value:
            assert dut.s_wready.value and write is not None
            block, identifier, data, strobe = write
            payload = data.to_bytes(64, "little")
            error = False
            for i in range(64):
                if strobe >> i & 1:
                    model.write(block + i, payload[i : i + 1])
                    error = error or not model.answers(block + i, 1, write=True)
            acks.append((identifier, error))
            taken[1] += 1
            write = None
        if read is not None and dut.s_arready.value:
            block, identifier = read
            reads[identifier].append((block, model.read(block, 64), not model.answers(block, 4, write=False)))
            taken[0] += 1
            read = None
    for name in ("s_awvalid", "s_wvalid", "s_arvalid", "rd_valid", "wr_valid"):
        getattr(dut, name).value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    assert dut.idle.value
    return max(0, pieces[0] - taken[0]), max(0, pieces[1] - taken[1]), errors


@pytest.mark.parametrize(("bank_bits", "strict"), [(0, 0), (1, 0), (0, 1)])
def test_remap(bank_bits: int, strict: int) -> None:
    parameters = {"BANK_BITS": bank_bits, "STRICT": strict, "ENTRIES": ENTRIES}
    runner.run(runner.Block("vx_remap_bank", parameters=parameters), __name__)
