// What the LSU shows of itself (trace_memory_t). Combinational; nothing in the design reads it.
//
// Contract
// * `accept`: an instruction that is no atomic enters the stage that sends requests; order of requests is order of trace.
// * `performed`: lanes `atomic_mask` of an atomic have been performed, in ascending order. Lanes of one line are one event; an
//   instruction whose lanes lie on several lines makes several. Of an SC the mask has the lanes that stored.
// * Never both: nothing is accepted while an atomic is outstanding.
module vx_lsu_trace
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
(
    input wire accept,
    /* verilator lint_off UNUSEDSIGNAL */  // the first operand is in `addr`
    input exec_t accepted,
    /* verilator lint_on UNUSEDSIGNAL */
    input lanes_t addr,

    input wire performed,
    /* verilator lint_off UNUSEDSIGNAL */  // the mask comes with each response
    input exec_info_t atomic_info,
    /* verilator lint_on UNUSEDSIGNAL */
    input amo_op_t atomic_op,
    input wire [1:0] atomic_log_size,
    input lanes_t atomic_addr,
    input lanes_t atomic_data,
    input tmask_t atomic_mask,
    input lanes_t atomic_result,

    output trace_memory_t trace
);
    localparam logic [1:0] OP_LOAD = 2'd0;
    localparam logic [1:0] OP_STORE = 2'd1;
    localparam logic [1:0] OP_FENCE = 2'd2;
    localparam logic [1:0] OP_ATOMIC = 2'd3;
    localparam logic [1:0] SPACE_GLOBAL = 2'd0;
    localparam logic [1:0] SPACE_LMEM = 2'd1;
    localparam logic [1:0] SPACE_IO = 2'd2;

    function automatic word_t low_bytes(input word_t value, input logic [1:0] log_size);
        case (log_size)
            2'd0: return word_t'(value[7:0]);
            2'd1: return word_t'(value[15:0]);
            2'd2: return word_t'(value[31:0]);
            default: return value;
        endcase
    endfunction

    /* verilator lint_off UNUSEDSIGNAL */  // the sign of a load does not show
    lsu_op_t op;
    /* verilator lint_on UNUSEDSIGNAL */
    word_t lowest;

    assign op = lsu_op_t'(accepted.dec.op);

    always_comb begin
        trace = '0;
        lowest = '0;
        if (accept) begin
            trace.valid = 1'b1;
            trace.wid = accepted.wid;
            trace.uid = accepted.uid;
            trace.mask = accepted.tmask;
            if (op.fence) begin
                trace.op = OP_FENCE;
            end else begin
                lowest = addr[first_lane(accepted.tmask)];
                trace.op = op.store ? OP_STORE : OP_LOAD;
                trace.space = is_lmem(lowest) ? SPACE_LMEM : is_io(lowest) ? SPACE_IO : SPACE_GLOBAL;
                trace.size = 4'd1 << op.log_size;
                trace.addr = addr;
                if (op.store) begin
                    for (int i = 0; i < NUM_THREADS; ++i) trace.data[i] = low_bytes(accepted.rs2[i], op.log_size);
                end
            end
        end else if (performed) begin
            trace.valid = 1'b1;
            trace.wid = atomic_info.wid;
            trace.uid = atomic_info.uid;
            trace.op = OP_ATOMIC;
            trace.space = is_io(atomic_addr[first_lane(atomic_mask)]) ? SPACE_IO : SPACE_GLOBAL;
            trace.size = 4'd1 << atomic_log_size;
            trace.mask = atomic_mask;
            trace.addr = atomic_addr;
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (atomic_op == AMO_SC && atomic_result[i] != '0) trace.mask[i] = 1'b0;
                if (atomic_op != AMO_LR) trace.data[i] = low_bytes(atomic_data[i], atomic_log_size);
            end
        end
    end
endmodule
