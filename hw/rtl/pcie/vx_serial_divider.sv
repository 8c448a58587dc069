// Unsigned division, one bit a cycle; at once when the quotient is plain to see. A divisor of 0 gives 0 and the dividend.
//
// Contract: `start` while not `busy`; results are valid from the cycle in which `busy` is low again until the next start.
module vx_serial_divider #(
    parameter int WIDTH = 32
) (
    input wire clk,
    input wire reset,
    input wire start,
    input wire [WIDTH-1:0] dividend,
    input wire [WIDTH-1:0] divisor,
    output logic busy,
    output logic [WIDTH-1:0] quotient,
    output logic [WIDTH-1:0] remainder
);
    localparam int COUNT_WIDTH = $clog2(WIDTH + 1);

    logic [COUNT_WIDTH-1:0] left_q;
    logic [WIDTH-1:0] divisor_q;
    logic [WIDTH:0] shifted;
    logic fits;
    assign shifted = {remainder, quotient[WIDTH-1]};
    assign fits = shifted >= {1'b0, divisor_q};

    assign busy = left_q != '0;
    always_ff @(posedge clk) begin
        if (start) begin
            divisor_q <= divisor;
            if (divisor == WIDTH'(1)) begin
                quotient <= dividend;
                remainder <= '0;
                left_q <= '0;
            end else if (dividend < divisor || divisor == '0) begin
                quotient <= '0;
                remainder <= dividend;
                left_q <= '0;
            end else begin
                quotient <= dividend;
                remainder <= '0;
                left_q <= COUNT_WIDTH'(WIDTH);
            end
        end else if (busy) begin
            quotient <= {quotient[WIDTH-2:0], fits};
            remainder <= fits ? WIDTH'(shifted - {1'b0, divisor_q}) : shifted[WIDTH-1:0];
            left_q <= left_q - COUNT_WIDTH'(1);
        end
        if (reset) left_q <= '0;
    end
endmodule
