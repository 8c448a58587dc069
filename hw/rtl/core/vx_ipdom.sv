// IPDOM stacks of all warps (reference section 2.5): storage and stack pointers; vx_warp_control decides what happens.
//
// Contract
// * `sp`, `top_*` follow `query_wid` combinationally; `top_*` means nothing while sp is 0.
// * At most one of push, flip and pop per cycle, for `query_wid`. `clear_*` empty the stacks of warps that start.
module vx_ipdom
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wid_t query_wid,
    output logic [IPDOM_WIDTH-1:0] sp,
    output tmask_t top_mask,
    output word_t top_pc,
    output logic top_second,  // the other side is running: the next JOIN pops

    input wire push,
    input wire flip,
    input wire pop,
    input tmask_t push_mask,
    input word_t push_pc,

    input wire clear_valid,
    input wid_t clear_wid,
    input wire [NUM_WARPS-1:0] clear_warps  // further ones
);
    localparam int ENTRIES = NUM_WARPS * IPDOM_DEPTH;
    localparam int INDEX_WIDTH = (ENTRIES > 1) ? $clog2(ENTRIES) : 1;
    typedef logic [IPDOM_WIDTH-1:0] sp_t;

    sp_t sp_q[NUM_WARPS];
    tmask_t mask_q[ENTRIES];
    word_t pc_q[ENTRIES];
    logic [ENTRIES-1:0] second_q;
    logic [INDEX_WIDTH-1:0] base, top;

    assign sp = sp_q[query_wid];
    assign base = INDEX_WIDTH'(query_wid) * INDEX_WIDTH'(IPDOM_DEPTH);
    assign top = (sp == '0) ? base : base + INDEX_WIDTH'(sp) - INDEX_WIDTH'(1);
    assign top_mask = mask_q[top];
    assign top_pc = pc_q[top];
    assign top_second = second_q[top];

    always_ff @(posedge clk) begin
        if (push) begin
            mask_q[base+INDEX_WIDTH'(sp)] <= push_mask;
            pc_q[base+INDEX_WIDTH'(sp)] <= push_pc;
            second_q[base+INDEX_WIDTH'(sp)] <= 1'b0;
            sp_q[query_wid] <= sp + sp_t'(1);
        end
        if (flip) second_q[top] <= 1'b1;
        if (pop) sp_q[query_wid] <= sp - sp_t'(1);
        if (clear_valid) sp_q[clear_wid] <= '0;
        if (clear_warps != '0) for (int w = 0; w < NUM_WARPS; ++w) if (clear_warps[w]) sp_q[w] <= '0;
        if (reset) for (int w = 0; w < NUM_WARPS; ++w) sp_q[w] <= '0;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && push)
            assert (32'(sp) < IPDOM_DEPTH) else $error("vx_ipdom: warp %0d: push onto a full stack", query_wid);
        if (!reset && (flip || pop))
            assert (sp != '0) else $error("vx_ipdom: warp %0d: pop from an empty stack", query_wid);
    end
`endif
endmodule
