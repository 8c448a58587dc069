"""One small fault in each block of the design, and the block test that must see it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.rtl.runner import RTL

# Blocks without a test of their own, and what holds them instead.
ELSEWHERE = {
    "Vortex_axi": "wiring; co-simulations, tests/rtl/test_top_parameters.py",
    "vx_socket": "wiring; co-simulations",
    "vx_core": "wiring; co-simulations",
    "vx_execute": "wiring of the units; co-simulations",
    "vx_frontend": "wiring; co-simulations",
    "vx_fetch": "request port of the I-cache; co-simulations",
    "vx_scheduler": "co-simulations, tests/faults (a warp that is not resumed)",
    "vx_regfile": "co-simulations",
    "vx_lsu_trace": "records, compared in co-simulations",
    "vx_sfu_trace": "records, compared in co-simulations",
    "vx_mem_perf": "counters, compared in tests/cosim",
    "vx_fpu_pipe": "tests/rtl/fpu/faults.py",
    "vx_fpu_divsqrt": "tests/rtl/fpu/faults.py",
    "vx_fpu_divsqrt_lane": "tests/rtl/fpu/faults.py",
    "vx_fpu_fma_lane": "tests/rtl/fpu/faults.py",
    "vx_fpu_misc_lane": "tests/rtl/fpu/faults.py",
    "vx_pcie_gpu": "wiring; tests/cosim/bar",
    "vx_pcie_device": "wiring; tests/cosim/bar",
    "vx_launch_unit": "tests/cosim/bar and its seeded faults",
    "vx_host_master": "tests/cosim/bar",
    "vx_vram_arbiter": "tests/cosim/bar",
}


@dataclass(frozen=True)
class Fault:
    """Replacement of a piece of text that occurs once in a block's file.

    Attributes:
        block: name of the module and of its file somewhere below hw/rtl.
        test: `test_<test>.py` must fail.
        says: in words.
    """

    block: str
    test: str
    says: str
    old: str
    new: str

    @property
    def file(self) -> Path:
        """Path below hw/rtl."""
        (found,) = RTL.rglob(f"{self.block}.sv")
        return found.relative_to(RTL)

    def fits(self) -> str:
        """Why it can't be put in; empty if it can."""
        times = (RTL / self.file).read_text(encoding="utf-8").count(self.old)
        return "" if times == 1 else f"fault in {self.block}: {self.file} has {self.old!r} {times} times, wanted once"

    def seed(self, folder: Path) -> Path:
        """A copy of the design with this fault, in `folder` (made anew). Raises ValueError if it does not fit."""
        if self.fits():
            raise ValueError(self.fits())
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(RTL, folder)
        path = folder / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.old, self.new), encoding="utf-8")
        return folder


FAULTS = (
    Fault("vx_fifo", "lib_fifo", "a push beside a pop is not counted right",
          "if (push && !pop) count_q", "if (push) count_q"),
    Fault("vx_priority_encoder", "lib_select", "the highest bit wins",
          "for (int i = N - 1; i >= 0; --i) if (bits[i])", "for (int i = 0; i < N; ++i) if (bits[i])"),
    Fault("vx_rr_arbiter", "lib_select", "priority does not move on",
          "if (valid && advance) first_q <= (index == index_t'(N - 1)) ? '0 : index + index_t'(1);",
          "if (valid && advance) first_q <= (index == index_t'(N - 1)) ? '0 : index;"),
    Fault("vx_kmu", "kmu", "a grid with an empty axis is walked",
          "if (grid_dim_q[a] == '0 || block_dim_q[a] == '0) empty = 1'b1;",
          "if (block_dim_q[a] == '0) empty = 1'b1;"),
    Fault("vx_cta_distributor", "cta_distributor", "peers of a cluster may go to another core",
          "locked_q <= !cta_last_of_cluster;", "locked_q <= 1'b0;"),
    Fault("vx_dcr", "dcr", "a flush is answered before it is done",
          "(!is_flush || flush_done[core])", "1'b1"),
    Fault("vx_fault_queue", "fault_queue", "a later fault of a source replaces the first",
          "if (in_valid[i] && !waiting_q[i]) begin", "if (in_valid[i]) begin"),
    Fault("vx_write_tracker", "axi_master", "an entry with two writes ends with the first acknowledgement",
          "if (count_q[ack_id] == count_t'(1)) used_q[ack_id] <= 1'b0;", "used_q[ack_id] <= 1'b0;"),
    Fault("vx_read_table", "axi_master", "an entry is never free again",
          "if (release_valid) used_q[lookup_id] <= 1'b0;",
          "if (release_valid && lookup_id != '0) used_q[lookup_id] <= 1'b0;"),
    Fault("vx_reservations", "atomics", "a store to the block leaves the reservation",
          "if (addr_q[w] == broken_addr[b]) lanes_q[w] <= '0;",
          "if (addr_q[w] == broken_addr[b]) lanes_q[w] <= lanes_q[w];"),
    Fault("vx_amo_unit", "atomics", "SC of a lane without reservation stores",
          "failed_q <= ~winner;", "failed_q <= '0;"),
    Fault("vx_axi_bank", "axi_master", "an error of BRESP is dropped",
          "assign write_fault = ack_valid && bresp != 2'b00;", "assign write_fault = 1'b0;"),
    Fault("vx_axi_master", "axi_master", "writes of a core count once they are acknowledged only",
          "assign writes_pending[c] = pending_q != '0;", "assign writes_pending[c] = pending_q > pending_t'(1);"),
    Fault("vx_global_barrier", "global_barrier", "the last core is not waited for",
          "complete_q <= number >= req_q.cores;", "complete_q <= number + count_t'(1) >= req_q.cores;"),
    Fault("vx_alu", "alu", "a held result is replaced by the next one",
          "if (valid_q && advance) begin", "if (valid_q) begin"),
    Fault("vx_beat_split", "alu", "the first beat of a warp is executed again and again",
          "waiting_q <= todo & ~next;", "waiting_q <= todo;"),
    Fault("vx_beat_gather", "alu", "lanes of the beats before the last one are lost",
          "whole = kept_q;", "whole = '0;"),
    Fault("vx_multiplier", "muldiv", "the second operand is signed after a signed first one",
          "b_signed_q <= !", "b_signed_q <= a_signed_q || !"),
    Fault("vx_divider", "muldiv", "the quotient by zero is negated",
          "is_signed && b != '0 && (a[XLEN-1] != b[XLEN-1])", "is_signed && (a[XLEN-1] != b[XLEN-1])"),
    Fault("vx_commit", "commit", "a unit may commit twice in a round",
          "round_q <= round & ~grant;", "round_q <= round;"),
    Fault("vx_scoreboard", "issue", "an issue does not mark its register",
          "if (issue_valid && issue_use_rd) pending_q[issue_wid][issue_rd] <= 1'b1;",
          "if (issue_valid && issue_use_rd && !commit_valid) pending_q[issue_wid][issue_rd] <= 1'b1;"),
    Fault("vx_issue", "issue", "two instructions of a warp get one number",
          "uid_q[issue_wid] <= uid_q[issue_wid] + uid_t'(1);",
          "uid_q[issue_wid] <= uid_q[issue_wid] + uid_t'(issue_wid != '0);"),
    Fault("vx_ibuffer", "issue", "words in the buffer survive a flush",
          "rptr_q[w] <= wptr_q[w];", "rptr_q[w] <= rptr_q[w];"),
    Fault("vx_ipdom", "sfu", "the second side pops too early",
          "if (flip) second_q[top] <= 1'b1;", "if (flip && sp == sp_t'(1)) second_q[top] <= 1'b1;"),
    Fault("vx_warp_control", "sfu", "the larger side runs first",
          "(population(then_mask) <= population(else_mask)) ? then_mask : else_mask;",
          "(population(then_mask) >= population(else_mask)) ? then_mask : else_mask;"),
    Fault("vx_barrier", "sfu", "the last warp of a synchronous barrier does not go on",
          "if (op == BARRIER_SYNC) resume = ends;", "if (op == BARRIER_SYNC) resume = 1'b0;"),
    Fault("vx_csr_file", "sfu", "float flags replace older ones",
          "fcsr_q[fflags_wid][4:0] <= fcsr_q[fflags_wid][4:0] | fflags;", "fcsr_q[fflags_wid][4:0] <= fflags;"),
    Fault("vx_lane_ops", "sfu", "a shuffle reads an inactive lane",
          "if (active[lane_t'(source)]) shuffle_source", "shuffle_source"),
    Fault("vx_sfu", "sfu", "CSRRS with x0 writes",
          "(x_q.dec.op == SFU_CSRRW || csr_operand != '0);", "1'b1;"),
    Fault("vx_cta_dispatch", "cta_dispatch", "a thread index does not wrap at the end of a row",
          "if (carry) sum = sum - block_dim_q[a];", "if (carry && a != 0) sum = sum - block_dim_q[a];"),
    Fault("vx_decode", "decode", "x0 is written",
          "dec.use_rd = writes && dec.rd != '0;", "dec.use_rd = writes;"),
    Fault("vx_decode_float", "decode", "FMIN.S has a third function",
          "legal = funct3 <= 3'd1;", "legal = funct3 <= 3'd2;"),
    Fault("vx_lmem", "lmem", "a store writes its whole word",
          "if (byteen[k]) merged[8*k+:8] = data[8*k+:8];", "merged[8*k+:8] = data[8*k+:8];"),
    Fault("vx_lsu", "lsu", "a fence does not wait for loads",
          "b_op_q.fence && table_empty && !other_valid_q;", "b_op_q.fence && !other_valid_q;"),
    Fault("vx_lsu_table", "lsu", "an error of one part of a load is forgotten",
          "if (error_q[rsp_entry] || rsp_error) begin", "if (rsp_error) begin"),
    Fault("vx_lsu_coalescer", "lsu", "lanes of the neighbouring line are merged",
          "addr[i][XLEN-1:LINE_OFFSET_BITS] == first_addr[XLEN-1:LINE_OFFSET_BITS]",
          "addr[i][XLEN-1:LINE_OFFSET_BITS+1] == first_addr[XLEN-1:LINE_OFFSET_BITS+1]"),
    Fault("vx_lsu_amo", "lsu", "lanes of both halves of a wide warp meet in one request",
          "amo.upper == (i >= AMO_PLACES)", "1'b1"),
    Fault("vx_fpu_unit", "fpu_unit", "flags of inactive lanes are raised",
          "if (mask[i]) active_flags", "active_flags"),
    Fault("vx_perf", "perf", "idle cycles count as waiting for the scoreboard",
          "else if (fetching != '0) reason = FETCH;", "else if (fetching != '0) reason = SCOREBOARD;"),
    Fault("vx_icache", "icache", "a second miss of a line is not remembered",
          "mshr_waiting_q[hit_mshr][req.tag] <= 1'b1;", "mshr_waiting_q[hit_mshr][req.tag] <= 1'b0;"),
    Fault("vx_dcache", "dcache", "I/O does not wait for what is under way",
          "else if (req.io) req_ready = quiet && !io_read_q", "else if (req.io) req_ready = !io_read_q"),
    Fault("vx_dirty_lines", "dcache_writeback", "a store to a dirty line forgets what was dirty before",
          "dirty_q[mark_index] ? bytes_q[mark_index] | mark_byteen : mark_byteen;", "mark_byteen;"),
    Fault("vx_l2_bank", "l2_bank", "a store does not reach a line that is there",
          "if (present && access_rw) data_q[index]", "if (present && access_rw && clear) data_q[index]"),
    Fault("vx_cache_tags", "dcache", "every fill goes into the same way",
          "victim_q[fill_set] <= (victim == way_t'(WAYS - 1)) ? '0 : victim + way_t'(1);", "victim_q[fill_set] <= '0;"),
    Fault("vx_bar2_slave", "pcie_bar2", "the first beat of a burst calls itself the last",
          "assign rlast = last_beat;", "assign rlast = 1'b1;"),
    Fault("vx_dcr_window", "pcie_dcr", "requests follow each other without a gap",
          "gap_q <= send_host || send_launch;", "gap_q <= 1'b0;"),
    Fault("vx_dma_engine", "pcie_dma", "a transfer may end behind the memory",
          "vram_end > 65'(VRAM_SIZE)", "vram_end > 65'(VRAM_SIZE) + 65'd64"),
    Fault("vx_doorbell_queue", "pcie_doorbell", "an overflow is not kept",
          "if (ring && !entered) overflow_q <= 1'b1;", "if (ring && !entered) overflow_q <= overflow_q;"),
    Fault("vx_irq_unit", "pcie_msix", "an acknowledgement takes a new event along",
          "status <= (status & ~acknowledge) | occurs;", "status <= (status | occurs) & ~acknowledge;"),
    Fault("vx_msix", "pcie_msix", "a vector that is raised while it is sent is lost",
          "'0)) | raise;", "'0) | raise) & ~(load ? MSIX_VECTORS'(1) << lowest : '0);"),
    Fault("vx_launch_check", "pcie_launch_check", "a block without threads is launched",
          "if (regs.grid[a] == '0 || regs.block[a] == '0) zero = 1'b1;", "if (regs.grid[a] == '0) zero = 1'b1;"),
    Fault("vx_serial_divider", "pcie_launch_check", "the remainder keeps one subtraction too few",
          "assign fits = shifted >= {1'b0, divisor_q};", "assign fits = shifted > {1'b0, divisor_q};"),
    Fault("vx_pcie_regs", "pcie_regs", "a partial write counts as a whole one",
          "wstrb == 4'hF && awaddr[1:0] == '0 :", "awaddr[1:0] == '0 :"),
    Fault("vx_release_writer", "pcie_release", "a word that ends at the end of memory is refused",
          "assign fits = last <= limit;", "assign fits = last < limit;"),
    Fault("vx_remap_bank", "pcie_remap", "a read overtakes a write to its block",
          "if (ws_used_q[i] && ws_block_q[i] == s_arblock) read_clear = 1'b0;", ";"),
    Fault("vx_remap_lookup", "pcie_remap", "the last byte of a range is outside of it",
          "else if (last[i] >= wide) begin", "else if (last[i] > wide) begin"),
    Fault("vx_table_reader", "pcie_table", "overlapping entries are taken",
          "(loaded_q != '0 && vma_q <= 64'(map_last[previous])) || overlaps;",
          "(loaded_q != '0 && vma_q <= 64'(map_last[previous]));"),
    Fault("vx_mem_xbar", "pcie_xbar", "two sources share one id",
          "assign id = {winner, req_tag[winner]};", "assign id = {1'b0, req_tag[winner]};"),
)  # fmt: skip
