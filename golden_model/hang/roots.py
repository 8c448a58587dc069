"""Follows every wait to its end."""

from __future__ import annotations

from collections.abc import Iterator

from golden_model.hang.barriers import Barrier
from golden_model.hang.blocks import Resident
from golden_model.hang.bus import BLOCK_BYTES, read_history
from golden_model.hang.report import HangVerdict, OpenRequest, Root, Wait
from golden_model.hang.scene import Scene
from golden_model.hang.warps import Access, Warp
from golden_model.records.layout import Kind, MemoryOp, RunEvent

Path = tuple[str, ...]


class Roots:
    """Resolves waits; `all()` yields a root for every warp and block that does not go on, causes several times."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._active = [warp for warp in scene.warps.values() if warp.active]

    def all(self) -> Iterator[Root]:
        for warp in self._active:
            root = self._of_warp(warp, (), frozenset())
            if root is not None:
                yield root
        yield from self._of_blocks()
        if not self._active:
            yield from (_silent(request, ()) for request in self._scene.requests)

    def waits(self) -> Iterator[Wait]:
        """One line for every active warp."""
        for warp in self._active:
            yield Wait(_name(warp), self._doing(warp), warp.last_cycle, self._scene.place(self._stands_at(warp)))

    # ------------------------------------------------------------------ one warp

    def _stands_at(self, warp: Warp) -> int | None:
        """PC of the barrier that holds it, else of the next instruction."""
        newest = warp.in_order[-1:] if self._scene.barrier_of(warp) is not None else []
        return newest[0].pc if newest else warp.next_pc

    def _doing(self, warp: Warp) -> str:
        scene = self._scene
        barrier = scene.barrier_of(warp)
        if barrier is not None:
            return (
                f"waits at {barrier.name}, phase {barrier.phase}, {barrier.arrivals} of {barrier.participants} arrived"
            )
        spin = scene.spin(warp)
        if spin is not None and not scene.stopped(warp.last_cycle):
            return f"goes round {spin.first:#x} … {spin.last:#x} ({spin.length} instructions) with the same results"
        if not scene.stopped(warp.last_cycle):
            return "runs"
        access = self._pending_access(warp)
        if access is not None:
            return f"waits for {self._owed(warp)} ({access.op.name.lower()} accepted in cycle {access.cycle})"
        if warp.overtaken:
            return f"waits for {self._owed(warp)}: later instructions have committed, this one has not"
        return "has no instruction in execution that a record shows"

    def _owed(self, warp: Warp) -> str:
        return self._scene.owed(warp.next_pc) or "the LSU"

    def _pending_access(self, warp: Warp) -> Access | None:
        """Oldest access that the LSU took and that has not committed."""
        uids = [uid for uid in warp.accesses if uid >= warp.next_uid and uid not in warp.commits]
        return warp.accesses[min(uids)] if uids else None

    def _of_warp(self, warp: Warp, path: Path, seen: frozenset[str]) -> Root | None:
        """Root of what a warp waits for; None if it still makes progress."""
        scene, name = self._scene, _name(warp)
        path = (*path, f"{name} {self._doing(warp)}")
        if str(warp) in seen:
            return Root(HangVerdict.KERNEL_DEADLOCK, f"a circle of waits: {name} waits for itself in the end", path)
        seen = seen | {str(warp)}
        barrier = scene.barrier_of(warp)
        if barrier is not None:
            return self._of_barrier(barrier, warp, path, seen)
        if not scene.stopped(warp.last_cycle):
            return self._of_spin(warp, path, seen)
        access = self._pending_access(warp)
        if access is not None:
            return self._of_access(warp, access, path)
        if warp.overtaken:
            message = f"{name}: the instruction at {scene.place(warp.next_pc)} was issued and never committed"
            return Root(HangVerdict.RTL_DEADLOCK, message, (*path, self._owed(warp)))
        return self._of_fetch(warp, path)

    def _of_access(self, warp: Warp, access: Access, path: Path) -> Root:
        scene = self._scene
        if access.op is MemoryOp.FENCE:
            writes = [request for request in scene.requests if request.channel == "AW"]
            if writes:
                return _silent(writes[0], path)
            return Root(HangVerdict.RTL_DEADLOCK, f"{_name(warp)}: a fence does not end, but no write is open", path)
        touched = sorted({address // BLOCK_BYTES * BLOCK_BYTES for address in access.addresses})
        for request in scene.requests:
            if request.address // BLOCK_BYTES * BLOCK_BYTES in touched and not request.device:
                return _silent(request, path)
        texts = []
        for block in touched:
            asked, answered = read_history(scene.batch, block, access.cycle)
            if answered is not None:
                texts.append(f"memory answered block {block:#x} in cycle {answered}")
            elif asked is None:
                texts.append(f"no AXI request of block {block:#x} left the processor")
        text = "; ".join(texts) or "no address is in the record"
        what = f"the {access.op.name.lower()} that the LSU took in cycle {access.cycle} never commits"
        message = f"{_name(warp)}: {what}: {text}"
        return Root(HangVerdict.RTL_DEADLOCK, message, path)

    def _of_fetch(self, warp: Warp, path: Path) -> Root:
        scene, pc = self._scene, warp.next_pc
        for request in scene.requests:
            if pc is not None and request.channel == "AR" and request.address // BLOCK_BYTES == pc // BLOCK_BYTES:
                return _silent(request, (*path, f"its next instruction at {scene.place(pc)} is being fetched"))
        older = [request for request in scene.requests if scene.stopped(request.since) and not request.device]
        if older:  # the next instruction may wait in a queue behind it
            return _silent(older[0], path)
        message = f"{_name(warp)} could go on at {scene.place(pc)}, and nothing is outstanding that it waits for"
        return Root(HangVerdict.RTL_DEADLOCK, message, path)

    # ------------------------------------------------------------------ barriers

    def _of_barrier(self, barrier: Barrier, warp: Warp, path: Path, seen: frozenset[str]) -> Root | None:
        if barrier.full:
            message = f"{barrier.name}: all {barrier.participants} have arrived, but nobody was let go"
            return Root(HangVerdict.RTL_DEADLOCK, message, path)
        missing = [
            other
            for other in self._scene.warps.values()
            if (other.core, other.wid) not in barrier.arrived
            and (other.core, other.wid) not in barrier.waiting
            and (barrier.core is None or (other.core == barrier.core and self._same_block(warp, other)))
        ]
        alive = [other for other in missing if other.active]
        roots = [self._of_warp(other, path, seen) for other in alive]
        if None in roots:
            return None  # one of them runs and may still arrive
        found = [root for root in roots if root is not None]
        other_causes = [root for root in found if root.verdict is not HangVerdict.KERNEL_DEADLOCK]
        if other_causes:
            return other_causes[0]
        if found:
            return found[0]
        unstarted = self._unstarted(warp)
        if unstarted:
            return Root(HangVerdict.RTL_DEADLOCK, f"{barrier.name}: {unstarted}", path)
        gone = [f"{_name(other)} ended in cycle {other.ended}" for other in missing if other.ended is not None]
        reason = "; ".join(gone) or "no other warp of the block is left to arrive"
        counted = f"waits for {barrier.participants} warps, {barrier.arrivals} have arrived"
        message = f"{barrier.name} {counted}: {reason}"
        return Root(HangVerdict.KERNEL_DEADLOCK, message, (*path, reason))

    def _same_block(self, warp: Warp, other: Warp) -> bool:
        return other.slot == warp.slot and other.block == warp.block

    def _unstarted(self, warp: Warp) -> str:
        """A sentence if warps of the block were never started."""
        for block in self._scene.blocks.resident:
            if (block.core, block.slot) == (warp.core, warp.slot) and len(block.started) < block.num_warps:
                return f"CTA {block.block} has {block.num_warps} warps, only {len(block.started)} were started"
        return ""

    # ------------------------------------------------------------------ spinning

    def _of_spin(self, warp: Warp, path: Path, seen: frozenset[str]) -> Root | None:
        scene = self._scene
        spin = scene.spin(warp)
        if spin is None:
            return None
        round_uids = {commit.uid for commit in warp.in_order[-spin.length :]}
        polled = sorted({a for uid in round_uids if uid in warp.accesses for a in warp.accesses[uid].addresses})
        where = f"goes round {scene.place(spin.first)} for ever" + (
            f", polling {', '.join(f'{address:#x}' for address in polled[:4])}" if polled else ""
        )
        writer = self._last_writer(polled, warp)
        if writer is not None and writer.active:
            step = f"{_name(writer)} wrote what it polls last"
            root = self._of_warp(writer, (*path, step), seen)
            if root is not None and root.verdict is not HangVerdict.KERNEL_DEADLOCK:
                return root
        message = f"{_name(warp)} {where}"
        if warp.parked:
            message += f"; lanes {warp.parked:#x} of the same warp wait until it has left the loop"
        if writer is not None:
            ended = "" if writer.active else f" and ended in cycle {writer.ended}"
            message += f"; {_name(writer)} wrote it last{ended}"
        return Root(HangVerdict.KERNEL_LIVELOCK, message, path)

    def _last_writer(self, polled: list[int], warp: Warp) -> Warp | None:
        newest: tuple[int, Warp] | None = None
        for other in self._scene.warps.values():
            if other is warp:
                continue
            for access in other.accesses.values():
                writes = access.op in (MemoryOp.STORE, MemoryOp.ATOMIC) and set(polled) & set(access.addresses)
                if writes and self._scene.spin(other) is None and (newest is None or access.cycle > newest[0]):
                    newest = access.cycle, other
        return newest[1] if newest else None

    # ------------------------------------------------------------------ blocks

    def _of_blocks(self) -> Iterator[Root]:
        scene = self._scene
        if scene.blocks.impossible:
            yield Root(HangVerdict.KERNEL_DEADLOCK, f"the launch can't run: {scene.blocks.impossible}")
            return
        last = scene.batch.get(Kind.CTA)
        if not scene.stopped(int(last["cycle"][-1]) if last is not None and len(last) else None):
            return
        texts = [*map(self._of_resident, scene.blocks.resident), self._of_offered(), self._of_busy()]
        yield from (Root(HangVerdict.RTL_DEADLOCK, text, (text,)) for text in texts if text)

    def _of_resident(self, block: Resident) -> str:
        """What is wrong with a block that holds a slot, whatever its warps wait for."""
        here = [warp for warp in self._active if warp.core == block.core]
        place = f"CTA {block.block} on core {block.core} slot {block.slot}"
        if len(block.started) < block.num_warps:
            if len(here) >= self._scene.config.num_warps:
                return ""
            return f"{place}: rank {len(block.started)} is not started, although the core has inactive warps"
        if any((warp.slot, warp.block) == (block.slot, block.block) for warp in here):
            return ""
        return f"{place}: all of its warps ended, but it does not retire"

    def _of_offered(self) -> str:
        blocks, config = self._scene.blocks, self._scene.config
        if blocks.offered is None:
            return ""
        for core in range(config.total_cores):
            if not blocks.refusal(core, config)[0]:
                return f"no core takes CTA {blocks.offered.block_idx}, although nothing keeps core {core} from it"
        return ""

    def _of_busy(self) -> str:
        """Everything is over, and nobody says so."""
        blocks, runs = self._scene.blocks, self._scene.batch.get(Kind.RUN)
        over = blocks.known and blocks.offered is None and not blocks.resident and not self._active
        if not over or runs is None or self._scene.requests:
            return ""
        events = runs["event"].tolist()
        newest_start = len(events) - 1 - events[::-1].index(RunEvent.START)
        if RunEvent.BUSY_FALL in events[newest_start:]:
            return ""
        return "every CTA has retired and no request is open, but the processor stays busy"


def _silent(request: OpenRequest, path: Path) -> Root:
    return Root(HangVerdict.MEMORY_SILENT, f"memory never answered: {request}", (*path, str(request)))


def _name(warp: Warp) -> str:
    block = "" if warp.block is None else f" (CTA {warp.block} rank {warp.rank})"
    return f"{warp}{block}"
