"""A golden machine that plays the hardware: it runs kernels with random timing and writes the records of a design.

Instructions are issued in program order per warp, memory is accessed in issue order, results are committed out of
order in one or several packets, and CTAs go to random cores and warps. Everything comes from one seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from config import EntryGeneration, HardwareConfig
from golden_model import Launch, Machine, Step
from golden_model.isa.asm import assemble_with_labels
from golden_model.isa.instruction import Unit
from golden_model.memory import Memory
from golden_model.records.layout import CommitFlag, CtaEvent, Kind, MemoryOp, MemorySpace, RegisterFile, dtype
from golden_model.records.ring import Batch, Records
from golden_model.step import Adoption, MemoryAccess
from golden_model.warp import Warp

BASE = 0x8000_0000
ARGS = 0x2_0000
DATA = 0x3_0000
OUT = 0x4_0000
BUFFER_SIZE = 0x1_0000

_LOAD_LATENCY, _DIVIDER_LATENCY, _ALU_LATENCY = (3, 60), (8, 40), (1, 6)

_MOST_CYCLES = 200_000


@dataclass(frozen=True)
class Image:
    """An assembled program in the shape that `Machine.load_image` wants."""

    min_vma: int
    max_vma: int
    image: bytes
    kernels: dict[str, int]
    labels: dict[str, int]


def build_image(body: str) -> Image:
    """Entry code with the dispatch window, then `body`, which defines the label `kernel` (called with a0 = ARGS)."""
    source = f"""
        csrr s10, active_threads
        csrw mtvec, s10
        li t0, -1
        tmc t0
        csrr t0, mhartid
        slli t0, t0, 13
        li sp, 0xffff0000
        sub sp, sp, t0
        csrr s10, mtvec
        tmc s10
        csrr s11, cta_entry
        csrr a0, mscratch
        jalr ra, 0(s11)
        wsync
        tmc zero
        {body}
    """
    code, labels = assemble_with_labels(source, BASE)
    return Image(BASE, BASE + len(code), code, {"kernel": labels["kernel"]}, labels)


def input_data(seed: int) -> bytes:
    """What the host puts into the input buffer."""
    return np.random.default_rng(seed).integers(0, 256, BUFFER_SIZE, dtype=np.uint8).tobytes()


def prepare(
    config: HardwareConfig,
    image: Image,
    seed: int,
    memory: memoryview | None = None,
    cores_memory: Memory | None = None,
) -> Machine:
    """A machine with the image, and input data and output buffer of the host; `memory` holds its bytes if given."""
    machine = Machine(config, EntryGeneration.CTA_ENTRY, memory, memory=cores_memory)
    machine.load_image(image)
    machine.write(DATA, input_data(seed))
    machine.write(OUT, bytes(BUFFER_SIZE))
    machine.write(ARGS, DATA.to_bytes(4, "little") + OUT.to_bytes(4, "little"))
    machine.host_buffers.add(DATA, BUFFER_SIZE)
    machine.host_buffers.add(OUT, BUFFER_SIZE)
    return machine


@dataclass
class _Busy:
    """When the instructions of one warp that are under way will have committed."""

    ready: int = 0  # cycle from which the warp may issue again
    all_done: int = 0
    memory_done: int = 0
    committed_until: int = 0


@dataclass
class FakeHardware:
    """Runs launches on `machine` and collects records.

    `bug` may change a step after it was executed, or the machine before the next one: a fault in the hardware.
    `mutate` may change the records of a launch. `shadow` is the number of instructions that are still issued behind
    one that faults.
    """

    machine: Machine
    seed: int
    bug: Callable[[FakeHardware, Step], None] | None = None
    max_packets: int = 3
    shadow: int = 0
    mutate: Callable[[dict[Kind, list[dict[str, Any]]]], None] | None = None
    rows: dict[Kind, list[dict[str, Any]]] = field(default_factory=lambda: {kind: [] for kind in Kind})
    cycle: int = 100
    seq: int = 0
    retired: list[int] = field(default_factory=list)
    steps: int = 0
    spawned: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.retired = [0 for _ in self.machine.cores]
        # Registers that were never written hold anything.
        for warp in self._warps():
            for register in range(1, 32):
                warp.regs[register] = [self.random.getrandbits(32) for _ in range(warp.num_lanes)]

    def _warps(self) -> list[Warp]:
        return [warp for core in self.machine.cores for warp in core.warps]

    # ------------------------------------------------------------------ running

    def launch(self, launch: Launch) -> list[Batch]:
        """Run one launch to its end; returns its records in batches of whole cycles."""
        machine = self.machine
        machine.launch(launch)
        begin = self.cycle
        busy = {warp: _Busy(self.cycle) for warp in self._warps()}
        while machine.busy:
            if self.cycle - begin > _MOST_CYCLES:
                raise AssertionError("the kernel of this test does not end")
            self.cycle += self.random.choice((0, 1, 1, 1, 2))
            self._dispatch(busy)
            ready = [
                warp for warp in self._warps() if warp.tmask and not warp.blocked and busy[warp].ready <= self.cycle
            ]
            if ready:
                self._issue(self.random.choice(ready), busy)
        self.cycle = max(entry.all_done for entry in busy.values()) + 5
        return self._batches()

    def _dispatch(self, busy: dict[Warp, _Busy]) -> None:
        machine = self.machine
        for core in machine.cores:
            free = [warp for warp in core.warps if not warp.tmask and busy[warp].ready <= self.cycle]
            if core.dispatcher.pending is not None and free:
                start = core.start_warp(self.random.choice(free).wid)
                self._record(
                    Kind.CTA, self.cycle, core=core.core_id, warp=start.warp, event=CtaEvent.WARP_START,
                    slot=start.slot, rank=start.rank, pc=start.pc, uid=core.warps[start.warp].uid, tmask=start.tmask,
                )  # fmt: skip
                busy[core.warps[start.warp]].ready = self.cycle + 2
                self.cycle += 1
        takers = [core.core_id for core in machine.cores if machine.can_accept(core.core_id)]
        if takers:
            accept = machine.accept_cta(self.random.choice(takers))
            x, y, z = accept.cta.block_idx
            self._record(
                Kind.CTA, self.cycle, core=accept.core, event=CtaEvent.ACCEPT, slot=accept.slot,
                lmem_addr=accept.lmem_addr, num_warps=accept.num_warps, block_x=x, block_y=y, block_z=z,
                first_of_cluster=accept.cta.first_of_cluster,
            )  # fmt: skip
            self.cycle += 1

    def _issue(self, warp: Warp, busy: dict[Warp, _Busy]) -> None:
        state = busy[warp]
        warp.core.mcycle = self.cycle
        choice = self._choice(warp)
        step = warp.step(choice)
        if step.retry:
            state.ready = self.cycle + 1
            return
        self.steps += 1
        if step.name == "wspawn":
            self._spawned(warp, busy)
        if step.barrier is not None:  # a barrier waits until the LSU has answered everything before it
            self.cycle = max(self.cycle, state.memory_done + 1)
        if step.name == "wsync":
            self.cycle = max(self.cycle, state.all_done + 1)
        if self.bug is not None:
            self.bug(self, step)
        issued = self.cycle
        committed = issued + 1 + self._latency(step)
        if step.fault is None or step.name != "fetch":
            self._commit(step, issued, committed)
        state.all_done = max(state.all_done, committed + self.max_packets)
        if step.memory is not None:
            state.memory_done = max(state.memory_done, committed + self.max_packets)
            if step.memory.op == MemoryOp.ATOMIC:
                self._atomic(step, choice, issued + 1)
            else:
                self._memory(step, issued + 1)
        if step.fault is not None:
            # Whatever was issued behind it has left the pipeline before the warp ends.
            self._record(
                Kind.FAULT, committed, core=step.core, warp=step.warp, uid=step.uid, pc=step.pc,
                addr=step.fault.addr, kind=step.fault.kind, tmask=step.tmask,
            )  # fmt: skip
            state.all_done = max(state.all_done, self._shadow(warp, step, committed))
            committed = state.all_done
        if step.ipdom is not None:
            event = step.ipdom
            self._record(
                Kind.IPDOM, issued + 1, core=step.core, warp=step.warp, uid=step.uid, op=event.op, sp=event.sp,
                mask=event.mask, pc=event.pc,
            )  # fmt: skip
        if step.barrier is not None:
            bar = step.barrier
            self._record(
                Kind.BARRIER, issued, core=step.core, warp=step.warp, uid=step.uid, op=bar.op, id=bar.id,
                count=bar.count, phase=bar.phase, released=bar.released,
            )  # fmt: skip
            self.cycle += 1
        state.ready = committed + 1 if step.is_control or step.barrier is not None else issued + 1
        if step.warp_ended:
            end = committed + 1
            self._record(Kind.CTA, end, core=step.core, warp=step.warp, event=CtaEvent.WARP_END, slot=step.slot)
            if step.retired_slot is not None:
                self._record(Kind.CTA, end + 1, core=step.core, event=CtaEvent.RETIRE, slot=step.retired_slot)
            state.ready = end + 2
            self.cycle = end + 2

    def _choice(self, warp: Warp) -> Adoption | None:
        """Atomics serve their lanes in any order, and an SC may fail without a reason."""
        op = self.machine.code.by_pc.get(warp.pc) or self.machine.code.fetch(warp.pc)[1]
        if op is None or op.instruction.unit is not Unit.ATOMIC:
            return None
        order = tuple(self.random.sample(warp.lanes, len(warp.lanes)))
        return Adoption(lane_order=order, sc_failed=1 << order[0] if self.random.random() < 0.5 else 0)

    def _atomic(self, step: Step, choice: Adoption | None, cycle: int) -> None:
        """One record per lane, in the order of the lanes; an SC that stores nothing has one without lanes."""
        access = step.memory
        assert access is not None and choice is not None and choice.lane_order is not None
        for lane in [lane for lane in choice.lane_order if access.mask >> lane & 1]:
            self._memory(replace(step, memory=replace(access, mask=1 << lane)), cycle)
        if not access.mask:
            self._memory(step, cycle)

    def _spawned(self, spawner: Warp, busy: dict[Warp, _Busy]) -> None:
        for warp in spawner.core.warps:
            if warp is not spawner and warp.tmask:
                self._record(
                    Kind.CTA, self.cycle, core=warp.core.core_id, warp=warp.wid, event=CtaEvent.SPAWN, uid=warp.uid,
                    pc=warp.pc, tmask=warp.tmask, slot=warp.slot,
                )  # fmt: skip
                busy[warp].ready = self.cycle + 2
                self.spawned += 1

    def _shadow(self, warp: Warp, step: Step, cycle: int) -> int:
        """Instructions behind a fault: they commit, and what they do must not be looked at."""
        for number in range(self.shadow):
            # They were issued before the fault was known, and may commit before and after its record.
            committed = max(self.cycle + 1, cycle + self.random.randint(-3, 6))
            junk = replace(
                step, uid=warp.uid, pc=step.pc + 4 + 4 * number, fault=None, wmask=warp.full_mask, rd=5,
                rd_file=RegisterFile.INTEGER, result=self._garbage([], 0), warp_ended=False, is_control=False,
            )  # fmt: skip
            if number % 2:
                junk.memory = MemoryAccess(MemoryOp.STORE, MemorySpace.GLOBAL, 4, 1, self._garbage([], 0), [1, 2, 3, 4])
                self._memory(junk, self.cycle + 1 + number)
            self._commit(junk, self.cycle, committed + number)
            cycle = max(cycle, committed + number + self.max_packets)
            warp.uid += 1
        return cycle

    def _latency(self, step: Step) -> int:
        if step.memory is not None and step.memory.op == MemoryOp.LOAD:
            return self.random.randint(*_LOAD_LATENCY)
        if step.name.startswith(("div", "rem")):
            return self.random.randint(*_DIVIDER_LATENCY)
        return self.random.randint(*_ALU_LATENCY)

    # ------------------------------------------------------------------ records

    def _record(self, to: Kind, at: int, **fields: object) -> None:
        self.rows[to].append({"cycle": at, "launch": self.machine.launch_id, **fields})

    def _garbage(self, values: list[int], mask: int) -> list[int]:
        """Lanes outside the mask carry anything."""
        lanes = self.machine.config.num_threads
        return [values[lane] if values and mask >> lane & 1 else self.random.getrandbits(32) for lane in range(lanes)]

    def _commit(self, step: Step, issued: int, committed: int) -> None:
        self.retired[step.core] += 1
        packets = self._packets(step)
        for number, wmask in enumerate(packets):
            last = number == len(packets) - 1
            flags = (CommitFlag.FIRST if number == 0 else 0) | (CommitFlag.LAST if last else 0)
            control = last and step.is_control
            self._record(
                Kind.COMMIT, committed + number, core=step.core, warp=step.warp, uid=step.uid, decode_cycle=issued,
                issue_cycle=issued, pc=step.pc, instr=step.instr, tmask=step.tmask, slot=step.slot, wmask=wmask,
                rd=step.rd if step.wmask else self.random.randrange(32), rd_file=step.rd_file,
                flags=flags | (CommitFlag.CONTROL if control else 0), data=self._garbage(step.result, wmask),
                next_pc=step.next_pc if control else self.random.getrandbits(32),
                next_mask=step.next_mask if control else 0, fflags=step.fflags if last else 0,
            )  # fmt: skip

    def _packets(self, step: Step) -> list[int]:
        """Write masks of the packets: lane groups that finish separately."""
        if step.rd_file == RegisterFile.NONE or self.max_packets == 1 or self.random.random() < 0.5:
            return [step.wmask]
        masks = [0] * self.random.randint(1, self.max_packets)
        for lane in range(self.machine.config.num_threads):
            masks[self.random.randrange(len(masks))] |= step.wmask & 1 << lane
        return masks

    def _memory(self, step: Step, cycle: int) -> None:
        access = step.memory
        assert access is not None
        self._record(
            Kind.MEMORY, cycle, core=step.core, warp=step.warp, uid=step.uid, op=access.op, space=access.space,
            size=access.size, mask=access.mask, addr=self._garbage(access.addr, access.mask),
            data=self._garbage(access.data, access.mask),
        )  # fmt: skip

    def _batches(self) -> list[Batch]:
        """Everything recorded so far: ordered by cycle, numbered, cut into batches of whole cycles."""
        lanes = self.machine.config.num_threads
        if self.mutate is not None:
            self.mutate(self.rows)
        flat = [(row["cycle"], kind, row) for kind in Kind for row in self.rows[kind]]
        # Within one cycle the kinds come in any order, records of one kind in the order of their events.
        shuffled = {cycle: self.random.sample(list(Kind), len(Kind)) for cycle in {entry[0] for entry in flat}}
        flat.sort(key=lambda entry: (entry[0], shuffled[entry[0]].index(entry[1])))
        batches: list[Batch] = []
        position = 0
        while position < len(flat):
            end = min(len(flat), position + self.random.randint(1, 200))
            while end < len(flat) and flat[end][0] == flat[end - 1][0]:
                end += 1
            chosen: dict[Kind, list[dict[str, Any]]] = {kind: [] for kind in Kind}
            for _, kind, row in flat[position:end]:
                chosen[kind].append({**row, "seq": self.seq})
                self.seq += 1
            batches.append({kind: to_array(kind, rows, lanes) for kind, rows in chosen.items()})
            position = end
        self.rows = {kind: [] for kind in Kind}
        return batches


def to_array(kind: Kind, rows: list[dict[str, Any]], lanes: int) -> Records:
    """Rows of named fields as one structured array; fields that are not named are zero."""
    records = np.zeros(len(rows), dtype(kind, lanes))
    for index, row in enumerate(rows):
        for name, value in row.items():
            records[name][index] = value
    return records
