"""Faults in the text of the design, and what the first screen must name. The expectation is written before the run."""

from __future__ import annotations

from dataclasses import dataclass

from hw.tb.build.spec import RTL


class PatchError(ValueError):
    """A fault that no longer fits the design; one sentence."""


@dataclass(frozen=True)
class Patched:
    """One fault.

    Attributes:
        says: in words.
        file: below hw/rtl; `old` occurs there once and becomes `new`.
        test: kernel that runs into it, with `knobs`.
        names: regular expressions, all of which the terminal's report must match.
    """

    name: str
    says: str
    file: str
    old: str
    new: str
    test: str
    names: tuple[str, ...]
    knobs: tuple[tuple[str, str], ...] = ()

    def apply(self) -> str:
        """Text of the file with the fault. Raises PatchError."""
        text = (RTL / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise PatchError(f"{self.name}: {self.file} has its line {text.count(self.old)} times, wanted once")
        return text.replace(self.old, self.new)


# Those of the twelve that no forced signal of tests/faults makes.
NAMED = (
    Patched(
        "scoreboard_hole",
        "an instruction does not wait for a3 as its second operand",
        "core/vx_scoreboard.sv",
        "!(head[w].use_rs2 && pending_q[w][head[w].rs2]) &&",
        "!(head[w].use_rs2 && head[w].rs2 != reg_t'(13) && pending_q[w][head[w].rs2]) &&",
        "multikernel",
        (r"lane result", r"<add_k", r"x13 +="),
        (("N", "64"),),
    ),
    Patched(
        "cache_fill_mixed_up",
        "a filled line goes into the neighbour's place",
        "cache/vx_dcache.sv",
        "data_q[fill_index] <= mem_rsp.data",
        "data_q[fill_index ^ INDEX_WIDTH'(1)] <= mem_rsp.data",
        "multikernel",
        (r"lane result", r"instruction +lw", r"probable +RTL result|probable +memory protocol"),
        (("N", "64"),),
    ),
    Patched(
        "lmem_conflict_lost",
        "lanes that read different rows of a bank all get the first one's",
        "core/vx_lmem.sv",
        "row_of(req.addr[i]) == row_of(req.addr[bank_lane[bank_of(req.addr[i])]])",
        "1'b1",
        "isa_programs",
        (r"lane result", r"instruction +l[bhw]", r"probable +RTL result"),
    ),
    Patched(
        "cta_slot_leak",
        "slot 2 is never free again",
        "core/vx_cta_dispatch.sv",
        "if (retire) slot_valid_q[end_slot] <= 1'b0;",
        "if (retire && end_slot != wid_t'(2)) slot_valid_q[end_slot] <= 1'b0;",
        "multikernel",
        (r"HANG +RTL deadlock", r"no core takes CTA|slot 2"),
        (("N", "256"),),
    ),
    Patched(
        "thread_index",
        "the second axis of the thread index stays 0 in all warps of a block",
        "core/vx_cta_dispatch.sv",
        "next_index[a] = sum[CTA_TID_WIDTH-1:0];",
        "next_index[a] = a == 1 ? '0 : sum[CTA_TID_WIDTH-1:0];",
        "transpose",
        (r"lane result", r"csrr.*thread_id_y|thread_id_y", r"lanes +\d"),
    ),
    Patched(
        "fp_rounding",
        "what the multiply-add loses does not count for rounding",
        "fpu/vx_fpu_fma_lane.sv",
        "side2_q.sign, exponent2_q, significand_q, sticky_q);",
        "side2_q.sign, exponent2_q, significand_q, 1'b0);",
        "sgemm",
        (r"lane result|fflags", r"instruction +f(madd|mul|add|sub|nm)", r"probable +RTL result"),
    ),
    Patched(
        "arbiter_deadlock",
        "when both caches ask at the same time, neither is let through",
        "mem/vx_axi_bank.sv",
        "eligible = valid & ~locked & ",
        "eligible = valid & ~locked & {NUM_SOURCES{valid != '1}} & ",
        "multikernel",
        (r"HANG +RTL deadlock", r"no AXI request"),
        (("N", "64"),),
    ),
)

# Beside the twelve: the hangs of docs/debugging_evidence.md that no kernel and no memory responder makes.
HANGS = (
    Patched(
        "mshr_deadlock",
        "an MSHR of the D-cache is never free again",
        "cache/vx_dcache.sv",
        "mshr_valid_q[fill_mshr] <= evicts;",
        "mshr_valid_q[fill_mshr] <= 1'b1;",
        "multikernel",
        (r"HANG +RTL deadlock", r"core 0 warp \d", r"load|lw", r"no AXI request|never left"),
        (("N", "64"),),
    ),
)
