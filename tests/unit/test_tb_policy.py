"""Memory policies: presets are what the documents say, and impossible values are refused with a sentence."""

from __future__ import annotations

import pytest

from config import MemoryPolicyName
from hw.tb.agents.axi.policy import MAX_WINDOWS, ErrorWindow, Latency, MemoryPolicy, Reorder, Throttle, WriteEffect


@pytest.mark.parametrize("name", MemoryPolicyName)
def test_every_knob_value_has_a_preset_that_keeps_the_seed(name: MemoryPolicyName) -> None:
    policy = MemoryPolicy.preset(name, 42)
    assert (policy.name, policy.seed, policy.to_c().seed) == (name.value, 42, 42)


def test_presets_differ_where_they_must() -> None:
    kind, ordered = MemoryPolicy.preset("kind"), MemoryPolicy.preset("ordered")
    hostile, fixed = MemoryPolicy.preset("hostile"), MemoryPolicy.preset("fixed20")
    assert (kind.read_latency.low, kind.read_latency.high) == (20, 60)
    assert kind.write_effect is WriteEffect.HANDSHAKE and hostile.write_effect is WriteEffect.RESPONSE
    assert ordered.read_waits_for_writes and not kind.read_waits_for_writes
    assert hostile.reorder_reads is Reorder.RANDOM and hostile.ar_ready.percent > 0
    assert (fixed.read_latency.low, fixed.read_latency.high) == (20, 20)


def test_unknown_presets_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown memory policy 'nice'; known: fixed20, hostile, kind, ordered"):
        MemoryPolicy.preset("nice")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Latency(0, 5), "low"),
        (lambda: Latency(9, 5), "low"),
        (lambda: Latency(1, 5, tail_percent=101, tail=9), "tail_percent=101"),
        (lambda: Latency(1, 5, tail_percent=10, tail=4), "tail=4"),
        (lambda: Throttle(96), "percent=96"),
        (lambda: Throttle(5, 0), "longest=0"),
        (lambda: ErrorWindow(5, 4), "first must not be above last"),
        (lambda: MemoryPolicy(max_reads=0), "max_reads=0"),
        (lambda: MemoryPolicy(seed=-1), "seed=-1"),
        (lambda: MemoryPolicy(windows=(ErrorWindow(0, 1),) * (MAX_WINDOWS + 1)), "at most 8"),
    ],
)
def test_impossible_values_are_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=message):
        make()
