// The BAR device of a model: its inputs from C++ in registers on its own clock, so that a device that sleeps costs nothing.
// With VX_TB_NO_DEVICE (a model of the core alone) there is none and every output is 0.
//
// Contract: as vx_pcie_device; `clk` may stand still while nothing is in flight. `reset` is the registered one of the core.
`include "vx_config.svh"

module vx_tb_device #(
    parameter int AXI_ADDR_WIDTH = 32,
    parameter int AXI_TID_WIDTH = 8,
    parameter int AXI_NUM_BANKS = 1,
    parameter int MEM_TID_WIDTH = 8
) (
    /* verilator lint_off UNUSEDSIGNAL */
    /* verilator lint_off UNDRIVEN */
    input wire clk,
    input wire reset,

    output wire mem_awvalid[AXI_NUM_BANKS],
    input wire mem_awready[AXI_NUM_BANKS],
    output wire [AXI_ADDR_WIDTH:0] mem_awaddr[AXI_NUM_BANKS],
    output wire [MEM_TID_WIDTH-1:0] mem_awid[AXI_NUM_BANKS],
    output wire [7:0] mem_awlen[AXI_NUM_BANKS],
    output wire [2:0] mem_awsize[AXI_NUM_BANKS],
    output wire [1:0] mem_awburst[AXI_NUM_BANKS],
    output wire mem_wvalid[AXI_NUM_BANKS],
    input wire mem_wready[AXI_NUM_BANKS],
    output wire [511:0] mem_wdata[AXI_NUM_BANKS],
    output wire [63:0] mem_wstrb[AXI_NUM_BANKS],
    output wire mem_wlast[AXI_NUM_BANKS],
    input wire mem_bvalid[AXI_NUM_BANKS],
    output wire mem_bready[AXI_NUM_BANKS],
    input wire [MEM_TID_WIDTH-1:0] mem_bid[AXI_NUM_BANKS],
    input wire [1:0] mem_bresp[AXI_NUM_BANKS],
    output wire mem_arvalid[AXI_NUM_BANKS],
    input wire mem_arready[AXI_NUM_BANKS],
    output wire [AXI_ADDR_WIDTH:0] mem_araddr[AXI_NUM_BANKS],
    output wire [MEM_TID_WIDTH-1:0] mem_arid[AXI_NUM_BANKS],
    output wire [7:0] mem_arlen[AXI_NUM_BANKS],
    output wire [2:0] mem_arsize[AXI_NUM_BANKS],
    output wire [1:0] mem_arburst[AXI_NUM_BANKS],
    input wire mem_rvalid[AXI_NUM_BANKS],
    output wire mem_rready[AXI_NUM_BANKS],
    input wire [511:0] mem_rdata[AXI_NUM_BANKS],
    input wire [MEM_TID_WIDTH-1:0] mem_rid[AXI_NUM_BANKS],
    input wire [1:0] mem_rresp[AXI_NUM_BANKS],

    input wire s_awvalid[AXI_NUM_BANKS],
    output wire s_awready[AXI_NUM_BANKS],
    input wire [AXI_ADDR_WIDTH-1:0] s_awaddr[AXI_NUM_BANKS],
    input wire [AXI_TID_WIDTH-1:0] s_awid[AXI_NUM_BANKS],
    input wire s_wvalid[AXI_NUM_BANKS],
    output wire s_wready[AXI_NUM_BANKS],
    input wire [511:0] s_wdata[AXI_NUM_BANKS],
    input wire [63:0] s_wstrb[AXI_NUM_BANKS],
    output wire s_bvalid[AXI_NUM_BANKS],
    input wire s_bready[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] s_bid[AXI_NUM_BANKS],
    output wire [1:0] s_bresp[AXI_NUM_BANKS],
    input wire s_arvalid[AXI_NUM_BANKS],
    output wire s_arready[AXI_NUM_BANKS],
    input wire [AXI_ADDR_WIDTH-1:0] s_araddr[AXI_NUM_BANKS],
    input wire [AXI_TID_WIDTH-1:0] s_arid[AXI_NUM_BANKS],
    output wire s_rvalid[AXI_NUM_BANKS],
    input wire s_rready[AXI_NUM_BANKS],
    output wire [511:0] s_rdata[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] s_rid[AXI_NUM_BANKS],
    output wire [1:0] s_rresp[AXI_NUM_BANKS],
    output wire s_rlast[AXI_NUM_BANKS],

    output wire core_reset,
    output wire dcr_req_valid,
    output wire dcr_req_rw,
    output wire [11:0] dcr_req_addr,
    output wire [31:0] dcr_req_data,
    input wire dcr_rsp_valid,
    input wire [31:0] dcr_rsp_data,
    output wire core_start,
    input wire core_busy,
    input wire core_fault_valid,
    input wire [3:0] core_fault_kind,
    input wire [63:0] core_fault_addr,
    input wire [63:0] core_fault_pc,
    input wire [31:0] core_fault_info,

    `include "vx_tb_host_ports.svh"
    /* verilator lint_on UNDRIVEN */
    /* verilator lint_on UNUSEDSIGNAL */
);
`ifdef VX_TB_NO_DEVICE
    assign core_reset = reset;
    assign dcr_req_valid = 1'b0;
    assign core_start = 1'b0;
    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_none
        assign mem_awvalid[b] = 1'b0;
        assign mem_wvalid[b] = 1'b0;
        assign mem_arvalid[b] = 1'b0;
        assign s_awready[b] = 1'b0;
        assign s_wready[b] = 1'b0;
        assign s_arready[b] = 1'b0;
        assign s_bvalid[b] = 1'b0;
        assign s_rvalid[b] = 1'b0;
    end
`else
    logic ctl_awvalid_q, ctl_wvalid_q, ctl_arvalid_q, vram_awvalid_q, vram_wvalid_q, vram_arvalid_q, vram_wlast_q;
    logic [20:0] ctl_awaddr_q, ctl_araddr_q;
    logic [31:0] ctl_wdata_q;
    logic [3:0] ctl_wstrb_q;
    logic [2:0] ctl_arsize_q, vram_awsize_q, vram_arsize_q;
    logic [25:0] vram_awaddr_q, vram_araddr_q;
    logic [7:0] vram_awlen_q, vram_arlen_q;
    logic [511:0] vram_wdata_q, host_rdata_q;
    logic [63:0] vram_wstrb_q;
    logic host_awready_q, host_wready_q, host_bvalid_q, host_arready_q, host_rvalid_q;
    logic [1:0] host_bresp_q, host_rresp_q;
    logic awready_q[AXI_NUM_BANKS], wready_q[AXI_NUM_BANKS], arready_q[AXI_NUM_BANKS];
    logic bvalid_q[AXI_NUM_BANKS], rvalid_q[AXI_NUM_BANKS];
    logic [MEM_TID_WIDTH-1:0] bid_q[AXI_NUM_BANKS], rid_q[AXI_NUM_BANKS];
    logic [1:0] bresp_q[AXI_NUM_BANKS], rresp_q[AXI_NUM_BANKS];
    logic [511:0] rdata_q[AXI_NUM_BANKS];
    logic rlast[AXI_NUM_BANKS];

    always_ff @(posedge clk) begin
        ctl_awvalid_q <= ctl_awvalid;
        ctl_awaddr_q <= ctl_awaddr;
        ctl_wvalid_q <= ctl_wvalid;
        ctl_wdata_q <= ctl_wdata;
        ctl_wstrb_q <= ctl_wstrb;
        ctl_arvalid_q <= ctl_arvalid;
        ctl_araddr_q <= ctl_araddr;
        ctl_arsize_q <= ctl_arsize;
        vram_awvalid_q <= vram_awvalid;
        vram_awaddr_q <= vram_awaddr;
        vram_awlen_q <= vram_awlen;
        vram_awsize_q <= vram_awsize;
        vram_wvalid_q <= vram_wvalid;
        vram_wlast_q <= vram_wlast;
        if (vram_wvalid) begin
            vram_wdata_q <= vram_wdata;
            vram_wstrb_q <= vram_wstrb;
        end
        vram_arvalid_q <= vram_arvalid;
        vram_araddr_q <= vram_araddr;
        vram_arlen_q <= vram_arlen;
        vram_arsize_q <= vram_arsize;
        host_awready_q <= host_awready;
        host_wready_q <= host_wready;
        host_bvalid_q <= host_bvalid;
        host_bresp_q <= host_bresp;
        host_arready_q <= host_arready;
        host_rvalid_q <= host_rvalid;
        host_rresp_q <= host_rresp;
        if (host_rvalid) host_rdata_q <= host_rdata;
        awready_q <= mem_awready;
        wready_q <= mem_wready;
        arready_q <= mem_arready;
        bvalid_q <= mem_bvalid;
        bid_q <= mem_bid;
        bresp_q <= mem_bresp;
        rvalid_q <= mem_rvalid;
        for (int bank = 0; bank < AXI_NUM_BANKS; ++bank) begin
            if (mem_rvalid[bank]) begin
                rid_q[bank] <= mem_rid[bank];
                rresp_q[bank] <= mem_rresp[bank];
                rdata_q[bank] <= mem_rdata[bank];
            end
        end
    end
    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_last
        assign rlast[b] = 1'b1;
    end

    /* verilator lint_off PINCONNECTEMPTY */  // single beats, one id; AXI4-Lite and BAR2 answers are always OKAY
    vx_pcie_device #(
        .AXI_ADDR_WIDTH(AXI_ADDR_WIDTH),
        .AXI_TID_WIDTH(AXI_TID_WIDTH),
        .AXI_NUM_BANKS(AXI_NUM_BANKS),
        .MEM_TID_WIDTH(MEM_TID_WIDTH),
        .VRAM_ID_WIDTH(1),
        .HOST_ID_WIDTH(1)
`ifdef VX_TB_NO_FAULT_PORTS
        , .CORE_FAULTS(0)
`endif
    ) device (
        .clk,
        .reset,
        .s_ctl_awvalid(ctl_awvalid_q),
        .s_ctl_awready(ctl_awready),
        .s_ctl_awaddr(ctl_awaddr_q),
        .s_ctl_wvalid(ctl_wvalid_q),
        .s_ctl_wready(ctl_wready),
        .s_ctl_wdata(ctl_wdata_q),
        .s_ctl_wstrb(ctl_wstrb_q),
        .s_ctl_bvalid(ctl_bvalid),
        .s_ctl_bready(1'b1),
        .s_ctl_bresp(),
        .s_ctl_arvalid(ctl_arvalid_q),
        .s_ctl_arready(ctl_arready),
        .s_ctl_araddr(ctl_araddr_q),
        .s_ctl_arsize(ctl_arsize_q),
        .s_ctl_rvalid(ctl_rvalid),
        .s_ctl_rready(1'b1),
        .s_ctl_rdata(ctl_rdata),
        .s_ctl_rresp(),
        .s_vram_awvalid(vram_awvalid_q),
        .s_vram_awready(vram_awready),
        .s_vram_awaddr(vram_awaddr_q),
        .s_vram_awid(1'b0),
        .s_vram_awlen(vram_awlen_q),
        .s_vram_awsize(vram_awsize_q),
        .s_vram_awburst(2'b01),
        .s_vram_wvalid(vram_wvalid_q),
        .s_vram_wready(vram_wready),
        .s_vram_wdata(vram_wdata_q),
        .s_vram_wstrb(vram_wstrb_q),
        .s_vram_wlast(vram_wlast_q),
        .s_vram_bvalid(vram_bvalid),
        .s_vram_bready(1'b1),
        .s_vram_bid(),
        .s_vram_bresp(),
        .s_vram_arvalid(vram_arvalid_q),
        .s_vram_arready(vram_arready),
        .s_vram_araddr(vram_araddr_q),
        .s_vram_arid(1'b0),
        .s_vram_arlen(vram_arlen_q),
        .s_vram_arsize(vram_arsize_q),
        .s_vram_arburst(2'b01),
        .s_vram_rvalid(vram_rvalid),
        .s_vram_rready(1'b1),
        .s_vram_rdata(vram_rdata),
        .s_vram_rid(),
        .s_vram_rresp(),
        .s_vram_rlast(vram_rlast),
        .m_host_awvalid(host_awvalid),
        .m_host_awready(host_awready_q),
        .m_host_awaddr(host_awaddr),
        .m_host_awid(),
        .m_host_awlen(),
        .m_host_awsize(),
        .m_host_awburst(),
        .m_host_wvalid(host_wvalid),
        .m_host_wready(host_wready_q),
        .m_host_wdata(host_wdata),
        .m_host_wstrb(host_wstrb),
        .m_host_wlast(),
        .m_host_bvalid(host_bvalid_q),
        .m_host_bready(host_bready),
        .m_host_bid(1'b0),
        .m_host_bresp(host_bresp_q),
        .m_host_arvalid(host_arvalid),
        .m_host_arready(host_arready_q),
        .m_host_araddr(host_araddr),
        .m_host_arid(),
        .m_host_arlen(),
        .m_host_arsize(),
        .m_host_arburst(),
        .m_host_rvalid(host_rvalid_q),
        .m_host_rready(host_rready),
        .m_host_rdata(host_rdata_q),
        .m_host_rid(1'b0),
        .m_host_rresp(host_rresp_q),
        .m_host_rlast(1'b1),
        .msix_enable(1'b1),
        .msix_function_mask(1'b0),
        .msix_valid,
        .msix_ready(1'b1),
        .msix_vector,
        .msix_addr,
        .msix_data,
        .m_mem_awvalid(mem_awvalid),
        .m_mem_awready(awready_q),
        .m_mem_awaddr(mem_awaddr),
        .m_mem_awid(mem_awid),
        .m_mem_awlen(mem_awlen),
        .m_mem_awsize(mem_awsize),
        .m_mem_awburst(mem_awburst),
        .m_mem_wvalid(mem_wvalid),
        .m_mem_wready(wready_q),
        .m_mem_wdata(mem_wdata),
        .m_mem_wstrb(mem_wstrb),
        .m_mem_wlast(mem_wlast),
        .m_mem_bvalid(bvalid_q),
        .m_mem_bready(mem_bready),
        .m_mem_bid(bid_q),
        .m_mem_bresp(bresp_q),
        .m_mem_arvalid(mem_arvalid),
        .m_mem_arready(arready_q),
        .m_mem_araddr(mem_araddr),
        .m_mem_arid(mem_arid),
        .m_mem_arlen(mem_arlen),
        .m_mem_arsize(mem_arsize),
        .m_mem_arburst(mem_arburst),
        .m_mem_rvalid(rvalid_q),
        .m_mem_rready(mem_rready),
        .m_mem_rdata(rdata_q),
        .m_mem_rid(rid_q),
        .m_mem_rresp(rresp_q),
        .m_mem_rlast(rlast),
        .s_core_awvalid(s_awvalid),
        .s_core_awready(s_awready),
        .s_core_awaddr(s_awaddr),
        .s_core_awid(s_awid),
        .s_core_wvalid(s_wvalid),
        .s_core_wready(s_wready),
        .s_core_wdata(s_wdata),
        .s_core_wstrb(s_wstrb),
        .s_core_bvalid(s_bvalid),
        .s_core_bready(s_bready),
        .s_core_bid(s_bid),
        .s_core_bresp(s_bresp),
        .s_core_arvalid(s_arvalid),
        .s_core_arready(s_arready),
        .s_core_araddr(s_araddr),
        .s_core_arid(s_arid),
        .s_core_rvalid(s_rvalid),
        .s_core_rready(s_rready),
        .s_core_rdata(s_rdata),
        .s_core_rid(s_rid),
        .s_core_rresp(s_rresp),
        .s_core_rlast(s_rlast),
        .core_reset,
        .dcr_req_valid,
        .dcr_req_rw,
        .dcr_req_addr,
        .dcr_req_data,
        .dcr_rsp_valid,
        .dcr_rsp_data,
        .core_start,
        .core_busy,
        .core_fault_valid,
        .core_fault_kind,
        .core_fault_addr,
        .core_fault_pc,
        .core_fault_info,
        .device_event,
        .launch_busy(device_busy[0]),
        .dma_busy(device_busy[1]),
        .device_cycles()
    );
    /* verilator lint_on PINCONNECTEMPTY */
`endif
endmodule
