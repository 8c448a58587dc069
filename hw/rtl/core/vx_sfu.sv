// Special function unit: warp control, barriers, traps, exchange between lanes, CSRs. One register, one instruction at a
// time, one cycle each; an arrival at a barrier across cores waits for its turn, and a shuffle or WGATHER takes a cycle a
// beat.
//
// Contract
// * Everything that an instruction does happens in its commit cycle.
// * Instructions that need their warp's older ones committed (TMC, barriers, WSPAWN, WSYNC, illegal) issued only after that. A PRED
//   that ends its warp waits here for the same condition.
// * `write_mask` says which lanes of rd the instruction writes; it is the thread mask but for WGATHER.
// * A WSPAWN comes when its warp is the only active one, and no other may start until it has executed: `spawned` are the
//   warps that it starts at `spawn_pc`.
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
    output tmask_t write_mask,

    output wid_t wid,  // of the instruction in the unit
    input inflight_t in_flight,  // of that warp
    input cta_csrs_t cta_csrs,

    output logic resolve_valid,
    output logic resolve_resume,
    output word_t resolve_pc,
    output tmask_t resolve_mask,
    output logic [NUM_WARPS-1:0] released,
    output logic [NUM_WARPS-1:0] spawned,
    output word_t spawn_pc,
    output logic diverges,  // a SPLIT pushes

    output gbar_req_t gbar_req,
    input gbar_rsp_t gbar_rsp,
    output logic gbar_arrived,
    output logic gbar_fire,

    input wire start_valid,
    input wid_t start_wid,
    input word_t start_param,

    output logic [2:0] frm[NUM_WARPS],
    input wire fflags_valid,
    input wid_t fflags_wid,
    input wire [4:0] fflags,

    input wire [NUM_WARPS-1:0] active_warps,
    input wire warp_ended,
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

    word_t operand1, operand2;
    tmask_t predicate;
    logic is_csr, is_mask, is_barrier, is_exchange, is_spawn, is_trap, is_return;
    barrier_op_t barrier_op;

    always_comb begin
        operand1 = '0;
        operand2 = '0;
        predicate = '0;
        is_csr = 1'b0;
        is_mask = 1'b0;
        is_barrier = 1'b0;
        is_exchange = 1'b0;
        is_spawn = 1'b0;
        is_trap = 1'b0;
        is_return = 1'b0;
        barrier_op = BARRIER_SYNC;
        if (valid_q) begin
            automatic logic [NT_WIDTH-1:0] last;
            last = last_lane(x_q.tmask);
            operand1 = x_q.rs1[last];
            operand2 = x_q.rs2[last];
            for (int i = 0; i < NUM_THREADS; ++i) predicate[i] = x_q.rs1[i][0];
            is_csr = x_q.dec.op inside {SFU_CSRRW, SFU_CSRRS, SFU_CSRRC};
            is_mask = x_q.dec.op inside {SFU_TMC, SFU_SPLIT, SFU_JOIN, SFU_PRED};
            is_barrier = x_q.dec.op inside {SFU_BAR, SFU_BAR_ARRIVE, SFU_BAR_WAIT};
            is_exchange = x_q.dec.op inside {SFU_VOTE, SFU_SHUFFLE, SFU_WGATHER};
            is_spawn = x_q.dec.op == SFU_WSPAWN;
            is_trap = x_q.dec.op == SFU_TRAP;
            is_return = x_q.dec.op == SFU_RETURN;
            if (x_q.dec.op == SFU_BAR_ARRIVE) barrier_op = operand2[31] ? BARRIER_EXPECT : BARRIER_ARRIVE;
            if (x_q.dec.op == SFU_BAR_WAIT) barrier_op = BARRIER_WAIT;
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
    assign diverges = stack_fire && push;

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
        .clear_wid(start_wid),
        .clear_warps(spawned)
    );

    // ---------------------------------------------------------------- WSPAWN

    always_comb begin
        spawned = '0;
        if (is_spawn && fire) begin
            for (int w = 0; w < NUM_WARPS; ++w) spawned[w] = word_t'(w) < operand1 && x_q.wid != wid_t'(w);
        end
    end

    assign spawn_pc = operand2;

    // ---------------------------------------------------------------- barriers

    logic barrier_ready, barrier_resume, barrier_phase, barrier_bad;
    logic [NUM_WARPS-1:0] barrier_released;
    logic [31:0] barrier_count;

    assign barrier_count = {barrier_op != BARRIER_EXPECT && operand2[31], operand2[30:0]};
    // Nobody takes part in a barrier of none. Without the full extension there are no barriers across cores.
    assign barrier_bad = ((barrier_op == BARRIER_SYNC || barrier_op == BARRIER_ARRIVE) && barrier_count == '0) ||
                         (operand1[31] && !EXT_SIMT_FULL);

    vx_barrier barriers (
        .clk,
        .reset,
        .valid(is_barrier && !barrier_bad),
        .op(barrier_op),
        .fire(fire && is_barrier && !barrier_bad),
        .wid(x_q.wid),
        .id(operand1[31:0]),
        .count(barrier_count),
        .active(active_warps),
        .warp_ended,
        .ready(barrier_ready),
        .resume(barrier_resume),
        .phase(barrier_phase),
        .released(barrier_released),
        .let_go(released),
        .gbar_req,
        .gbar_rsp,
        .gbar_arrived,
        .gbar_fire
    );

    // ---------------------------------------------------------------- exchange between lanes

    lanes_t lane_data;
    tmask_t lane_mask;
    logic lane_ready;

    if (EXT_SIMT_FULL) begin : g_lane_ops
        vx_lane_ops lane_ops (
            .clk,
            .reset,
            .valid(is_exchange),
            .op(x_q.dec.op),
            .kind(x_q.dec.imm[1:0]),
            .tmask(x_q.tmask),
            .predicate,
            .rs1(x_q.rs1),
            .rs2(x_q.rs2),
            .rs3(x_q.rs3),
            .ready(lane_ready),
            .taken(fire),
            .result(lane_data),
            .mask(lane_mask)
        );
    end else begin : g_no_lane_ops
        assign lane_data = '0;
        assign lane_mask = '0;
        assign lane_ready = 1'b1;
    end

    assign write_mask = is_exchange ? lane_mask : x_q.tmask;

    // ---------------------------------------------------------------- CSRs

    lanes_t csr_data;
    logic csr_known, csr_writable;
    word_t csr_operand, csr_new, mtvec, mepc;
    tmask_t saved_mask;
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
        .trap_valid(fire && is_trap),
        .trap_pc(x_q.pc),
        .trap_cause(word_t'(x_q.dec.imm[3:0])),
        .mtvec,
        .mepc,
        .saved_mask,
        .spawned,
        .start_valid,
        .start_wid,
        .start_param,
        .frm,
        .fflags_valid,
        .fflags_wid,
        .fflags,
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

    assign commit_valid = valid_q && !(is_mask && next_mask == '0 && in_flight != inflight_t'(1)) &&
                          !(is_barrier && !barrier_bad && !barrier_ready) && lane_ready;
    assign fire = commit_valid && commit_ready;

    always_comb begin
        commit = '0;
        if (valid_q) begin
            commit.info = info_of(x_q);
            if (is_csr) commit.data = csr_data;
            else if (is_exchange) commit.data = lane_data;
            else commit.data = {NUM_THREADS{is_barrier ? word_t'(barrier_phase) : word_t'(sp)}};
            if (illegal) begin
                commit.fault = FAULT_ILLEGAL;
                commit.fault_addr = x_q.pc;
            end
        end
    end

    // Fetch waits for all but BAR.ARRIVE.
    logic is_wait;
    assign is_wait = is_barrier && (barrier_op == BARRIER_SYNC || barrier_op == BARRIER_WAIT);
    assign resolve_valid = fire && !illegal && (is_mask || is_wait || is_spawn || is_trap || is_return);
    assign resolve_resume = !is_barrier || barrier_resume;

    always_comb begin
        resolve_pc = next_pc;
        resolve_mask = next_mask;
        if (is_trap) resolve_pc = align_pc(mtvec);
        if (is_return) begin
            resolve_pc = align_pc(mepc);
            if (saved_mask != '0) resolve_mask = saved_mask;
        end
    end

    // ---------------------------------------------------------------- trace

    vx_sfu_trace tracer (
        .exec(x_q),
        .control(resolve_valid && !is_barrier),
        .next_pc(resolve_pc),
        .next_mask(resolve_mask),
        .stack(stack_fire),
        .push,
        .flip,
        .pop,
        .sp,
        .top_mask,
        .top_pc,
        .barrier(fire && is_barrier && !barrier_bad),
        .barrier_op,
        .barrier_id(operand1[31:0]),
        .barrier_count,
        .barrier_phase,
        .barrier_released,
        .trace_control,
        .trace_ipdom,
        .trace_barrier
    );
endmodule
