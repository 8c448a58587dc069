// Brings the faults of several sources to one output, one a cycle. Each source keeps its first fault until it is shown;
// a further one of the same source in that time is dropped, because only the first one of a launch counts.
module vx_fault_queue #(
    parameter int N = 2,
    parameter int WIDTH = 8,
    localparam int INDEX_WIDTH = N > 1 ? $clog2(N) : 1
) (
    input wire clk,
    input wire reset,
    input wire [N-1:0] in_valid,
    input wire [WIDTH-1:0] in_fault[N],
    output logic out_valid,
    output logic [WIDTH-1:0] out_fault
);
    logic [N-1:0] waiting_q;
    logic [WIDTH-1:0] fault_q[N];
    logic [INDEX_WIDTH-1:0] first;

    vx_priority_encoder #(
        .N(N)
    ) select (
        .bits(waiting_q),
        .valid(out_valid),
        .index(first)
    );

    always_comb begin
        out_fault = '0;
        if (out_valid) out_fault = fault_q[first];
    end

    always_ff @(posedge clk) begin
        if (out_valid) waiting_q[first] <= 1'b0;
        for (int i = 0; i < N; ++i) begin
            if (in_valid[i] && !waiting_q[i]) begin
                waiting_q[i] <= 1'b1;
                fault_q[i] <= in_fault[i];
            end
        end
        if (reset) waiting_q <= '0;
    end
endmodule
