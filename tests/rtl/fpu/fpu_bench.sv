// Both parts of the floating-point unit side by side, for the C++ loop of driver.cpp.
module fpu_bench
    import vx_fpu_pkg::*;
#(
    parameter int LANES = 8,  // at least 3, so that every port of lanes is an array of words in C++
    parameter int TAG_WIDTH = 16,
    parameter int INT_WIDTH = 32
) (
    input wire clk,
    input wire reset,

    input wire pipe_req_valid,
    output logic pipe_req_ready,
    input wire div_req_valid,
    output logic div_req_ready,
    input wire [4:0] req_op,
    input wire [2:0] req_mode,
    input wire [LANES-1:0][INT_WIDTH-1:0] req_a,
    input wire [LANES-1:0][31:0] req_b,
    input wire [LANES-1:0][31:0] req_c,
    input wire [TAG_WIDTH-1:0] req_tag,

    output logic pipe_rsp_valid,
    input wire pipe_rsp_ready,
    output logic [LANES-1:0][INT_WIDTH-1:0] pipe_rsp_data,
    output logic [LANES-1:0][31:0] pipe_rsp_flags,
    output logic [TAG_WIDTH-1:0] pipe_rsp_tag,

    output logic div_rsp_valid,
    input wire div_rsp_ready,
    output logic [LANES-1:0][31:0] div_rsp_data,
    output logic [LANES-1:0][31:0] div_rsp_flags,
    output logic [TAG_WIDTH-1:0] div_rsp_tag
);
    flags_t [LANES-1:0] pipe_flags, div_flags;
    logic [LANES-1:0][31:0] low_a;

    always_comb begin
        for (int i = 0; i < LANES; ++i) begin
            low_a[i] = req_a[i][31:0];
            pipe_rsp_flags[i] = 32'(pipe_flags[i]);
            div_rsp_flags[i] = 32'(div_flags[i]);
        end
    end

    /* verilator lint_off UNUSEDSIGNAL */  // the tag says which request it was
    logic pipe_rsp_misc;
    /* verilator lint_on UNUSEDSIGNAL */

    vx_fpu_pipe #(
        .LANES(LANES),
        .TAG_WIDTH(TAG_WIDTH),
        .INT_WIDTH(INT_WIDTH)
    ) pipe (
        .clk,
        .reset,
        .req_valid(pipe_req_valid),
        .req_ready(pipe_req_ready),
        .req_op(fpu_op_t'(req_op)),
        .req_mode(rounding_t'(req_mode)),
        .req_a,
        .req_b,
        .req_c,
        .req_tag,
        .rsp_valid(pipe_rsp_valid),
        .rsp_ready(pipe_rsp_ready),
        .rsp_misc(pipe_rsp_misc),
        .rsp_data(pipe_rsp_data),
        .rsp_flags(pipe_flags),
        .rsp_tag(pipe_rsp_tag)
    );

    vx_fpu_divsqrt #(
        .LANES(LANES),
        .TAG_WIDTH(TAG_WIDTH)
    ) divsqrt (
        .clk,
        .reset,
        .req_valid(div_req_valid),
        .req_ready(div_req_ready),
        .req_op(fpu_op_t'(req_op)),
        .req_mode(rounding_t'(req_mode)),
        .req_a(low_a),
        .req_b,
        .req_tag,
        .rsp_valid(div_rsp_valid),
        .rsp_ready(div_rsp_ready),
        .rsp_data(div_rsp_data),
        .rsp_flags(div_flags),
        .rsp_tag(div_rsp_tag)
    );
endmodule
