"""Orders between warps that the design decides: memory instructions as the LSU accepted them, barrier operations.

An atomic has a turn for each of its records: memory may serve another core between two of them.
Operations on barriers across cores have an order over all cores, the others one in their core.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from golden_model.barrier import GLOBAL_BIT
from golden_model.follow.track import Track

Turn = tuple[Track, int]  # an instruction: its warp and uid


class Orders:
    """Instructions that must be stepped in the order of their records; the oldest one that is not stepped yet leads."""

    def __init__(self, cores: int) -> None:
        self._memory: deque[Turn] = deque()
        self._barriers: list[deque[Turn]] = [deque() for _ in range(cores)]
        self._across: deque[Turn] = deque()  # those of the barriers across cores once more

    def waiting(self) -> tuple[list[Turn], list[list[Turn]]]:
        """Memory instructions, and per core barrier operations, that were not stepped yet."""
        return list(self._memory), [list(order) for order in self._barriers]

    def replace(self, memory: Iterable[Turn], barriers: Iterable[Iterable[Turn]]) -> None:
        """Go on with other instructions waiting."""
        self._memory = deque(memory)
        self._barriers = [deque(order) for order in barriers]
        across = [(track, uid) for order in self._barriers for track, uid in order if _is_across(track, uid)]
        self._across = deque(sorted(across, key=lambda turn: turn[0].barrier[turn[1]].seq))

    def add_memory(self, track: Track, uid: int) -> None:
        """Give an instruction a turn behind all others; an atomic gets one more for each further record."""
        self._memory.append((track, uid))

    def add_barrier(self, track: Track, uid: int) -> None:
        self._barriers[track.core].append((track, uid))
        if _is_across(track, uid):
            self._across.append((track, uid))

    def is_turn(self, track: Track, uid: int) -> bool:
        """Whether nothing older of another warp must be stepped before this instruction."""
        if uid in track.memory and self._memory[0] != (track, uid):
            return False
        record = track.barrier.get(uid)
        if record is None:
            return True
        if record.id & GLOBAL_BIT and self._across[0] != (track, uid):
            return False
        return self._barriers[track.core][0] == (track, uid)

    def parts(self, track: Track, uid: int) -> tuple[int, int]:
        """Of the instruction whose turn it is: how many turns it has before anybody else's, and how many in all."""
        turn = (track, uid)
        now = next((place for place, other in enumerate(self._memory) if other != turn), len(self._memory))
        return now, self._memory.count(turn)

    def part_done(self, turns: int) -> None:
        """The leading turns are over, and their instruction has more of them."""
        for _ in range(turns):
            self._memory.popleft()

    def due(self) -> Track | None:
        """The warp whose memory instruction has its turn, if it can step at once."""
        return _due(self._memory)

    def memory_done(self, track: Track, uid: int, records: int) -> Track | None:
        """The instruction was stepped or dropped; returns the warp whose turn it is now, if it can step at once."""
        turn = (track, uid)
        _drop(self._memory, turn)
        while records > 1 and turn in self._memory:
            self._memory.remove(turn)
        return _due(self._memory)

    def barrier_done(self, track: Track, uid: int) -> Track | None:
        """As `memory_done`. After a barrier across cores it may be the turn of any core's warp."""
        if (track, uid) in self._across:
            _drop(self._across, (track, uid))
        order = self._barriers[track.core]
        _drop(order, (track, uid))
        return _due(order)


def _is_across(track: Track, uid: int) -> bool:
    return bool(track.barrier[uid].id & GLOBAL_BIT)


def _drop(order: deque[Turn], turn: Turn) -> None:
    if order[0] == turn:
        order.popleft()
    else:  # only instructions behind a fault leave out of order
        order.remove(turn)


def _due(order: deque[Turn]) -> Track | None:
    """The warp whose turn it is, if the instruction that has it is the warp's next."""
    if order and order[0][0].next_uid == order[0][1]:
        return order[0][0]
    return None
