"""vx_kmu: walk order, descriptor fields and corner cases against a walk written from docs/reference/vortex.md §5.1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.bench import elements, start_clock_and_reset
from tests.rtl.structs import Layouts

LAUNCHES = 25
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    grid: Triple
    cluster: Triple = (1, 1, 1)
    block: Triple = (1, 1, 1)
    block_size: int = 1
    step: Triple = (0, 0, 0)
    lmem: int = 0
    pc: int = 0x8000_0000
    entry: int = 0x8000_0100
    param: int = 0x2_0000

    def registers(self) -> dict[int, int]:
        values = {0x010: self.pc, 0x011: 0xDEAD, 0x012: self.entry, 0x013: 0xDEAD, 0x014: self.param, 0x015: 0xDEAD}
        for base, triple in ((0x016, self.block), (0x019, self.grid), (0x01E, self.step), (0x021, self.cluster)):
            values |= {base + axis: value for axis, value in enumerate(triple)}
        return values | {0x01C: self.lmem, 0x01D: self.block_size}

    def walk(self) -> Iterator[tuple[Triple, bool, bool]]:
        """(block, first of cluster, last of cluster) in launch order."""
        gx, gy, gz = self.grid
        cx, cy, cz = self.cluster
        for oz in range(0, gz, cz):
            for oy in range(0, gy, cy):
                for ox in range(0, gx, cx):
                    inner = [(ix, iy, iz) for iz in range(cz) for iy in range(cy) for ix in range(cx)]
                    for number, (ix, iy, iz) in enumerate(inner):
                        yield (ox + ix, oy + iy, oz + iz), number == 0, number == len(inner) - 1


@dataclass
class Bench:
    dut: Any
    rng: Random
    config: HardwareConfig
    seen: list[dict[str, int]] = field(default_factory=list)

    async def begin(self) -> None:
        for name in ("dcr_write", "dcr_addr", "dcr_data", "start", "cta_ready"):
            getattr(self.dut, name).value = 0
        await start_clock_and_reset(self.dut)

    async def program(self, launch: Launch) -> None:
        """All registers in random order: the order of the writes is irrelevant (§4.7)."""
        writes = list(launch.registers().items())
        self.rng.shuffle(writes)
        for address, value in writes:
            self.dut.dcr_write.value = 1
            self.dut.dcr_addr.value = address
            self.dut.dcr_data.value = value
            await RisingEdge(self.dut.clk)
        self.dut.dcr_write.value = 0

    async def start(self) -> None:
        self.dut.start.value = 1
        await RisingEdge(self.dut.clk)
        self.dut.start.value = 0

    async def collect(self, limit: int = 100_000, stop_after: int | None = None) -> list[dict[str, int]]:
        """Accept CTAs at random moments until the walk ends; the payload must be stable while it waits."""
        struct = Layouts(self.config).cta_desc
        assert len(self.dut.cta) == struct.width, "tests/rtl/structs.py does not match cta_desc_t"
        taken: list[dict[str, int]] = []
        waiting: int | None = None
        for _ in range(limit):
            ready = self.rng.random() < 0.7
            self.dut.cta_ready.value = int(ready)
            await RisingEdge(self.dut.clk)
            assert self.dut.running.value == self.dut.cta_valid.value
            if not self.dut.cta_valid.value:
                assert waiting is None, "cta_valid fell before the descriptor was accepted"
                self.dut.cta_ready.value = 0
                return taken
            packed = int(self.dut.cta.value)
            assert waiting is None or packed == waiting, "the descriptor changed while it waited"
            waiting = None if ready else packed
            if ready:
                taken.append(struct.unpack(packed))
                if len(taken) == stop_after:
                    self.dut.cta_ready.value = 0
                    return taken
        raise AssertionError(f"the walk did not end within {limit} cycles ({len(taken)} CTAs)")


def expect(launch: Launch, taken: list[dict[str, int]], config: HardwareConfig) -> None:
    layouts = Layouts(config)
    wanted = list(launch.walk())
    walked = [
        (tuple(elements(cta["block_idx"], 32, 3)), bool(cta["first_of_cluster"]), bool(cta["last_of_cluster"]))
        for cta in taken
    ]
    assert walked == wanted, f"{launch}: walk"
    cluster = launch.cluster[0] * launch.cluster[1] * launch.cluster[2]
    for cta in taken:
        assert cta["pc"] == launch.pc and cta["entry"] == launch.entry and cta["param"] == launch.param
        assert tuple(elements(cta["grid_dim"], 32, 3)) == launch.grid
        assert tuple(elements(cta["block_dim"], layouts.dim, 3)) == launch.block
        assert tuple(elements(cta["warp_step"], layouts.tid, 3)) == launch.step
        assert cta["block_size"] == launch.block_size
        assert cta["lmem_stride"] == -(-launch.lmem // 64) * 64
        assert cta["cluster_size"] == cluster


def random_launch(rng: Random, config: HardwareConfig) -> Launch:
    cluster = rng.choice([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2, 1), (1, 2, 2), (3, 1, 1)])
    if cluster[0] * cluster[1] * cluster[2] > config.num_warps:
        cluster = (1, 1, 1)
    multiple = [rng.randint(1, 4) for _ in range(3)]
    grid = (cluster[0] * multiple[0], cluster[1] * multiple[1], cluster[2] * multiple[2])
    threads = config.core_threads
    block = (rng.randint(1, threads), rng.randint(1, threads), rng.randint(1, threads))
    return Launch(
        grid=grid,
        cluster=cluster,
        block=block,
        block_size=rng.randint(1, threads),
        step=(rng.randrange(threads), rng.randrange(threads), rng.randrange(threads)),
        lmem=rng.choice([0, 1, 63, 64, 65, 5000, config.lmem_size]),
        pc=rng.getrandbits(32),
        entry=rng.getrandbits(32),
        param=rng.getrandbits(32),
    )


async def begin(dut: Any) -> Bench:
    bench = Bench(dut, Random(cocotb.RANDOM_SEED), runner.hardware())
    await bench.begin()
    return bench


@cocotb.test()
async def random_launches(dut: Any) -> None:
    bench = await begin(dut)
    total = 0
    for _ in range(LAUNCHES):
        launch = random_launch(bench.rng, bench.config)
        await bench.program(launch)
        await bench.start()
        taken = await bench.collect()
        expect(launch, taken, bench.config)
        total += len(taken)
    assert total > LAUNCHES


@cocotb.test()
async def nothing_to_do(dut: Any) -> None:
    """Zero grid axes, block axes or BLOCK_SIZE complete at once, and so does a start before any write (§4.6)."""
    bench = await begin(dut)
    await bench.start()
    assert await bench.collect() == []
    good = Launch(grid=(2, 2, 2))
    for change in (
        {"grid": (0, 2, 2)},
        {"grid": (2, 0, 2)},
        {"grid": (2, 2, 0)},
        {"block": (0, 1, 1)},
        {"block": (1, 0, 1)},
        {"block": (1, 1, 0)},
        {"block_size": 0},
    ):
        await bench.program(Launch(**{**vars(good), **change}))
        await bench.start()
        assert await bench.collect() == [], f"{change}: a CTA was launched"
        await bench.program(good)
        await bench.start()
        expect(good, await bench.collect(), bench.config)


@cocotb.test()
async def odd_values(dut: Any) -> None:
    """Zero cluster axes count as 1; a grid that is no multiple of the cluster ends; stored widths cut; restart."""
    bench = await begin(dut)
    plain = Launch(grid=(3, 2, 2))
    await bench.program(Launch(**{**vars(plain), "cluster": (0, 0, 0)}))
    await bench.start()
    expect(plain, await bench.collect(), bench.config)

    ragged = Launch(grid=(5, 1, 1), cluster=(2, 1, 1))
    await bench.program(ragged)
    await bench.start()
    blocks = [elements(cta["block_idx"], 32, 3)[0] for cta in await bench.collect()]
    assert blocks == [0, 1, 2, 3, 4]

    capacity = bench.config.core_threads
    await bench.program(
        Launch(**{**vars(plain), "block_size": 4 * capacity + 1, "lmem": 4 * bench.config.lmem_size + 64})
    )
    await bench.start()
    taken = await bench.collect()
    assert {cta["block_size"] for cta in taken} == {1} and {cta["lmem_stride"] for cta in taken} == {64}

    # Above LMEM but within the stored width: the stride must not wrap to a small one.
    await bench.program(Launch(**{**vars(plain), "lmem": 2 * bench.config.lmem_size - 1}))
    await bench.start()
    assert all(cta["lmem_stride"] > bench.config.lmem_size for cta in await bench.collect())

    await bench.program(plain)
    await bench.start()
    await bench.collect(stop_after=5)
    await bench.start()  # in mid-walk: starts again
    expect(plain, await bench.collect(), bench.config)

    await bench.start()
    await bench.collect(stop_after=5)
    dut.reset.value = 1
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    await RisingEdge(dut.clk)
    assert not dut.running.value and not dut.cta_valid.value
    await bench.start()
    assert await bench.collect() == [], "registers read 0 after reset, so nothing can be launched"


@pytest.mark.parametrize("shape", [(4, 4), (1, 1)], ids=lambda shape: f"{shape[0]}w{shape[1]}t")
def test_kmu(shape: tuple[int, int]) -> None:
    runner.run(runner.Block("vx_kmu", hardware={"num_warps": shape[0], "num_threads": shape[1]}), __name__)
