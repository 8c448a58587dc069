// Special function unit: warp control, barriers and CSRs. One register, one instruction at a time, one cycle each.
//
// Contract
// * Everything that an instruction does happens in its commit cycle.
// * Instructions that need their warp's older ones committed (TMC, BAR, WSYNC, illegal) issued only after that. A PRED
//   that ends its warp waits here for the same condition.
// * `resolve_*` tells the scheduler where the warp goes; `resolve_resume` low: the warp waits at a barrier until its bit
//   in `released` is set.
module vx_sfu
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
#(
    parameter int CORE_ID = 0
) (
    input wire clk,
    input wire reset,

    input wire exec_valid,
    output logic exec_ready,
    input exec_t exec,

    output logic commit_valid,
    input wire commit_ready,
    output commit_t commit,

    output wid_t wid,  // of the instruction in the unit
    input inflight_t in_flight,  // of that warp
    input cta_csrs_t cta_csrs,

    output logic resolve_valid,
    output logic resolve_resume,
    output word_t resolve_pc,
    output tmask_t resolve_mask,
    output logic [NUM_WARPS-1:0] released,

    input wire start_valid,
    input wid_t start_wid,
    input word_t start_param,

    input wire [NUM_WARPS-1:0] active_warps,
    input wire core_busy,
    input wire instruction_commits,
    input wire [5:0] mpm_index,
    output logic [31:0] mpm_value,

    output trace_control_t trace_control,
    output trace_barrier_t trace_barrier,
    output trace_ipdom_t trace_ipdom
);
    logic valid_q;
    exec_t x_q;
    logic fire;

    assign wid = x_q.wid;
    assign exec_ready = !valid_q || fire;

    always_ff @(posedge clk) begin
        if (exec_valid) x_q <= exec;
        if (exec_valid) valid_q <= 1'b1;
        else if (fire) valid_q <= 1'b0;
        if (reset) valid_q <= 1'b0;
    end

    // ---------------------------------------------------------------- operands

    /* verilator lint_off UNUSEDSIGNAL */  // no second operand is wider than 32 bits
    word_t operand1, operand2;
    /* verilator lint_on UNUSEDSIGNAL */
    tmask_t predicate;
    logic is_csr, is_mask, is_barrier;

    always_comb begin
        operand1 = '0;
        operand2 = '0;
        predicate = '0;
        is_csr = 1'b0;
        is_mask = 1'b0;
        is_barrier = 1'b0;
        if (valid_q) begin
            automatic logic [NT_WIDTH-1:0] last;
            last = last_lane(x_q.tmask);
            operand1 = x_q.rs1[last];
            operand2 = x_q.rs2[last];
            for (int i = 0; i < NUM_THREADS; ++i) predicate[i] = x_q.rs1[i][0];
            is_csr = x_q.dec.op inside {SFU_CSRRW, SFU_CSRRS, SFU_CSRRC};
            is_mask = x_q.dec.op inside {SFU_TMC, SFU_SPLIT, SFU_JOIN, SFU_PRED};
            is_barrier = x_q.dec.op == SFU_BAR;
        end
    end

    // ---------------------------------------------------------------- warp control

    logic [IPDOM_WIDTH-1:0] sp;
    tmask_t top_mask;
    word_t top_pc;
    logic top_second;
    word_t next_pc;
    tmask_t next_mask;
    logic push, flip, pop, bad_stack;
    logic stack_fire;

    assign stack_fire = fire && is_mask && !bad_stack;

    vx_warp_control warp_control (
        .valid(is_mask),
        .op(x_q.dec.op),
        .negate(x_q.dec.imm[0]),
        .pc(x_q.pc),
        .tmask(x_q.tmask),
        .predicate,
        .operand1,
        .restore_mask(operand2[NUM_THREADS-1:0]),
        .sp,
        .top_mask,
        .top_pc,
        .top_second,
        .next_pc,
        .next_mask,
        .push,
        .flip,
        .pop,
        .bad_stack
    );

    vx_ipdom ipdom (
        .clk,
        .reset,
        .query_wid(x_q.wid),
        .sp,
        .top_mask,
        .top_pc,
        .top_second,
        .push(stack_fire && push),
        .flip(stack_fire && flip),
        .pop(stack_fire && pop),
        .push_mask(x_q.tmask),
        .push_pc(next_pc),
        .clear_valid(start_valid),
        .clear_wid(start_wid)
    );

    // ---------------------------------------------------------------- barriers

    logic barrier_complete, barrier_phase, barrier_bad;
    logic [NUM_WARPS-1:0] barrier_released;

    // Barriers between cores and the count 0 do not exist here.
    assign barrier_bad = operand1[31] || operand2[31:0] == '0;

    vx_barrier barriers (
        .clk,
        .reset,
        .valid(is_barrier),
        .arrive(fire && is_barrier && !barrier_bad),
        .wid(x_q.wid),
        .id(operand1[30:0]),
        .count(operand2[31:0]),
        .complete(barrier_complete),
        .phase(barrier_phase),
        .released(barrier_released)
    );

    // ---------------------------------------------------------------- CSRs

    lanes_t csr_data;
    logic csr_known, csr_writable;
    word_t csr_operand, csr_new;
    logic csr_writes;

    assign csr_operand = x_q.dec.use_imm ? word_t'(x_q.dec.imm[16:12]) : operand1;
    // CSRRS and CSRRC write only if the operand's value is not zero.
    assign csr_writes = is_csr && (x_q.dec.op == SFU_CSRRW || csr_operand != '0);

    always_comb begin
        // Writable CSRs have the same value in every lane.
        case (x_q.dec.op)
            SFU_CSRRS: csr_new = csr_data[0] | csr_operand;
            SFU_CSRRC: csr_new = csr_data[0] & ~csr_operand;
            default: csr_new = csr_operand;
        endcase
    end

    vx_csr_file #(
        .CORE_ID(CORE_ID)
    ) csr_file (
        .clk,
        .reset,
        .valid(is_csr),
        .wid(x_q.wid),
        .number(x_q.dec.imm[11:0]),
        .tmask(x_q.tmask),
        .active_warps,
        .cta(cta_csrs),
        .read_data(csr_data),
        .known(csr_known),
        .writable(csr_writable),
        .write_valid(fire && csr_writes && csr_known && csr_writable),
        .write_data(csr_new),
        .start_valid,
        .start_wid,
        .start_param,
        .core_busy,
        .commit_valid(instruction_commits),
        .mpm_index,
        .mpm_value
    );

    // ---------------------------------------------------------------- commit

    logic illegal;

    always_comb begin
        illegal = 1'b0;
        if (valid_q) begin
            illegal = x_q.dec.op == SFU_ILLEGAL || bad_stack || (is_barrier && barrier_bad) ||
                      (is_csr && (!csr_known || (csr_writes && !csr_writable)));
        end
    end

    assign commit_valid = valid_q && !(is_mask && next_mask == '0 && in_flight != inflight_t'(1));
    assign fire = commit_valid && commit_ready;

    always_comb begin
        commit = '0;
        if (valid_q) begin
            commit.info = info_of(x_q);
            commit.data = is_csr ? csr_data : {NUM_THREADS{word_t'(sp)}};
            if (illegal) begin
                commit.fault = FAULT_ILLEGAL;
                commit.fault_addr = x_q.pc;
            end
        end
    end

    assign resolve_valid = fire && !illegal && (is_mask || is_barrier);
    assign resolve_resume = !is_barrier || barrier_complete;
    assign resolve_pc = next_pc;
    assign resolve_mask = next_mask;
    assign released = (resolve_valid && is_barrier) ? barrier_released : '0;

    // ---------------------------------------------------------------- trace

    always_comb begin
        trace_control = '0;
        trace_ipdom = '0;
        trace_barrier = '0;
        if (resolve_valid && is_mask) begin
            trace_control.valid = 1'b1;
            trace_control.wid = x_q.wid;
            trace_control.uid = x_q.uid;
            trace_control.next_pc = next_pc;
            trace_control.next_mask = next_mask;
        end
        if (resolve_valid && (push || flip || pop)) begin
            trace_ipdom.valid = 1'b1;
            trace_ipdom.wid = x_q.wid;
            trace_ipdom.uid = x_q.uid;
            trace_ipdom.op = push ? 2'd0 : flip ? 2'd1 : 2'd2;
            trace_ipdom.sp = sp;
            trace_ipdom.mask = push ? x_q.tmask : top_mask;
            trace_ipdom.pc = push ? next_pc : top_pc;
        end
        if (resolve_valid && is_barrier) begin
            trace_barrier.valid = 1'b1;
            trace_barrier.wid = x_q.wid;
            trace_barrier.uid = x_q.uid;
            trace_barrier.op = 2'd0;
            trace_barrier.id = operand1[31:0];
            trace_barrier.count = operand2[31:0];
            trace_barrier.phase = barrier_phase;
            trace_barrier.released = barrier_released;
        end
    end
endmodule
