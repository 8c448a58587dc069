// Synchronous FIFO of DEPTH entries; the head is visible in the cycle after its push.
//
// Contract: valid/ready on both sides. `in_ready` does not depend on `out_ready`, so a full FIFO takes nothing in the
// cycle in which it is read; DEPTH 2 or more sustains one entry a cycle. `out_data` is zero while nothing is stored.
module vx_fifo #(
    parameter int WIDTH = 8,
    parameter int DEPTH = 2
) (
    input wire clk,
    input wire reset,

    input wire in_valid,
    output logic in_ready,
    input wire [WIDTH-1:0] in_data,

    output logic out_valid,
    input wire out_ready,
    output logic [WIDTH-1:0] out_data
);
    if (DEPTH < 1) begin : g_check_depth
        $error("vx_fifo: DEPTH=%0d must be at least 1", DEPTH);
    end

    localparam int PTR_WIDTH = DEPTH > 1 ? $clog2(DEPTH) : 1;
    localparam int COUNT_WIDTH = $clog2(DEPTH + 1);

    typedef logic [PTR_WIDTH-1:0] ptr_t;
    typedef logic [COUNT_WIDTH-1:0] count_t;

    logic [WIDTH-1:0] mem_q[DEPTH];
    ptr_t rptr_q, wptr_q;
    count_t count_q;

    logic push, pop;
    assign in_ready = count_q != count_t'(DEPTH);
    assign out_valid = count_q != '0;
    assign push = in_valid && in_ready;
    assign pop = out_valid && out_ready;

    always_comb begin
        out_data = '0;
        if (out_valid) out_data = mem_q[rptr_q];
    end

    function automatic ptr_t next(input ptr_t ptr);
        return (ptr == ptr_t'(DEPTH - 1)) ? '0 : ptr + ptr_t'(1);
    endfunction

    always_ff @(posedge clk) begin
        if (push) begin
            mem_q[wptr_q] <= in_data;
            wptr_q <= next(wptr_q);
        end
        if (pop) rptr_q <= next(rptr_q);
        if (push && !pop) count_q <= count_q + count_t'(1);
        if (pop && !push) count_q <= count_q - count_t'(1);
        if (reset) begin
            rptr_q <= '0;
            wptr_q <= '0;
            count_q <= '0;
        end
    end

`ifndef SYNTHESIS
    logic waiting_q;
    logic [WIDTH-1:0] data_q;
    always_ff @(posedge clk) begin
        waiting_q <= in_valid && !in_ready && !reset;
        if (in_valid && !in_ready) data_q <= in_data;
        if (!reset && waiting_q)
            assert (in_valid && in_data == data_q) else $error("vx_fifo: input changed before it was accepted");
    end
`endif
endmodule
