"""A workload as mailbox commands: as a script for the bare main, and as steps for the cocotb process."""

from __future__ import annotations

from pathlib import Path

from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.bench.workload import Workload
from hw.tb.top.abi import Op
from hw.tb.top.harness import IDLE_CYCLES, RESET_CYCLES, Step, dcr_read, dcr_write
from sw.runtime import messages as m
from sw.runtime.launch import dcr_writes


def launch_steps(launch: m.Launch, workload: Workload) -> list[Step]:
    """One launch as the KMU agent drives it."""
    hardware = workload.config.hardware
    steps = [dcr_write(write.address, write.value) for write in dcr_writes(launch, hardware.xlen)]
    steps += [Step(Op.START, launch.launch_id), Step(Op.WAIT_RISE, 256), Step(Op.WAIT_QUIESCENT, 8, 0)]
    return steps + [dcr_read(0, core) for core in range(hardware.total_cores)]


def memory_writes(workload: Workload) -> list[tuple[int, bytes]]:
    """Initial contents of memory: (address, bytes), in order."""
    writes = []
    for message in workload.messages:
        if isinstance(message, m.WriteMemory):
            writes.append((message.address, message.data))
        elif isinstance(message, m.LoadImage):
            image = message.image + bytes(message.max_vma - message.min_vma - len(message.image))
            writes.append((message.min_vma, image))
    return writes


def write_script(workload: Workload, policy: MemoryPolicy, records: int, folder: Path) -> Path:
    """Write script, policy and memory contents into `folder`; the bare main runs the returned script."""
    lines = [f"policy {folder / 'policy.bin'}", f"records {records:#x}"]
    (folder / "policy.bin").write_bytes(bytes(policy.to_c()))
    for index, (address, data) in enumerate(memory_writes(workload)):
        path = folder / f"memory{index}.bin"
        path.write_bytes(data)
        lines.append(f"memory {address:#x} {path}")
    lines.append(_line(Step(Op.RESET, RESET_CYCLES, IDLE_CYCLES)))
    for launch in workload.launches:
        lines += ["begin", *(_line(step) for step in launch_steps(launch, workload)), "end"]
    lines.append(f"dump {workload.address:#x} {len(workload.expected)} {folder / 'result.bin'}")
    script = folder / "script.txt"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return script


def _line(step: Step) -> str:
    return f"{step.op.name.lower()} {step.a:#x} {step.b:#x} {step.c:#x}"
