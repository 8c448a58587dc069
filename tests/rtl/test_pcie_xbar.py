"""vx_mem_xbar: every piece reaches its bank once, with its address, data and tag, and its answer reaches its source."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.axi_slave import Pins
from tests.rtl.bench import start_clock_and_reset

PIECES = 1500
VRAM_BIT = 1 << 32

# (write, vram, block, tag, data, strobe)
Piece = tuple[int, int, int, int, int, int]


def _pins(dut: Any, bank: int) -> Pins:
    return Pins(
        get=lambda name: int(getattr(dut, name)[bank].value),
        set=lambda name, value: setattr(getattr(dut, name)[bank], "value", value),
    )


@cocotb.test()
async def random_pieces(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    sources, banks = runner.parameter("SOURCES", 2), runner.parameter("NUM_BANKS", 1)
    pins = [_pins(dut, bank) for bank in range(banks)]
    for name in ("req_valid", "req_write", "req_vram", "rd_ready"):
        getattr(dut, name).value = 0
    for pin in pins:
        for name in ("awready", "wready", "arready", "bvalid", "rvalid"):
            pin.set(name, 0)
    await start_clock_and_reset(dut)
    waiting: list[Piece | None] = [None] * sources
    to_read: list[deque[tuple[int, int]]] = [deque() for _ in range(banks)]  # address, id expected on AR
    to_write: list[deque[tuple[int, int]]] = [deque() for _ in range(banks)]
    to_data: list[deque[tuple[int, int]]] = [deque() for _ in range(banks)]
    answers: list[list[tuple[int, int, int, int]]] = [[] for _ in range(banks)]  # write, id, data, error
    shown_r: list[tuple[int, int, int, int] | None] = [None] * banks
    shown_b: list[tuple[int, int, int, int] | None] = [None] * banks
    owed: dict[tuple[int, int, int, int], int] = {}  # source, write, tag, bank -> how many
    left, answered, together = PIECES, 0, 0
    for _ in range(60 * PIECES):
        if not left and not any(waiting) and not any(owed.values()):
            break
        for source in range(sources):
            if waiting[source] is None and left and rng.random() < 0.6:
                left -= 1
                waiting[source] = (
                    *(rng.randrange(2), rng.randrange(2), rng.getrandbits(26), rng.randrange(16)),
                    *(rng.getrandbits(512), rng.getrandbits(64)),
                )
        for index, name in enumerate(("req_write", "req_vram")):
            packed = sum((piece[index] if piece else rng.randrange(2)) << s for s, piece in enumerate(waiting))
            getattr(dut, name).value = packed
        dut.req_valid.value = sum((piece is not None) << source for source, piece in enumerate(waiting))
        for source, piece in enumerate(waiting):
            if piece is not None:
                for name, value in zip(("req_block", "req_tag", "req_data", "req_strb"), piece[2:], strict=True):
                    getattr(dut, name)[source].value = value
        dut.rd_ready.value = rng.getrandbits(sources)
        for bank in range(banks):
            for name in ("awready", "wready", "arready"):
                pins[bank].set(name, int(rng.random() < 0.6))
            for shown, write, names in (
                (shown_r, 0, ("rvalid", "rid", "rresp")),
                (shown_b, 1, ("bvalid", "bid", "bresp")),
            ):
                ripe = [answer for answer in answers[bank] if answer[0] == write]
                if shown[bank] is None and ripe and rng.random() < 0.5:
                    shown[bank] = rng.choice(ripe)
                    answers[bank].remove(shown[bank])  # type: ignore[arg-type]
                answer = shown[bank]
                pins[bank].set(names[0], int(answer is not None))
                if answer is not None:
                    pins[bank].set(names[1], answer[1])
                    pins[bank].set(names[2], 2 * answer[3])
                    if not write:
                        pins[bank].set("rdata", answer[2])
        await RisingEdge(dut.clk)

        for bank in range(banks):
            pin = pins[bank]
            if pin.get("awvalid") and pin.get("awready"):
                assert (pin.get("awaddr"), pin.get("awid")) == to_write[bank].popleft()
            if pin.get("wvalid") and pin.get("wready"):
                assert (pin.get("wdata"), pin.get("wstrb")) == to_data[bank].popleft()
            if pin.get("arvalid") and pin.get("arready"):
                assert (pin.get("araddr"), pin.get("arid")) == to_read[bank].popleft()
        rd_valid, rd_ready, wr_valid = (int(getattr(dut, name).value) for name in ("rd_valid", "rd_ready", "wr_valid"))
        together += bin(rd_valid | wr_valid).count("1") > 1
        for source in range(sources):
            for write, taken in ((0, rd_valid & rd_ready), (1, wr_valid)):
                if not taken >> source & 1:
                    continue
                tag = int((dut.wr_tag if write else dut.rd_tag)[source].value)
                error = int((dut.wr_err if write else dut.rd_err).value) >> source & 1
                shown = shown_b if write else shown_r
                ready = "bready" if write else "rready"
                identifier = source << 4 | tag
                from_banks = [
                    bank
                    for bank in range(banks)
                    if pins[bank].get(ready) and shown[bank] is not None and shown[bank][1] == identifier  # type: ignore[index]
                ]
                assert len(from_banks) == 1, f"source {source}: answer of {len(from_banks)} banks"
                bank = from_banks[0]
                answer = shown[bank]
                assert answer is not None and answer[3] == error
                if write:
                    assert int(dut.wr_bank[source].value) == bank
                else:
                    assert int(dut.rd_data[source].value) == answer[2]
                shown[bank] = None
                owed[source, write, tag, bank] -= 1
                answered += 1
        accepted = int(dut.req_ready.value)
        for source in range(sources):
            piece = waiting[source]
            if piece is None or not accepted >> source & 1:
                continue
            write, vram, block, tag, data, strobe = piece
            bank = block % banks
            address, identifier = 64 * block | vram * VRAM_BIT, source << 4 | tag
            if write:
                to_write[bank].append((address, identifier))
                to_data[bank].append((data, strobe))
            else:
                to_read[bank].append((address, identifier))
            answers[bank].append((write, identifier, rng.getrandbits(512), int(rng.random() < 0.2)))
            owed[source, write, tag, bank] = owed.get((source, write, tag, bank), 0) + 1
            waiting[source] = None
    assert answered == PIECES and not any(to_read) and not any(to_write) and not any(to_data)
    assert together > 20


@pytest.mark.parametrize(("sources", "banks"), [(2, 1), (3, 2)])
def test_xbar(sources: int, banks: int) -> None:
    parameters = {"SOURCES": sources, "NUM_BANKS": banks, "ADDR_WIDTH": 32, "TID_WIDTH": 8}
    runner.run(runner.Block("vx_mem_xbar", parameters=parameters), __name__)
