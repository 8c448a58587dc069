// Vortex-compatible processor: launch unit, cores with their L1 caches, AXI4 master. The ports are the boundary of any core
// under test (docs/reference/dut_ports.md); the fault outputs are optional for other cores.
//
// Contract
// * Synchronous active-high reset. One DCR request a cycle is always accepted; `start` is a one-cycle pulse.
// * `busy` is high from the cycle after `start` without a gap until every warp has ended, every read has been answered and
//   every write has been acknowledged (B); it is also high during a DCR request and until a DCR read is answered. A launch
//   without CTAs raises it for one cycle.
// * A DCR read is answered once; a cache flush after all older writes of that core have been acknowledged.
// * `fault_*` is valid for one cycle per fault: what stopped a warp, or a write that was answered with an error.
module Vortex_axi
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int AXI_DATA_WIDTH = `VX_CFG_AXI_DATA_WIDTH,
    parameter int AXI_ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH,
    parameter int AXI_TID_WIDTH = `VX_CFG_AXI_TID_WIDTH,
    parameter int AXI_NUM_BANKS = `VX_CFG_AXI_NUM_BANKS,
    parameter int L2_SIZE = `VX_CFG_L2_SIZE,  // bytes; 0: no L2
    parameter int L2_WAYS = `VX_CFG_L2_WAYS
) (
    input wire clk,
    input wire reset,

    output wire m_axi_awvalid[AXI_NUM_BANKS],
    input wire m_axi_awready[AXI_NUM_BANKS],
    output wire [AXI_ADDR_WIDTH-1:0] m_axi_awaddr[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] m_axi_awid[AXI_NUM_BANKS],
    output wire [7:0] m_axi_awlen[AXI_NUM_BANKS],
    output wire [2:0] m_axi_awsize[AXI_NUM_BANKS],
    output wire [1:0] m_axi_awburst[AXI_NUM_BANKS],
    output wire [1:0] m_axi_awlock[AXI_NUM_BANKS],
    output wire [3:0] m_axi_awcache[AXI_NUM_BANKS],
    output wire [2:0] m_axi_awprot[AXI_NUM_BANKS],
    output wire [3:0] m_axi_awqos[AXI_NUM_BANKS],
    output wire [3:0] m_axi_awregion[AXI_NUM_BANKS],

    output wire m_axi_wvalid[AXI_NUM_BANKS],
    input wire m_axi_wready[AXI_NUM_BANKS],
    output wire [AXI_DATA_WIDTH-1:0] m_axi_wdata[AXI_NUM_BANKS],
    output wire [AXI_DATA_WIDTH/8-1:0] m_axi_wstrb[AXI_NUM_BANKS],
    output wire m_axi_wlast[AXI_NUM_BANKS],

    input wire m_axi_bvalid[AXI_NUM_BANKS],
    output wire m_axi_bready[AXI_NUM_BANKS],
    input wire [AXI_TID_WIDTH-1:0] m_axi_bid[AXI_NUM_BANKS],
    input wire [1:0] m_axi_bresp[AXI_NUM_BANKS],

    output wire m_axi_arvalid[AXI_NUM_BANKS],
    input wire m_axi_arready[AXI_NUM_BANKS],
    output wire [AXI_ADDR_WIDTH-1:0] m_axi_araddr[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] m_axi_arid[AXI_NUM_BANKS],
    output wire [7:0] m_axi_arlen[AXI_NUM_BANKS],
    output wire [2:0] m_axi_arsize[AXI_NUM_BANKS],
    output wire [1:0] m_axi_arburst[AXI_NUM_BANKS],
    output wire [1:0] m_axi_arlock[AXI_NUM_BANKS],
    output wire [3:0] m_axi_arcache[AXI_NUM_BANKS],
    output wire [2:0] m_axi_arprot[AXI_NUM_BANKS],
    output wire [3:0] m_axi_arqos[AXI_NUM_BANKS],
    output wire [3:0] m_axi_arregion[AXI_NUM_BANKS],

    input wire m_axi_rvalid[AXI_NUM_BANKS],
    output wire m_axi_rready[AXI_NUM_BANKS],
    input wire [AXI_DATA_WIDTH-1:0] m_axi_rdata[AXI_NUM_BANKS],
    input wire m_axi_rlast[AXI_NUM_BANKS],
    input wire [AXI_TID_WIDTH-1:0] m_axi_rid[AXI_NUM_BANKS],
    input wire [1:0] m_axi_rresp[AXI_NUM_BANKS],

    input wire dcr_req_valid,
    input wire dcr_req_rw,
    input wire [11:0] dcr_req_addr,
    input wire [31:0] dcr_req_data,
    output wire dcr_rsp_valid,
    output wire [31:0] dcr_rsp_data,

    input wire start,
    output wire busy,

    output wire fault_valid,
    output wire [3:0] fault_kind,
    output wire [63:0] fault_addr,
    output wire [63:0] fault_pc,
    output wire [31:0] fault_info
);
    if (AXI_DATA_WIDTH != LINE_BITS) begin : g_check_data
        $fatal(1, "Vortex_axi: AXI_DATA_WIDTH=%0d must be %0d, one cache line", AXI_DATA_WIDTH, LINE_BITS);
    end
    if (AXI_ADDR_WIDTH != MEM_ADDR_WIDTH) begin : g_check_addr
        $fatal(1, "Vortex_axi: AXI_ADDR_WIDTH=%0d must be %0d (VX_CFG_AXI_ADDR_WIDTH)", AXI_ADDR_WIDTH, MEM_ADDR_WIDTH);
    end
    if (AXI_TID_WIDTH < 1) begin : g_check_tid
        $fatal(1, "Vortex_axi: AXI_TID_WIDTH=%0d must be at least 1", AXI_TID_WIDTH);
    end
    if (AXI_NUM_BANKS < 1 || 2 ** $clog2(AXI_NUM_BANKS) != AXI_NUM_BANKS) begin : g_check_banks
        $fatal(1, "Vortex_axi: AXI_NUM_BANKS=%0d must be a power of two", AXI_NUM_BANKS);
    end
    if (L2_SIZE != 0 && (L2_SIZE < 0 || 2 ** $clog2(L2_SIZE) != L2_SIZE || L2_WAYS < 1 || 2 ** $clog2(L2_WAYS) != L2_WAYS ||
                         L2_SIZE < 2 * L2_WAYS * LINE_BYTES * AXI_NUM_BANKS)) begin : g_check_l2
        $fatal(1, "Vortex_axi: L2_SIZE=%0d must be 0, or a power of two with two sets of L2_WAYS=%0d lines (a power of two) in each of %0d banks",
               L2_SIZE, L2_WAYS, AXI_NUM_BANKS);
    end

    if (`VX_CFG_DCACHE_WRITEBACK != 0 && (TOTAL_CORES > 1 || L2_SIZE != 0)) begin : g_check_write_back
        $fatal(1, "Vortex_axi: VX_CFG_DCACHE_WRITEBACK=1 is for one core without L2, here are %0d cores and L2_SIZE=%0d",
               TOTAL_CORES, L2_SIZE);
    end

    // ---------------------------------------------------------------- launch

    logic kmu_write, kmu_running, dcr_busy;
    logic [4:0] rewind;
    logic [TOTAL_CORES-1:0] flush_valid, flush_done;
    core_index_t mpm_core;
    logic [5:0] mpm_index;
    logic [7:0] mpm_class;
    logic [31:0] mpm_value[TOTAL_CORES];
    logic [31:0] shown_mpm_value;

    vx_dcr #(
        .CORES(TOTAL_CORES)
    ) dcr (
        .clk,
        .reset,
        .req_valid(dcr_req_valid),
        .req_rw(dcr_req_rw),
        .req_addr(dcr_req_addr),
        .req_data(dcr_req_data),
        .rsp_valid(dcr_rsp_valid),
        .rsp_data(dcr_rsp_data),
        .kmu_write,
        .rewind,
        .flush_valid,
        .flush_done,
        .mpm_core,
        .mpm_index,
        .mpm_class,
        .mpm_value(shown_mpm_value),
        .busy(dcr_busy)
    );

    // The L2's counters (class 5) belong to no core: they answer for any.
    logic l2_clear;
    cache_perf_t l2_perf;

    if (L2_SIZE != 0) begin : g_l2
        logic flushing_q;
        always_ff @(posedge clk) flushing_q <= !reset && flush_valid != '0 && (flush_valid & flush_done) == '0;
        // What the host has written since the last launch, or before the flush that it asks for, must be seen from then on. A core's
        // L1 caches are cleared after this, so they take nothing old from here.
        assign l2_clear = start || (flush_valid != '0 && !flushing_q);

        logic [PERF_WIDTH-1:0] counter;
        logic ours;
        always_comb begin
            ours = mpm_class == 8'd5;
            counter = '0;
            unique case (mpm_index[4:0])
                5'd3: counter = l2_perf.reads;
                5'd4: counter = l2_perf.writes;
                5'd5: counter = l2_perf.read_misses;
                5'd6: counter = l2_perf.write_misses;
                5'd7: counter = l2_perf.evictions;
                5'd9: counter = l2_perf.mshr_stalls;
                default: ours = 1'b0;
            endcase
            shown_mpm_value = mpm_value[mpm_core];
            if (ours) shown_mpm_value = mpm_index[5] ? 32'(counter[PERF_WIDTH-1:32]) : counter[31:0];
        end
    end else begin : g_no_l2
        assign l2_clear = 1'b0;
        assign shown_mpm_value = mpm_value[mpm_core];
        /* verilator lint_off UNUSEDSIGNAL */  // all zero
        cache_perf_t unused_l2_perf;
        /* verilator lint_on UNUSEDSIGNAL */
        assign unused_l2_perf = l2_perf;
    end

    logic cta_valid, cta_ready;
    cta_desc_t cta;
    logic [TOTAL_CORES-1:0] core_cta_valid, core_cta_ready;

    vx_kmu kmu (
        .clk,
        .reset,
        .dcr_write(kmu_write),
        .dcr_addr(dcr_req_addr),
        .dcr_data(dcr_req_data),
        .start,
        .running(kmu_running),
        .cta_valid,
        .cta_ready,
        .cta
    );

    vx_cta_distributor #(
        .CORES(TOTAL_CORES)
    ) distributor (
        .clk,
        .reset,
        .launch(start),
        .cta_valid,
        .cta_ready,
        .cta_last_of_cluster(cta.last_of_cluster),
        .core_valid(core_cta_valid),
        .core_ready(core_cta_ready)
    );

    // ---------------------------------------------------------------- cores

    logic [NUM_SOURCES-1:0] mem_req_valid, mem_req_ready, mem_rsp_valid, mem_rsp_ready;
    mem_req_t mem_req[NUM_SOURCES];
    mem_tag_t mem_req_tag[NUM_SOURCES];
    mem_rsp_t mem_rsp[NUM_SOURCES];
    logic [TOTAL_CORES-1:0] writes_pending, socket_busy;

    typedef struct packed {
        fault_kind_t kind;
        logic [63:0] addr;
        logic [63:0] pc;
        logic [31:0] info;
    } fault_t;

    localparam int NUM_FAULTS = TOTAL_CORES + AXI_NUM_BANKS;
    logic [NUM_FAULTS-1:0] source_fault_valid;
    logic [$bits(fault_t)-1:0] source_fault[NUM_FAULTS];

    gbar_req_t gbar_req[TOTAL_CORES];
    gbar_rsp_t gbar_rsp[TOTAL_CORES];
    logic [TOTAL_CORES-1:0] gbar_arrived, gbar_fire;

    vx_global_barrier global_barrier (
        .clk,
        .reset,
        .req(gbar_req),
        .rsp(gbar_rsp),
        .arrived(gbar_arrived),
        .fire(gbar_fire)
    );

    for (genvar c = 0; c < TOTAL_CORES; ++c) begin : g_core
        fault_t fault;
        vx_socket #(
            .CORE_ID(c)
        ) socket (
            .clk,
            .reset,
            .launch(start),
            .rewind,
            .cta_valid(core_cta_valid[c]),
            .cta_ready(core_cta_ready[c]),
            .cta,
            .flush_valid(flush_valid[c]),
            .flush_done(flush_done[c]),
            .gbar_req(gbar_req[c]),
            .gbar_rsp(gbar_rsp[c]),
            .gbar_arrived(gbar_arrived[c]),
            .gbar_fire(gbar_fire[c]),
            .mpm_index,
            .mpm_class,
            .mpm_value(mpm_value[c]),
            .mem_req_valid(mem_req_valid[2*c+:2]),
            .mem_req_ready(mem_req_ready[2*c+:2]),
            .mem_req(mem_req[2*c+:2]),
            .mem_req_tag(mem_req_tag[2*c+:2]),
            .mem_rsp_valid(mem_rsp_valid[2*c+:2]),
            .mem_rsp_ready(mem_rsp_ready[2*c+:2]),
            .mem_rsp(mem_rsp[2*c+:2]),
            .writes_pending(writes_pending[c]),
            .busy(socket_busy[c]),
            .fault_valid(source_fault_valid[c]),
            .fault_kind(fault.kind),
            .fault_addr(fault.addr),
            .fault_pc(fault.pc),
            .fault_info(fault.info)
        );
        assign source_fault[c] = fault;
    end

    // ---------------------------------------------------------------- memory

    logic axi_busy;
    logic [AXI_NUM_BANKS-1:0] write_fault;
    line_addr_t write_fault_addr[AXI_NUM_BANKS];
    core_index_t write_fault_core[AXI_NUM_BANKS];

    vx_axi_master #(
        .ADDR_WIDTH(AXI_ADDR_WIDTH),
        .TID_WIDTH(AXI_TID_WIDTH),
        .NUM_BANKS(AXI_NUM_BANKS),
        .L2_SIZE(L2_SIZE),
        .L2_WAYS(L2_WAYS)
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
        .awvalid(m_axi_awvalid),
        .awready(m_axi_awready),
        .awaddr(m_axi_awaddr),
        .awid(m_axi_awid),
        .wvalid(m_axi_wvalid),
        .wready(m_axi_wready),
        .wdata(m_axi_wdata),
        .wstrb(m_axi_wstrb),
        .bvalid(m_axi_bvalid),
        .bready(m_axi_bready),
        .bid(m_axi_bid),
        .bresp(m_axi_bresp),
        .arvalid(m_axi_arvalid),
        .arready(m_axi_arready),
        .araddr(m_axi_araddr),
        .arid(m_axi_arid),
        .rvalid(m_axi_rvalid),
        .rready(m_axi_rready),
        .rdata(m_axi_rdata),
        .rlast(m_axi_rlast),
        .rid(m_axi_rid),
        .rresp(m_axi_rresp)
    );

    // Every transfer is one beat of the whole width; the other attributes are not used.
    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_bank
        assign m_axi_awlen[b] = 8'd0;
        assign m_axi_awsize[b] = 3'($clog2(AXI_DATA_WIDTH / 8));
        assign m_axi_awburst[b] = 2'b01;
        assign m_axi_awlock[b] = 2'b00;
        assign m_axi_awcache[b] = 4'd0;
        assign m_axi_awprot[b] = 3'd0;
        assign m_axi_awqos[b] = 4'd0;
        assign m_axi_awregion[b] = 4'd0;
        assign m_axi_wlast[b] = 1'b1;
        assign m_axi_arlen[b] = 8'd0;
        assign m_axi_arsize[b] = 3'($clog2(AXI_DATA_WIDTH / 8));
        assign m_axi_arburst[b] = 2'b01;
        assign m_axi_arlock[b] = 2'b00;
        assign m_axi_arcache[b] = 4'd0;
        assign m_axi_arprot[b] = 3'd0;
        assign m_axi_arqos[b] = 4'd0;
        assign m_axi_arregion[b] = 4'd0;

        fault_t fault;
        always_comb begin
            fault.kind = FAULT_BUS_WRITE;
            fault.addr = 64'(write_fault_addr[b]) << LINE_OFFSET_BITS;
            fault.pc = '0;
            fault.info = 32'(write_fault_core[b]) << 8;
        end
        assign source_fault_valid[TOTAL_CORES+b] = write_fault[b];
        assign source_fault[TOTAL_CORES+b] = fault;
    end

    // ---------------------------------------------------------------- faults and busy

    fault_t shown_fault;
    vx_fault_queue #(
        .N(NUM_FAULTS),
        .WIDTH($bits(fault_t))
    ) faults (
        .clk,
        .reset,
        .in_valid(source_fault_valid),
        .in_fault(source_fault),
        .out_valid(fault_valid),
        .out_fault(shown_fault)
    );
    assign fault_kind = shown_fault.kind;
    assign fault_addr = shown_fault.addr;
    assign fault_pc = shown_fault.pc;
    assign fault_info = shown_fault.info;

    logic started_q;
    always_ff @(posedge clk) started_q <= start && !reset;

    assign busy = started_q || kmu_running || |socket_busy || axi_busy || dcr_req_valid || dcr_busy || fault_valid;
endmodule
