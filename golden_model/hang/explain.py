"""From the records of a run that does not end to a report (docs: README.md of this folder)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config import HardwareConfig
from golden_model.follow.explain import Symbolizer
from golden_model.hang.report import HangReport, HangVerdict, Progress, Root, Wait
from golden_model.hang.roots import Roots
from golden_model.hang.scene import Scene
from golden_model.hang.since_reset import since_reset
from golden_model.records.layout import AxiChannel, Kind
from golden_model.records.ring import Records

PATIENCE = 5_000  # cycles: longer than any latency of the memory policies

# What stops everything else comes first; a spinning warp may wait for any of them.
_ORDER = (
    HangVerdict.MEMORY_SILENT,
    HangVerdict.RTL_DEADLOCK,
    HangVerdict.KERNEL_DEADLOCK,
    HangVerdict.KERNEL_LIVELOCK,
    HangVerdict.UNDECIDED,
)


def explain_hang(
    batch: Mapping[Kind, Records],
    config: HardwareConfig,
    *,
    cycle: int | None = None,
    patience: int = PATIENCE,
    symbolize: Symbolizer | None = None,
) -> HangReport:
    """Who waits for what, down to the root.

    Args:
        batch: all records that are left, of a live ring or a recovered one.
        config: of the design.
        cycle: when the run was given up; default: that of the last record.
        patience: cycles without a step after which a warp or a request has stopped.
        symbolize: names of code addresses.
    """
    latest = max((int(records["cycle"].max()) for records in batch.values() if len(records)), default=0)
    scene = Scene(since_reset(batch), config, max(latest, cycle or 0), patience, symbolize)
    roots = Roots(scene)
    found: list[Root] = []
    for root in roots.all():
        if root.message not in {other.message for other in found}:
            found.append(root)
    found.sort(key=lambda root: _ORDER.index(root.verdict))
    if not found:
        running = [str(warp) for warp in scene.warps.values() if warp.active]
        message = "nothing waits: no active warp, no block without a core, no open request"
        if running:
            message = f"{', '.join(running)}: still at work, in no loop that repeats itself; the run may only be slow"
        found = [Root(HangVerdict.UNDECIDED, message)]
    first = found[0]
    return HangReport(
        verdict=first.verdict,
        root=first.message,
        cycle=scene.cycle,
        chain=first.chain,
        others=tuple(found[1:]),
        waits=(*roots.waits(), *_offered(scene)),
        outstanding=tuple(scene.requests),
        progress=tuple(_progress(scene)),
        notes=tuple(_notes(scene)),
    )


def _offered(scene: Scene) -> Iterator[Wait]:
    cta = scene.blocks.offered
    if cta is None:
        return
    for core in range(scene.config.total_cores):
        why, _ = scene.blocks.refusal(core, scene.config)
        yield Wait(f"CTA {cta.block_idx}", f"core {core}: {why or 'nothing keeps it from taking the CTA'}")


def _progress(scene: Scene) -> Iterator[Progress]:
    batch = scene.batch
    for kind, unit in ((Kind.COMMIT, "commit"), (Kind.MEMORY, "LSU"), (Kind.BARRIER, "barrier unit")):
        records = batch.get(kind)
        for core in range(scene.config.total_cores):
            cycles = records["cycle"][records["core"] == core].tolist() if records is not None else []
            yield Progress(f"core {core} {unit}", max(cycles, default=None))
    ctas = batch.get(Kind.CTA)
    yield Progress("CTA dispatch", int(ctas["cycle"][-1]) if ctas is not None and len(ctas) else None)
    axi = batch.get(Kind.AXI)
    if axi is None:
        return
    for bank in sorted({int(bank) for bank in axi["bank"]}):
        for channel in AxiChannel:
            chosen = axi["cycle"][(axi["bank"] == bank) & (axi["channel"] == channel)]
            yield Progress(f"AXI bank {bank} {channel.name}", int(chosen[-1]) if len(chosen) else None)


def _notes(scene: Scene) -> Iterator[str]:
    if not scene.blocks.known and not scene.blocks.impossible:
        yield "the start of the launch is not in the records: whether blocks wait for a core can't be told"
    cut = [str(warp) for warp in scene.warps.values() if warp.active and warp.started is None]
    if cut:
        yield f"the records begin after the start of {', '.join(cut)}: barriers from before are not known"
