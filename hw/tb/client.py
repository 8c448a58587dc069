"""Runs a host program inside a cocotb test: builds the environment, resets the design, hands the client a backend.

```python
@cocotb.test()
async def my_test(dut):
    result = await run_client(dut, lambda backend: host_program(Device(backend)), backend="cosim")
```
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from cocotb.task import bridge
from cocotb.triggers import ValueChange
from pyuvm import ConfigDB, uvm_root, uvm_test

from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.backend import SimulatedBackend
from hw.tb.checker import Checker
from hw.tb.device_server import DeviceServer
from hw.tb.env import CONFIG_KEY, EnvConfig, VortexEnv
from hw.tb.run.settings import RunSettings
from hw.tb.top.harness import Harness
from sw.runtime.backend import Backend, register_backend

ResultT = TypeVar("ResultT")
_CLIENT_KEY = "VX_CLIENT"

BACKENDS = ("rtl", "cosim")


@dataclasses.dataclass
class _Client:
    """The host program and what became of it."""

    function: Callable[[Backend], Any]
    backend: str
    prepare: Callable[[VortexEnv], None]
    done: bool = False
    result: Any = None
    error: BaseException | None = None


class ClientTest(uvm_test):
    """UVM test that runs one client. Its outcome is in the client, because UVM swallows both results and errors."""

    env: VortexEnv

    def build_phase(self) -> None:
        self.env = VortexEnv("env", self)

    async def run_phase(self) -> None:
        client: _Client = ConfigDB().get(None, "", _CLIENT_KEY)
        self.raise_objection()
        try:
            server = DeviceServer(self.env)
            await server.start()
            client.prepare(self.env)
            backend = SimulatedBackend(client.backend, self.env.config.run, server)
            register_backend(client.backend, lambda config: backend)  # for clients that open a device by name
            client.result = await bridge(client.function)(backend)
            client.done = True
        except Exception as error:
            client.error = error
        finally:
            self.drop_objection()


async def run_client(
    dut: Any,
    function: Callable[[Backend], ResultT],
    backend: str = "cosim",
    *,
    policy: MemoryPolicy | None = None,
    prepare: Callable[[VortexEnv], None] = lambda env: None,
) -> ResultT:
    """Run `function(backend)` to its end on this simulator's design.

    Args:
        dut: the handle that cocotb gives to a test.
        backend: `cosim` (lockstep with the golden model) or `rtl` (free mode: results, counters and bus only).
        policy: memory policy; default is the preset of the run's MEM knob with the run's seed.
        prepare: called after reset and before the client, to arm faults or waves on `env.config.harness`.

    Raises:
        Whatever the client raised; RuntimeError if it never ran.
    """
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend {backend!r}; known: {', '.join(BACKENDS)}")
    settings = RunSettings.read()
    harness = Harness(settings.run_dir, lambda: ValueChange(dut.event_toggle))
    env = EnvConfig(
        run=settings.config,
        harness=harness,
        policy=policy or MemoryPolicy.preset(settings.config.mem, settings.config.seed),
        checkers=_checkers(backend, settings),
    )
    client = _Client(function, backend, prepare)
    root = uvm_root()
    # run_test clears all singletons, ConfigDB among them, unless told to keep it.
    ConfigDB().clear()
    ConfigDB().set(None, "*", CONFIG_KEY, env)
    ConfigDB().set(None, "*", _CLIENT_KEY, client)
    await root.run_test(ClientTest, keep_set={ConfigDB})
    if client.error is not None:
        raise client.error
    if not client.done:
        raise RuntimeError("the client did not run: the UVM run phase ended without it")
    return client.result  # type: ignore[no-any-return]


def _checkers(backend: str, settings: RunSettings) -> list[Checker]:
    from hw.tb.scoreboard import cosim_checkers, free_checkers

    return free_checkers(settings.config) if backend == "rtl" else cosim_checkers(settings.config)
