// One core: NUM_WARPS warps of NUM_THREADS lanes, CTA dispatcher, local memory, fetch, execution and LSU.
//
// Port list and trace wires are those of docs/architecture.md; the pipeline is drawn in README.md of this folder.
// Everything but the caches' own state is reset synchronously, at any cycle, together with them.
module vx_core
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
#(
    parameter int CORE_ID = 0
) (
    input wire clk,
    input wire reset,

    input wire launch,
    input wire [4:0] rewind,
    input wire cta_valid,
    output logic cta_ready,
    input cta_desc_t cta,

    output logic icache_req_valid,
    input wire icache_req_ready,
    output icache_req_t icache_req,
    input wire icache_rsp_valid,
    input icache_rsp_t icache_rsp,

    output logic dcache_req_valid,
    input wire dcache_req_ready,
    output dcache_req_t dcache_req,
    input wire dcache_rsp_valid,
    output logic dcache_rsp_ready,
    input dcache_rsp_t dcache_rsp,

    output logic dcache_flush_valid,
    input wire dcache_flush_done,

    input wire [5:0] mpm_index,
    output logic [31:0] mpm_value,

    output logic busy,
    output logic fault_valid,
    output fault_kind_t fault_kind,
    output logic [63:0] fault_addr,
    output logic [63:0] fault_pc,
    output logic [31:0] fault_info
);
    if (XLEN != 32 && XLEN != 64) begin : g_check_xlen
        $error("vx_core: XLEN = %0d must be 32 or 64", XLEN);
    end
    if (2 ** NW_BITS != NUM_WARPS || NUM_WARPS > 32) begin : g_check_warps
        $error("vx_core: NUM_WARPS = %0d must be a power of two, at most 32", NUM_WARPS);
    end
    if (2 ** NT_BITS != NUM_THREADS || NUM_THREADS > 32) begin : g_check_threads
        $error("vx_core: NUM_THREADS = %0d must be a power of two, at most 32", NUM_THREADS);
    end

    // ---------------------------------------------------------------- trace: driven here, read by bound probes only

    /* verilator lint_off UNUSEDSIGNAL */
    trace_decode_t trace_decode;
    trace_issue_t trace_issue;
    trace_commit_t trace_commit;
    trace_control_t trace_control;
    trace_memory_t trace_memory;
    trace_barrier_t trace_barrier;
    trace_ipdom_t trace_ipdom;
    trace_fault_t trace_fault;
    trace_cta_t trace_cta;
    /* verilator lint_on UNUSEDSIGNAL */

    // ---------------------------------------------------------------- warp table and CTA dispatch

    logic start_valid;
    warp_start_t start;
    logic end_valid;
    wid_t end_wid;
    word_t end_pc;
    logic [NUM_WARPS-1:0] active, stopping, idle;
    tmask_t tmask[NUM_WARPS];
    wid_t slot[NUM_WARPS];
    wid_t sfu_wid;
    cta_csrs_t cta_csrs;
    logic dispatch_busy;

    vx_cta_dispatch cta_dispatch (
        .clk,
        .reset,
        .launch,
        .rewind,
        .cta_valid,
        .cta_ready,
        .cta,
        .active_warps(active),
        .warp_start_valid(start_valid),
        .warp_start(start),
        .warp_end_valid(end_valid),
        .warp_end_wid(end_wid),
        .warp_end_pc(end_pc),
        .csr_wid(sfu_wid),
        .cta_csrs,
        .busy(dispatch_busy),
        .trace(trace_cta)
    );

    // ---------------------------------------------------------------- fetch and decode

    logic fetch_ready, fetch_valid;
    wid_t fetch_wid;
    word_t fetch_pc;
    epoch_t fetch_epoch;
    logic [NUM_WARPS-1:0] room, quiet;
    wid_t rsp_wid;
    epoch_t rsp_epoch;
    logic rsp_live;
    word_t rsp_pc;
    logic push_valid;
    decoded_t dec;
    logic decode_stall, decode_jump;
    word_t decode_target;

    logic branch_valid, branch_redirect;
    word_t branch_pc;
    logic resolve_valid, resolve_resume;
    word_t resolve_pc;
    tmask_t resolve_mask;
    logic [NUM_WARPS-1:0] released;

    commit_t commit;
    logic commit_valid, commit_write;
    logic stop_valid;
    logic fetch_fault_valid;
    wid_t fetch_fault_wid;
    word_t fetch_fault_pc;
    fault_kind_t fetch_fault_kind;
    commit_t alu_commit;

    assign {rsp_epoch, rsp_wid} = icache_rsp.tag;
    assign push_valid = rsp_live && !icache_rsp.err;

    vx_scheduler scheduler (
        .clk,
        .reset,
        .start_valid,
        .start,
        .end_valid,
        .end_wid,
        .end_pc,
        .fetch_ready,
        .fetch_valid,
        .fetch_wid,
        .fetch_pc,
        .fetch_epoch,
        .room,
        .quiet,
        .rsp_valid(icache_rsp_valid),
        .rsp_wid,
        .rsp_epoch,
        .rsp_err(icache_rsp.err),
        .rsp_live,
        .rsp_pc,
        .decode_stall,
        .decode_jump,
        .decode_target,
        .branch_valid(branch_valid && branch_redirect),
        .branch_wid(alu_commit.info.wid),
        .branch_pc,
        .resolve_valid,
        .resolve_resume,
        .resolve_wid(sfu_wid),
        .resolve_pc,
        .resolve_mask,
        .released,
        .stop_valid,
        .stop_wid(commit.info.wid),
        .stop_pc(commit.info.pc),
        .idle,
        .fetch_fault_valid,
        .fetch_fault_wid,
        .fetch_fault_pc,
        .fetch_fault_kind,
        .active,
        .stopping,
        .tmask,
        .slot
    );

    vx_fetch fetch (
        .clk,
        .reset,
        .fetch_valid,
        .fetch_ready,
        .fetch_wid,
        .fetch_pc,
        .fetch_epoch,
        .req_valid(icache_req_valid),
        .req_ready(icache_req_ready),
        .req(icache_req)
    );

    vx_decode decode (
        .valid(push_valid),
        .instr(icache_rsp.data),
        .dec,
        .stall(decode_stall),
        .jump(decode_jump)
    );

    assign decode_target = align_pc(rsp_pc + word_t'(signed'(dec.imm)));

    assign trace_decode = '{valid: push_valid, wid: rsp_wid};

    // ---------------------------------------------------------------- buffer and issue

    ibuf_entry_t push_entry, entry;
    logic [NUM_WARPS-1:0] head_valid, ready;
    hazard_t head[NUM_WARPS];
    logic [NUM_UNITS-1:0] unit_ready, exec_valid;
    exec_t exec;
    logic issue_valid;
    wid_t issue_wid;
    logic read_valid;
    reg_t read_rs1, read_rs2;
    lanes_t read_data1, read_data2;
    inflight_t sfu_in_flight;
    uid_t next_uid[NUM_WARPS];

    always_comb begin
        push_entry = '0;
        if (push_valid) push_entry = '{dec: dec, pc: rsp_pc, instr: icache_rsp.data};
    end

    vx_ibuffer ibuffer (
        .clk,
        .reset,
        .reserve_valid(fetch_valid),
        .reserve_wid(fetch_wid),
        .drop_valid(icache_rsp_valid && !push_valid),
        .drop_wid(rsp_wid),
        .room,
        .quiet,
        .push_valid,
        .push_wid(rsp_wid),
        .push_entry,
        .flush_valid(stop_valid),
        .flush_wid(commit.info.wid),
        .head_valid,
        .head,
        .pop_valid(issue_valid),
        .read_wid(issue_wid),
        .read_entry(entry)
    );

    vx_scoreboard scoreboard (
        .clk,
        .reset,
        .head_valid,
        .head,
        .unit_ready,
        .ready,
        .idle,
        .issue_valid,
        .issue_wid,
        .issue_use_rd(entry.dec.use_rd),
        .issue_rd(entry.dec.rd),
        .commit_valid,
        .commit_wid(commit.info.wid),
        .commit_use_rd(commit.info.use_rd),
        .commit_rd(commit.info.rd),
        .query_wid(sfu_wid),
        .query_in_flight(sfu_in_flight)
    );

    vx_issue issue (
        .clk,
        .reset,
        .ready,
        .stop_valid,
        .stop_wid(commit.info.wid),
        .issue_valid,
        .issue_wid,
        .entry,
        .tmask,
        .read_valid,
        .read_rs1,
        .read_rs2,
        .read_data1,
        .read_data2,
        .exec_valid,
        .exec,
        .next_uid
    );

    vx_regfile regfile (
        .clk,
        .read_valid,
        .read_wid(issue_wid),
        .read_rs1,
        .read_rs2,
        .read_data1,
        .read_data2,
        .write_valid(commit_write),
        .write_wid(commit.info.wid),
        .write_rd(commit.info.rd),
        .write_mask(commit.info.tmask),
        .write_data(commit.data)
    );

    always_comb begin
        trace_issue = '0;
        if (issue_valid) begin
            trace_issue = '{
                valid: 1'b1,
                wid: issue_wid,
                uid: exec.uid,
                pc: exec.pc,
                instr: entry.instr,
                tmask: exec.tmask,
                slot: slot[issue_wid]
            };
        end
    end

    // ---------------------------------------------------------------- execution units

    logic alu_commit_valid, alu_commit_ready;
    logic mul_commit_valid, mul_commit_ready;
    logic div_commit_valid, div_commit_ready;
    logic sfu_commit_valid, sfu_commit_ready;
    logic load_commit_valid;
    logic store_commit_valid, store_commit_ready;
    commit_t mul_commit, div_commit, sfu_commit, load_commit, store_commit;
    trace_control_t sfu_control;

    vx_alu alu (
        .clk,
        .reset,
        .exec_valid(exec_valid[UNIT_ALU]),
        .exec_ready(unit_ready[UNIT_ALU]),
        .exec,
        .commit_valid(alu_commit_valid),
        .commit_ready(alu_commit_ready),
        .commit(alu_commit),
        .control_valid(branch_valid),
        .redirect(branch_redirect),
        .control_pc(branch_pc)
    );

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

    logic lmem_req_valid, lmem_req_ready, lmem_rsp_valid, lmem_rsp_ready;
    lmem_req_t lmem_req;
    lmem_rsp_t lmem_rsp;
    logic lsu_idle;

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
        .trace(trace_memory)
    );

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
        .wid(sfu_wid),
        .in_flight(sfu_in_flight),
        .cta_csrs,
        .resolve_valid,
        .resolve_resume,
        .resolve_pc,
        .resolve_mask,
        .released,
        .start_valid,
        .start_wid(start.wid),
        .start_param(start.param),
        .active_warps(active),
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
        if (branch_valid) begin
            trace_control.valid = 1'b1;
            trace_control.wid = alu_commit.info.wid;
            trace_control.uid = alu_commit.info.uid;
            trace_control.next_pc = branch_pc;
            trace_control.next_mask = alu_commit.info.tmask;
        end
    end

    // ---------------------------------------------------------------- commit

    vx_commit committer (
        .load_valid(load_commit_valid),
        .load(load_commit),
        .div_valid(div_commit_valid),
        .div_ready(div_commit_ready),
        .div(div_commit),
        .mul_valid(mul_commit_valid),
        .mul_ready(mul_commit_ready),
        .mul(mul_commit),
        .sfu_valid(sfu_commit_valid),
        .sfu_ready(sfu_commit_ready),
        .sfu(sfu_commit),
        .store_valid(store_commit_valid),
        .store_ready(store_commit_ready),
        .store(store_commit),
        .alu_valid(alu_commit_valid),
        .alu_ready(alu_commit_ready),
        .alu(alu_commit),
        .stopping,
        .commit_valid,
        .commit,
        .write(commit_write),
        .stop_valid,
        .trace(trace_commit)
    );

    // ---------------------------------------------------------------- faults

    // At most one a cycle: instructions report when they commit, fetch faults wait for a cycle without such a report.
    always_comb begin
        trace_fault = '0;
        if (stop_valid) begin
            trace_fault = '{
                valid: 1'b1,
                wid: commit.info.wid,
                uid: commit.info.uid,
                kind: commit.fault,
                pc: commit.info.pc,
                addr: commit.fault_addr,
                tmask: commit.info.tmask
            };
        end else if (fetch_fault_valid) begin
            trace_fault = '{
                valid: 1'b1,
                wid: fetch_fault_wid,
                uid: next_uid[fetch_fault_wid],
                kind: fetch_fault_kind,
                pc: fetch_fault_pc,
                addr: fetch_fault_pc,
                tmask: tmask[fetch_fault_wid]
            };
        end
    end

    always_ff @(posedge clk) begin
        fault_valid <= trace_fault.valid && !reset;
        if (trace_fault.valid) begin
            fault_kind <= trace_fault.kind;
            fault_addr <= 64'(trace_fault.addr);
            fault_pc <= 64'(trace_fault.pc);
            fault_info <= {16'(trace_fault.tmask), 8'(CORE_ID), 8'(trace_fault.wid)};
        end
    end

    // ---------------------------------------------------------------- busy

    assign busy = active != '0 || dispatch_busy || quiet != '1 || idle != '1 || !lsu_idle || fault_valid;
endmodule
