// The iterative part of the floating-point unit: division and square root, all lanes in step, one instruction at a time.
//
// Contract
// * Request and response are valid/ready; a response is stable while it waits. `req_tag` comes back with the response.
// * Sixteen cycles from request to response. A request is accepted while nothing is in the unit.
// * `req_mode` is one of the five modes (not "dynamic"). Flags are those of each lane.
module vx_fpu_divsqrt
    import vx_fpu_pkg::*;
#(
    parameter int LANES = 4,
    parameter int TAG_WIDTH = 8
) (
    input wire clk,
    input wire reset,

    input wire req_valid,
    output logic req_ready,
    input fpu_op_t req_op,
    input rounding_t req_mode,
    input wire [LANES-1:0][31:0] req_a,
    input wire [LANES-1:0][31:0] req_b,
    input wire [TAG_WIDTH-1:0] req_tag,

    output logic rsp_valid,
    input wire rsp_ready,
    output logic [LANES-1:0][31:0] rsp_data,
    output flags_t [LANES-1:0] rsp_flags,
    output logic [TAG_WIDTH-1:0] rsp_tag
);
    localparam int STEPS = 13;  // of two bits: 24, a guard bit and a round bit

    typedef enum logic [2:0] {
        IDLE,
        PREPARE,
        ITERATE,
        FINISH,
        DONE
    } state_t;

    state_t state_q;
    logic [3:0] step_q;
    logic is_sqrt_q;
    rounding_t mode_q;
    logic [TAG_WIDTH-1:0] tag_q;
    logic load;

    assign req_ready = state_q == IDLE;
    assign load = req_valid && req_ready;
    assign rsp_valid = state_q == DONE;
    assign rsp_tag = tag_q;

    always_ff @(posedge clk) begin
        case (state_q)
            IDLE:
            if (load) begin
                state_q <= PREPARE;
                is_sqrt_q <= req_op == FPU_SQRT;
                mode_q <= req_mode;
                tag_q <= req_tag;
            end
            PREPARE: begin
                state_q <= ITERATE;
                step_q <= 4'(STEPS - 1);
            end
            ITERATE: begin
                step_q <= step_q - 4'd1;
                if (step_q == '0) state_q <= FINISH;
            end
            FINISH: state_q <= DONE;
            default: if (rsp_ready) state_q <= IDLE;
        endcase
        if (reset) state_q <= IDLE;
    end

    for (genvar i = 0; i < LANES; ++i) begin : g_lane
        vx_fpu_divsqrt_lane lane (
            .clk,
            .load,
            .prepare(state_q == PREPARE),
            .iterate(state_q == ITERATE),
            .finish(state_q == FINISH),
            .is_sqrt(is_sqrt_q),
            .mode(mode_q),
            .a(req_a[i]),
            .b(req_b[i]),
            .result(rsp_data[i]),
            .flags(rsp_flags[i])
        );
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && load) begin
            assert (is_divsqrt(req_op)) else $error("vx_fpu_divsqrt: operation %0d is not one of this unit", req_op);
            assert (req_mode <= RMM) else $error("vx_fpu_divsqrt: %0d is no rounding mode", req_mode);
        end
    end
`endif
endmodule
