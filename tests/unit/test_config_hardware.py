from __future__ import annotations

import re
from pathlib import Path

import pytest

from config import ConfigError, HardwareConfig, RunConfig


def test_defaults_follow_the_reference() -> None:
    config = HardwareConfig.load()
    assert (config.total_cores, config.num_warps, config.num_threads, config.lmem_size) == (1, 4, 4, 16384)
    assert config.core_threads == 16
    assert config.cta_tid_width == 4
    assert config.ipdom_depth == 3


def test_misa() -> None:
    assert HardwareConfig(ext_a=False).misa == 0x40901120  # docs/reference/vortex.md section 3.2
    assert HardwareConfig(ext_f=False, ext_a=False).misa == 0x40901100


@pytest.mark.parametrize(
    ("overrides", "rule"),
    [
        ({"num_warps": 3}, "num_warps=3: must be a power of two"),
        ({"num_threads": 64}, "num_threads=64"),
        ({"issue_width": 2}, "issue_width=2: must be 1; the core issues one instruction a cycle"),
        ({"simd_width": 3}, "simd_width=3: must be a power of two, at most the 4 lanes of a warp"),
        ({"simd_width": 8}, "simd_width=8: must be a power of two, at most the 4 lanes of a warp"),
        ({"simd_width": -1}, "simd_width=-1: must be a power of two"),
        ({"num_cores": 3, "socket_size": 2}, "socket_size=2: must be a power of two that divides num_cores=3"),
        ({"xlen": 48}, "xlen=48: must be 32 or 64"),
        ({"lmem_log_size": 20}, "stack_base_addr=0xffff0000: LMEM starts there"),
        ({"dcache_size": 128}, "dcache_size=128"),
        ({"icache_ways": 3}, "icache_ways=3"),
        ({"axi_data_width": 256}, "axi_data_width=256"),
        ({"l2_size": 3072}, "l2_size=3072 (3 KiB): must be 0 (no L2) or a power of two from 1 KiB"),
        ({"l2_size": 2048, "axi_num_banks": 4}, "l2_size=2048 (2 KiB): must be 0 (no L2) or a power of two from 4 KiB"),
        ({"l2_ways": 3}, "l2_ways=3: must be a power of two"),
        ({"dcache_writeback": True, "num_clusters": 2}, "dcache_writeback=True: needs a single core and no L2"),
        ({"dcache_writeback": True, "l2_size": 65536}, "here are 1 cores and l2_size=65536"),
        ({"warps": 4}, "unknown hardware parameter 'warps'"),
        ({"num_warps": "4"}, "num_warps must be int"),
    ],
)
def test_impossible_shapes_name_the_rule(overrides: dict[str, object], rule: str) -> None:
    with pytest.raises(ConfigError, match="(?s)" + re.escape(rule)):
        HardwareConfig.load(overrides=overrides)


def test_unreadable_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        HardwareConfig.load(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("[hardware\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        HardwareConfig.load(broken)


def test_key_separates_shapes() -> None:
    assert HardwareConfig().key() != HardwareConfig(num_warps=8).key()
    assert HardwareConfig().key() != HardwareConfig(simd_width=2).key()


def test_a_beat_is_a_whole_warp_unless_it_is_said() -> None:
    for simd_width in (0, 8):
        config = HardwareConfig(num_threads=8, simd_width=simd_width)
        assert config == HardwareConfig(num_threads=8)
        assert config.verilog_defines()["VX_CFG_SIMD_WIDTH"] == "8"
        assert config.label() == "1x1c4w8t"
    config = HardwareConfig(num_threads=8, simd_width=2)
    assert (config.simd_lanes, config.label()) == (2, "1x1c4w8t-simd2")
    assert config.verilog_defines()["VX_CFG_SIMD_WIDTH"] == "2"


def test_defines_name_every_parameter() -> None:
    defines = HardwareConfig(num_cores=2).verilog_defines()
    assert defines["VX_CFG_NUM_CORES"] == "2"
    assert defines["VX_CFG_STACK_BASE_ADDR"] == "32'hffff0000"
    assert HardwareConfig().compiler_defines()["VX_CFG_STACK_BASE_ADDR"] == "0xffff0000"


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({"SIM": "questa"}, "SIM=questa: the only simulator is verilator"),
        ({"ENTRY": "main"}, "ENTRY=main: must be one of cta_entry, s11, direct"),
        ({"MEM": "fast"}, "MEM=fast: must be one of kind, ordered, hostile"),
        ({"WARPS": "many"}, "WARPS=many: must be a whole number"),
        ({"WARPS": "3"}, "WARPS=3: must be a power of two between 1 and 32"),
        ({"SIMD_WIDTH": "8"}, "SIMD_WIDTH=8: must be a power of two, at most the 4 lanes of a warp"),
        ({"ISSUE_WIDTH": "2"}, "ISSUE_WIDTH=2: must be 1; the core issues one instruction a cycle"),
        ({"SIMD_WIDTH": "0"}, "SIMD_WIDTH=0: must be at least 1"),
        ({"CORES": "0"}, "CORES=0: must be at least 1"),
        ({"L2": "3"}, r"^L2=3: must be 0 \(no L2\) or a power of two from 1 KiB"),
        ({"L2": "-1"}, "L2=-1: must be at least 0"),
        ({"WRITEBACK": "1", "CORES": "2"}, "^WRITEBACK=1: needs a single core and no L2"),
        ({"WRITEBACK": "yes"}, "WRITEBACK=yes: must be one of 0, 1"),
        ({"SEED": "-1"}, "SEED=-1: must be at least 0"),
        ({"WAVES": "yes"}, "WAVES=yes: must be one of 0, 1"),
        ({"COLOUR": "1"}, "unknown knob COLOUR"),
    ],
)
def test_bad_knobs_are_sentences(knobs: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RunConfig.from_knobs(knobs)


def test_repro_line_reproduces_the_run() -> None:
    for shape in ({"WARPS": "8", "L2": "64"}, {"THREADS": "8", "SIMD_WIDTH": "2"}):
        run = RunConfig.from_knobs({**shape, "MEM": "hostile", "SEED": "0x10", "TEST": "multikernel"})
        words = dict(word.split("=") for word in run.repro_line().split()[1:])
        assert RunConfig.from_knobs(words) == run
        assert run.hardware.l2_size == (65536 if "L2" in shape else 0)


def test_a_write_back_cache_is_in_the_repro_line_and_the_label() -> None:
    run = RunConfig.from_knobs({"WRITEBACK": "1"})
    assert run.hardware.dcache_writeback and " WRITEBACK=1 " in run.repro_line()
    assert run.hardware.label() == "1x1c4w4t-wb"
    assert RunConfig.from_knobs({"L2": "64"}).hardware.label() == "1x1c4w4t-l2_64k"
