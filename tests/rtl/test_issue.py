"""Issue stage: random instructions of all warps; no hazard is violated, order is kept, nobody waits in vain."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, Timer

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.core_structs import DECODED, CoreLayouts, Unit

CYCLES = 4000
BUFFER = 4
REGISTERS = (0, 1, 2, 3, 31, 33, 63)  # few, so that hazards are frequent


@dataclass
class Warp:
    """What the bench knows of one warp."""

    buffer: deque[tuple[int, dict[str, int]]] = field(default_factory=deque)
    fetches: int = 0  # on their way
    numbers: int = 0  # instructions made so far, also their PC
    uid: int = 0
    in_flight: list[dict[str, int]] = field(default_factory=list)


def make_instruction(rng: Random) -> dict[str, int]:
    registers = {name: rng.choice(REGISTERS) for name in ("rd", "rs1", "rs2", "rs3")}
    uses = {f"use_{name}": rng.getrandbits(1) for name in ("rs1", "rs2", "rs3")}
    use_rd = int(registers["rd"] != 0 and rng.random() < 0.7)
    flags = {"drain": int(rng.random() < 0.05), "alone": int(rng.random() < 0.05), "use_rd": use_rd}
    return {"unit": rng.choice(list(Unit)), **flags, **registers, **uses}


def has_hazard(ins: dict[str, int], warp: Warp) -> bool:
    pending = {older["rd"] for older in warp.in_flight if older["use_rd"]}
    touched = {ins[name] for name in ("rd", "rs1", "rs2", "rs3") if ins[f"use_{name}"]}
    alone = any(older["drain"] for older in warp.in_flight)
    return bool(touched & pending) or alone or (bool(ins["drain"]) and bool(warp.in_flight))


@cocotb.test()
async def random_instructions(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    layouts = CoreLayouts(config)
    for name in ("reserve", "drop", "push", "stop", "commit"):
        getattr(dut, f"{name}_valid").value = 0
    dut.unit_ready.value = 0
    await start_clock_and_reset(dut)
    assert len(dut.push_entry) == layouts.ibuf_entry.width

    warps = [Warp() for _ in range(config.num_warps)]
    issued = stalls = drains = flushes = together = alone = 0
    last_wid = 0
    for _ in range(CYCLES):
        await FallingEdge(dut.clk)
        # Fetch: ask for a word where there is room, answer or drop one that is on its way.
        room = int(dut.room.value)
        wid = rng.randrange(config.num_warps)
        reserve = bool(room >> wid & 1) and rng.random() < 0.8
        dut.reserve_valid.value, dut.reserve_wid.value = int(reserve), wid
        waiting = [w for w in range(config.num_warps) if warps[w].fetches]
        push = drop = None
        if waiting and rng.random() < 0.9:
            arrives = rng.choice(waiting)
            push, drop = (None, arrives) if rng.random() < 0.1 else (arrives, None)
        # Commit: anything in flight, in any order; some commits stop their warp.
        busy = [w for w in range(config.num_warps) if warps[w].in_flight]
        commit = rng.choice(busy) if busy and rng.random() < 0.7 else None
        stop = commit is not None and rng.random() < 0.03
        if stop and push == commit:  # the scheduler turns it into a drop
            push, drop = None, push
        dut.commit_valid.value = int(commit is not None)
        dut.stop_valid.value = int(stop)
        leaving: dict[str, int] = {}
        if commit is not None:
            leaving = warps[commit].in_flight.pop(rng.randrange(len(warps[commit].in_flight)))
            dut.commit_wid.value = commit
            dut.commit_use_rd.value, dut.commit_rd.value = leaving["use_rd"], leaving["rd"]
            warps[commit].in_flight.append(leaving)  # until the clock edge
        dut.push_valid.value, dut.push_wid.value = int(push is not None), push or 0
        dut.drop_valid.value, dut.drop_wid.value = int(drop is not None), drop or 0
        new = make_instruction(rng)
        if push is not None:
            pc = 4 * warps[push].numbers
            dut.push_entry.value = layouts.ibuf_entry.pack({"dec": DECODED.pack(new), "pc": pc, "instr": pc ^ 0xFFFF})
        unit_ready = rng.getrandbits(len(Unit)) | rng.getrandbits(len(Unit))
        dut.unit_ready.value = unit_ready
        only = rng.randrange(config.num_warps)
        active = 1 << only if rng.random() < 0.3 else rng.getrandbits(config.num_warps)
        dut.active.value = active
        await Timer(1, "ns")
        await ReadOnly()

        may = [
            w
            for w, warp in enumerate(warps)
            if warp.buffer
            and not has_hazard(warp.buffer[0][1], warp)
            and unit_ready >> warp.buffer[0][1]["unit"] & 1
            and (not warp.buffer[0][1]["alone"] or active == 1 << w)
            and not (stop and w == commit)
        ]
        assert bool(dut.issue_valid.value) == bool(may), f"warps {may} may issue, issue_valid={dut.issue_valid.value}"
        stalls += not may and any(warp.buffer for warp in warps)
        for w, warp in enumerate(warps):
            assert bool(int(dut.idle.value) >> w & 1) == (not warp.in_flight)
            reserved = len(warp.buffer) + warp.fetches
            assert bool(room >> w & 1) == (reserved < BUFFER) and bool(int(dut.quiet.value) >> w & 1) == (not reserved)
        if may:
            chosen = int(dut.issue_wid.value)
            assert chosen == min(may, key=lambda w: (w - last_wid - 1) % config.num_warps), "not round robin"
            last_wid = chosen
            warp = warps[chosen]
            number, ins = warp.buffer.popleft()
            fields = layouts.exec.unpack(int(dut.exec.value))
            assert int(dut.exec_valid.value) == 1 << ins["unit"]
            assert (fields["wid"], fields["pc"], fields["uid"]) == (chosen, 4 * number, warp.uid)
            assert fields["dec"] == DECODED.pack(ins)
            warp.uid += 1
            warp.in_flight.append(ins)
            issued += 1
            drains += ins["drain"]
            alone += ins["alone"]
            together += len(may) > 1
        if commit is not None:
            warps[commit].in_flight.remove(leaving)
        if push is not None:
            warps[push].buffer.append((warps[push].numbers, new))
            warps[push].numbers += 1
            warps[push].fetches -= 1
        if drop is not None:
            warps[drop].fetches -= 1
        if reserve:
            warps[wid].fetches += 1
        if stop:
            assert commit is not None
            flushes += len(warps[commit].buffer)
            warps[commit].buffer.clear()
    assert issued > CYCLES // 5 and stalls > 50 and drains > 5 and flushes > 5 and alone > 5
    assert together > 50 or config.num_warps == 1


@pytest.mark.parametrize("warps", [4, 1])
def test_issue(warps: int) -> None:
    wrapper = Path(__file__).with_name("issue_stage.sv")
    block = runner.Block("issue_stage", hardware={"num_warps": warps, "num_threads": 2}, extra_sources=[wrapper])
    runner.run(block, __name__)
