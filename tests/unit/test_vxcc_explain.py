"""`vxcc --explain`: each branch, why it is uniform or divergent, and what was inserted for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sw.kernel.vxcc.__main__ import main
from tests.unit.vxcc_image import source

# Line 1 is the include that `source` puts before it.
_BRANCHES = """__kernel void k(const uint32_t *args) {
  uint32_t *out = (uint32_t *)(uintptr_t)args[1];
  uint32_t i = threadIdx.x, s = 0;
  for (uint32_t j = 0; j < args[0]; ++j) s += args[j];
  if (args[i] > 4)
    out[i] = 1;
  else
    out[i + 64] = 2;
  for (uint32_t j = i; j != 0; j >>= 1) s += out[j];
  out[i + 128] = s;
}
__kernel void plain(uint32_t *p) { p[threadIdx.x] = 0; }"""
_UNIFORM = ["uniform", "–", "depends on load from a uniform address"]
_REASON = "threadIdx (line 4)"

_CROSSING = """__kernel void k(uint32_t *p) {
  uint32_t i = threadIdx.x, v = p[i];
  if (v & 1) goto middle;
again:
  p[i] += 3;
middle:
  p[i + 64] += v;
  v >>= 1;
  if (v & 2) goto again;
  if (v & 4) goto middle;
}"""


def explained(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[list[str]]:
    """What is printed, each line in its columns."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main([str(source(tmp_path, text)), "-o", str(tmp_path / "k.vxbin"), "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]


def test_each_branch_with_reason_and_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = explained(tmp_path, _BRANCHES, capsys, monkeypatch)
    start = rows.index(["k: inserted 3 SPLIT + JOIN, 1 PRED"])
    assert rows[start + 1 : start + 7] == [
        ["line", "branch", "cost", "why"],
        ["5:3", *_UNIFORM],  # before the loop, and at its end
        ["5:3", *_UNIFORM],
        ["6:7", "divergent", "2 SPLIT + JOIN", _REASON],
        ["10:3", "divergent", "1 SPLIT + JOIN", _REASON],
        ["10:3", "divergent", "1 PRED", _REASON],
    ]
    assert rows[-1] == ["1 function(s) without a branch"]


def test_what_belongs_to_several_branches_is_shown_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = explained(tmp_path, _CROSSING, capsys, monkeypatch)
    assert [cells[0] for cells in rows if len(cells) == 4] == ["line", "4:7", "10:7", "11:7"]
    assert rows[-1][-1] == "where paths of several of these branches meet"
    assert "SPLIT + JOIN" in rows[-1][0]
