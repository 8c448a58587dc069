// Round-robin arbiter: grants the first request at or after the pointer; after a granted transfer (`advance`) the pointer
// stands behind the winner, so every requester is served after at most N - 1 others.
//
// Contract: the grant is combinational in `request`; `advance` means that the granted transfer happens in this cycle.
module vx_rr_arbiter #(
    parameter int N = 2,
    localparam int INDEX_WIDTH = N > 1 ? $clog2(N) : 1
) (
    input wire clk,
    input wire reset,
    input wire [N-1:0] request,
    input wire advance,
    output logic valid,
    output logic [INDEX_WIDTH-1:0] index
);
    typedef logic [INDEX_WIDTH-1:0] index_t;

    index_t first_q;

    always_comb begin
        valid = request != '0;
        index = '0;
        if (valid) begin
            for (int i = N - 1; i >= 0; --i) if (request[i]) index = index_t'(i);
            for (int i = N - 1; i >= 0; --i) if (request[i] && index_t'(i) >= first_q) index = index_t'(i);
        end
    end

    always_ff @(posedge clk) begin
        if (valid && advance) first_q <= (index == index_t'(N - 1)) ? '0 : index + index_t'(1);
        if (reset) first_q <= '0;
    end
endmodule
