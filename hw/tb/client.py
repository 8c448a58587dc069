"""Runs a host program inside a cocotb test: builds the environment, resets the design, hands the client a backend.

```python
@cocotb.test()
async def my_test(dut):
    result = await run_client(dut, lambda backend: host_program(Device(backend)), backend="cosim")
```
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from cocotb.task import bridge
from cocotb.triggers import ValueChange
from pyuvm import ConfigDB, uvm_root, uvm_test

from config import LaunchPath, RunConfig
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.backend import SimulatedBackend
from hw.tb.bar_host import BarJudge, BarServer, SimulatedBarBackend
from hw.tb.checker import Checker
from hw.tb.debug.recording import META, RECORDING, RecordingWriter
from hw.tb.device_server import DeviceServer
from hw.tb.env import CONFIG_KEY, EnvConfig, VortexEnv
from hw.tb.run.settings import RunSettings
from hw.tb.top.harness import Harness
from sw.runtime.backend import Backend, register_backend
from sw.runtime.bar import LaunchMode

ResultT = TypeVar("ResultT")
_CLIENT_KEY = "VX_CLIENT"

BACKENDS = ("rtl", "cosim")


@dataclasses.dataclass(frozen=True)
class BarOptions:
    """How the host works on the BARs.

    Attributes:
        mode: Vortex mode with an image table, or raw mode.
        skew: bytes behind a multiple of 64 at which ranges begin in VRAM.
    """

    mode: LaunchMode = LaunchMode.VORTEX
    skew: int = 0


@dataclasses.dataclass
class _Client:
    """The host program and what became of it."""

    function: Callable[[Backend], Any]
    backend: str
    prepare: Callable[[VortexEnv], None]
    recording: RecordingWriter | None
    bar: BarJudge | None  # of a client that works through the BARs
    options: BarOptions
    done: bool = False
    result: Any = None
    error: BaseException | None = None


class ClientTest(uvm_test):
    """UVM test that runs one client. Its outcome is in the client, because UVM swallows both results and errors."""

    env: VortexEnv

    def build_phase(self) -> None:
        self.env = VortexEnv("env", self)

    def connect_phase(self) -> None:
        client: _Client = ConfigDB().get(None, "", _CLIENT_KEY)
        if client.recording is not None:
            self.env.hub.watch(client.recording.observe)

    async def run_phase(self) -> None:
        client: _Client = ConfigDB().get(None, "", _CLIENT_KEY)
        self.raise_objection()
        try:
            if client.bar is not None:
                await self._run_on_bars(client, client.bar)
            else:
                server = DeviceServer(self.env)
                await server.start()
                client.prepare(self.env)
                backend = SimulatedBackend(client.backend, self.env.config.run, server)
                register_backend(client.backend, lambda config: backend)  # for clients that open a device by name
                client.result = await _in_thread(lambda: client.function(backend))
            client.done = True
        except Exception as error:
            client.error = error
        finally:
            self.drop_objection()

    async def _run_on_bars(self, client: _Client, judge: BarJudge) -> None:
        server = BarServer(self.env, judge)
        await server.start()
        client.prepare(self.env)

        def run() -> Any:  # opening the device needs its registers, so it happens in the client's thread
            config, options = self.env.config.run, client.options
            backend = SimulatedBarBackend(client.backend, config, server, self.env, options.mode, options.skew)
            register_backend(client.backend, lambda config: backend)
            return client.function(backend)

        client.result = await _in_thread(run)


async def _in_thread(function: Callable[[], Any]) -> Any:
    """cocotb's bridge wants a function of its own, no partial or method."""

    def run() -> Any:
        return function()

    return await bridge(run)()


async def run_client(
    dut: Any,
    function: Callable[[Backend], ResultT],
    backend: str = "cosim",
    *,
    path: LaunchPath = LaunchPath.KMU,
    policy: MemoryPolicy | None = None,
    prepare: Callable[[VortexEnv], None] = lambda env: None,
    bar: BarOptions | None = None,
    config: RunConfig | None = None,
) -> ResultT:
    """Run `function(backend)` to its end on this simulator's design.

    Args:
        dut: the handle that cocotb gives to a test.
        backend: `cosim` (lockstep with the golden model) or `rtl` (free mode: results, counters and bus only).
        path: KMU, or BAR (then the backend is a `SimulatedBarBackend`); one process may run clients on both, one after
            the other.
        policy: memory policy; default is the preset of the run's MEM knob with the run's seed.
        prepare: called after reset and before the client, to arm faults or waves on `env.config.harness`.
        bar: how the client uses the BARs.
        config: the run, in a process that makes several; default is that of the process. Its hardware must be that of
            the model. Memories are cleared first, so that the run does not depend on those before it.

    Raises:
        Whatever the client raised; RuntimeError if it never ran.
    """
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend {backend!r}; known: {', '.join(BACKENDS)}")
    if path is LaunchPath.BOTH:
        raise ValueError("a client runs on one path; call run_client twice for both")
    settings = RunSettings.read()
    run = config or settings.config
    if run.hardware != settings.config.hardware:
        raise ValueError(f"this model is a {settings.config.hardware.label()}, the run wants {run.hardware.label()}")
    harness = Harness(settings.run_dir, lambda: ValueChange(dut.event_toggle))
    if config is not None:
        harness.clear_memories()
    harness.copy_batches = path is LaunchPath.BAR  # who keeps records on the other path copies what it keeps
    judge = None
    if path is LaunchPath.BAR:
        judge = BarJudge(run, harness, lockstep=backend != "rtl", in_tree=run.core is None)
    env = EnvConfig(
        run=run,
        harness=harness,
        policy=policy or MemoryPolicy.preset(run.mem, run.seed),
        checkers=[judge] if judge is not None else _checkers(backend, run),
    )
    with _recording(settings, run, harness) as recording:
        client = _Client(function, backend, prepare, recording, judge, bar or BarOptions())
        await _run_uvm(env, client)
    if client.error is not None:
        raise client.error
    if not client.done:
        raise RuntimeError("the client did not run: the UVM run phase ended without it")
    return client.result  # type: ignore[no-any-return]


async def _run_uvm(env: EnvConfig, client: _Client) -> None:
    root = uvm_root()
    # run_test clears all singletons, ConfigDB among them, unless told to keep it.
    ConfigDB().clear()
    ConfigDB().set(None, "*", CONFIG_KEY, env)
    ConfigDB().set(None, "*", _CLIENT_KEY, client)
    await root.run_test(ClientTest, keep_set={ConfigDB})


@contextmanager
def _recording(settings: RunSettings, run: RunConfig, harness: Harness) -> Iterator[RecordingWriter | None]:
    """With RECORD=1 a recording in the run folder. Clients of one process share it, as they share clock and ring."""
    if not run.record:
        yield None
        return
    folder = settings.run_dir / RECORDING
    append = (folder / META).exists()  # the launcher removed that of an earlier process
    about = {"knobs": run.knobs(), "repeat": run.repro_line()}
    xlen = run.hardware.xlen
    with RecordingWriter(folder, harness.reader.lanes, xlen=xlen, about=about, append=append) as writer:
        yield writer


def _checkers(backend: str, run: RunConfig) -> list[Checker]:
    from hw.tb.scoreboard import cosim_checkers, free_checkers

    return free_checkers(run) if backend == "rtl" else cosim_checkers(run)
