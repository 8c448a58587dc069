"""The cache: nothing is built twice, and nothing stale is ever used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config import EntryGeneration, HardwareConfig
from sw.kernel.vxcc import Artifacts, compile_kernel
from sw.kernel.vxcc.cache import digest, new_entry
from tests.unit.vxcc_image import source

TEXT = '#include "number.h"\n__kernel void k(int *p) { *p = NUMBER; }'


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    (tmp_path / "number.h").write_text("#define NUMBER 1\n")
    return source(tmp_path, TEXT)


def build(kernel: Path, entry: EntryGeneration = EntryGeneration.CTA_ENTRY, **changes: int) -> Artifacts:
    cache = kernel.parent / "cache"
    return compile_kernel([kernel], kernel.parent / "k.vxbin", HardwareConfig(**changes), entry, cache_dir=cache)  # type: ignore[arg-type]


def test_second_build_comes_from_the_cache(kernel: Path) -> None:
    first, second = build(kernel), build(kernel)
    assert (first.cached, second.cached) == (False, True)
    assert (first.key, first.vxbin, first.kernels) == (second.key, second.vxbin, second.kernels)
    assert (kernel.parent / "k.vxbin").read_bytes() == first.vxbin.read_bytes()
    assert sorted(path.name for path in first.vxbin.parent.iterdir()) == [
        "0_kernel.divergence.json",
        "kernel.elf",
        "kernel.vxbin",
    ]


def test_builds_are_reproducible(kernel: Path) -> None:
    one = compile_kernel([kernel], cache_dir=kernel.parent / "one")
    two = compile_kernel([kernel], cache_dir=kernel.parent / "two")
    assert (one.cached, two.cached) == (False, False)
    assert one.vxbin.read_bytes() == two.vxbin.read_bytes()
    assert one.elf.read_bytes() == two.elf.read_bytes()


def test_a_changed_header_is_noticed(kernel: Path) -> None:
    before = build(kernel)
    (kernel.parent / "number.h").write_text("#define NUMBER 2\n")
    after = build(kernel)
    assert not after.cached
    assert before.vxbin.read_bytes() != after.vxbin.read_bytes()


def test_configuration_and_generation_are_part_of_the_key(kernel: Path) -> None:
    builds = [
        build(kernel),
        build(kernel, num_threads=8),
        build(kernel, EntryGeneration.S11),
        compile_kernel([kernel], opt="2", cache_dir=kernel.parent / "cache"),
        compile_kernel([kernel], defines={"UNUSED": "1"}, cache_dir=kernel.parent / "cache"),
    ]
    assert len({item.key for item in builds}) == len(builds)
    assert not any(item.cached for item in builds)


def test_configuration_reaches_the_source(tmp_path: Path) -> None:
    text = (
        "static_assert(VX_CFG_NUM_THREADS == 8 && VX_CFG_EXT_F == 1 && MINE == 3);\n__kernel void k(int *p) { *p = 1; }"
    )
    compile_kernel(
        [source(tmp_path, text)],
        None,
        HardwareConfig(num_threads=8),
        defines={"MINE": "3"},
        cache_dir=tmp_path / "cache",
    )


def test_several_builders_of_one_image_agree(kernel: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: build(kernel), range(4)))
    assert len({item.key for item in done}) == 1
    assert {path.name for path in (kernel.parent / "cache").iterdir()} == {done[0].key, "support"}


def test_failed_entry_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with new_entry(tmp_path / "cache", "0123456789") as scratch:
            (scratch / "half").write_text("written")
            raise RuntimeError("build failed")

    with pytest.raises(RuntimeError, match="build failed"):
        fail()
    assert list((tmp_path / "cache").iterdir()) == []


def test_key_depends_on_boundaries() -> None:
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"]) != digest([b"abc"])
