// Back end: execution units, local memory and commit.
//
// Contract
// * Takes the instruction that issue offers for a unit that is ready (vx_issue); one instruction commits per cycle.
// * `branch_*` and `resolve_*` come in the commit cycle of their instruction, so at most one of them is valid.
module vx_execute
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
    import vx_fpu_pkg::flags_t;
#(
    parameter int CORE_ID = 0
) (
    input wire clk,
    input wire reset,

    input wire [NUM_UNITS-1:0] exec_valid,
    output logic [NUM_UNITS-1:0] unit_ready,
    input exec_t exec,

    output logic dcache_req_valid,
    input wire dcache_req_ready,
    output dcache_req_t dcache_req,
    input wire dcache_rsp_valid,
    output logic dcache_rsp_ready,
    input dcache_rsp_t dcache_rsp,
    output logic dcache_flush_valid,
    input wire dcache_flush_done,

    output logic branch_valid,  // fetch waits for it
    output wid_t branch_wid,
    output word_t branch_pc,
    output logic resolve_valid,
    output logic resolve_resume,
    output word_t resolve_pc,
    output tmask_t resolve_mask,
    output logic [NUM_WARPS-1:0] released,
    output logic [NUM_WARPS-1:0] spawned,
    output word_t spawn_pc,
    output gbar_req_t gbar_req,
    input gbar_rsp_t gbar_rsp,
    output logic gbar_arrived,
    output logic gbar_fire,

    output logic commit_valid,
    output commit_t commit,
    output logic commit_write,
    output tmask_t commit_write_mask,
    output logic stop_valid,
    input wire [NUM_WARPS-1:0] stopping,

    output wid_t sfu_wid,
    input inflight_t sfu_in_flight,
    input cta_csrs_t cta_csrs,
    input wire start_valid,
    input wid_t start_wid,
    input word_t start_param,
    input wire [NUM_WARPS-1:0] active,
    input wire warp_ended,
    input wire busy,
    input wire [5:0] mpm_index,
    output logic [31:0] mpm_value,

    output logic lsu_idle,
    output logic [4:0] loads_waiting,
    output logic lsu_splits,
    output logic lmem_read,
    output logic lmem_write,
    output logic lmem_stall,
    output logic diverges,
    output trace_commit_t trace_commit,
    output trace_control_t trace_control,
    output trace_memory_t trace_memory,
    output trace_barrier_t trace_barrier,
    output trace_ipdom_t trace_ipdom
);
    logic alu_commit_valid, alu_commit_ready;
    logic mul_commit_valid, mul_commit_ready;
    logic div_commit_valid, div_commit_ready;
    logic sfu_commit_valid, sfu_commit_ready;
    logic load_commit_valid;
    logic store_commit_valid, store_commit_ready;
    commit_t mul_commit, div_commit, sfu_commit, load_commit, store_commit;
    trace_control_t sfu_control;
    commit_t alu_commit;
    tmask_t sfu_write_mask;
    logic alu_control, alu_redirect;

    vx_alu alu (
        .clk,
        .reset,
        .exec_valid(exec_valid[UNIT_ALU]),
        .exec_ready(unit_ready[UNIT_ALU]),
        .exec,
        .commit_valid(alu_commit_valid),
        .commit_ready(alu_commit_ready),
        .commit(alu_commit),
        .control_valid(alu_control),
        .redirect(alu_redirect),
        .control_pc(branch_pc)
    );

    assign branch_valid = alu_control && alu_redirect;
    assign branch_wid = alu_commit.info.wid;

    if (EXT_M) begin : g_muldiv
        vx_multiplier multiplier (
            .clk,
            .reset,
            .exec_valid(exec_valid[UNIT_MUL]),
            .exec_ready(unit_ready[UNIT_MUL]),
            .exec,
            .commit_valid(mul_commit_valid),
            .commit_ready(mul_commit_ready),
            .commit(mul_commit)
        );

        vx_divider divider (
            .clk,
            .reset,
            .exec_valid(exec_valid[UNIT_DIV]),
            .exec_ready(unit_ready[UNIT_DIV]),
            .exec,
            .commit_valid(div_commit_valid),
            .commit_ready(div_commit_ready),
            .commit(div_commit)
        );
    end else begin : g_no_muldiv
        assign unit_ready[UNIT_MUL] = 1'b0;
        assign unit_ready[UNIT_DIV] = 1'b0;
        assign mul_commit_valid = 1'b0;
        assign div_commit_valid = 1'b0;
        assign mul_commit = '0;
        assign div_commit = '0;
        logic unused;
        assign unused = &{1'b0, exec_valid[UNIT_MUL], exec_valid[UNIT_DIV], mul_commit_ready, div_commit_ready};
    end

    logic fpu_commit_valid, fpu_commit_ready;
    logic fdiv_commit_valid, fdiv_commit_ready;
    commit_t fpu_commit, fdiv_commit;
    flags_t fpu_fflags, fdiv_fflags, commit_fflags;
    logic [2:0] frm[NUM_WARPS];

    if (EXT_F) begin : g_float
        vx_fpu_unit fpu (
            .clk,
            .reset,
            .pipe_exec_valid(exec_valid[UNIT_FPU]),
            .pipe_exec_ready(unit_ready[UNIT_FPU]),
            .div_exec_valid(exec_valid[UNIT_FDIV]),
            .div_exec_ready(unit_ready[UNIT_FDIV]),
            .exec,
            .frm(frm[exec.wid]),
            .pipe_commit_valid(fpu_commit_valid),
            .pipe_commit_ready(fpu_commit_ready),
            .pipe_commit(fpu_commit),
            .pipe_fflags(fpu_fflags),
            .div_commit_valid(fdiv_commit_valid),
            .div_commit_ready(fdiv_commit_ready),
            .div_commit(fdiv_commit),
            .div_fflags(fdiv_fflags)
        );
    end else begin : g_no_float
        assign unit_ready[UNIT_FPU] = 1'b0;
        assign unit_ready[UNIT_FDIV] = 1'b0;
        assign fpu_commit_valid = 1'b0;
        assign fdiv_commit_valid = 1'b0;
        assign fpu_commit = '0;
        assign fdiv_commit = '0;
        assign fpu_fflags = '0;
        assign fdiv_fflags = '0;
        logic unused;
        always_comb begin
            unused = &{1'b0, exec_valid[UNIT_FPU], exec_valid[UNIT_FDIV], fpu_commit_ready, fdiv_commit_ready};
            for (int w = 0; w < NUM_WARPS; ++w) unused = unused | (|frm[w]);
        end
    end

    logic lmem_req_valid, lmem_req_ready, lmem_rsp_valid, lmem_rsp_ready;
    lmem_req_t lmem_req;
    lmem_rsp_t lmem_rsp;

    vx_lsu lsu (
        .clk,
        .reset,
        .exec_valid(exec_valid[UNIT_LSU]),
        .exec_ready(unit_ready[UNIT_LSU]),
        .exec,
        .dcache_req_valid,
        .dcache_req_ready,
        .dcache_req,
        .dcache_rsp_valid,
        .dcache_rsp_ready,
        .dcache_rsp,
        .dcache_flush_valid,
        .dcache_flush_done,
        .lmem_req_valid,
        .lmem_req_ready,
        .lmem_req,
        .lmem_rsp_valid,
        .lmem_rsp_ready,
        .lmem_rsp,
        .load_commit_valid,
        .load_commit,
        .other_commit_valid(store_commit_valid),
        .other_commit_ready(store_commit_ready),
        .other_commit(store_commit),
        .idle(lsu_idle),
        .loads_waiting,
        .splits(lsu_splits),
        .trace(trace_memory)
    );

    assign lmem_read = lmem_req_valid && lmem_req_ready && !lmem_req.rw;
    assign lmem_write = lmem_req_valid && lmem_req_ready && lmem_req.rw;
    assign lmem_stall = lmem_req_valid && !lmem_req_ready;

    vx_lmem lmem (
        .clk,
        .reset,
        .req_valid(lmem_req_valid),
        .req_ready(lmem_req_ready),
        .req(lmem_req),
        .rsp_valid(lmem_rsp_valid),
        .rsp_ready(lmem_rsp_ready),
        .rsp(lmem_rsp)
    );

    vx_sfu #(
        .CORE_ID(CORE_ID)
    ) sfu (
        .clk,
        .reset,
        .exec_valid(exec_valid[UNIT_SFU]),
        .exec_ready(unit_ready[UNIT_SFU]),
        .exec,
        .commit_valid(sfu_commit_valid),
        .commit_ready(sfu_commit_ready),
        .commit(sfu_commit),
        .write_mask(sfu_write_mask),
        .wid(sfu_wid),
        .in_flight(sfu_in_flight),
        .cta_csrs,
        .resolve_valid,
        .resolve_resume,
        .resolve_pc,
        .resolve_mask,
        .released,
        .spawned,
        .spawn_pc,
        .diverges,
        .gbar_req,
        .gbar_rsp,
        .gbar_arrived,
        .gbar_fire,
        .start_valid,
        .start_wid,
        .start_param,
        .frm,
        .fflags_valid(commit_fflags != '0),
        .fflags_wid(commit.info.wid),
        .fflags(commit_fflags),
        .active_warps(active),
        .warp_ended,
        .core_busy(busy),
        .instruction_commits(commit_valid),
        .mpm_index,
        .mpm_value,
        .trace_control(sfu_control),
        .trace_barrier,
        .trace_ipdom
    );

    always_comb begin
        // Both units resolve in their commit cycle, and one instruction commits per cycle.
        trace_control = sfu_control;
        if (alu_control) begin
            trace_control.valid = 1'b1;
            trace_control.wid = alu_commit.info.wid;
            trace_control.uid = alu_commit.info.uid;
            trace_control.next_pc = branch_pc;
            trace_control.next_mask = alu_commit.info.tmask;
        end
    end

    // ---------------------------------------------------------------- commit

    vx_commit committer (
        .clk,
        .reset,
        .load_valid(load_commit_valid),
        .load(load_commit),
        .div_valid(div_commit_valid),
        .div_ready(div_commit_ready),
        .div(div_commit),
        .fdiv_valid(fdiv_commit_valid),
        .fdiv_ready(fdiv_commit_ready),
        .fdiv(fdiv_commit),
        .fdiv_fflags,
        .fpu_valid(fpu_commit_valid),
        .fpu_ready(fpu_commit_ready),
        .fpu(fpu_commit),
        .fpu_fflags,
        .mul_valid(mul_commit_valid),
        .mul_ready(mul_commit_ready),
        .mul(mul_commit),
        .sfu_valid(sfu_commit_valid),
        .sfu_ready(sfu_commit_ready),
        .sfu(sfu_commit),
        .sfu_write_mask,
        .store_valid(store_commit_valid),
        .store_ready(store_commit_ready),
        .store(store_commit),
        .alu_valid(alu_commit_valid),
        .alu_ready(alu_commit_ready),
        .alu(alu_commit),
        .stopping,
        .commit_valid,
        .commit,
        .fflags(commit_fflags),
        .write(commit_write),
        .write_mask(commit_write_mask),
        .stop_valid,
        .trace(trace_commit)
    );
endmodule
