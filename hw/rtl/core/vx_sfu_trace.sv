// What the SFU shows of itself. Combinational; nothing in the design reads it.
//
// Contract: `control`, `stack` and `barrier` say that the instruction in the unit takes effect now, in its commit cycle.
module vx_sfu_trace
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
(
    /* verilator lint_off UNUSEDSIGNAL */  // only what names the instruction
    input exec_t exec,
    /* verilator lint_on UNUSEDSIGNAL */

    input wire control,
    input word_t next_pc,
    input tmask_t next_mask,

    input wire stack,
    input wire push,
    input wire flip,
    input wire pop,
    input wire [IPDOM_WIDTH-1:0] sp,
    input tmask_t top_mask,
    input word_t top_pc,

    input wire barrier,
    input barrier_op_t barrier_op,
    input wire [31:0] barrier_id,
    input wire [31:0] barrier_count,
    input wire barrier_phase,
    input wire [NUM_WARPS-1:0] barrier_released,

    output trace_control_t trace_control,
    output trace_ipdom_t trace_ipdom,
    output trace_barrier_t trace_barrier
);
    always_comb begin
        trace_control = '0;
        trace_ipdom = '0;
        trace_barrier = '0;
        if (control) begin
            trace_control = '{
                valid: 1'b1,
                wid: exec.wid,
                uid: exec.uid,
                next_pc: next_pc,
                next_mask: next_mask
            };
        end
        if (stack && (push || flip || pop)) begin
            trace_ipdom = '{
                valid: 1'b1,
                wid: exec.wid,
                uid: exec.uid,
                op: push ? 2'd0 : flip ? 2'd1 : 2'd2,
                sp: sp,
                mask: push ? exec.tmask : top_mask,
                pc: push ? next_pc : top_pc
            };
        end
        if (barrier) begin
            trace_barrier = '{
                valid: 1'b1,
                wid: exec.wid,
                uid: exec.uid,
                op: barrier_op,
                id: barrier_id,
                count: barrier_count,
                phase: barrier_phase,
                released: barrier_released
            };
        end
    end
endmodule
