"""Inside the simulator process: functions for `Request.prepare`, made by name.

`tests.faults.hooks:<fault>` puts in the fault of that name, `tests.faults.hooks:without_<fault>` prepares its scene
alone, `tests.faults.hooks:host_only_<fault>` puts it in and leaves nobody to notice it but the host's expectation.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from golden_model.records.ring import Batch
from hw.tb.env import VortexEnv
from hw.tb.run.settings import RunSettings
from hw.tb.top.trigger import AfterCommit, AfterStart, During, Executed, Trigger
from tests.faults.catalogue import find_fault
from tests.faults.fault import Fault, Forced, Injected, LostRecords, Scene, Window
from tests.faults.image import address_of
from tests.faults.witness import FILE, Witness
from tests.regression.images import Images
from tests.regression.job import JOB_OPTION, Job
from tests.regression.typed_json import read_json, write_json

WITHOUT = "without_"
HOST_ONLY = "host_only_"
HANG_CYCLES = 3000  # without a commit; far above the longest wait of a clean run
MAX_CYCLES = 40_000  # of one launch; the slowest scene needs a fifth


def __getattr__(name: str) -> Callable[[VortexEnv], None]:
    if name.startswith("__"):
        raise AttributeError(name)
    fault = find_fault(name.removeprefix(WITHOUT).removeprefix(HOST_ONLY))

    def install(env: VortexEnv) -> None:
        set_scene(env, fault.scene)
        if name.startswith(HOST_ONLY):
            env.config.checkers = env.judge.checkers = ()
        if not name.startswith(WITHOUT):
            put_in(env, fault, _images())

    return install


def set_scene(env: VortexEnv, scene: Scene) -> None:
    """What a run has with and without its fault."""
    harness = env.config.harness
    harness.set_hang_cycles(HANG_CYCLES)
    env.kmu.driver.max_cycles = MAX_CYCLES
    if scene.policy is not None:
        harness.set_policy(scene.policy)
    _Tap(env)


def put_in(env: VortexEnv, fault: Fault, images: Images) -> None:
    """Arm what is to go wrong in this simulation; a fault of the image is in the image already."""
    harness = env.config.harness
    match fault.put_in:
        case Forced() as forced:
            harness.force(forced.signal, forced.value, forced.mask, _trigger(forced, images))
        case Injected(kind, nth, arg):
            harness.inject(kind, nth, arg)
        case LostRecords() as lost:
            _Lossy(env, lost)
        case _:
            pass


def _trigger(forced: Forced, images: Images) -> Trigger:
    if forced.window is Window.AFTER_START:
        return AfterStart(forced.launch, forced.first, forced.last)
    if forced.at is None:
        raise ValueError(f"the window of {forced.signal} follows an instruction, but none is named")
    at = forced.at
    what = Executed(address_of(images, at.place), warp=at.warp, occurrence=at.occurrence, launch=at.launch)
    return During(what) if forced.window is Window.DURING else AfterCommit(what, forced.first, forced.last)


def _images() -> Images:
    return read_json(Path(RunSettings.read().options[JOB_OPTION]), Job).images


class _Tap:
    """Stands between the harness and everybody who gets records; leaves a witness before they judge."""

    def __init__(self, env: VortexEnv) -> None:
        self._next = env.kmu.driver.publish
        self._status = env.config.harness.status
        self._file = RunSettings.read().run_dir / FILE
        env.kmu.driver.publish = self.publish

    def publish(self, batch: Batch) -> None:
        status = self._status
        witness = Witness(
            forced=int(status.forced),
            injected=int(status.injected),
            commits=int(status.commits),
            commit_checksum=int(status.commit_checksum),
            cycle=int(status.cycle),
        )
        write_json(self._file, witness)
        self._next(batch)


class _Lossy:
    """Loses records on their way."""

    def __init__(self, env: VortexEnv, lost: LostRecords) -> None:
        self._next = env.kmu.driver.publish
        self._lost = lost
        self._seen = 0
        env.kmu.driver.publish = self.publish

    def publish(self, batch: Batch) -> None:
        records = batch[self._lost.kind]
        first, self._seen = self._seen, self._seen + len(records)
        if self._lost.nth is None:
            batch[self._lost.kind] = records[:0]
        elif first <= self._lost.nth < self._seen:
            batch[self._lost.kind] = np.delete(records, self._lost.nth - first)
        self._next(batch)
