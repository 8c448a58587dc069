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

    output gbar_req_t gbar_req,
    input gbar_rsp_t gbar_rsp,
    output logic gbar_arrived,
    output logic gbar_fire,

    input wire [5:0] mpm_index,
    input wire [7:0] mpm_class,
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

    if (SIMD_WIDTH < 1 || BEATS * SIMD_WIDTH != NUM_THREADS || 2 ** $clog2(BEATS) != BEATS) begin : g_check_simd
        $error("vx_core: SIMD_WIDTH = %0d must be a power of two, at most NUM_THREADS = %0d", SIMD_WIDTH, NUM_THREADS);
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
    trace_spawn_t trace_spawn;
    /* verilator lint_on UNUSEDSIGNAL */

    // ---------------------------------------------------------------- warp table and CTA dispatch

    logic start_valid;
    warp_start_t start;
    logic end_valid;
    wid_t end_wid;
    word_t end_pc;
    logic [NUM_WARPS-1:0] active, stopping, stalled, fetching, idle;
    logic fetch_valid;
    tmask_t tmask[NUM_WARPS];
    wid_t slot[NUM_WARPS];
    wid_t sfu_wid;
    cta_csrs_t cta_csrs;
    logic dispatch_busy;
    logic spawn_hold;

    vx_cta_dispatch cta_dispatch (
        .clk,
        .reset,
        .launch,
        .rewind,
        .cta_valid,
        .cta_ready,
        .cta,
        .active_warps(active),
        .hold(spawn_hold),
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

    // ---------------------------------------------------------------- front end

    logic branch_valid;
    wid_t branch_wid;
    word_t branch_pc;
    logic resolve_valid, resolve_resume;
    word_t resolve_pc;
    tmask_t resolve_mask;
    logic [NUM_WARPS-1:0] released, spawned;
    word_t spawn_pc;

    commit_t commit;
    logic commit_valid, commit_write;
    tmask_t commit_write_mask;
    logic stop_valid;
    logic fetch_fault_valid;
    wid_t fetch_fault_wid;
    word_t fetch_fault_pc;
    fault_kind_t fetch_fault_kind;

    logic [NUM_WARPS-1:0] head_valid, ready, free_of_hazards, quiet;
    hazard_t head[NUM_WARPS];
    logic issue_valid;
    wid_t issue_wid;
    ibuf_entry_t entry;

    vx_frontend frontend (
        .resolve_wid(sfu_wid),
        .stop_wid(commit.info.wid),
        .stop_pc(commit.info.pc),
        .*
    );

    // ---------------------------------------------------------------- issue

    logic [NUM_UNITS-1:0] unit_ready, exec_valid;
    exec_t exec;
    logic read_valid;
    logic read_third;
    reg_t read_rs1, read_rs2, read_rs3;
    lanes_t read_data1, read_data2, read_data3;
    inflight_t sfu_in_flight;
    uid_t next_uid[NUM_WARPS];

    vx_scoreboard scoreboard (
        .clk,
        .reset,
        .head_valid,
        .head,
        .unit_ready,
        .ready,
        .free_of_hazards,
        .idle,
        .active,
        .issue_valid,
        .issue_wid,
        .issue_drain(entry.dec.drain),
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
        .read_third,
        .read_rs3,
        .read_data1,
        .read_data2,
        .read_data3,
        .exec_valid,
        .exec,
        .next_uid
    );

    assign trace_spawn = '{valid: spawned != '0, warps: spawned, pc: align_pc(spawn_pc)};

    // From the issue of a WSPAWN to its execution its warp stays the only one.
    logic spawning_q;
    logic spawn_issue;
    assign spawn_issue = issue_valid && entry.dec.alone;
    assign spawn_hold = spawn_issue || spawning_q;
    always_ff @(posedge clk) begin
        if (spawn_issue) spawning_q <= 1'b1;
        else if (commit_valid) spawning_q <= 1'b0;  // nothing else is in flight
        if (reset) spawning_q <= 1'b0;
    end

    vx_regfile regfile (
        .clk,
        .read_valid,
        .read_wid(issue_wid),
        .read_rs1,
        .read_rs2,
        .read_third,
        .read_rs3,
        .read_data1,
        .read_data2,
        .read_data3,
        .write_valid(commit_write),
        .write_wid(commit.info.wid),
        .write_rd(commit.info.rd),
        .write_mask(commit_write_mask),
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

    // ---------------------------------------------------------------- back end

    logic lsu_idle, lsu_splits, lmem_read, lmem_write, lmem_stall, diverges;
    logic [4:0] loads_waiting;
    logic [31:0] base_mpm_value;

    vx_execute #(
        .CORE_ID(CORE_ID)
    ) execute (
        .mpm_value(base_mpm_value),
        .start_wid(start.wid),
        .start_param(start.param),
        .warp_ended(end_valid),
        .*
    );

    // ---------------------------------------------------------------- counters

    logic perf_ours;
    logic [PERF_WIDTH-1:0] perf_value;

    vx_perf perf (
        .clk,
        .reset,
        .busy,
        .head_valid,
        .head,
        .free_of_hazards,
        .issue_valid,
        .issue_unit(entry.dec.unit),
        .issue_op(entry.dec.op),
        .issue_mask(exec.tmask),
        .active,
        .stalled,
        .fetching,
        .fetch_valid,
        .diverges,
        .loads_waiting,
        .lmem_read,
        .lmem_write,
        .lmem_stall,
        .lsu_split(lsu_splits),
        .group(mpm_class),
        .index(mpm_index[4:0]),
        .ours(perf_ours),
        .value(perf_value)
    );

    always_comb begin
        mpm_value = base_mpm_value;
        if (perf_ours) mpm_value = mpm_index[5] ? 32'(perf_value >> 32) : perf_value[31:0];
    end

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
