"""Speed of both tiers on small loops, one kind of instruction each: what limits a real kernel."""

from __future__ import annotations

import time
from dataclasses import dataclass

from config import HardwareConfig
from golden_model.diagnosis import ALWAYS, Check, Diagnosis
from golden_model.isa.asm import assemble_with_labels
from golden_model.launch import Launch
from golden_model.machine import Machine, Tier

_BASE, _DATA = 0x8000_0000, 0x2_0000
_HEAD = """
window: csrr s11, cta_entry
    csrr a0, mscratch
    jalr ra, 0(s11)
    wsync
    tmc zero
kernel:
    csrr t0, mhartid
    slli t1, t0, 2
    add t1, t1, a0
    li s1, {rounds}
again:
"""
_TAIL = """
    addi s1, s1, -1
    bnez s1, again
    ret
"""

# Integer code: arithmetic; loads and stores; divergence; the inner loop of a matrix product. Float: multiply-add.
KERNELS: dict[str, str] = {
    "arithmetic": "add t2, t0, s1\n mul t3, t2, t2\n xor t3, t3, t0\n srli t4, t3, 7\n sub t5, t4, t2\n and t6, t5, t3",
    "memory": "lw t2, 0(t1)\n add t2, t2, s1\n sw t2, 0(t1)\n lw t3, 0(t1)\n xor t3, t3, t2",
    "divergence": "and t2, t0, s1\n andi t2, t2, 1\n split t3, t2\n beqz t2, x\n addi t4, s1, 1\nx: join t3",
    "product": "lw t2, 0(t1)\n lw t3, 128(t1)\n mul t4, t2, t3\n add t5, s1, t4\n addi t6, t1, 4\n mv t4, t5",
    "float": "fcvt.s.w f0, s1\n fadd.s f1, f0, f0\n fmul.s f2, f1, f0\n fmadd.s f3, f1, f2, f0\n fsub.s f4, f3, f1",
}


@dataclass(frozen=True)
class _Image:
    image: bytes
    kernels: dict[str, int]
    min_vma: int = _BASE

    @property
    def max_vma(self) -> int:
        return self.min_vma + len(self.image)


def measure(name: str, lanes: int, tier: Tier, rounds: int, races: bool = False) -> tuple[int, float]:
    """(warp instructions, CPU seconds) of one launch that fills four warps. Raises ValueError without the tier."""
    code, labels = assemble_with_labels(_HEAD.format(rounds=rounds) + KERNELS[name] + _TAIL, _BASE)
    machine = Machine(HardwareConfig(num_threads=lanes), tier=tier)
    if races:
        machine.diagnosis = Diagnosis(machine, ALWAYS | {Check.RACES})
    image = _Image(code, {"k": labels["kernel"]})
    machine.load_image(image)
    machine.write(_DATA, bytes(4 * 4 * lanes + 4096))
    machine.launch(Launch(labels["kernel"], _BASE, _DATA, block=(4 * lanes, 1, 1)))
    machine.warm_up()
    began = time.process_time()
    summary = machine.run(1 << 40)
    spent = time.process_time() - began
    if machine.tier_note:
        raise ValueError(machine.tier_note)
    return summary.warp_instructions, spent
