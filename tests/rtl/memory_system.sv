// The D-caches of all cores on the AXI master, for test_memory_system.py; the I-caches' places are unused.
module memory_system
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int NUM_BANKS = 2,
    parameter int SIZE = 1024,
    parameter int WAYS = 2,
    parameter int L2_SIZE = 0
) (
    input wire clk,
    input wire reset,

    input wire [TOTAL_CORES-1:0] req_valid,
    output logic [TOTAL_CORES-1:0] req_ready,
    input dcache_req_t req[TOTAL_CORES],
    output logic [TOTAL_CORES-1:0] rsp_valid,
    input wire [TOTAL_CORES-1:0] rsp_ready,
    output dcache_rsp_t rsp[TOTAL_CORES],
    input wire [TOTAL_CORES-1:0] flush_valid,
    output logic [TOTAL_CORES-1:0] flush_done,
    output logic busy,
    input wire l2_clear,
    output cache_perf_t l2_perf,

    output logic awvalid[NUM_BANKS],
    input wire awready[NUM_BANKS],
    output logic [MEM_ADDR_WIDTH-1:0] awaddr[NUM_BANKS],
    output logic [7:0] awid[NUM_BANKS],
    output logic wvalid[NUM_BANKS],
    input wire wready[NUM_BANKS],
    output logic [LINE_BITS-1:0] wdata[NUM_BANKS],
    output logic [LINE_BYTES-1:0] wstrb[NUM_BANKS],
    input wire bvalid[NUM_BANKS],
    output logic bready[NUM_BANKS],
    input wire [7:0] bid[NUM_BANKS],
    input wire [1:0] bresp[NUM_BANKS],
    output logic arvalid[NUM_BANKS],
    input wire arready[NUM_BANKS],
    output logic [MEM_ADDR_WIDTH-1:0] araddr[NUM_BANKS],
    output logic [7:0] arid[NUM_BANKS],
    input wire rvalid[NUM_BANKS],
    output logic rready[NUM_BANKS],
    input wire [LINE_BITS-1:0] rdata[NUM_BANKS],
    input wire rlast[NUM_BANKS],
    input wire [7:0] rid[NUM_BANKS],
    input wire [1:0] rresp[NUM_BANKS]
);
    logic [NUM_SOURCES-1:0] mem_req_valid, mem_req_ready, mem_rsp_valid, mem_rsp_ready;
    mem_req_t mem_req[NUM_SOURCES];
    mem_tag_t mem_req_tag[NUM_SOURCES];
    mem_rsp_t mem_rsp[NUM_SOURCES];
    logic [TOTAL_CORES-1:0] writes_pending, cache_busy;
    logic axi_busy;
    logic [NUM_BANKS-1:0] write_fault;
    line_addr_t write_fault_addr[NUM_BANKS];
    core_index_t write_fault_core[NUM_BANKS];

    for (genvar c = 0; c < TOTAL_CORES; ++c) begin : g_core
        cache_perf_t perf;
        assign mem_req_valid[2*c] = 1'b0;
        assign mem_req[2*c] = '0;
        assign mem_req_tag[2*c] = '0;
        assign mem_rsp_ready[2*c] = 1'b1;
        vx_dcache #(
            .SIZE(SIZE),
            .WAYS(WAYS)
        ) dcache (
            .clk,
            .reset,
            .req_valid(req_valid[c]),
            .req_ready(req_ready[c]),
            .req(req[c]),
            .rsp_valid(rsp_valid[c]),
            .rsp_ready(rsp_ready[c]),
            .rsp(rsp[c]),
            .mem_req_valid(mem_req_valid[2*c+1]),
            .mem_req_ready(mem_req_ready[2*c+1]),
            .mem_req(mem_req[2*c+1]),
            .mem_req_tag(mem_req_tag[2*c+1]),
            .mem_rsp_valid(mem_rsp_valid[2*c+1]),
            .mem_rsp_ready(mem_rsp_ready[2*c+1]),
            .mem_rsp(mem_rsp[2*c+1]),
            .writes_pending(writes_pending[c]),
            .flush_valid(flush_valid[c]),
            .flush_done(flush_done[c]),
            .busy(cache_busy[c]),
            .perf
        );
    end

    vx_axi_master #(
        .ADDR_WIDTH(MEM_ADDR_WIDTH),
        .TID_WIDTH(8),
        .NUM_BANKS(NUM_BANKS),
        .L2_SIZE(L2_SIZE),
        .L2_WAYS(WAYS)
    ) axi (
        .clk,
        .reset,
        .req_valid(mem_req_valid),
        .req_ready(mem_req_ready),
        .req(mem_req),
        .req_tag(mem_req_tag),
        .rsp_valid(mem_rsp_valid),
        .rsp_ready(mem_rsp_ready),
        .rsp(mem_rsp),
        .writes_pending,
        .write_fault,
        .write_fault_addr,
        .write_fault_core,
        .busy(axi_busy),
        .l2_clear,
        .l2_perf,
        .awvalid,
        .awready,
        .awaddr,
        .awid,
        .wvalid,
        .wready,
        .wdata,
        .wstrb,
        .bvalid,
        .bready,
        .bid,
        .bresp,
        .arvalid,
        .arready,
        .araddr,
        .arid,
        .rvalid,
        .rready,
        .rdata,
        .rlast,
        .rid,
        .rresp
    );

    assign busy = axi_busy || |cache_busy;
endmodule
