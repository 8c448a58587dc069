"""What the design's records show around a failure. They are those that its ring file still holds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from config import HardwareConfig
from golden_model.follow.compare import register_name
from golden_model.follow.difference import Difference, Transaction
from golden_model.follow.explain import Symbolizer
from golden_model.hang.bus import BLOCK_BYTES
from golden_model.hang.scene import Scene
from golden_model.hang.since_reset import since_reset
from golden_model.isa.disasm import disassemble
from golden_model.records.layout import AxiChannel, CommitFlag, Kind, MemoryOp
from golden_model.records.ring import Batch, Records
from tests.regression.failure.report import BarrierState, Committed, Context, IpdomLevel, Producer, SlotState

HISTORY = 12
_PRODUCERS, _TRANSACTIONS = 4, 4


def context_of(
    batch: Mapping[Kind, Records], config: HardwareConfig, difference: Difference, symbolize: Symbolizer | None
) -> Context:
    """State of the design in the cycle of the difference, and who fed the instruction."""
    past: Batch = {kind: records[records["cycle"] <= difference.cycle] for kind, records in since_reset(batch).items()}
    view = _View(past, config, symbolize)
    scene = Scene(past, config, difference.cycle, 0, symbolize)
    addresses = view.loaded(difference)
    levels = [
        level
        for warp in scene.warps.values()
        if (warp.core, warp.wid) == (difference.core, difference.warp)
        for level in warp.ipdom
    ]
    return Context(
        commits=view.history(difference.core, difference.warp, None),
        producers=tuple(view.producers(addresses, difference)),
        transactions=tuple(view.transactions({address // BLOCK_BYTES * BLOCK_BYTES for _, address in addresses})),
        ipdom=tuple(IpdomLevel(mask, pc, view.name(pc)[0]) for mask, pc in levels),
        barriers=tuple(
            BarrierState(b.name, b.phase, b.arrivals, b.participants, tuple(sorted(b.waiting)))
            for b in scene.barriers
            if b.arrivals or b.waiting or b.phase
        ),
        slots=tuple(SlotState(b.core, b.slot, b.block, b.num_warps, b.started, b.cycle) for b in scene.blocks.resident),
    )


class _View:
    def __init__(self, batch: Batch, config: HardwareConfig, symbolize: Symbolizer | None) -> None:
        self._batch, self._config, self._symbolize = batch, config, symbolize

    def name(self, pc: int) -> tuple[str, str]:
        """Symbol and source line."""
        if self._symbolize is None:
            return "", ""
        symbol, source = self._symbolize(pc)
        return symbol or "", source or ""

    def history(self, core: int | None, warp: int | None, last_uid: int | None) -> tuple[Committed, ...]:
        """The last instructions of a warp, oldest first, up to `last_uid`."""
        commits = self._batch[Kind.COMMIT]
        chosen = commits[(commits["core"] == (core or 0)) & (commits["warp"] == (warp or 0))]
        if core is None or warp is None or not len(chosen):
            return ()
        chosen = chosen[(chosen["flags"] & CommitFlag.LAST) != 0]
        if last_uid is not None:
            chosen = chosen[chosen["uid"] <= last_uid]
        newest = chosen[np.argsort(chosen["uid"], kind="stable")][-HISTORY:]
        return tuple(self._committed(record) for record in newest)

    def loaded(self, difference: Difference) -> list[tuple[int, int]]:
        """(lane, address) that the differing instruction loads, in the lanes that differ."""
        if difference.core is None or difference.warp is None or difference.uid is None:
            return []
        found = []
        for record in self._of(Kind.MEMORY, difference.core, difference.warp, difference.uid):
            if record["op"] not in (MemoryOp.LOAD, MemoryOp.ATOMIC):
                continue
            for lane, address in enumerate(record["addr"].tolist()):
                if int(record["mask"]) >> lane & 1 and (not difference.lanes or lane in difference.lanes):
                    found.append((lane, address))
        return found

    def producers(self, addresses: list[tuple[int, int]], difference: Difference) -> list[Producer]:
        """The last store to each address before the difference, with the history of its warp."""
        memory = self._batch[Kind.MEMORY]
        own = (memory["core"] == (difference.core or 0)) & (memory["warp"] == (difference.warp or 0))
        earlier = memory[~(own & (memory["uid"] == (difference.uid or 0)))]
        writes = earlier[(earlier["op"] == MemoryOp.STORE) | (earlier["op"] == MemoryOp.ATOMIC)]
        found: list[Producer] = []
        lanes = np.arange(writes["addr"].shape[1], dtype=np.uint64)
        taken = (writes["mask"][:, None] >> lanes & np.uint64(1)) != 0
        for lane, address in addresses[:_PRODUCERS]:
            offset = np.uint64(address) - writes["addr"]  # wraps below the place
            hits = np.flatnonzero((taken & (offset < writes["size"][:, None])).any(axis=1))
            if not len(hits):
                continue
            record = writes[hits[-1]]
            history = self.history(int(record["core"]), int(record["warp"]), int(record["uid"]))
            if history and history[-1].uid == int(record["uid"]):
                found.append(Producer(address, lane, history[-1], history))
        return found

    def transactions(self, blocks: set[int]) -> list[Transaction]:
        """The last answered AXI reads of these blocks."""
        asked: dict[tuple[int, int], list[tuple[int, int]]] = {}
        found: list[Transaction] = []
        for record in self._batch[Kind.AXI] if blocks else ():
            key = (int(record["bank"]), int(record["id"]))
            if record["channel"] == AxiChannel.AR:
                asked.setdefault(key, []).append((int(record["addr"]), int(record["cycle"])))
            elif record["channel"] == AxiChannel.R and asked.get(key):
                address, cycle = asked[key].pop(0)
                if address // BLOCK_BYTES * BLOCK_BYTES in blocks:
                    answered = int(record["cycle"])
                    found.append(Transaction(*key, address, cycle, answered, record["data"].tobytes().hex()))
        return found[-_TRANSACTIONS:]

    def _of(self, kind: Kind, core: int, warp: int, uid: int) -> Records:
        records = self._batch[kind]
        chosen: Records = records[(records["core"] == core) & (records["warp"] == warp) & (records["uid"] == uid)]
        return chosen

    def _committed(self, record: Records) -> Committed:
        core, warp, uid, pc = (int(record[name]) for name in ("core", "warp", "uid", "pc"))
        symbol, source = self.name(pc)
        wmask, result, access = int(record["wmask"]), "", ""
        if wmask:
            values = [f"{value:x}" if wmask >> lane & 1 else "-" for lane, value in enumerate(record["data"].tolist())]
            result = f"{register_name(int(record['rd_file']), int(record['rd']))} <- {' '.join(values)}"
        for memory in self._of(Kind.MEMORY, core, warp, uid):
            mask = int(memory["mask"])
            places = [f"{at:x}" if mask >> lane & 1 else "-" for lane, at in enumerate(memory["addr"].tolist())]
            access = f"{MemoryOp(int(memory['op'])).name.lower()} at {' '.join(places)}"
        return Committed(
            core, warp, uid, int(record["cycle"]), pc, int(record["tmask"]),
            disassemble(int(record["instr"]), pc, self._config.xlen), symbol, source, result, access,
        )  # fmt: skip
