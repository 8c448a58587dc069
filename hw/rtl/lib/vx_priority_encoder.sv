// Index of the lowest bit that is set; `index` is zero when none is.
module vx_priority_encoder #(
    parameter int N = 2,
    localparam int INDEX_WIDTH = N > 1 ? $clog2(N) : 1
) (
    input wire [N-1:0] bits,
    output logic valid,
    output logic [INDEX_WIDTH-1:0] index
);
    always_comb begin
        valid = bits != '0;
        index = '0;
        if (valid) begin
            for (int i = N - 1; i >= 0; --i) if (bits[i]) index = INDEX_WIDTH'(i);
        end
    end
endmodule
