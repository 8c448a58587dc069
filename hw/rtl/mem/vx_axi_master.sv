// All AXI banks: routes the requests of the caches by the low bits of the block address, the read data back to them, and
// counts each core's unacknowledged writes.
//
// Contract
// * `writes_pending[c]` is high from the cycle after a write of core c's D-cache was accepted until its last B.
// * `busy` is high while a read or a write is outstanding.
// * With L2_SIZE every bank has its part of an L2 (vx_l2_bank); `l2_clear` invalidates all of it.
module vx_axi_master
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int ADDR_WIDTH = 32,
    parameter int TID_WIDTH = 8,
    parameter int NUM_BANKS = 1,
    parameter int L2_SIZE = 0,  // bytes over all banks; 0: no L2
    parameter int L2_WAYS = 8
) (
    input wire clk,
    input wire reset,

    input wire [NUM_SOURCES-1:0] req_valid,
    output logic [NUM_SOURCES-1:0] req_ready,
    input mem_req_t req[NUM_SOURCES],
    input mem_tag_t req_tag[NUM_SOURCES],
    output logic [NUM_SOURCES-1:0] rsp_valid,
    input wire [NUM_SOURCES-1:0] rsp_ready,
    output mem_rsp_t rsp[NUM_SOURCES],

    output logic [TOTAL_CORES-1:0] writes_pending,
    output logic [NUM_BANKS-1:0] write_fault,
    output line_addr_t write_fault_addr[NUM_BANKS],
    output core_index_t write_fault_core[NUM_BANKS],
    output logic busy,
    input wire l2_clear,
    output cache_perf_t l2_perf,

    output logic awvalid[NUM_BANKS],
    input wire awready[NUM_BANKS],
    output logic [ADDR_WIDTH-1:0] awaddr[NUM_BANKS],
    output logic [TID_WIDTH-1:0] awid[NUM_BANKS],
    output logic wvalid[NUM_BANKS],
    input wire wready[NUM_BANKS],
    output logic [LINE_BITS-1:0] wdata[NUM_BANKS],
    output logic [LINE_BYTES-1:0] wstrb[NUM_BANKS],
    input wire bvalid[NUM_BANKS],
    output logic bready[NUM_BANKS],
    input wire [TID_WIDTH-1:0] bid[NUM_BANKS],
    input wire [1:0] bresp[NUM_BANKS],
    output logic arvalid[NUM_BANKS],
    input wire arready[NUM_BANKS],
    output logic [ADDR_WIDTH-1:0] araddr[NUM_BANKS],
    output logic [TID_WIDTH-1:0] arid[NUM_BANKS],
    input wire rvalid[NUM_BANKS],
    output logic rready[NUM_BANKS],
    input wire [LINE_BITS-1:0] rdata[NUM_BANKS],
    input wire rlast[NUM_BANKS],
    input wire [TID_WIDTH-1:0] rid[NUM_BANKS],
    input wire [1:0] rresp[NUM_BANKS]
);
    localparam int BANK_BITS = $clog2(NUM_BANKS);
    localparam int BANK_WIDTH = BANK_BITS > 0 ? BANK_BITS : 1;
    typedef logic [BANK_WIDTH-1:0] bank_t;

    // ---------------------------------------------------------------- banks

    logic [NUM_SOURCES-1:0] bank_req_valid[NUM_BANKS], bank_req_ready[NUM_BANKS];
    logic [NUM_BANKS-1:0] bank_rsp_valid, bank_rsp_ready;
    source_t bank_rsp_source[NUM_BANKS];
    mem_rsp_t bank_rsp[NUM_BANKS];
    logic [NUM_BANKS-1:0] bank_enter_valid, bank_ack_valid, bank_busy;
    source_t bank_enter_source[NUM_BANKS], bank_ack_source[NUM_BANKS];
    line_addr_t bank_enter_addr[NUM_BANKS];
    cache_perf_t bank_l2_perf[NUM_BANKS];

    localparam int OWNER_WIDTH = $clog2(TOTAL_CORES * NUM_WARPS) > 0 ? $clog2(TOTAL_CORES * NUM_WARPS) : 1;
    logic [NUM_BANKS-1:0] reserve, conditional;
    logic [OWNER_WIDTH-1:0] owner[NUM_BANKS];
    tmask_t amo_lanes[NUM_BANKS], held[NUM_BANKS];
    line_addr_t amo_addr[NUM_BANKS];

    always_comb begin
        req_ready = '0;
        for (int b = 0; b < NUM_BANKS; ++b) begin
            for (int s = 0; s < NUM_SOURCES; ++s)
                bank_req_valid[b][s] = req_valid[s] && (NUM_BANKS == 1 || bank_t'(req[s].addr) == bank_t'(b));
            req_ready |= bank_req_ready[b];
        end
    end

    for (genvar b = 0; b < NUM_BANKS; ++b) begin : g_bank
        source_t amo_source;
        wid_t amo_wid;
        assign owner[b] = OWNER_WIDTH'(32'(amo_source >> 1) * NUM_WARPS + 32'(amo_wid));
        vx_axi_bank #(
            .ADDR_WIDTH(ADDR_WIDTH),
            .TID_WIDTH(TID_WIDTH),
            .L2_SIZE(L2_SIZE / NUM_BANKS),
            .L2_WAYS(L2_WAYS),
            .BANK_BITS(BANK_BITS)
        ) bank (
            .clk,
            .reset,
            .req_valid(bank_req_valid[b]),
            .req_ready(bank_req_ready[b]),
            .req,
            .req_tag,
            .rsp_valid(bank_rsp_valid[b]),
            .rsp_ready(bank_rsp_ready[b]),
            .rsp_source(bank_rsp_source[b]),
            .rsp(bank_rsp[b]),
            .enter_valid(bank_enter_valid[b]),
            .enter_source(bank_enter_source[b]),
            .enter_addr(bank_enter_addr[b]),
            .ack_valid(bank_ack_valid[b]),
            .ack_source(bank_ack_source[b]),
            .write_fault(write_fault[b]),
            .write_fault_addr(write_fault_addr[b]),
            .busy(bank_busy[b]),
            .l2_clear,
            .l2_perf(bank_l2_perf[b]),
            .reserve(reserve[b]),
            .conditional(conditional[b]),
            .amo_source,
            .amo_wid,
            .amo_lanes(amo_lanes[b]),
            .amo_addr(amo_addr[b]),
            .held(held[b]),
            .awvalid(awvalid[b]),
            .awready(awready[b]),
            .awaddr(awaddr[b]),
            .awid(awid[b]),
            .wvalid(wvalid[b]),
            .wready(wready[b]),
            .wdata(wdata[b]),
            .wstrb(wstrb[b]),
            .bvalid(bvalid[b]),
            .bready(bready[b]),
            .bid(bid[b]),
            .bresp(bresp[b]),
            .arvalid(arvalid[b]),
            .arready(arready[b]),
            .araddr(araddr[b]),
            .arid(arid[b]),
            .rvalid(rvalid[b]),
            .rready(rready[b]),
            .rdata(rdata[b]),
            .rlast(rlast[b]),
            .rid(rid[b]),
            .rresp(rresp[b])
        );
        assign write_fault_core[b] = core_index_t'(32'(bank_ack_source[b]) >> 1);
    end

    assign busy = |bank_busy;

    always_comb begin
        l2_perf = '0;
        if (L2_SIZE != 0) begin
            for (int b = 0; b < NUM_BANKS; ++b) begin
                l2_perf.reads = l2_perf.reads + bank_l2_perf[b].reads;
                l2_perf.writes = l2_perf.writes + bank_l2_perf[b].writes;
                l2_perf.read_misses = l2_perf.read_misses + bank_l2_perf[b].read_misses;
                l2_perf.write_misses = l2_perf.write_misses + bank_l2_perf[b].write_misses;
                l2_perf.evictions = l2_perf.evictions + bank_l2_perf[b].evictions;
                l2_perf.mshr_stalls = l2_perf.mshr_stalls + bank_l2_perf[b].mshr_stalls;
            end
        end
    end

    if (EXT_A) begin : g_reservations
        vx_reservations #(
            .NUM_BANKS(NUM_BANKS)
        ) reservations (
            .clk,
            .reset,
            .reserve,
            .conditional,
            .owner,
            .lanes(amo_lanes),
            .addr(amo_addr),
            .held,
            .broken(bank_enter_valid),
            .broken_addr(bank_enter_addr)
        );
    end else begin : g_no_reservations
        always_comb for (int b = 0; b < NUM_BANKS; ++b) held[b] = '0;
    end

    // ---------------------------------------------------------------- read data to the caches

    bank_t chosen[NUM_SOURCES];

    for (genvar s = 0; s < NUM_SOURCES; ++s) begin : g_rsp
        logic [NUM_BANKS-1:0] wanted;
        always_comb begin
            for (int b = 0; b < NUM_BANKS; ++b)
                wanted[b] = bank_rsp_valid[b] && bank_rsp_source[b] == source_t'(s);
        end
        vx_rr_arbiter #(
            .N(NUM_BANKS)
        ) arbiter (
            .clk,
            .reset,
            .request(wanted),
            .advance(rsp_ready[s]),
            .valid(rsp_valid[s]),
            .index(chosen[s])
        );
        always_comb begin
            rsp[s] = '0;
            if (rsp_valid[s]) rsp[s] = bank_rsp[chosen[s]];
        end
    end

    always_comb begin
        bank_rsp_ready = '0;
        for (int s = 0; s < NUM_SOURCES; ++s) begin
            if (rsp_valid[s]) bank_rsp_ready[chosen[s]] = rsp_ready[s];
        end
    end

    // ---------------------------------------------------------------- unacknowledged writes of each core

    localparam int PENDING_WIDTH = 8 + BANK_BITS;
    typedef logic [PENDING_WIDTH-1:0] pending_t;

    for (genvar c = 0; c < TOTAL_CORES; ++c) begin : g_pending
        pending_t pending_q;
        pending_t pending;
        always_comb begin
            pending = pending_q;
            for (int b = 0; b < NUM_BANKS; ++b) begin
                if (bank_enter_valid[b] && bank_enter_source[b] == source_t'(2 * c + 1)) pending = pending + pending_t'(1);
                if (bank_ack_valid[b] && bank_ack_source[b] == source_t'(2 * c + 1)) pending = pending - pending_t'(1);
            end
        end
        always_ff @(posedge clk) pending_q <= reset ? '0 : pending;
        assign writes_pending[c] = pending_q != '0;
    end
endmodule
