"""From a launch to a descriptor and the indices of its threads; entry code, bit by bit."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import EntryGeneration, HardwareConfig
from golden_model import Launch, LaunchError, Machine
from golden_model.cta import Dim3
from golden_model.isa.asm import encode
from golden_model.kmu import Kmu
from golden_model.launch import check, dcr_writes, entry_points, legacy_launch, usable_slots, warp_step
from golden_model.threads import lane_indices, next_base
from golden_model.window import call_offset, is_dispatch_call, is_window, stub_target
from tests.unit.golden_program import BASE, OUT, program

# ------------------------------------------------------------------ launches and DCRs

SHAPES = [HardwareConfig(num_warps=w, num_threads=t, lmem_log_size=k) for w, t, k in
          ((4, 4, 14), (1, 1, 14), (8, 2, 13), (16, 32, 16), (2, 8, 12))]  # fmt: skip


@pytest.mark.parametrize("config", SHAPES, ids=lambda config: config.label())
def test_widths_of_the_launch_registers(config: HardwareConfig) -> None:
    """Reference §4.3, with NW_WIDTH and CTA_TID_WIDTH of §1.3."""
    warps = {1: 1, 2: 1, 4: 2, 8: 3, 16: 4}[config.num_warps]
    tid = max(1, (config.num_warps * config.num_threads - 1).bit_length())
    expected = dict.fromkeys(range(0x010, 0x016), 32) | dict.fromkeys(range(0x016, 0x019), tid + 1)
    expected |= dict.fromkeys(range(0x019, 0x01C), 32) | {0x01C: config.lmem_log_size + 1, 0x01D: tid + 1}
    expected |= dict.fromkeys(range(0x01E, 0x021), tid) | dict.fromkeys(range(0x021, 0x024), warps + 1)
    kmu = Kmu(config)
    for addr in (*range(0x00F, 0x030), 0x031):
        assert kmu.read(addr) is None
        kmu.write(addr, 0xFFFF_FFFF)
        assert kmu.read(addr) == ((1 << expected[addr]) - 1 if addr in expected else None), hex(addr)


@pytest.mark.parametrize("xlen", [32, 64])
def test_addresses_have_two_halves_at_xlen_64(xlen: int) -> None:
    """STARTUP_ADDR, KERNEL_ENTRY and STARTUP_ARG; what was never written counts as 0, but STARTUP_ADDR0."""
    machine = Machine(HardwareConfig(xlen=xlen))
    for addr, value in dcr_writes(Launch(0, 0), machine.config, EntryGeneration.CTA_ENTRY):
        if addr not in range(0x010, 0x016):
            machine.dcr_write(addr, value)
    machine.dcr_write(0x010, 0x8765_4320)
    machine.start()
    cta = machine.next_cta()
    assert cta is not None and (cta.pc, cta.entry, cta.param) == (0x8765_4320, 0, 0)
    machine = Machine(HardwareConfig(xlen=xlen))
    launch = Launch(0x1_2345_6788, 0xF_8765_4320, 0xABCD_0000_0001_0010)
    for addr, value in dcr_writes(launch, machine.config, EntryGeneration.CTA_ENTRY):
        machine.dcr_write(addr, value)
    machine.start()
    cta = machine.next_cta()
    low = (1 << xlen) - 1
    expected = tuple(value & low for value in (launch.startup_pc, launch.kernel_pc, launch.args_addr))
    assert cta is not None and (cta.pc, cta.entry, cta.param) == expected


def test_a_descriptor_says_all_of_the_launch() -> None:
    config = HardwareConfig(num_warps=8)
    machine = Machine(config)
    machine.launch(Launch(BASE + 64, BASE, OUT, (4, 6, 2), (3, 2, 2), 100, (2, 3, 1)))
    first = machine.next_cta()
    assert first is not None and machine.kmu.shape == first, "before one is taken, the launch is described by CTA 0"
    assert (first.pc, first.entry, first.param) == (BASE, BASE + 64, OUT)
    assert (first.block_dim, first.grid_dim, first.block_size) == ((3, 2, 2), (4, 6, 2), 12)
    assert (first.warp_step, first.lmem_stride, first.cluster_size) == ((1, 1, 0), 128, 6)
    for number in range(48):
        cta = machine.kmu.take()
        member = number % 6
        assert (cta.cta_id, cta.first_of_cluster, cta.last_of_cluster) == (number, member == 0, member == 5)
        assert cta.block_idx == machine.kmu.block_at(number) and machine.kmu.position(cta.block_idx) == number
        assert machine.kmu.taken == number + 1
    with pytest.raises(LookupError, match="no CTA is left"):
        machine.kmu.take()


def test_a_launch_without_clusters_is_described_by_its_first_cta() -> None:
    machine = Machine(HardwareConfig())
    machine.launch(Launch(BASE, BASE, grid=(3, 1, 1)))
    assert machine.kmu.shape == machine.next_cta()
    assert machine.kmu.shape is not None and machine.kmu.shape.last_of_cluster


@pytest.mark.parametrize("lmem", [0, 1, 63, 64, 65, 5000, 8192, 16320, 16384])
def test_room_for_blocks(lmem: int) -> None:
    """Reference §5.3: as many as slots, or as strides of 64 bytes fit into local memory."""
    for config in SHAPES:
        stride = -(-lmem // 64) * 64
        fits = config.num_warps if lmem == 0 else max(1, min(config.num_warps, config.lmem_size // stride))
        assert usable_slots(lmem, config) == fits
        assert Machine(config).cores[0].dispatcher.usable_slots(stride) == fits


def with_dims(field: str, dims: Dim3) -> Launch:
    launch = Launch(BASE, BASE)
    return {
        "grid": replace(launch, grid=dims),
        "block": replace(launch, block=dims),
        "cluster": replace(launch, cluster=dims),
    }[field]


def test_dimensions_up_to_32_bits_are_launched() -> None:
    config = HardwareConfig()
    top = (1 << 32) - 1
    check(Launch(BASE, BASE, grid=(top, top, top)), config)
    for axis in range(3):
        for value in (0, -1, 1 << 32):
            dims = [1, 1, 1]
            dims[axis] = value
            for field in ("grid", "block", "cluster"):
                with pytest.raises(LaunchError, match=f"{field} {'xyz'[axis]}={value}"):
                    check(with_dims(field, (dims[0], dims[1], dims[2])), config)
    check(Launch(BASE, BASE, block=(16, 1, 1), lmem=16384), config)
    check(Launch(BASE, BASE, grid=(4, 1, 1), cluster=(4, 1, 1), lmem=4096), config)
    with pytest.raises(LaunchError, match="room for 3"):
        check(Launch(BASE, BASE, grid=(4, 1, 1), cluster=(4, 1, 1), lmem=4097), config)


def test_every_write_of_a_launch() -> None:
    """Reference §4.7 in order, each register with its own value."""
    launch = Launch(0x1_8000_0100, 0x2_8000_0000, 0x3_0001_0000, (6, 8, 2), (3, 2, 1), 777, (2, 1, 2))
    for entry in EntryGeneration:
        assert dcr_writes(launch, HardwareConfig(), entry) == [
            (0x030, {"cta_entry": 20, "s11": 16, "direct": 12}[entry.value]),
            (0x010, 0x8000_0000), (0x011, 2), (0x012, 0x8000_0100), (0x013, 1), (0x014, 0x0001_0000), (0x015, 3),
            (0x016, 3), (0x017, 2), (0x018, 1), (0x019, 6), (0x01A, 8), (0x01B, 2), (0x01C, 777), (0x01D, 6),
            (0x01E, 1), (0x01F, 1), (0x020, 0), (0x021, 2), (0x022, 1), (0x023, 2),
        ]  # fmt: skip


def test_legacy_images_are_one_block_a_core() -> None:
    image = program("ret")
    config = HardwareConfig(num_clusters=2, num_cores=3, num_threads=8, num_warps=2)
    assert legacy_launch(image, 0x1234, config) == Launch(BASE, BASE, 0x1234, (6, 1, 1), (8, 1, 1), 0, (1, 1, 1))
    with pytest.raises(LaunchError, match="WSPAWN"):
        legacy_launch(image, 0, replace(config, ext_simt_full=False))


def test_where_a_kernel_is_entered() -> None:
    image = program("ret")
    kernel = image.kernels["k"]
    assert entry_points(image, "k", EntryGeneration.CTA_ENTRY) == (BASE, kernel)
    assert entry_points(image, "k", EntryGeneration.DIRECT) == (BASE, kernel)
    assert entry_points(image, "k", EntryGeneration.S11) == (kernel, kernel)
    with pytest.raises(LaunchError, match="no kernel 'x'; it has: k"):
        entry_points(image, "x", EntryGeneration.DIRECT)


@pytest.mark.parametrize("lanes", [1, 4, 8])
def test_an_axis_without_threads_counts_as_one(lanes: int) -> None:
    """Only a host that writes the DCRs itself can have it: block dims 0 with a block size above 0."""
    for dims in itertools.product((0, 1, 3), repeat=3):
        ones = (dims[0] or 1, dims[1] or 1, dims[2] or 1)
        for base in ((0, 0, 0), (1, 2, 1)):
            assert lane_indices(base, dims, lanes) == lane_indices(base, ones, lanes)


def test_lanes_behind_the_block_wrap_around_it() -> None:
    assert lane_indices((1, 1, 1), (2, 2, 2), 4) == [(1, 1, 1), (0, 0, 0), (1, 0, 0), (0, 1, 0)]


@given(block=st.tuples(*[st.integers(1, 6)] * 3), lanes=st.sampled_from([1, 2, 4, 8, 16]))
def test_bases_of_the_warps(block: Dim3, lanes: int) -> None:
    """After each step the base is lane 0's number in the block, also beyond the end, where it wraps."""
    x, y, z = block
    base = (0, 0, 0)
    for rank in range(2 * x * y * z // lanes + 3):
        n = rank * lanes % (x * y * z)
        assert base == (n % x, n // x % y, n // (x * y))
        if lanes > x * y * z:
            return  # a step longer than the block happens for one warp only
        base = next_base(base, block, warp_step(block, lanes))


# ------------------------------------------------------------------ entry code


def reader(words: dict[int, int], other: int = 0) -> Callable[[int], int]:
    return lambda addr: words.get(addr, other)


@pytest.mark.parametrize("stub", [0x8000_0100, 0x100, 0xFFFF_FF00])
@pytest.mark.parametrize("form", ["auipc", "lui"])
def test_stubs_select_their_kernel(stub: int, form: str) -> None:
    """`lla s11, kernel; j …` in both forms of the linker, for targets before and behind, near and far."""
    rng = random.Random(f"{stub} {form}")
    targets = [stub + offset for offset in (0, 4, -4, 0x7FC, 0x800, -0x800, -0x804, 0x1000, 0x12345678, -0x12345678)]
    for target in [*targets, *(rng.randrange(0, 1 << 32, 4) for _ in range(40))]:
        target &= 0xFFFF_FFFF
        distance = (target - (stub if form == "auipc" else 0)) & 0xFFFF_FFFF
        low = (distance & 0xFFF) - 0x1000 if distance & 0x800 else distance & 0xFFF
        high = (distance - low) >> 12 & 0xF_FFFF
        words = {
            stub: encode(form, "s11", high),
            stub + 4: encode("addi", "s11", "s11", low),
            stub + 8: encode("jal", "zero", -256),
        }
        assert stub_target(reader(words), stub, 0xFFFF_FFFF) == target
    wrong = [
        {stub: encode("addi", "s11", "s11", 0)}, {stub: encode(form, "s10", high)},
        {stub + 4: encode("addi", "s10", "s11", low)}, {stub + 4: encode("addi", "s11", "s10", low)},
        {stub + 4: encode("xori", "s11", "s11", low)}, {stub + 4: encode("lw", "s11", low, "s11")},
        {stub + 8: encode("jal", "ra", -256)}, {stub + 8: encode("jal", "zero", 0)},
        {stub + 8: encode("jalr", "zero", 0, "s11")},
    ]  # fmt: skip
    for change in wrong:
        changed = words | change
        assert stub_target(reader(changed), stub, 0xFFFF_FFFF) is None, change


def test_a_stub_of_a_wide_machine_is_sign_extended() -> None:
    words = {
        0x1_8000_0000: encode("auipc", "s11", 0xF_FFFF), 0x1_8000_0004: encode("addi", "s11", "s11", -8),
        0x1_8000_0008: encode("jal", "zero", 8),
    }  # fmt: skip
    assert stub_target(reader(words), 0x1_8000_0000, (1 << 64) - 1) == 0x1_7FFF_EFF8


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_windows_of_every_generation(entry: EntryGeneration) -> None:
    """From the table of reference §5.7: the words that must be there, at their offsets, and nothing else matters."""
    argument, end = 0x3400_2573, 0x0000_000B
    start = 0x8000_0200
    calls = [0x000D_80E7, 0x0000_80E7, 0x0100_00EF, 0x0000_00EF]
    layout = {"cta_entry": (8, 16), "s11": (4, 12), "direct": (4, 8)}[entry.value]
    for call in calls:
        words = {start + layout[0] - 4: argument, start + layout[0]: call, start + layout[1]: end}
        if entry is EntryGeneration.CTA_ENTRY:
            words[start] = 0xCE10_2DF3
        assert call_offset(entry) == layout[0]

        read = reader(words, 0x13)
        assert is_window(read, start, entry)
        found = [pc for pc in range(start - 32, start + 40, 4) if is_dispatch_call(read, pc, entry)]
        assert found == [start + layout[0]]
        assert [pc for pc in range(start - 32, start + 40, 4) if is_window(read, pc, entry)] == [start]
        for addr in words:
            for bit in range(32):
                changed = words | {addr: words[addr] ^ 1 << bit}
                matters = {
                    start: ~(31 << 7) if entry is EntryGeneration.CTA_ENTRY else -1, start + layout[0] - 4: -1,
                    start + layout[0]: 0xFFF, start + layout[1]: -1,
                }[addr] >> bit & 1  # fmt: skip
                opcode = changed[start + layout[0]] & 0xFFF
                good = not matters or (addr == start + layout[0] and opcode in (0x0E7, 0x0EF))
                assert is_window(reader(changed, 0x13), start, entry) == good, (addr, bit)
    assert not is_window(lambda addr: 0x13, -4, entry)


def test_a_window_may_begin_at_address_0() -> None:
    words = {0: 0x3400_2573, 4: 0x0000_80E7, 8: 0x0000_000B}
    assert is_window(reader(words), 0, EntryGeneration.DIRECT)
