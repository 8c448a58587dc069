"""Model builds: what is part of the key, what a failing build says, one build for all who ask."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from pathlib import Path

import pytest

from config import HardwareConfig
from hw.tb.build import model as model_module
from hw.tb.build.model import BuildError, Model, build
from hw.tb.build.spec import RTL, ModelKind, ModelSpec
from hw.tb.build.toolchain import Toolchain, ToolError

VERSIONS = "verilator=1 g++=2"
SPEC = ModelSpec()


def _copy_of_rtl(folder: Path) -> Path:
    target = folder / "rtl"
    shutil.copytree(RTL, target)
    return target


@pytest.mark.parametrize(
    "other",
    [
        dataclasses.replace(SPEC, hardware=HardwareConfig(num_warps=8)),
        dataclasses.replace(SPEC, hardware=HardwareConfig(dcache_size=8192)),
        dataclasses.replace(SPEC, kind=ModelKind.DEBUG),
        dataclasses.replace(SPEC, probes=False),
        dataclasses.replace(SPEC, fault_ports=False),
        dataclasses.replace(SPEC, extra_args=("-DX=1",)),
    ],
)
def test_everything_that_changes_the_model_changes_the_key(other: ModelSpec) -> None:
    assert other.key(VERSIONS) != SPEC.key(VERSIONS)


def test_tool_versions_change_the_key_and_the_rest_does_not() -> None:
    assert SPEC.key("verilator=2") != SPEC.key(VERSIONS)
    assert ModelSpec(hardware=HardwareConfig()).key(VERSIONS) == SPEC.key(VERSIONS)


def test_contents_of_sources_count_and_not_their_place(tmp_path: Path) -> None:
    copy = _copy_of_rtl(tmp_path)
    patched = dataclasses.replace(SPEC, rtl=copy)
    assert patched.key(VERSIONS) == SPEC.key(VERSIONS), "a checkout in another folder would build everything again"
    source = copy / "core" / "vx_alu.sv"
    source.write_text(source.read_text(encoding="utf-8") + "// changed\n", encoding="utf-8")
    assert patched.key(VERSIONS) != SPEC.key(VERSIONS)


def test_the_key_names_the_shape() -> None:
    assert SPEC.key(VERSIONS).startswith("1x1c4w4t-fast-")


def test_forbidden_options_are_not_used() -> None:
    for kind in ModelKind:
        assert "--public-flat-rw" not in dataclasses.replace(SPEC, kind=kind).verilator_args()


def test_only_a_debug_model_can_be_forced_or_traced() -> None:
    fast, debug = SPEC, dataclasses.replace(SPEC, kind=ModelKind.DEBUG)
    assert not any(path.name == "forceable.vlt" for path in fast.verilog_sources())
    assert any(path.name == "forceable.vlt" for path in debug.verilog_sources())
    assert "--trace-fst" in debug.verilator_args() and "--trace-fst" not in fast.verilator_args()


def test_packages_come_before_modules() -> None:
    names = [path.name for path in SPEC.rtl_files()]
    packages = [name for name in names if name.endswith("_pkg.sv")]
    assert names[: len(packages)] == packages and packages[:2] == ["vx_pkg.sv", "vx_trace_pkg.sv"]


def test_a_failing_build_says_step_log_and_error_and_leaves_nothing_finished(tmp_path: Path) -> None:
    copy = _copy_of_rtl(tmp_path)
    (copy / "Vortex_axi.sv").write_text("module Vortex_axi; this is no verilog endmodule\n", encoding="utf-8")
    models = tmp_path / "models"
    with pytest.raises(BuildError) as raised:
        build(dataclasses.replace(SPEC, rtl=copy), models=models)
    text = str(raised.value)
    assert text.startswith("Verilator failed with exit code 1; log: ")
    log = Path(text.split("log: ")[1].splitlines()[0])
    assert "%Error" in text and "Vortex_axi.sv" in text and log.is_file()
    assert not list(models.rglob("done.json"))


def test_a_missing_compiler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolError, match=r"`g\+\+` .* is not installed; install it with: apt-get install g\+\+"):
        Toolchain.find()


def test_parallel_users_get_one_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds: list[str] = []

    def slow_build(spec: ModelSpec, key: str, folder: Path, *rest: object) -> None:
        builds.append(key)
        folder.mkdir(parents=True)
        threading.Event().wait(0.3)
        (folder / "done.json").write_text("{}", encoding="utf-8")

    monkeypatch.setattr(model_module, "_build", slow_build)
    results: list[Model] = []
    threads = [threading.Thread(target=lambda: results.append(build(SPEC, models=tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 1
    assert len(results) == 4 and len(set(results)) == 1
