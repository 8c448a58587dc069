"""Command sequences: the RTL device against the golden one; random ones for a share of the time of `make test`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from golden_model.device.sequences import layout
from golden_model.device.sequences.commands import (
    AwaitLaunch,
    Command,
    Dispatch,
    Do,
    Observe,
    Reset,
    WriteVram,
    write_named,
)
from golden_model.device.sequences.programs import PRIVATE_ADDR, Program
from tests.cosim.bar.campaign import Figures, campaign, run_sequence
from tests.cosim.bar.executor import RtlExecutor
from tests.cosim.bar.model import Library, build
from tests.cosim.bar.rtl import Difference

SECONDS = 40
FIRST = 0


@pytest.fixture(scope="module")
def bar() -> Library:
    return build()


def test_random_sequences(bar: Library, report_figure: Callable[[str], None]) -> None:
    figures = campaign(bar, range(FIRST, FIRST + 10_000), seconds=SECONDS)
    report_figure(f"BAR device, RTL against golden: seeds {FIRST} to {FIRST + figures.sequences - 1}: {figures}")
    assert not figures.failures, figures.failures[0]
    for choice in ("ACCEPTED", "TABLE_BAD", "DONE", "FAULT", "DMA_PIECE", "DMA_END", "DCR_ANSWER"):
        assert figures.choices[choice], f"no sequence reached {choice}"


@pytest.mark.parametrize("target", [layout.VRAM_FAILS.start, layout.VRAM_FAILS.stop - 4])
def test_fetch_from_failing_memory(bar: Library, target: int) -> None:
    """Both devices say: a bus error on a read, at the PC."""
    addresses = [Do(write_named(f"{name}_LO", target)) for name in ("KERNEL_ADDR", "STARTUP_ADDR")]
    launch: list[Command] = [Do(write_named("DISPATCH", 1)), Do(AwaitLaunch()), Observe()]
    figures = Figures()
    commands = [Reset(), Dispatch(Program.STORE, vortex=False), Do(AwaitLaunch()), *addresses, *launch]
    assert run_sequence(bar, 1, commands, figures) is None
    assert figures.choices["DONE"] == 1 and figures.choices["FAULT"] == 1


@pytest.mark.parametrize("memory", ["VRAM", "private memory", "host memory"])
def test_what_a_sequence_leaves_is_compared(bar: Library, memory: str) -> None:
    executor = RtlExecutor(bar.functions, 1)
    device = executor.device
    if memory == "host memory":
        device.host.write(layout.HOST.stop - 1, b"\1")
    elif memory == "VRAM":
        device.vram.write(layout.RELEASE.start, b"\1")
    else:
        device.memory.private.write(PRIVATE_ADDR, b"\1")
    with pytest.raises(Difference, match=f"{memory} at .* after the sequence"):
        executor.run([])
    executor.close()


def test_what_an_aborted_launch_leaves_is_judged(bar: Library) -> None:
    """A word that is neither what it was when the launch began nor what it can become."""
    executor = RtlExecutor(bar.functions, 1)
    overwrite = Do(WriteVram(layout.ARGS_OFFSET, b"\1\2\3\4"))
    for command in (Reset(), Dispatch(Program.LOOP), Do(AwaitLaunch()), overwrite):
        for action in command.actions():
            executor.perform(action)
    executor.device.vram.write(layout.ARGS_OFFSET, b"\5\6\7\x08")
    with pytest.raises(Difference, match="aborted launch left 01020304 at 0x6003 of VRAM"):
        executor.perform(write_named("GLOBAL_CTRL", 2))
    executor.close()
