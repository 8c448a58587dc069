// Doorbell tokens, oldest first.
//
// Contract: `ring` enters a token, or sets `overflow` when DEPTH are waiting; `head` is the oldest, all ones if there is
// none; `pop` takes it, and does nothing when there is none.
module vx_doorbell_queue #(
    parameter int DEPTH = 64
) (
    input wire clk,
    input wire reset,
    input wire ring,
    input wire [31:0] token,
    input wire pop,
    input wire clear_overflow,
    output logic entered,  // `ring` was not lost
    output logic [15:0] count,
    output logic overflow,
    output logic [31:0] head
);
    localparam int PTR_WIDTH = $clog2(DEPTH);
    typedef logic [PTR_WIDTH-1:0] ptr_t;

    if (DEPTH < 2 || 2 ** PTR_WIDTH != DEPTH) begin : g_check_depth
        $fatal(1, "vx_doorbell_queue: DEPTH=%0d must be a power of two", DEPTH);
    end

    logic [31:0] tokens_q[DEPTH];
    ptr_t rptr_q, wptr_q;
    logic [PTR_WIDTH:0] count_q;
    logic overflow_q, taken;

    assign entered = ring && count_q != (PTR_WIDTH + 1)'(DEPTH);
    assign taken = pop && count_q != '0;
    always_ff @(posedge clk) begin
        if (entered) begin
            tokens_q[wptr_q] <= token;
            wptr_q <= wptr_q + ptr_t'(1);
        end
        if (taken) rptr_q <= rptr_q + ptr_t'(1);
        count_q <= count_q + (PTR_WIDTH + 1)'(entered) - (PTR_WIDTH + 1)'(taken);
        if (clear_overflow) overflow_q <= 1'b0;
        if (ring && !entered) overflow_q <= 1'b1;
        if (reset) begin
            rptr_q <= '0;
            wptr_q <= '0;
            count_q <= '0;
            overflow_q <= 1'b0;
        end
    end

    assign count = 16'(count_q);
    assign overflow = overflow_q;
    assign head = count_q == '0 ? '1 : tokens_q[rptr_q];
endmodule
