"""Text from kernels: every conversion against Python's, whole messages of every lane, and what does not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import compile_kernel
from tests.unit.vxcc_image import source

_FULL = HardwareConfig(ext_f=True, ext_a=True, ext_simt_full=True)


def printed(folder: Path, body: str, hardware: HardwareConfig = _FULL, block: int = 1) -> list[str]:
    """Console lines of a launch of one block."""
    text = f"#include <vx_print.h>\nstruct args_t {{ uint32_t none; }};\n__kernel void k(const args_t *) {{ {body} }}"
    image = compile_kernel([source(folder, text)], None, hardware, cache_dir=folder / "cache")
    result = Machine(hardware, tier="fast").load(image.vxbin).launch("k", 1, block, [np.uint32(0)])
    assert result.findings == ()
    return list(result.console)


# C text of the arguments, the Python values.
_CASES: list[tuple[str, str, tuple[object, ...]]] = [
    ("[%d|%i|%5d|%-5d|%05d|%+d|% d]", "-7, 8, 9, 10, -11, 12, 13", (-7, 8, 9, 10, -11, 12, 13)),
    ("[%.3d|%8.3d|%-8.3d|]", "5, -6, 7", (5, -6, 7)),
    ("[%x|%X|%#x|%08x|%o]", "255, 48879, 4096, 77, 8", (255, 48879, 4096, 77, 8)),
    ("[%c|%3c|%s|%8s|%-8s|%.2s|%%]", "'a', 'b', \"1\", \"two\", \"3\", \"xyz\"", ("a", "b", "1", "two", "3", "xyz")),
    ("[%d %d]", "0, (int)0x80000000", (0, -(2**31))),
    ("[%f|%.0f|%.1f|%.2f|%.3f]", "1.5, 0.5, 0.25, -2.675, 1e-4", (1.5, 0.5, 0.25, -2.675, 1e-4)),
    ("[%10.3f|%-10.3f|%010.3f|%+.1f]", "3.14159, 2.71828, -1.25, 0.0", (3.14159, 2.71828, -1.25, 0.0)),
    ("[%.0f|%.0f|%.0f|%.3f]", "1.5, 2.5, 1e22, 999.9996", (1.5, 2.5, 1e22, 999.9996)),
    ("[%.20f|%f]", "0.1, 1.7976931348623157e308", (0.1, 1.7976931348623157e308)),
    ("[%.40f]", "4.9406564584124654e-324 * 1e290", (4.9406564584124654e-324 * 1e290,)),
    ("[%*d|%-*d|%.*f]", "6, 42, 6, 42, 2, 1.005", (6, 42, 6, 42, 2, 1.005)),
]  # fmt: skip


def test_conversions_are_python_s(tmp_path: Path) -> None:
    expected = [f"#0: {form.replace('%i', '%d') % values}" for form, _, values in _CASES]
    # 512 bytes a hart: three conversions a launch, so that nothing is lost
    lines = []
    for start in range(0, len(_CASES), 3):
        part = "".join(f'vx_printf("{form}\\n", {arguments}); ' for form, arguments, _ in _CASES[start : start + 3])
        lines += printed(tmp_path, part)
    assert lines == expected


def test_long_integers_pointers_and_what_is_no_conversion(tmp_path: Path) -> None:
    body = 'int n = vx_printf("%lld %llu %llx %u %hd %hhd %p %q %s\\n", -9000000000ll, 18000000000000000000ull, '
    body += "0xfedcba9876543210ull, 4000000000u, 70000, 511, (void *)0x1234, (const char *)0);"
    body += 'vx_printf("%d %f %F\\n", n, __builtin_inf(), __builtin_nan(""));'
    lines = printed(tmp_path, '_Pragma("clang diagnostic ignored \\"-Wformat\\"")' + body)
    text = "-9000000000 18000000000000000000 fedcba9876543210 4000000000 4464 -1 0x1234 %q (null)"
    assert lines == [f"#0: {text}", f"#0: {len(text) + 1} inf NAN"]


def test_every_lane_prints_a_whole_message(tmp_path: Path) -> None:
    body = 'if (threadIdx.x & 1) vx_printf("odd %d of %d\\n", (int)(uint32_t)threadIdx.x, vx_thread_id());'
    body += "vx_putint(-(int)(uint32_t)threadIdx.x * 100, 16); vx_putchar(' ');"
    body += "vx_putfloat(1.25f + (float)threadIdx.x, 3); vx_putchar('\\n');"
    lines = printed(tmp_path, body, block=16)
    expected = []
    for hart in range(16):
        expected += [f"#{hart}: odd {hart} of {hart % 4}"] if hart & 1 else []
        expected += [f"#{hart}: {-hart * 100:x} {hart + 1}.250"]
    assert lines == expected


@pytest.mark.parametrize("atomics", [True, False])
def test_a_full_ring_counts_what_it_loses(atomics: bool, tmp_path: Path) -> None:
    hardware = HardwareConfig(ext_f=True, ext_a=atomics, ext_simt_full=True)
    lines = printed(
        tmp_path, "for (int i = 0; i < 600; ++i) vx_putchar(i % 100 == 99 ? '\\n' : 'a' + i % 26);", hardware, 2
    )
    assert [line for line in lines if "lost" in line] == ["[#0: lost 88 bytes]", "[#1: lost 88 bytes]"]
