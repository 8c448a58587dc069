"""The random faults, as they were drawn with seed 20 from the design of commit 890b548 (`random_faults.draw`).

The design goes on, and with it what a seed draws; what was drawn, run and judged stays here: file, line number then,
the line, and what it becomes. A line that the design no longer has is said when its fault is to be run.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Drawn:
    """One change of a whole line; `old` and `new` without their indentation."""

    file: str
    line: int
    old: str
    new: str


SEED = 20

# In the order of the draw.
DRAWN = (
    Drawn(
        "core/vx_cta_dispatch.sv",
        210,
        "expanding_q <= num_warps != '0;",
        "expanding_q <= num_warps == '0;",
    ),
    Drawn(
        "core/vx_execute.sv",
        217,
        "assign lmem_stall = lmem_req_valid && !lmem_req_ready;",
        "assign lmem_stall = lmem_req_valid || !lmem_req_ready;",
    ),
    Drawn(
        "core/vx_csr_file.sv",
        114,
        "if (fflags_valid) fcsr_q[fflags_wid][4:0] <= fcsr_q[fflags_wid][4:0] | fflags;",
        "if (fflags_valid) fcsr_q[fflags_wid][4:0] <= fcsr_q[fflags_wid][4:0] & fflags;",
    ),
    Drawn(
        "core/vx_lane_ops.sv",
        99,
        "mask[i] = place != '0;",
        "mask[i] = place == '0;",
    ),
    Drawn(
        "core/vx_sfu.sv",
        193,
        "assign barrier_bad = ((barrier_op == BARRIER_SYNC || barrier_op == BARRIER_ARRIVE) && barrier_count == '0) ||",
        "assign barrier_bad = ((barrier_op == BARRIER_SYNC || barrier_op == BARRIER_ARRIVE) || barrier_count == '0) ||",
    ),
    Drawn(
        "core/vx_decode.sv",
        155,
        "if (funct3 == 3'd1 || funct3 == 3'd5) begin",
        "if (funct3 == 3'd1 && funct3 == 3'd5) begin",
    ),
    Drawn(
        "core/vx_barrier.sv",
        68,
        "phase = 1'b0;",
        "phase = 1'b1;",
    ),
    Drawn(
        "core/vx_lsu_coalescer.sv",
        64,
        "group[i] = 1'b1;",
        "group[i] = 1'b0;",
    ),
    Drawn(
        "core/vx_lsu_coalescer.sv",
        55,
        "io = first_addr >= IO_BASE && first_addr < IO_END;",
        "io = first_addr >= IO_BASE || first_addr < IO_END;",
    ),
    Drawn(
        "core/vx_barrier.sv",
        178,
        "if (warp_ended && open_q != '0) recheck_q <= recheck_q | open_q;",
        "if (warp_ended && open_q == '0) recheck_q <= recheck_q | open_q;",
    ),
    Drawn(
        "core/vx_csr_file.sv",
        138,
        "if (commit_valid) minstret_q <= minstret_q + 64'd1;",
        "if (commit_valid) minstret_q <= minstret_q - 64'd1;",
    ),
    Drawn(
        "core/vx_cta_dispatch.sv",
        91,
        "base = (count_t'(tail_q) >= usable_q) ? '0 : tail_q;",
        "base = (count_t'(tail_q) > usable_q) ? '0 : tail_q;",
    ),
    Drawn(
        "core/vx_lane_ops.sv",
        81,
        "rs2[i][NT_WIDTH-1:0] & LANE_BITS,",
        "rs2[i][NT_WIDTH-1:0] | LANE_BITS,",
    ),
    Drawn(
        "core/vx_perf.sv",
        147,
        "if (lmem_read) lmem_reads_q <= lmem_reads_q + counter_t'(1);",
        "if (lmem_read) lmem_reads_q <= lmem_reads_q - counter_t'(1);",
    ),
    Drawn(
        "core/vx_sfu.sv",
        258,
        "SFU_CSRRS: csr_new = csr_data[0] | csr_operand;",
        "SFU_CSRRS: csr_new = csr_data[0] & csr_operand;",
    ),
    Drawn(
        "core/vx_perf.sv",
        108,
        "end else if (head_valid != '0) reason = SCOREBOARD;",
        "end else if (head_valid == '0) reason = SCOREBOARD;",
    ),
    Drawn(
        "core/vx_decode.sv",
        361,
        "legal = EXT_SIMT_FULL && funct3 == 3'd0;",
        "legal = EXT_SIMT_FULL || funct3 == 3'd0;",
    ),
    Drawn(
        "core/vx_decode.sv",
        294,
        "op = '{pieces: 1'b1, is_unsigned: 1'b1, log_size: {1'b0, funct3[1]}, default: '0};",
        "op = '{pieces: 1'b1, is_unsigned: 1'b1, log_size: {1'b1, funct3[1]}, default: '0};",
    ),
    Drawn(
        "core/vx_lane_ops.sv",
        69,
        "2'd1: vote = word_t'(ones != '0);",
        "2'd1: vote = word_t'(ones == '0);",
    ),
    Drawn(
        "core/vx_lmem.sv",
        72,
        "finished = (req.mask & ~(done_q | served)) == '0;",
        "finished = (req.mask & ~(done_q & served)) == '0;",
    ),
    Drawn(
        "core/vx_lane_ops.sv",
        107,
        "if (NUM_THREADS == 1) begin",
        "if (NUM_THREADS != 1) begin",
    ),
    Drawn(
        "core/vx_lsu_table.sv",
        185,
        "if (alloc_valid != complete) begin",
        "if (alloc_valid == complete) begin",
    ),
    Drawn(
        "core/vx_core.sv",
        210,
        "assign spawn_issue = issue_valid && entry.dec.alone;",
        "assign spawn_issue = issue_valid || entry.dec.alone;",
    ),
    Drawn(
        "core/vx_scheduler.sv",
        200,
        "if (resolve_valid && !stopping_q[resolve_wid]) begin",
        "if (resolve_valid || !stopping_q[resolve_wid]) begin",
    ),
)
