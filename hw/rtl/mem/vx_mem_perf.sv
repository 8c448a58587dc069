// Counts the requests of one core's two caches to memory (class MEM of MPM, reference section 3.5).
//
// Contract: index 0 is the I-cache, 1 the D-cache. Each cycle of each unanswered read adds one to `latency`, so latency / reads
// is the mean number of cycles. Counters run from reset.
module vx_mem_perf
    import vx_pkg::*;
    import vx_mem_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire [1:0] req_valid,
    input wire [1:0] req_ready,
    input wire [1:0] req_write,
    input wire [1:0] rsp_valid,
    input wire [1:0] rsp_ready,

    output mem_perf_t perf
);
    typedef logic [PERF_WIDTH-1:0] counter_t;
    localparam int OUTSTANDING_WIDTH = $clog2(2 * (MAX_MSHRS + 1 + MAX_AMOS) + 1);
    typedef logic [OUTSTANDING_WIDTH-1:0] outstanding_t;

    logic [1:0] request, answer, waits;
    outstanding_t outstanding_q;

    assign request = req_valid & req_ready;
    assign answer = rsp_valid & rsp_ready;
    assign waits = req_valid & ~req_ready;

    function automatic logic [1:0] number_of(input logic [1:0] bits);
        return 2'(bits[0]) + 2'(bits[1]);
    endfunction

    always_ff @(posedge clk) begin
        if (request != '0) begin
            perf.reads <= perf.reads + counter_t'(number_of(request & ~req_write));
            perf.writes <= perf.writes + counter_t'(number_of(request & req_write));
        end
        if (waits != '0) perf.stalls <= perf.stalls + counter_t'(number_of(waits));
        if (outstanding_q != '0) perf.latency <= perf.latency + counter_t'(outstanding_q);
        if (request != '0 || answer != '0) begin
            outstanding_q <= outstanding_q + outstanding_t'(number_of(request & ~req_write)) -
                             outstanding_t'(number_of(answer));
        end
        if (reset) begin
            perf <= '0;
            outstanding_q <= '0;
        end
    end
endmodule
