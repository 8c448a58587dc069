// The pipelined part of the floating-point unit: everything but division and square root, one instruction a cycle, all
// lanes in step.
//
// Contract
// * Request and response are valid/ready; a response is stable while it waits. `req_tag` comes back with the response.
// * Operations of `is_fma` take five cycles, the others two, so responses may leave in another order than requests came;
//   each of both kinds keeps its own order, and neither can be kept from leaving by the other for more than a cycle.
// * `req_mode` is one of the five modes (not "dynamic"). An integer operand comes in `req_a`.
// * Flags are those of each lane; whoever knows the thread mask ORs them.
module vx_fpu_pipe
    import vx_fpu_pkg::*;
#(
    parameter int LANES = 4,
    parameter int TAG_WIDTH = 8,
    parameter int INT_WIDTH = 32
) (
    input wire clk,
    input wire reset,

    input wire req_valid,
    output logic req_ready,
    input fpu_op_t req_op,
    input rounding_t req_mode,
    input wire [LANES-1:0][INT_WIDTH-1:0] req_a,
    input wire [LANES-1:0][31:0] req_b,
    input wire [LANES-1:0][31:0] req_c,
    input wire [TAG_WIDTH-1:0] req_tag,

    output logic rsp_valid,
    input wire rsp_ready,
    output logic rsp_misc,  // of the kind that takes two cycles
    output logic [LANES-1:0][INT_WIDTH-1:0] rsp_data,
    output flags_t [LANES-1:0] rsp_flags,
    output logic [TAG_WIDTH-1:0] rsp_tag
);
    localparam int STAGES = 4;  // of the multiply-add, behind the operand register

    // ---------------------------------------------------------------- operands

    logic valid_q;
    fpu_op_t op_q;
    rounding_t mode_q;
    logic [LANES-1:0][INT_WIDTH-1:0] a_q;
    logic [LANES-1:0][31:0] b_q, c_q;
    logic [TAG_WIDTH-1:0] tag_q;
    logic leave;

    assign req_ready = !valid_q || leave;

    always_ff @(posedge clk) begin
        if (req_valid && req_ready) begin
            op_q <= req_op;
            mode_q <= req_mode;
            a_q <= req_a;
            b_q <= req_b;
            c_q <= req_c;
            tag_q <= req_tag;
        end
        if (req_ready) valid_q <= req_valid;
        if (reset) valid_q <= 1'b0;
    end

    // ---------------------------------------------------------------- multiply-add: bubbles collapse

    logic [STAGES-1:0] fma_valid_q, fma_ready, advance;
    logic [TAG_WIDTH-1:0] fma_tag_q[STAGES];
    logic [LANES-1:0][31:0] fma_data;
    flags_t [LANES-1:0] fma_flags;
    logic fma_enters, fma_leaves;

    assign fma_enters = valid_q && is_fma(op_q);

    always_comb begin
        fma_ready[STAGES-1] = !fma_valid_q[STAGES-1] || fma_leaves;
        for (int i = STAGES - 2; i >= 0; --i) fma_ready[i] = !fma_valid_q[i] || fma_ready[i+1];
        advance = fma_ready & {fma_valid_q[STAGES-2:0], fma_enters};
    end

    always_ff @(posedge clk) begin
        for (int i = 0; i < STAGES; ++i) begin
            if (fma_ready[i]) fma_valid_q[i] <= advance[i];
        end
        if (advance[0]) fma_tag_q[0] <= tag_q;
        for (int i = 1; i < STAGES; ++i) begin
            if (advance[i]) fma_tag_q[i] <= fma_tag_q[i-1];
        end
        if (reset) fma_valid_q <= '0;
    end

    // ---------------------------------------------------------------- the others

    logic misc_valid_q, misc_ready, misc_enters, misc_leaves;
    logic [TAG_WIDTH-1:0] misc_tag_q;
    logic [LANES-1:0][INT_WIDTH-1:0] misc_data;
    flags_t [LANES-1:0] misc_flags;

    assign misc_enters = valid_q && !is_fma(op_q) && misc_ready;
    assign misc_ready = !misc_valid_q || misc_leaves;
    assign leave = is_fma(op_q) ? fma_ready[0] : misc_ready;

    always_ff @(posedge clk) begin
        if (misc_ready) misc_valid_q <= misc_enters;
        if (misc_enters) misc_tag_q <= tag_q;
        if (reset) misc_valid_q <= 1'b0;
    end

    for (genvar i = 0; i < LANES; ++i) begin : g_lane
        vx_fpu_fma_lane #(
            .INT_WIDTH(INT_WIDTH)
        ) fma (
            .clk,
            .advance,
            .op(op_q),
            .mode(mode_q),
            .a(a_q[i]),
            .b(b_q[i]),
            .c(c_q[i]),
            .result(fma_data[i]),
            .flags(fma_flags[i])
        );

        vx_fpu_misc_lane #(
            .INT_WIDTH(INT_WIDTH)
        ) misc (
            .clk,
            .advance(misc_enters),
            .op(op_q),
            .mode(mode_q),
            .a(a_q[i][31:0]),
            .b(b_q[i]),
            .result(misc_data[i]),
            .flags(misc_flags[i])
        );
    end

    // ---------------------------------------------------------------- response

    logic choose_misc, misc_first_q;

    assign choose_misc = misc_valid_q && (!fma_valid_q[STAGES-1] || misc_first_q);
    assign rsp_valid = misc_valid_q || fma_valid_q[STAGES-1];
    assign rsp_misc = choose_misc;
    assign misc_leaves = choose_misc && rsp_ready;
    assign fma_leaves = fma_valid_q[STAGES-1] && !choose_misc && rsp_ready;

    // Who has waited once is first; who has been offered stays.
    always_ff @(posedge clk) begin
        if (rsp_ready || choose_misc) misc_first_q <= misc_valid_q && !misc_leaves;
        if (reset) misc_first_q <= 1'b0;
    end

    always_comb begin
        rsp_data = '0;
        rsp_flags = '0;
        rsp_tag = '0;
        if (choose_misc) begin
            rsp_data = misc_data;
            rsp_flags = misc_flags;
            rsp_tag = misc_tag_q;
        end else if (fma_valid_q[STAGES-1]) begin
            for (int i = 0; i < LANES; ++i) rsp_data[i] = INT_WIDTH'(fma_data[i]);
            rsp_flags = fma_flags;
            rsp_tag = fma_tag_q[STAGES-1];
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && req_valid && req_ready) begin
            assert (!is_divsqrt(req_op)) else $error("vx_fpu_pipe: operation %0d is not one of this unit", req_op);
            assert (req_mode <= RMM) else $error("vx_fpu_pipe: %0d is no rounding mode", req_mode);
            assert (INT_WIDTH == 64 || !(req_op inside {FPU_FROM_L, FPU_FROM_LU, FPU_TO_L, FPU_TO_LU}))
            else $error("vx_fpu_pipe: operation %0d needs 64-bit integers", req_op);
        end
    end

    logic rsp_waits_q;
    logic [TAG_WIDTH-1:0] rsp_tag_q;
    always_ff @(posedge clk) begin
        if (!reset && rsp_waits_q)
            assert (rsp_valid && rsp_tag == rsp_tag_q) else $error("vx_fpu_pipe: a waiting response changed");
        rsp_waits_q <= !reset && rsp_valid && !rsp_ready;
        rsp_tag_q <= rsp_tag;
    end
`endif
endmodule
