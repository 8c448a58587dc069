// Reservations of LR and SC (reference section 2.14), shared by all banks: one line a warp, with the lanes that reserved it.
//
// Contract
// * `reserve` of lanes on the warp's present line adds them; on another line it replaces the reservation, so of an LR
//   whose lanes name several lines only those of the last line hold (the others' SC fails, which is allowed).
// * `held[b]` are the lanes of `owner[b]` that hold `addr[b]`, in the same cycle; `conditional` takes the reservations of
//   `lanes[b]` away, whatever they were for.
// * `broken[b]`: a write to `broken_addr[b]` enters bank b; no warp holds that line afterwards.
// * No warp takes another's place: an SC fails only because its line was written or the warp moved on, so LR/SC loops of
//   all warps make progress.
module vx_reservations
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int NUM_BANKS = 1,
    localparam int WARPS = TOTAL_CORES * NUM_WARPS,
    localparam int OWNER_WIDTH = WARPS > 1 ? $clog2(WARPS) : 1
) (
    input wire clk,
    input wire reset,

    input wire [NUM_BANKS-1:0] reserve,
    input wire [NUM_BANKS-1:0] conditional,
    input wire [OWNER_WIDTH-1:0] owner[NUM_BANKS],
    input tmask_t lanes[NUM_BANKS],
    input line_addr_t addr[NUM_BANKS],
    output tmask_t held[NUM_BANKS],

    input wire [NUM_BANKS-1:0] broken,
    input line_addr_t broken_addr[NUM_BANKS]
);
    tmask_t lanes_q[WARPS];
    line_addr_t addr_q[WARPS];
    logic any_q;  // some reservation may be held: writes have to look

    always_comb begin
        for (int b = 0; b < NUM_BANKS; ++b) begin
            held[b] = '0;
            if (conditional[b] && addr_q[owner[b]] == addr[b]) held[b] = lanes_q[owner[b]];
        end
    end

    // In the order of the statements: a bank never breaks and reserves one line in one cycle.
    always_ff @(posedge clk) begin
        for (int b = 0; b < NUM_BANKS; ++b) begin
            if (broken[b] && any_q) begin
                for (int w = 0; w < WARPS; ++w) if (addr_q[w] == broken_addr[b]) lanes_q[w] <= '0;
            end
        end
        for (int b = 0; b < NUM_BANKS; ++b) begin
            if (conditional[b]) begin
                for (int i = 0; i < NUM_THREADS; ++i) if (lanes[b][i]) lanes_q[owner[b]][i] <= 1'b0;
            end
            if (reserve[b]) begin
                any_q <= 1'b1;
                addr_q[owner[b]] <= addr[b];
                lanes_q[owner[b]] <= lanes[b] | ((addr_q[owner[b]] == addr[b]) ? lanes_q[owner[b]] : '0);
            end
        end
        if (reset) begin
            any_q <= 1'b0;
            for (int w = 0; w < WARPS; ++w) lanes_q[w] <= '0;
        end
    end
endmodule
