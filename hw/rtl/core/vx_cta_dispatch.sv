// CTA dispatcher of one core (reference sections 5.3 to 5.7): owns the CTA slots, expands a CTA into warps and keeps
// what the CTA CSRs read.
//
// Contract
// * `cta_ready` depends on the descriptor and on state, never on `cta_valid`: the distributor offers the descriptor to
//   every core and raises `cta_valid` of one that is ready.
// * `warp_start` is always accepted; the core shows the warp in `active_warps` from the next cycle on.
// * `warp_end_*` comes exactly once for every started warp, at most one a cycle, not later than the cycle in which the
//   warp's bit of `active_warps` has fallen; `warp_end_pc` is the address after the TMC. The end of a warp that was not
//   started here (WSPAWN) is shown, with slot 0, and changes nothing.
// * `launch` clears the state that lasts for one launch: initialised bits and the slot pointer.
// * `cta_csrs` follows `csr_wid` combinationally.
module vx_cta_dispatch
    import vx_pkg::*;
    import vx_trace_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire launch,
    input wire [4:0] rewind,

    input wire cta_valid,
    output logic cta_ready,
    /* verilator lint_off UNUSEDSIGNAL */  // last_of_cluster is for the distributor
    input cta_desc_t cta,
    /* verilator lint_on UNUSEDSIGNAL */

    input wire [NUM_WARPS-1:0] active_warps,
    input wire hold,  // a WSPAWN is on its way: no warp may start
    output logic warp_start_valid,
    output warp_start_t warp_start,
    input wire warp_end_valid,
    input wid_t warp_end_wid,
    input word_t warp_end_pc,

    input wid_t csr_wid,
    output cta_csrs_t cta_csrs,

    output logic busy,
    output trace_cta_t trace
);
    localparam int COUNT_WIDTH = NW_WIDTH + 1;  // 0 .. NUM_WARPS
    localparam logic [CTA_DIM_WIDTH-1:0] LANES = CTA_DIM_WIDTH'(NUM_THREADS);

    typedef logic [COUNT_WIDTH-1:0] count_t;
    typedef logic [2:0][CTA_TID_WIDTH-1:0] index_t;

    // ---------------------------------------------------------------- slots

    logic [NUM_WARPS-1:0] slot_valid_q;
    count_t slot_live_q[NUM_WARPS];  // warps that have not ended yet, those that still wait for their start included
    logic [2:0][31:0] slot_block_idx_q[NUM_WARPS];
    word_t slot_lmem_addr_q[NUM_WARPS];
    wid_t tail_q;

    logic [LMEM_LOG_SIZE:0] stride_q;  // the stride that usable_q belongs to
    count_t usable_q;
    logic usable_known_q;

    // Number of slots that fit into LMEM; adding up avoids a divider and runs once a launch.
    function automatic count_t usable_slots(input logic [LMEM_LOG_SIZE:0] stride);
        logic [LMEM_LOG_SIZE+COUNT_WIDTH:0] sum;
        sum = '0;
        usable_slots = '0;
        for (int s = 0; s < NUM_WARPS; ++s) begin
            sum = sum + (LMEM_LOG_SIZE + COUNT_WIDTH + 1)'(stride);
            if (sum <= (LMEM_LOG_SIZE + COUNT_WIDTH + 1)'(1 << LMEM_LOG_SIZE)) usable_slots = count_t'(s + 1);
        end
        if (usable_slots == '0) usable_slots = count_t'(1);
    endfunction

    always_ff @(posedge clk) begin
        if (!usable_known_q || cta.lmem_stride != stride_q) begin
            usable_q <= usable_slots(cta.lmem_stride);
            stride_q <= cta.lmem_stride;
            usable_known_q <= 1'b1;
        end
        if (reset) usable_known_q <= 1'b0;
    end

    // ---------------------------------------------------------------- admission

    logic expanding_q;
    wid_t base;
    logic window_free;
    logic accept;

    always_comb begin
        count_t window;
        window = count_t'(1);
        base = (count_t'(tail_q) >= usable_q) ? '0 : tail_q;
        if (cta.first_of_cluster) begin
            if (cta.cluster_size >= CLUSTER_SIZE_WIDTH'(1)) window = count_t'(cta.cluster_size);
            if (window > usable_q) window = usable_q;
            if ((COUNT_WIDTH + 1)'(base) + (COUNT_WIDTH + 1)'(window) > (COUNT_WIDTH + 1)'(usable_q)) base = '0;
        end
        window_free = 1'b1;
        for (int s = 0; s < NUM_WARPS; ++s) begin
            if (s >= int'(base) && s < int'(base) + int'(window) && slot_valid_q[s]) window_free = 1'b0;
        end
        cta_ready = !expanding_q && window_free && usable_known_q && cta.lmem_stride == stride_q && !launch;
    end

    // Not in the block above: a simulator would see a loop from `cta_valid` through the distributor to itself.
    assign accept = cta_valid && cta_ready;

    // ---------------------------------------------------------------- the CTA that is being expanded

    word_t pc_q, param_q, entry_q;
    logic [2:0][CTA_DIM_WIDTH-1:0] block_dim_q;
    logic [2:0][31:0] grid_dim_q;
    index_t warp_step_q;
    logic [CLUSTER_SIZE_WIDTH-1:0] cluster_size_q;
    count_t num_warps_q;

    wid_t slot_q;
    count_t rank_q;
    logic [CTA_DIM_WIDTH-1:0] remaining_q;  // threads of the block that have no warp yet
    index_t index_q;  // thread index of lane 0 of the next warp

    count_t num_warps;
    assign num_warps = count_t'((CTA_DIM_WIDTH + 1)'((CTA_DIM_WIDTH + 1)'(cta.block_size) +
                                (CTA_DIM_WIDTH + 1)'(NUM_THREADS - 1)) >> NT_BITS);

    // ---------------------------------------------------------------- choice of a warp

    logic [NUM_WARPS-1:0] owned_q;  // started here and not ended
    logic [NUM_WARPS-1:0] init_q;  // has run the prologue in this launch
    word_t end_pc_q[NUM_WARPS];
    wid_t warp_slot_q[NUM_WARPS];
    wid_t warp_rank_q[NUM_WARPS];
    logic [NUM_THREADS-1:0][2:0][CTA_TID_WIDTH-1:0] thread_idx_q[NUM_WARPS];

    wid_t free_wid;
    logic any_free;
    logic last_warp;

    always_comb begin
        any_free = 1'b0;
        free_wid = '0;
        for (int w = NUM_WARPS - 1; w >= 0; --w) begin
            if (!active_warps[w] && !owned_q[w]) begin
                any_free = 1'b1;
                free_wid = wid_t'(w);
            end
        end
        last_warp = remaining_q <= LANES;
        warp_start_valid = expanding_q && any_free && !hold;
        warp_start = '0;
        if (warp_start_valid) begin
            warp_start.wid = free_wid;
            warp_start.pc = init_q[free_wid] ? end_pc_q[free_wid] - word_t'(rewind) : pc_q;
            for (int i = 0; i < NUM_THREADS; ++i) warp_start.tmask[i] = CTA_DIM_WIDTH'(i) < remaining_q;
            warp_start.param = param_q;
            warp_start.slot = slot_q;
        end
    end

    // ---------------------------------------------------------------- thread indices

    localparam int SUM_WIDTH = CTA_TID_WIDTH + 1;  // the same width as a dimension: compares are exact

    index_t next_index;
    logic [NUM_THREADS-1:0][2:0][CTA_TID_WIDTH-1:0] lane_index;

    always_comb begin
        logic [SUM_WIDTH-1:0] sum;
        logic carry;
        sum = '0;
        carry = 1'b0;
        next_index = '0;
        lane_index = '0;
        if (warp_start_valid) begin
            for (int a = 0; a < 3; ++a) begin
                sum = SUM_WIDTH'(index_q[a]) + SUM_WIDTH'(warp_step_q[a]) + SUM_WIDTH'(carry);
                carry = sum >= block_dim_q[a];
                if (carry) sum = sum - block_dim_q[a];
                next_index[a] = sum[CTA_TID_WIDTH-1:0];
            end
            lane_index[0] = index_q;
            for (int i = 1; i < NUM_THREADS; ++i) begin
                carry = 1'b1;
                for (int a = 0; a < 3; ++a) begin
                    sum = SUM_WIDTH'(lane_index[i-1][a]) + SUM_WIDTH'(carry);
                    carry = sum >= block_dim_q[a];
                    lane_index[i][a] = carry ? '0 : sum[CTA_TID_WIDTH-1:0];
                end
            end
        end
    end

    // ---------------------------------------------------------------- state

    wid_t end_slot;
    logic end_owned;
    logic retire;
    assign end_slot = warp_slot_q[warp_end_wid];
    assign end_owned = warp_end_valid && owned_q[warp_end_wid];
    assign retire = end_owned && slot_live_q[end_slot] == count_t'(1);

    always_ff @(posedge clk) begin
        if (end_owned) begin
            owned_q[warp_end_wid] <= 1'b0;
            end_pc_q[warp_end_wid] <= warp_end_pc;
            slot_live_q[end_slot] <= slot_live_q[end_slot] - count_t'(1);
            if (retire) slot_valid_q[end_slot] <= 1'b0;
        end

        if (accept) begin
            expanding_q <= num_warps != '0;
            pc_q <= cta.pc;
            param_q <= cta.param;
            entry_q <= cta.entry;
            block_dim_q <= cta.block_dim;
            grid_dim_q <= cta.grid_dim;
            warp_step_q <= cta.warp_step;
            cluster_size_q <= cta.cluster_size;
            num_warps_q <= num_warps;
            slot_q <= base;
            rank_q <= '0;
            remaining_q <= cta.block_size;
            index_q <= '0;
            slot_valid_q[base] <= num_warps != '0;
            slot_live_q[base] <= num_warps;
            slot_block_idx_q[base] <= cta.block_idx;
            slot_lmem_addr_q[base] <= LMEM_BASE + word_t'(cta.lmem_stride) * word_t'(base);
            tail_q <= (count_t'(base) + count_t'(1) >= usable_q) ? '0 : base + wid_t'(1);
        end

        if (warp_start_valid) begin
            expanding_q <= !last_warp;
            rank_q <= rank_q + count_t'(1);
            remaining_q <= remaining_q - LANES;
            index_q <= next_index;
            owned_q[free_wid] <= 1'b1;
            init_q[free_wid] <= 1'b1;
            warp_slot_q[free_wid] <= slot_q;
            warp_rank_q[free_wid] <= wid_t'(rank_q);
            thread_idx_q[free_wid] <= lane_index;
        end

        if (launch) begin
            init_q <= '0;
            tail_q <= '0;
        end

        if (reset) begin
            slot_valid_q <= '0;
            expanding_q <= 1'b0;
            owned_q <= '0;
            init_q <= '0;
            tail_q <= '0;
        end
    end

    assign busy = expanding_q || slot_valid_q != '0;

    // ---------------------------------------------------------------- CTA CSRs

    wid_t csr_slot;
    assign csr_slot = warp_slot_q[csr_wid];

    always_comb begin
        cta_csrs.slot = csr_slot;
        cta_csrs.rank = warp_rank_q[csr_wid];
        cta_csrs.num_warps = num_warps_q;
        cta_csrs.thread_idx = thread_idx_q[csr_wid];
        cta_csrs.block_idx = slot_block_idx_q[csr_slot];
        cta_csrs.block_dim = block_dim_q;
        cta_csrs.grid_dim = grid_dim_q;
        cta_csrs.lmem_addr = slot_lmem_addr_q[csr_slot];
        cta_csrs.cluster_size = cluster_size_q;
        cta_csrs.entry = entry_q;
    end

    // ---------------------------------------------------------------- trace

    // One branch in the many cycles without an event: this is evaluated on every clock of every simulation.
    always_comb begin
        trace = '0;
        if (accept || warp_start_valid || warp_end_valid) begin
            trace.accept_valid = accept;
            trace.accept_block_idx = cta.block_idx;
            trace.accept_slot = base;
            trace.accept_lmem_addr = LMEM_BASE + word_t'(cta.lmem_stride) * word_t'(base);
            trace.accept_first_of_cluster = cta.first_of_cluster;
            trace.accept_num_warps = num_warps;
            trace.start_valid = warp_start_valid;
            trace.start = warp_start;
            trace.start_rank = wid_t'(rank_q);
            trace.end_valid = warp_end_valid;
            trace.end_wid = warp_end_wid;
            trace.end_slot = end_owned ? end_slot : '0;
            trace.retire_valid = retire;
            trace.retire_slot = end_slot;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && warp_start_valid)
            assert (!active_warps[free_wid]) else $error("vx_cta_dispatch: warp %0d started twice", free_wid);
    end
`endif
endmodule
