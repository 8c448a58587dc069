"""The model as a library: numpy arrays in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from config import HardwareConfig
from golden_model import LaunchError, Machine, Module
from sw.kernel.vxbin import Entry, encode, load
from tests.unit.golden_program import program

# a0 = {u32 count, i32 bias, src, dst}: dst[i] = src[i] + bias
ADD = """
    csrr t0, cta_block_id_x
    csrr t1, cta_block_dim_x
    mul t0, t0, t1
    csrr t1, cta_thread_id_x
    add t0, t0, t1
    lw t2, 4(a0)
    lw t3, 8(a0)
    lw t4, 16(a0)
    slli t0, t0, 2
    add t3, t3, t0
    add t4, t4, t0
    lw t5, 0(t3)
    add t5, t5, t2
    sw t5, 0(t4)
    ret
kernel_sizes:
    lbu t0, 0(a0)
    lhu t1, 2(a0)
    lw t2, 4(a0)
    lw t3, 8(a0)
    lw t4, 12(a0)
    lw t5, 16(a0)
    sw t0, 0(t5)
    sw t1, 4(t5)
    sw t2, 8(t5)
    sw t3, 12(t5)
    sw t4, 16(t5)
    ret
kernel_say:
    li t0, 0x240
    li t1, 0x0a6948
    sw t1, 0(t0)
    li t1, 3
    sw t1, 0x40(zero)
    li t0, 0x8348
    sw t1, 0(t0)
    ret
"""


def encoded() -> bytes:
    built = program(ADD)
    return encode(built.min_vma, built.max_vma, built.image, [Entry(n, pc) for n, pc in built.kernels.items()])


@pytest.fixture
def module() -> Module:
    return Machine(HardwareConfig()).load(encoded())


def test_arrays_in_and_out(module: Module) -> None:
    source = np.arange(32, dtype=np.int32)
    source.flags.writeable = False
    out = np.zeros((4, 8), np.int32)
    result = module.launch("k", grid=4, block=(8,), args=[np.uint32(32), np.int32(-3), source, out])
    assert (out.ravel() == np.arange(32) - 3).all()
    assert (result.clean, result.summary.ctas, result.exit_code, result.console) == (True, 4, None, ())


def test_an_array_is_copied_back_also_into_a_view(module: Module) -> None:
    large = np.zeros((32, 2), np.int32)
    source = np.arange(32, dtype=np.int32)[::-1]
    module.launch("k", 2, 16, [32, 5, source, large[:, 1]])
    assert (large[:, 1] == source + 5).all()
    assert not large[:, 0].any()


def test_fields_are_laid_out_as_in_c(module: Module) -> None:
    out = np.zeros(5, np.uint32)
    module.launch("sizes", args=[np.uint8(200), np.uint16(60000), 1.5, np.uint64(7 << 32 | 9), out])
    assert out.tolist() == [200, 60000, 0x3FC0_0000, 9, 7]


def test_console_and_exit_code(module: Module) -> None:
    result = module.launch("say")
    assert (result.console, result.exit_code) == (("#0: Hi",), 3)


def test_two_launches_and_findings_of_buffers_that_are_gone(module: Module) -> None:
    assert module.kernels == ("k", "sizes", "say")
    for bias in (1, 2):
        out = np.zeros(16, np.int32)
        assert module.launch("k", 1, 16, [16, bias, np.zeros(16, np.int32), out]).clean
        assert set(out.tolist()) == {bias}


def test_images_of_every_kind(tmp_path: Path) -> None:
    path = tmp_path / "k.vxbin"
    path.write_bytes(encoded())
    for image in (path, str(path), encoded(), load(path)):
        assert Machine(HardwareConfig()).load(image).kernels == ("k", "sizes", "say")


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        (True, "a bool has no size"),
        (1 << 32, "does not fit 32 bits"),
        ("x", "argument 0 is str"),
        (np.zeros(0), "non-empty numpy arrays"),
        (np.array([object()]), "numpy scalars"),
    ],
)
def test_arguments_that_are_refused(module: Module, argument: Any, sentence: str) -> None:
    with pytest.raises(LaunchError, match=sentence):
        module.launch("k", args=[argument])


def test_launches_that_are_refused(module: Module) -> None:
    with pytest.raises(LaunchError, match="no kernel 'x'; it has: k, sizes, say"):
        module.launch("x")
    with pytest.raises(LaunchError, match="17 threads"):
        module.launch("k", block=17)
    with pytest.raises(LaunchError, match="one to three"):
        module.launch("k", grid=(1, 1, 1, 1))
    with pytest.raises(LaunchError, match="the file has 3 bytes"):
        Machine(HardwareConfig()).load(b"abc")
    with pytest.raises(LaunchError, match="absent"):
        Machine(HardwareConfig()).load("absent.vxbin")
