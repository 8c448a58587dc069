// One core with its own L1 caches, and the order of a flush from the DCR bus: D-cache first, then I-cache.
//
// Contract: `flush_valid` is a level, `flush_done` answers for one cycle. `busy` covers core and caches. `mpm_value` is
// combinational: cache and memory counters (classes 3, 4 and part of 7) are here, everything else is the core's.
module vx_socket
    import vx_pkg::*;
    import vx_mem_pkg::*;
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

    input wire flush_valid,
    output logic flush_done,

    output gbar_req_t gbar_req,
    input gbar_rsp_t gbar_rsp,
    output logic gbar_arrived,
    output logic gbar_fire,

    input wire [5:0] mpm_index,
    input wire [7:0] mpm_class,
    output logic [31:0] mpm_value,

    // Index 0 is the I-cache, 1 the D-cache.
    output logic [1:0] mem_req_valid,
    input wire [1:0] mem_req_ready,
    output mem_req_t mem_req[2],
    output mem_tag_t mem_req_tag[2],
    input wire [1:0] mem_rsp_valid,
    output logic [1:0] mem_rsp_ready,
    input mem_rsp_t mem_rsp[2],
    input wire writes_pending,

    output logic busy,
    output logic fault_valid,
    output fault_kind_t fault_kind,
    output logic [63:0] fault_addr,
    output logic [63:0] fault_pc,
    output logic [31:0] fault_info
);
    logic icache_req_valid, icache_req_ready, icache_rsp_valid;
    icache_req_t icache_req;
    icache_rsp_t icache_rsp;
    logic dcache_req_valid, dcache_req_ready, dcache_rsp_valid, dcache_rsp_ready;
    dcache_req_t dcache_req;
    dcache_rsp_t dcache_rsp;
    logic fence_valid, fence_done;
    logic core_busy, icache_busy, dcache_busy;
    logic [31:0] core_mpm_value;
    /* verilator lint_off UNUSEDSIGNAL */  // the I-cache has neither writes nor an eviction counter in MPM
    cache_perf_t icache_perf;
    /* verilator lint_on UNUSEDSIGNAL */
    cache_perf_t dcache_perf;

    vx_core #(
        .CORE_ID(CORE_ID)
    ) core (
        .clk,
        .reset,
        .launch,
        .rewind,
        .cta_valid,
        .cta_ready,
        .cta,
        .icache_req_valid,
        .icache_req_ready,
        .icache_req,
        .icache_rsp_valid,
        .icache_rsp,
        .dcache_req_valid,
        .dcache_req_ready,
        .dcache_req,
        .dcache_rsp_valid,
        .dcache_rsp_ready,
        .dcache_rsp,
        .dcache_flush_valid(fence_valid),
        .dcache_flush_done(fence_done),
        .gbar_req,
        .gbar_rsp,
        .gbar_arrived,
        .gbar_fire,
        .mpm_index,
        .mpm_class,
        .mpm_value(core_mpm_value),
        .busy(core_busy),
        .fault_valid,
        .fault_kind,
        .fault_addr,
        .fault_pc,
        .fault_info
    );

    // ---------------------------------------------------------------- flush

    logic flushing_icache_q;
    logic dcache_flush, dcache_flush_done, icache_flush_done;

    assign dcache_flush = fence_valid || (flush_valid && !flushing_icache_q);
    assign fence_done = fence_valid && dcache_flush_done;
    assign flush_done = flush_valid && flushing_icache_q && icache_flush_done;

    always_ff @(posedge clk) begin
        if (flush_valid && dcache_flush_done) flushing_icache_q <= 1'b1;
        if (reset || flush_done) flushing_icache_q <= 1'b0;
    end

    // ---------------------------------------------------------------- caches

    vx_icache #(
        .SIZE(`VX_CFG_ICACHE_SIZE),
        .WAYS(`VX_CFG_ICACHE_WAYS)
    ) icache (
        .clk,
        .reset,
        .req_valid(icache_req_valid),
        .req_ready(icache_req_ready),
        .req(icache_req),
        .rsp_valid(icache_rsp_valid),
        .rsp(icache_rsp),
        .mem_req_valid(mem_req_valid[0]),
        .mem_req_ready(mem_req_ready[0]),
        .mem_req(mem_req[0]),
        .mem_req_tag(mem_req_tag[0]),
        .mem_rsp_valid(mem_rsp_valid[0]),
        .mem_rsp_ready(mem_rsp_ready[0]),
        .mem_rsp(mem_rsp[0]),
        .flush_valid(flush_valid && flushing_icache_q),
        .flush_done(icache_flush_done),
        .busy(icache_busy),
        .perf(icache_perf)
    );

    vx_dcache #(
        .SIZE(`VX_CFG_DCACHE_SIZE),
        .WAYS(`VX_CFG_DCACHE_WAYS),
        .WRITE_BACK(`VX_CFG_DCACHE_WRITEBACK != 0)
    ) dcache (
        .clk,
        .reset,
        .req_valid(dcache_req_valid),
        .req_ready(dcache_req_ready),
        .req(dcache_req),
        .rsp_valid(dcache_rsp_valid),
        .rsp_ready(dcache_rsp_ready),
        .rsp(dcache_rsp),
        .mem_req_valid(mem_req_valid[1]),
        .mem_req_ready(mem_req_ready[1]),
        .mem_req(mem_req[1]),
        .mem_req_tag(mem_req_tag[1]),
        .mem_rsp_valid(mem_rsp_valid[1]),
        .mem_rsp_ready(mem_rsp_ready[1]),
        .mem_rsp(mem_rsp[1]),
        .writes_pending,
        .flush_valid(dcache_flush),
        .flush_done(dcache_flush_done),
        .busy(dcache_busy),
        .perf(dcache_perf)
    );

    assign busy = core_busy || icache_busy || dcache_busy;

    // ---------------------------------------------------------------- counters

    mem_perf_t mem_perf;
    vx_mem_perf memory_counters (
        .clk,
        .reset,
        .req_valid(mem_req_valid),
        .req_ready(mem_req_ready),
        .req_write({mem_req[1].rw, mem_req[0].rw}),
        .rsp_valid(mem_rsp_valid),
        .rsp_ready(mem_rsp_ready),
        .perf(mem_perf)
    );

    logic [PERF_WIDTH-1:0] counter;
    logic ours;
    always_comb begin
        ours = 1'b1;
        counter = '0;
        unique case ({mpm_class, mpm_index[4:0]})
            {8'd3, 5'd3} : counter = icache_perf.reads;
            {8'd3, 5'd4} : counter = icache_perf.read_misses;
            {8'd3, 5'd5} : counter = icache_perf.mshr_stalls;
            {8'd4, 5'd3} : counter = dcache_perf.reads;
            {8'd4, 5'd4} : counter = dcache_perf.writes;
            {8'd4, 5'd5} : counter = dcache_perf.read_misses;
            {8'd4, 5'd6} : counter = dcache_perf.write_misses;
            {8'd4, 5'd7} : counter = dcache_perf.evictions;
            {8'd4, 5'd9} : counter = dcache_perf.mshr_stalls;
            {8'd7, 5'd3} : counter = mem_perf.reads;
            {8'd7, 5'd4} : counter = mem_perf.writes;
            {8'd7, 5'd5} : counter = mem_perf.latency;
            {8'd7, 5'd6} : counter = mem_perf.stalls;
            default: ours = 1'b0;
        endcase
        mpm_value = core_mpm_value;
        if (ours) mpm_value = mpm_index[5] ? 32'(counter[PERF_WIDTH-1:32]) : counter[31:0];
    end
endmodule
