"""Records of runs that do not end, written by hand: a warp's life in a few calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config import EntryGeneration, HardwareConfig
from golden_model import Launch
from golden_model.barrier import GLOBAL_BIT
from golden_model.hang import HangReport, explain_hang
from golden_model.launch import dcr_writes
from golden_model.records.layout import AxiChannel, BarrierOp, CommitFlag, CtaEvent, Kind, MemoryOp, RunEvent
from golden_model.records.ring import Batch, RingWriter
from tests.unit.fake_hardware import to_array

CODE = 0x8000_0000
GIVEN_UP = 100_000
NOP, LOAD_A5, JUMP_TO_SELF = 0x0000_0013, 0x0005_2783, 0x0000_006F  # addi x0,x0,0; lw a5,0(a0); j .


@dataclass
class Story:
    """Collects records in the order of the calls; `cycle` is that of the next one."""

    config: HardwareConfig = field(default_factory=HardwareConfig)
    cycle: int = 100
    rows: dict[Kind, list[dict[str, Any]]] = field(default_factory=lambda: {kind: [] for kind in Kind})
    seq: int = 0
    uids: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, kind: Kind, **fields: Any) -> None:
        self.rows[kind].append({"seq": self.seq, "cycle": self.cycle, **fields})
        self.seq += 1
        self.cycle += 1

    def launch(self, grid: int = 1, block: int = 16, lmem: int = 0) -> None:
        """The launch registers and START."""
        wanted = Launch(CODE, CODE, grid=(grid, 1, 1), block=(block, 1, 1), lmem=lmem)
        for address, value in dcr_writes(wanted, self.config, EntryGeneration.CTA_ENTRY):
            self.add(Kind.RUN, event=RunEvent.DCR_WRITE, addr=address, data=value)
        self.add(Kind.RUN, event=RunEvent.START)

    def accept(self, block: int, warps: list[int], slot: int = 0, core: int = 0, of: int | None = None) -> None:
        """A CTA of `of` warps (default: those that start) gets its slot, and these warps start."""
        common = {"core": core, "slot": slot}  # the design names block and size in the ACCEPT record only
        self.add(Kind.CTA, event=CtaEvent.ACCEPT, block_x=block, num_warps=of or len(warps), **common)
        for rank, warp in enumerate(warps):
            uid = self.uids.setdefault((core, warp), 0)
            place = {"warp": warp, "uid": uid, "pc": CODE, "tmask": 15}
            self.add(Kind.CTA, event=CtaEvent.WARP_START, rank=rank, **place, **common)

    def end(self, warp: int, slot: int = 0, core: int = 0) -> None:
        self.add(Kind.CTA, event=CtaEvent.WARP_END, core=core, warp=warp, slot=slot)

    def retire(self, slot: int = 0, core: int = 0) -> None:
        self.add(Kind.CTA, event=CtaEvent.RETIRE, core=core, slot=slot)

    def issue(self, warp: int, core: int = 0) -> int:
        """The number of the warp's next instruction, which does not commit by this."""
        uid = self.uids[core, warp]
        self.uids[core, warp] = uid + 1
        return uid

    def commit(self, warp: int, pc: int, instr: int = NOP, to: int | None = None, core: int = 0, **more: Any) -> int:
        uid = self.issue(warp, core)
        flags = CommitFlag.FIRST | CommitFlag.LAST | (CommitFlag.CONTROL if to is not None else 0)
        control = {"next_pc": to, "next_mask": 15} if to is not None else {}
        place = {"core": core, "warp": warp, "uid": uid, "pc": pc, "tmask": 15, "instr": instr, "flags": flags}
        self.add(Kind.COMMIT, **{**place, **control, **more})
        return uid

    def memory(self, warp: int, op: MemoryOp, address: int, uid: int, core: int = 0) -> None:
        addresses = [address] * self.config.num_threads
        self.add(Kind.MEMORY, core=core, warp=warp, uid=uid, op=op, size=4, mask=15, addr=addresses)

    def barrier(
        self, warp: int, count: int, released: int = 0, number: int = 0, slot: int = 0, core: int = 0, phase: int = 0
    ) -> None:
        """BAR at pc CODE + 0x40, committed."""
        word = {"id": slot | number << 8, "count": count, "op": BarrierOp.SYNC, "phase": phase, "released": released}
        self.add(Kind.BARRIER, core=core, warp=warp, uid=self.uids[core, warp], **word)
        self.commit(warp, CODE + 0x40, core=core)

    def barrier_across(self, warp: int, core: int) -> None:
        word = {"id": GLOBAL_BIT, "count": 2, "op": BarrierOp.SYNC}
        self.add(Kind.BARRIER, core=core, warp=warp, uid=self.uids[core, warp], **word)
        self.commit(warp, CODE + 0x40, core=core)

    def read(self, address: int, number: int, answered: bool) -> None:
        self.add(Kind.AXI, channel=AxiChannel.AR, id=number, addr=address)
        if answered:
            self.add(Kind.AXI, channel=AxiChannel.R, id=number, addr=address, last=1)

    def batch(self) -> Batch:
        return {kind: to_array(kind, rows, self.config.num_threads) for kind, rows in self.rows.items()}


def write_ring(path: Path, batches: list[Batch], lanes: int) -> None:
    """A ring file as a simulator leaves it behind."""
    records = [(int(row["seq"]), kind, row) for batch in batches for kind in batch for row in batch[kind]]
    writer = RingWriter(path, lanes, capacity=8192)
    for _, kind, row in sorted(records, key=lambda item: item[0]):
        writer.append(kind, row.reshape(1))
    writer.close()


def explain(story: Story, cycle: int = GIVEN_UP) -> HangReport:
    report = explain_hang(story.batch(), story.config, cycle=cycle)
    print(report.render())
    return report


def started(warps: int = 4, grid: int = 1) -> Story:
    story = Story()
    story.launch(grid=grid, block=warps * 4)
    story.accept(0, list(range(warps)))
    for warp in range(warps):
        story.commit(warp, CODE)
    return story
