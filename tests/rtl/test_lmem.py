"""vx_lmem: random instructions with many bank conflicts against a dictionary; order, last store, cycles."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.bench import elements, joined, start_clock_and_reset
from tests.rtl.structs import Layouts

REQUESTS = 1500


def random_request(rng: Random, config: HardwareConfig, tag: int) -> dict[str, Any]:
    """Lanes of one instruction; words are drawn so that no, some or all lanes share a bank or a word."""
    lanes, word = config.num_threads, config.xlen // 8
    words = config.lmem_size // word
    kind = rng.choice(["row", "bank", "word", "few", "any"])
    start = rng.randrange(words)
    index = {
        "row": [start // lanes * lanes + lane for lane in range(lanes)],
        "bank": [(start + lanes * rng.randrange(8)) % words for _ in range(lanes)],
        "word": [start] * lanes,
        "few": [rng.randrange(4 * lanes) for _ in range(lanes)],
        "any": [rng.randrange(words) for _ in range(lanes)],
    }[kind]
    size = rng.choice([1, 2, 4])
    offset = [rng.randrange(word // size) * size for _ in range(lanes)]
    return {
        "rw": rng.random() < 0.5,
        "mask": rng.getrandbits(lanes) if rng.random() < 0.5 else (1 << lanes) - 1,
        "words": index,
        "byteen": [((1 << size) - 1) << at for at in offset],
        "data": [rng.getrandbits(config.xlen) for _ in range(lanes)],
        "addr": [number * word + at for number, at in zip(index, offset, strict=True)],
        "tag": tag,
    }


def fill_request(row: int, rng: Random, config: HardwareConfig) -> dict[str, Any]:
    """Write one whole row, so that every later load can be compared."""
    lanes, word = config.num_threads, config.xlen // 8
    index = [row * lanes + lane for lane in range(lanes)]
    return {
        "rw": True,
        "mask": (1 << lanes) - 1,
        "words": index,
        "byteen": [(1 << word) - 1] * lanes,
        "data": [rng.getrandbits(config.xlen) for _ in range(lanes)],
        "addr": [number * word for number in index],
        "tag": 0,
    }


def cycles_needed(request: dict[str, Any], lanes: int) -> int:
    """The bank with the most accesses decides; lanes of a load that read one word share an access."""
    accesses: dict[int, list[int]] = {}
    for lane in range(lanes):
        if request["mask"] >> lane & 1:
            accesses.setdefault(request["words"][lane] % lanes, []).append(request["words"][lane])
    return max([1, *(len(words) if request["rw"] else len(set(words)) for words in accesses.values())])


@cocotb.test()
async def random_instructions(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    layouts = Layouts(config)
    lanes, word = config.num_threads, config.xlen // 8
    dut.req_valid.value = 0
    dut.req.value = 0
    dut.rsp_ready.value = 0
    await start_clock_and_reset(dut)
    assert len(dut.req) == layouts.lmem_req.width and len(dut.rsp) == layouts.lmem_rsp.width

    memory: dict[int, int] = {}  # word -> value
    expected: deque[tuple[int, list[int]]] = deque()
    rows = config.lmem_size // word // lanes
    total = rows + REQUESTS
    current: dict[str, Any] | None = None
    sent = compared = conflicts = 0
    age = 0
    stalled = False  # a response had to wait while the present request was served
    for _ in range(20 * total):
        if current is None and sent < total and rng.random() < 0.8:
            current = fill_request(sent, rng, config) if sent < rows else random_request(rng, config, sent % 64)
            sent += 1
            age = 0
            stalled = False
        dut.req_valid.value = int(current is not None)
        if current is not None:
            fields = {
                name: joined(current[name], width)
                for name, width in (("addr", config.lmem_log_size), ("byteen", word), ("data", config.xlen))
            }
            dut.req.value = layouts.lmem_req.pack(
                {"rw": int(current["rw"]), "mask": current["mask"], "tag": current["tag"], **fields}
            )
        take = rng.random() < 0.8
        dut.rsp_ready.value = int(take)
        await RisingEdge(dut.clk)

        stalled |= bool(dut.rsp_valid.value) and not take
        if dut.rsp_valid.value and take:
            rsp = layouts.lmem_rsp.unpack(int(dut.rsp.value))
            assert expected, "response without a load"
            tag, values = expected.popleft()
            assert rsp["tag"] == tag
            for lane, (got, want) in enumerate(zip(elements(rsp["data"], config.xlen, lanes), values, strict=True)):
                assert got == want, f"tag {tag}, lane {lane}: {got:#x}, expected {want:#x}"
                compared += 1
        if current is not None:
            age += 1
            needed = cycles_needed(current, lanes)
            if dut.req_ready.value:
                assert age >= needed and (stalled or age == needed), f"{age} cycles, expected {needed}"
                conflicts += needed > 1
                apply(current, memory, expected, lanes, word)
                current = None
            else:
                assert stalled or age < needed, f"not finished after {age} cycles, expected {needed}"
        if sent == total and current is None and not expected:
            break
    assert not expected and sent == total
    assert compared > REQUESTS // 2
    assert conflicts or lanes == 1


def apply(
    request: dict[str, Any],
    memory: dict[int, int],
    expected: deque[tuple[int, list[int]]],
    lanes: int,
    word: int,
) -> None:
    """Perform an accepted request; lanes in ascending order, so the highest lane's store remains."""
    active = [lane for lane in range(lanes) if request["mask"] >> lane & 1]
    if not request["rw"]:
        values = [memory[request["words"][lane]] if lane in active else 0 for lane in range(lanes)]
        expected.append((request["tag"], values))
        return
    for lane in active:
        number = request["words"][lane]
        bits = sum(0xFF << 8 * byte for byte in range(word) if request["byteen"][lane] >> byte & 1)
        memory[number] = memory.get(number, 0) & ~bits | request["data"][lane] & bits


@pytest.mark.parametrize("lanes", [4, 1])
def test_lmem(lanes: int) -> None:
    runner.run(runner.Block("vx_lmem", hardware={"num_threads": lanes, "lmem_log_size": 10}), __name__)
