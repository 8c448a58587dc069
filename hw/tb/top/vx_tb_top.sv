// Harness around the core under test and the BAR device. It is a wire: clocks, reset, memory, the host and commands all come
// from C++ through the top-level ports, so that this file rarely changes (an edit here recompiles nearly the whole model).
//
//   memory ports 0 … N-1 ◀─┬─ select = 0 ── Vortex_axi        DCR bus and start: C++ or the device
//                          └─ select = 1 ── Vortex_axi ─▶ BAR device ─▶ memory ports N … 2N-1
//
// Contract: before a rising edge C++ reads every output, then sets the inputs of the cycle that begins with that edge.
// `select` changes only while nothing is in flight. `device_clk` rises together with `clk`, or stands still while `select` is 0.
// `event_toggle` is not connected to the core: C++ flips it when Python has something to do, and it is the only signal that VPI
// can see (public.vlt).
`include "vx_config.svh"

`ifndef VX_TB_DUT
`define VX_TB_DUT Vortex_axi
`endif

module vx_tb_top #(
    parameter int AXI_NUM_BANKS = `VX_CFG_AXI_NUM_BANKS,
    parameter int AXI_DATA_WIDTH = `VX_CFG_AXI_DATA_WIDTH,
    parameter int AXI_ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH,
    parameter int AXI_TID_WIDTH = `VX_CFG_AXI_TID_WIDTH,
    localparam int PORTS = 2 * AXI_NUM_BANKS,
    localparam int DEVICE_TID_WIDTH = 4 + $clog2(AXI_NUM_BANKS + 1),
    localparam int TID_WIDTH = AXI_TID_WIDTH > DEVICE_TID_WIDTH ? AXI_TID_WIDTH : DEVICE_TID_WIDTH
) (
    input wire clk,
    /* verilator lint_off UNUSEDSIGNAL */  // a model of the core alone has no device
    input wire device_clk,
    /* verilator lint_on UNUSEDSIGNAL */
    input wire reset,
    input wire select,
    /* verilator lint_off UNUSEDSIGNAL */  // read through VPI only
    input wire event_toggle,
    /* verilator lint_on UNUSEDSIGNAL */

    // memory: ports of the core first, then those of the device
    output wire m_axi_awvalid[PORTS],
    input wire m_axi_awready[PORTS],
    output wire [AXI_ADDR_WIDTH:0] m_axi_awaddr[PORTS],
    output wire [TID_WIDTH-1:0] m_axi_awid[PORTS],
    output wire [7:0] m_axi_awlen[PORTS],
    output wire [2:0] m_axi_awsize[PORTS],
    output wire [1:0] m_axi_awburst[PORTS],
    output wire m_axi_wvalid[PORTS],
    input wire m_axi_wready[PORTS],
    output wire [AXI_DATA_WIDTH-1:0] m_axi_wdata[PORTS],
    output wire [AXI_DATA_WIDTH/8-1:0] m_axi_wstrb[PORTS],
    output wire m_axi_wlast[PORTS],
    input wire m_axi_bvalid[PORTS],
    output wire m_axi_bready[PORTS],
    /* verilator lint_off UNUSEDSIGNAL */  // the narrower of the two ids
    input wire [TID_WIDTH-1:0] m_axi_bid[PORTS],
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [1:0] m_axi_bresp[PORTS],
    output wire m_axi_arvalid[PORTS],
    input wire m_axi_arready[PORTS],
    output wire [AXI_ADDR_WIDTH:0] m_axi_araddr[PORTS],
    output wire [TID_WIDTH-1:0] m_axi_arid[PORTS],
    output wire [7:0] m_axi_arlen[PORTS],
    output wire [2:0] m_axi_arsize[PORTS],
    output wire [1:0] m_axi_arburst[PORTS],
    input wire m_axi_rvalid[PORTS],
    output wire m_axi_rready[PORTS],
    input wire [AXI_DATA_WIDTH-1:0] m_axi_rdata[PORTS],
    /* verilator lint_off UNUSEDSIGNAL */
    input wire m_axi_rlast[PORTS],
    input wire [TID_WIDTH-1:0] m_axi_rid[PORTS],
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [1:0] m_axi_rresp[PORTS],

    // what the core sees on its ports while the device answers them
    output wire core_awready[AXI_NUM_BANKS],
    output wire core_wready[AXI_NUM_BANKS],
    output wire core_bvalid[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] core_bid[AXI_NUM_BANKS],
    output wire [1:0] core_bresp[AXI_NUM_BANKS],
    output wire core_arready[AXI_NUM_BANKS],
    output wire core_rvalid[AXI_NUM_BANKS],
    output wire [AXI_DATA_WIDTH-1:0] core_rdata[AXI_NUM_BANKS],
    output wire core_rlast[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] core_rid[AXI_NUM_BANKS],
    output wire [1:0] core_rresp[AXI_NUM_BANKS],

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
    output wire [31:0] fault_info,

    // what the device does with the core
    output wire device_core_reset,
    output wire device_start,
    output wire device_dcr_valid,
    output wire device_dcr_rw,
    output wire [11:0] device_dcr_addr,
    output wire [31:0] device_dcr_data,

    `include "vx_tb_host_ports.svh"
);

    // Inputs of the core change at the rising edge, together with its registers, so that Verilator evaluates what depends
    // on them once a cycle. Driven from C++ directly they would cost a second evaluation (a fifth of the speed).
    logic reset_q, select_q, start_q, dcr_req_valid_q, dcr_req_rw_q;
    logic [11:0] dcr_req_addr_q;
    logic [31:0] dcr_req_data_q;
    logic awready_q[AXI_NUM_BANKS], wready_q[AXI_NUM_BANKS], arready_q[AXI_NUM_BANKS];
    logic bvalid_q[AXI_NUM_BANKS], rvalid_q[AXI_NUM_BANKS], rlast_q[AXI_NUM_BANKS];
    logic [AXI_TID_WIDTH-1:0] bid_q[AXI_NUM_BANKS], rid_q[AXI_NUM_BANKS];
    logic [1:0] bresp_q[AXI_NUM_BANKS], rresp_q[AXI_NUM_BANKS];
    logic [AXI_DATA_WIDTH-1:0] rdata_q[AXI_NUM_BANKS];

    // Before the first edge the core is in reset.
    initial begin
        reset_q = 1'b1;
        select_q = 1'b0;
    end

    always_ff @(posedge clk) begin
        reset_q <= reset;
        select_q <= select;
        start_q <= start;
        dcr_req_valid_q <= dcr_req_valid;
        dcr_req_rw_q <= dcr_req_rw;
        dcr_req_addr_q <= dcr_req_addr;
        dcr_req_data_q <= dcr_req_data;
        for (int bank = 0; bank < AXI_NUM_BANKS; ++bank) begin
            awready_q[bank] <= m_axi_awready[bank];
            wready_q[bank] <= m_axi_wready[bank];
            arready_q[bank] <= m_axi_arready[bank];
            bvalid_q[bank] <= m_axi_bvalid[bank];
            bid_q[bank] <= m_axi_bid[bank][AXI_TID_WIDTH-1:0];
            bresp_q[bank] <= m_axi_bresp[bank];
            rvalid_q[bank] <= m_axi_rvalid[bank];
            if (m_axi_rvalid[bank]) begin
                rlast_q[bank] <= m_axi_rlast[bank];
                rid_q[bank] <= m_axi_rid[bank][AXI_TID_WIDTH-1:0];
                rresp_q[bank] <= m_axi_rresp[bank];
                rdata_q[bank] <= m_axi_rdata[bank];
            end
        end
    end

    // ---------------------------------------------------------------- the core

    wire [AXI_ADDR_WIDTH-1:0] awaddr[AXI_NUM_BANKS], araddr[AXI_NUM_BANKS];
    wire [AXI_TID_WIDTH-1:0] awid[AXI_NUM_BANKS], arid[AXI_NUM_BANKS];

    /* verilator lint_off PINCONNECTEMPTY */  // attributes that no memory looks at
    `VX_TB_DUT #(
        .AXI_DATA_WIDTH(AXI_DATA_WIDTH),
        .AXI_ADDR_WIDTH(AXI_ADDR_WIDTH),
        .AXI_TID_WIDTH(AXI_TID_WIDTH),
        .AXI_NUM_BANKS(AXI_NUM_BANKS)
    ) dut (
        .clk(clk),
        .reset(device_core_reset),
        .m_axi_awvalid(m_axi_awvalid[0:AXI_NUM_BANKS-1]),
        .m_axi_awready(core_awready),
        .m_axi_awaddr(awaddr),
        .m_axi_awid(awid),
        .m_axi_awlen(m_axi_awlen[0:AXI_NUM_BANKS-1]),
        .m_axi_awsize(m_axi_awsize[0:AXI_NUM_BANKS-1]),
        .m_axi_awburst(m_axi_awburst[0:AXI_NUM_BANKS-1]),
        .m_axi_awlock(),
        .m_axi_awcache(),
        .m_axi_awprot(),
        .m_axi_awqos(),
        .m_axi_awregion(),
        .m_axi_wvalid(m_axi_wvalid[0:AXI_NUM_BANKS-1]),
        .m_axi_wready(core_wready),
        .m_axi_wdata(m_axi_wdata[0:AXI_NUM_BANKS-1]),
        .m_axi_wstrb(m_axi_wstrb[0:AXI_NUM_BANKS-1]),
        .m_axi_wlast(m_axi_wlast[0:AXI_NUM_BANKS-1]),
        .m_axi_bvalid(core_bvalid),
        .m_axi_bready(m_axi_bready[0:AXI_NUM_BANKS-1]),
        .m_axi_bid(core_bid),
        .m_axi_bresp(core_bresp),
        .m_axi_arvalid(m_axi_arvalid[0:AXI_NUM_BANKS-1]),
        .m_axi_arready(core_arready),
        .m_axi_araddr(araddr),
        .m_axi_arid(arid),
        .m_axi_arlen(m_axi_arlen[0:AXI_NUM_BANKS-1]),
        .m_axi_arsize(m_axi_arsize[0:AXI_NUM_BANKS-1]),
        .m_axi_arburst(m_axi_arburst[0:AXI_NUM_BANKS-1]),
        .m_axi_arlock(),
        .m_axi_arcache(),
        .m_axi_arprot(),
        .m_axi_arqos(),
        .m_axi_arregion(),
        .m_axi_rvalid(core_rvalid),
        .m_axi_rready(m_axi_rready[0:AXI_NUM_BANKS-1]),
        .m_axi_rdata(core_rdata),
        .m_axi_rlast(core_rlast),
        .m_axi_rid(core_rid),
        .m_axi_rresp(core_rresp),
        .dcr_req_valid(dcr_req_valid_q || device_dcr_valid),
        .dcr_req_rw(device_dcr_valid ? device_dcr_rw : dcr_req_rw_q),
        .dcr_req_addr(device_dcr_valid ? device_dcr_addr : dcr_req_addr_q),
        .dcr_req_data(device_dcr_valid ? device_dcr_data : dcr_req_data_q),
        .dcr_rsp_valid(dcr_rsp_valid),
        .dcr_rsp_data(dcr_rsp_data),
        .start(start_q || device_start),
        .busy(busy)
`ifdef VX_TB_NO_FAULT_PORTS
    );

    // A core without the optional outputs never reports a fault.
    assign fault_valid = 1'b0;
    assign fault_kind = 4'd0;
    assign fault_addr = 64'd0;
    assign fault_pc = 64'd0;
    assign fault_info = 32'd0;
`else
        ,
        .fault_valid(fault_valid),
        .fault_kind(fault_kind),
        .fault_addr(fault_addr),
        .fault_pc(fault_pc),
        .fault_info(fault_info)
    );
`endif
    /* verilator lint_on PINCONNECTEMPTY */

    // ---------------------------------------------------------------- who answers the core

    wire s_awvalid[AXI_NUM_BANKS], s_wvalid[AXI_NUM_BANKS], s_arvalid[AXI_NUM_BANKS];
    wire s_awready[AXI_NUM_BANKS], s_wready[AXI_NUM_BANKS], s_arready[AXI_NUM_BANKS];
    wire s_bvalid[AXI_NUM_BANKS], s_rvalid[AXI_NUM_BANKS], s_rlast[AXI_NUM_BANKS];
    wire [AXI_TID_WIDTH-1:0] s_bid[AXI_NUM_BANKS], s_rid[AXI_NUM_BANKS];
    wire [1:0] s_bresp[AXI_NUM_BANKS], s_rresp[AXI_NUM_BANKS];
    wire [AXI_DATA_WIDTH-1:0] s_rdata[AXI_NUM_BANKS];
    wire [DEVICE_TID_WIDTH-1:0] mem_awid[AXI_NUM_BANKS], mem_arid[AXI_NUM_BANKS];
    wire [DEVICE_TID_WIDTH-1:0] mem_bid[AXI_NUM_BANKS], mem_rid[AXI_NUM_BANKS];

    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_port
        localparam int M = AXI_NUM_BANKS + b;
        assign m_axi_awaddr[b] = {1'b0, awaddr[b]};
        assign m_axi_araddr[b] = {1'b0, araddr[b]};
        assign m_axi_awid[b] = TID_WIDTH'(awid[b]);
        assign m_axi_arid[b] = TID_WIDTH'(arid[b]);
        assign m_axi_awid[M] = TID_WIDTH'(mem_awid[b]);
        assign m_axi_arid[M] = TID_WIDTH'(mem_arid[b]);
        assign mem_bid[b] = m_axi_bid[M][DEVICE_TID_WIDTH-1:0];
        assign mem_rid[b] = m_axi_rid[M][DEVICE_TID_WIDTH-1:0];

        assign s_awvalid[b] = select_q && m_axi_awvalid[b];
        assign s_wvalid[b] = select_q && m_axi_wvalid[b];
        assign s_arvalid[b] = select_q && m_axi_arvalid[b];

        assign core_awready[b] = select_q ? s_awready[b] : awready_q[b];
        assign core_wready[b] = select_q ? s_wready[b] : wready_q[b];
        assign core_bvalid[b] = select_q ? s_bvalid[b] : bvalid_q[b];
        assign core_bid[b] = select_q ? s_bid[b] : bid_q[b];
        assign core_bresp[b] = select_q ? s_bresp[b] : bresp_q[b];
        assign core_arready[b] = select_q ? s_arready[b] : arready_q[b];
        assign core_rvalid[b] = select_q ? s_rvalid[b] : rvalid_q[b];
        assign core_rdata[b] = select_q ? s_rdata[b] : rdata_q[b];
        assign core_rlast[b] = select_q ? s_rlast[b] : rlast_q[b];
        assign core_rid[b] = select_q ? s_rid[b] : rid_q[b];
        assign core_rresp[b] = select_q ? s_rresp[b] : rresp_q[b];
    end

    // ---------------------------------------------------------------- the device

    vx_tb_device #(
        .AXI_ADDR_WIDTH(AXI_ADDR_WIDTH),
        .AXI_TID_WIDTH(AXI_TID_WIDTH),
        .AXI_NUM_BANKS(AXI_NUM_BANKS),
        .MEM_TID_WIDTH(DEVICE_TID_WIDTH)
    ) bar (
        .clk(device_clk),
        .reset(reset_q),
        .mem_awvalid(m_axi_awvalid[AXI_NUM_BANKS:PORTS-1]),
        .mem_awready(m_axi_awready[AXI_NUM_BANKS:PORTS-1]),
        .mem_awaddr(m_axi_awaddr[AXI_NUM_BANKS:PORTS-1]),
        .mem_awlen(m_axi_awlen[AXI_NUM_BANKS:PORTS-1]),
        .mem_awsize(m_axi_awsize[AXI_NUM_BANKS:PORTS-1]),
        .mem_awburst(m_axi_awburst[AXI_NUM_BANKS:PORTS-1]),
        .mem_wvalid(m_axi_wvalid[AXI_NUM_BANKS:PORTS-1]),
        .mem_wready(m_axi_wready[AXI_NUM_BANKS:PORTS-1]),
        .mem_wdata(m_axi_wdata[AXI_NUM_BANKS:PORTS-1]),
        .mem_wstrb(m_axi_wstrb[AXI_NUM_BANKS:PORTS-1]),
        .mem_wlast(m_axi_wlast[AXI_NUM_BANKS:PORTS-1]),
        .mem_bvalid(m_axi_bvalid[AXI_NUM_BANKS:PORTS-1]),
        .mem_bready(m_axi_bready[AXI_NUM_BANKS:PORTS-1]),
        .mem_bresp(m_axi_bresp[AXI_NUM_BANKS:PORTS-1]),
        .mem_arvalid(m_axi_arvalid[AXI_NUM_BANKS:PORTS-1]),
        .mem_arready(m_axi_arready[AXI_NUM_BANKS:PORTS-1]),
        .mem_araddr(m_axi_araddr[AXI_NUM_BANKS:PORTS-1]),
        .mem_arlen(m_axi_arlen[AXI_NUM_BANKS:PORTS-1]),
        .mem_arsize(m_axi_arsize[AXI_NUM_BANKS:PORTS-1]),
        .mem_arburst(m_axi_arburst[AXI_NUM_BANKS:PORTS-1]),
        .mem_rvalid(m_axi_rvalid[AXI_NUM_BANKS:PORTS-1]),
        .mem_rready(m_axi_rready[AXI_NUM_BANKS:PORTS-1]),
        .mem_rdata(m_axi_rdata[AXI_NUM_BANKS:PORTS-1]),
        .mem_rresp(m_axi_rresp[AXI_NUM_BANKS:PORTS-1]),
        .s_awaddr(awaddr),
        .s_awid(awid),
        .s_wdata(m_axi_wdata[0:AXI_NUM_BANKS-1]),
        .s_wstrb(m_axi_wstrb[0:AXI_NUM_BANKS-1]),
        .s_bready(m_axi_bready[0:AXI_NUM_BANKS-1]),
        .s_araddr(araddr),
        .s_arid(arid),
        .s_rready(m_axi_rready[0:AXI_NUM_BANKS-1]),
        .core_reset(device_core_reset),
        .dcr_req_valid(device_dcr_valid),
        .dcr_req_rw(device_dcr_rw),
        .dcr_req_addr(device_dcr_addr),
        .dcr_req_data(device_dcr_data),
        .core_start(device_start),
        .core_busy(busy),
        .core_fault_valid(fault_valid),
        .core_fault_kind(fault_kind),
        .core_fault_addr(fault_addr),
        .core_fault_pc(fault_pc),
        .core_fault_info(fault_info),
        .*  // ports of this module towards the host, and wires of the same name
    );

endmodule
