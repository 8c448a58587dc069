// The BAR device with the cores behind it: what a host sees as one PCI function (docs/reference/pcie_bar.md).
//
// Contract: the ports are those of `vx_pcie_device` without the core side; `core_*` outputs only show.
module vx_pcie_gpu
    import vx_pcie_pkg::*;
#(
    parameter int AXI_ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH,
    parameter int AXI_TID_WIDTH = `VX_CFG_AXI_TID_WIDTH,
    parameter int AXI_NUM_BANKS = `VX_CFG_AXI_NUM_BANKS,
    parameter int MEM_TID_WIDTH = 8,
    parameter int VRAM_ID_WIDTH = 8,
    parameter int HOST_ID_WIDTH = 4,
    parameter longint VRAM_SIZE = 64'h400_0000,
    parameter int TABLE_ENTRIES = 64,
    parameter bit STRICT_MAP = 0,
    parameter bit CORE_FAULTS = 1
) (
    input wire clk,
    input wire reset,

    `include "pcie/vx_pcie_host_ports.svh"

    `include "pcie/vx_pcie_memory_ports.svh"

    // for followers
    output device_event_t device_event,
    output wire launch_busy,
    output wire dma_busy,
    output logic [63:0] device_cycles,
    output wire core_reset,
    output wire core_start,
    output wire core_busy
);
    wire core_awvalid[AXI_NUM_BANKS];
    wire core_awready[AXI_NUM_BANKS];
    wire [AXI_ADDR_WIDTH-1:0] core_awaddr[AXI_NUM_BANKS];
    wire [AXI_TID_WIDTH-1:0] core_awid[AXI_NUM_BANKS];
    wire core_wvalid[AXI_NUM_BANKS];
    wire core_wready[AXI_NUM_BANKS];
    wire [511:0] core_wdata[AXI_NUM_BANKS];
    wire [63:0] core_wstrb[AXI_NUM_BANKS];
    wire core_bvalid[AXI_NUM_BANKS];
    wire core_bready[AXI_NUM_BANKS];
    wire [AXI_TID_WIDTH-1:0] core_bid[AXI_NUM_BANKS];
    wire [1:0] core_bresp[AXI_NUM_BANKS];
    wire core_arvalid[AXI_NUM_BANKS];
    wire core_arready[AXI_NUM_BANKS];
    wire [AXI_ADDR_WIDTH-1:0] core_araddr[AXI_NUM_BANKS];
    wire [AXI_TID_WIDTH-1:0] core_arid[AXI_NUM_BANKS];
    wire core_rvalid[AXI_NUM_BANKS];
    wire core_rready[AXI_NUM_BANKS];
    wire [511:0] core_rdata[AXI_NUM_BANKS];
    wire core_rlast[AXI_NUM_BANKS];
    wire [AXI_TID_WIDTH-1:0] core_rid[AXI_NUM_BANKS];
    wire [1:0] core_rresp[AXI_NUM_BANKS];

    wire dcr_req_valid, dcr_req_rw, dcr_rsp_valid, fault_valid;
    wire [11:0] dcr_req_addr;
    wire [31:0] dcr_req_data, dcr_rsp_data, fault_info;
    wire [3:0] fault_kind;
    wire [63:0] fault_addr, fault_pc;

    vx_pcie_device #(
        .AXI_ADDR_WIDTH(AXI_ADDR_WIDTH),
        .AXI_TID_WIDTH(AXI_TID_WIDTH),
        .AXI_NUM_BANKS(AXI_NUM_BANKS),
        .MEM_TID_WIDTH(MEM_TID_WIDTH),
        .VRAM_ID_WIDTH(VRAM_ID_WIDTH),
        .HOST_ID_WIDTH(HOST_ID_WIDTH),
        .VRAM_SIZE(VRAM_SIZE),
        .TABLE_ENTRIES(TABLE_ENTRIES),
        .STRICT_MAP(STRICT_MAP),
        .CORE_FAULTS(CORE_FAULTS)
    ) device (
        .s_core_awvalid(core_awvalid),
        .s_core_awready(core_awready),
        .s_core_awaddr(core_awaddr),
        .s_core_awid(core_awid),
        .s_core_wvalid(core_wvalid),
        .s_core_wready(core_wready),
        .s_core_wdata(core_wdata),
        .s_core_wstrb(core_wstrb),
        .s_core_bvalid(core_bvalid),
        .s_core_bready(core_bready),
        .s_core_bid(core_bid),
        .s_core_bresp(core_bresp),
        .s_core_arvalid(core_arvalid),
        .s_core_arready(core_arready),
        .s_core_araddr(core_araddr),
        .s_core_arid(core_arid),
        .s_core_rvalid(core_rvalid),
        .s_core_rready(core_rready),
        .s_core_rdata(core_rdata),
        .s_core_rlast(core_rlast),
        .s_core_rid(core_rid),
        .s_core_rresp(core_rresp),
        .core_fault_valid(fault_valid),
        .core_fault_kind(fault_kind),
        .core_fault_addr(fault_addr),
        .core_fault_pc(fault_pc),
        .core_fault_info(fault_info),
        .*  // the ports of this module, and wires of the same name
    );

    /* verilator lint_off PINCONNECTEMPTY */  // attributes that never change
    Vortex_axi #(
        .AXI_ADDR_WIDTH(AXI_ADDR_WIDTH),
        .AXI_TID_WIDTH(AXI_TID_WIDTH),
        .AXI_NUM_BANKS(AXI_NUM_BANKS)
    ) cores (
        .clk,
        .reset(core_reset),
        .m_axi_awvalid(core_awvalid),
        .m_axi_awready(core_awready),
        .m_axi_awaddr(core_awaddr),
        .m_axi_awid(core_awid),
        .m_axi_wvalid(core_wvalid),
        .m_axi_wready(core_wready),
        .m_axi_wdata(core_wdata),
        .m_axi_wstrb(core_wstrb),
        .m_axi_bvalid(core_bvalid),
        .m_axi_bready(core_bready),
        .m_axi_bid(core_bid),
        .m_axi_bresp(core_bresp),
        .m_axi_arvalid(core_arvalid),
        .m_axi_arready(core_arready),
        .m_axi_araddr(core_araddr),
        .m_axi_arid(core_arid),
        .m_axi_rvalid(core_rvalid),
        .m_axi_rready(core_rready),
        .m_axi_rdata(core_rdata),
        .m_axi_rlast(core_rlast),
        .m_axi_rid(core_rid),
        .m_axi_rresp(core_rresp),
        .m_axi_wlast(),
        .m_axi_awlen(),
        .m_axi_awsize(),
        .m_axi_awburst(),
        .m_axi_awlock(),
        .m_axi_awcache(),
        .m_axi_awprot(),
        .m_axi_awqos(),
        .m_axi_awregion(),
        .m_axi_arlen(),
        .m_axi_arsize(),
        .m_axi_arburst(),
        .m_axi_arlock(),
        .m_axi_arcache(),
        .m_axi_arprot(),
        .m_axi_arqos(),
        .m_axi_arregion(),
        .dcr_req_valid,
        .dcr_req_rw,
        .dcr_req_addr,
        .dcr_req_data,
        .dcr_rsp_valid,
        .dcr_rsp_data,
        .start(core_start),
        .busy(core_busy),
        .fault_valid,
        .fault_kind,
        .fault_addr,
        .fault_pc,
        .fault_info
    );
    /* verilator lint_on PINCONNECTEMPTY */
endmodule
