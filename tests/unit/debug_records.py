"""A small run made by hand, with everything that pictures show: for tests of recordings and timelines.

Two warps of one CTA on core 0, four lanes. Cycle numbers are round, so that expectations can be read off.

    warp 0, uid 0  addi a0, zero, 5      decoded 102 issued 105 committed 108
            uid 1  lw   a1, 0(a0)        decoded 104 issued 110 committed 160   misses: AXI id 3, 115 to 150
            uid 2  add  a2, a1, a0       decoded 106 issued 161 committed 164   waits for a1
            uid 3  sw   a2, 64(a0)       decoded 108 issued 170 committed 172
            uid 4  bar  (SYNC)           decoded 110 issued 175 committed 176
            uid 5  tmc  zero             decoded 205 issued 207 committed 209   fetched after the barrier
    warp 1, uid 0  bar  (SYNC)           decoded 103 issued 200 committed 201   lets both go
            uid 1  lw   a3, 64(a0)       decoded 210 issued 212 committed 216   hits
            uid 2  tmc  zero             decoded 214 issued 220 committed 222
"""

from __future__ import annotations

from pathlib import Path

from golden_model.isa.asm import assemble
from golden_model.records.layout import AxiChannel, BarrierOp, CommitFlag, CtaEvent, Kind, MemoryOp, RunEvent
from golden_model.records.ring import RingReader, RingWriter
from hw.tb.debug.recording import RecordingWriter

LANES = 4
BASE = 0x8000_0000
LINE = 0x1_0000  # address of lane 0 of the load
SINGLE = CommitFlag.FIRST | CommitFlag.LAST


def words(source: str) -> list[int]:
    """Instruction words of a piece of assembly."""
    code = assemble(source)
    return [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]


class HandMade:
    """Writes records into a ring and from there into a recording."""

    def __init__(self, folder: Path, lanes: int = LANES) -> None:
        self.ring = folder / "ring.bin"
        self.writer = RingWriter(self.ring, lanes)
        self.lanes = lanes

    def commit(
        self, warp: int, uid: int, pc: int, word: int, times: tuple[int, int, int], *,
        rd: int = 0, data: list[int] | None = None, core: int = 0, mask: int = 15, flags: int = SINGLE,
        wmask: int | None = None, next_pc: int = 0, next_mask: int = 0,
    ) -> None:  # fmt: skip
        decode, issue, cycle = times
        self.writer.write(
            Kind.COMMIT, cycle=cycle, uid=uid, core=core, warp=warp, launch=1, decode_cycle=decode, issue_cycle=issue,
            pc=pc, tmask=mask, wmask=(mask if data else 0) if wmask is None else wmask, instr=word, flags=flags, rd=rd,
            rd_file=1 if data else 0, data=data or [0] * self.lanes, next_pc=next_pc, next_mask=next_mask,
        )  # fmt: skip

    def run_event(self, cycle: int, event: RunEvent) -> None:
        self.writer.write(Kind.RUN, cycle=cycle, event=event, launch=1)

    def cta(self, cycle: int, event: CtaEvent, **fields: object) -> None:
        self.writer.write(Kind.CTA, cycle=cycle, event=event, launch=1, **fields)

    def record(self, folder: Path) -> Path:
        with RecordingWriter(folder, self.lanes, xlen=32) as recording:
            recording.observe(RingReader(self.ring).read())
        return folder


def two_warps(folder: Path, *, sum_of: int = 47, shift: int = 0) -> Path:
    """The run of the module's docstring; `sum_of` is the result of uid 2 in lane 0, `shift` delays everything."""
    made = HandMade(folder)
    code = words("addi a0, zero, 5\nlw a1, 0(a0)\nadd a2, a1, a0\nsw a2, 64(a0)\nlw a3, 64(a0)\nbar a0, a1\ntmc zero")
    addi, load, add, store, reload, bar, end = code
    addresses = [LINE + 4 * lane for lane in range(4)]
    stored = [address + 64 for address in addresses]
    s = shift
    made.run_event(10 + s, RunEvent.RESET)
    made.run_event(90 + s, RunEvent.START)
    made.cta(98 + s, CtaEvent.ACCEPT, slot=2, num_warps=2, block_x=7, block_y=1, lmem_addr=0xFF00_0000)
    made.cta(99 + s, CtaEvent.WARP_START, warp=0, uid=0, slot=2, rank=0, pc=BASE, tmask=15)
    made.cta(100 + s, CtaEvent.WARP_START, warp=1, uid=0, slot=2, rank=1, pc=BASE, tmask=15)
    made.commit(0, 0, BASE, addi, (102 + s, 105 + s, 108 + s), rd=10, data=[5] * 4)
    made.writer.write(
        Kind.MEMORY, cycle=111 + s, uid=1, warp=0, launch=1, mask=15, op=MemoryOp.LOAD, size=4, addr=addresses
    )
    axi = {"id": 3, "size": 6, "last": 1}
    made.writer.write(Kind.AXI, cycle=115 + s, channel=AxiChannel.AR, addr=LINE, **axi)
    made.writer.write(Kind.AXI, cycle=150 + s, channel=AxiChannel.R, **axi)
    made.commit(0, 1, BASE + 4, load, (104 + s, 110 + s, 160 + s), rd=11, data=[42, 43, 44, 45])
    made.commit(0, 2, BASE + 8, add, (106 + s, 161 + s, 164 + s), rd=12, data=[sum_of, 48, 49, 50])
    made.writer.write(
        Kind.MEMORY, cycle=171 + s, uid=3, warp=0, launch=1, mask=15, op=MemoryOp.STORE, size=4, addr=stored,
        data=[sum_of, 48, 49, 50],
    )  # fmt: skip
    made.commit(0, 3, BASE + 12, store, (108 + s, 170 + s, 172 + s))
    made.writer.write(Kind.BARRIER, cycle=175 + s, uid=4, warp=0, launch=1, id=2, count=2, op=BarrierOp.SYNC)
    made.commit(0, 4, BASE + 16, bar, (110 + s, 175 + s, 176 + s))
    made.writer.write(Kind.BARRIER, cycle=200 + s, uid=0, warp=1, launch=1, id=2, count=2, released=3)
    made.commit(1, 0, BASE + 16, bar, (103 + s, 200 + s, 201 + s))
    made.commit(0, 5, BASE + 20, end, (205 + s, 207 + s, 209 + s), flags=SINGLE | CommitFlag.CONTROL)
    made.cta(209 + s, CtaEvent.WARP_END, warp=0, uid=6, slot=2)
    made.writer.write(
        Kind.MEMORY, cycle=213 + s, uid=1, warp=1, launch=1, mask=15, op=MemoryOp.LOAD, size=4, addr=stored
    )
    made.commit(1, 1, BASE + 24, reload, (210 + s, 212 + s, 216 + s), rd=13, data=[sum_of, 48, 49, 50])
    made.commit(1, 2, BASE + 20, end, (214 + s, 220 + s, 222 + s), flags=SINGLE | CommitFlag.CONTROL)
    made.cta(222 + s, CtaEvent.WARP_END, warp=1, uid=3, slot=2)
    made.cta(223 + s, CtaEvent.RETIRE, slot=2)
    made.run_event(230 + s, RunEvent.BUSY_FALL)
    return made.record(folder / "recording")
