// Harness around the core under test. It is a wire: clock, reset, memory and commands all come from C++ through the
// top-level ports, so that this file rarely changes (an edit here recompiles nearly the whole model).
//
// Contract: before a rising edge C++ reads every output, then sets the inputs of the cycle that begins with that edge.
// `event_toggle` is not connected to the core: C++ flips it when Python has something to do, and it is the only
// signal that VPI can see (public.vlt).
`include "vx_config.svh"

module vx_tb_top #(
    parameter int AXI_NUM_BANKS = `VX_CFG_AXI_NUM_BANKS,
    parameter int AXI_DATA_WIDTH = `VX_CFG_AXI_DATA_WIDTH,
    parameter int AXI_ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH,
    parameter int AXI_TID_WIDTH = `VX_CFG_AXI_TID_WIDTH
) (
    input wire clk,
    input wire reset,
    /* verilator lint_off UNUSEDSIGNAL */  // read through VPI only
    input wire event_toggle,
    /* verilator lint_on UNUSEDSIGNAL */

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

    // Inputs of the core change at the rising edge, together with its registers, so that Verilator evaluates what depends
    // on them once a cycle. Driven from C++ directly they would cost a second evaluation (a fifth of the speed).
    logic reset_q, start_q, dcr_req_valid_q, dcr_req_rw_q;
    logic [11:0] dcr_req_addr_q;
    logic [31:0] dcr_req_data_q;
    logic awready_q[AXI_NUM_BANKS], wready_q[AXI_NUM_BANKS], arready_q[AXI_NUM_BANKS];
    logic bvalid_q[AXI_NUM_BANKS], rvalid_q[AXI_NUM_BANKS], rlast_q[AXI_NUM_BANKS];
    logic [AXI_TID_WIDTH-1:0] bid_q[AXI_NUM_BANKS], rid_q[AXI_NUM_BANKS];
    logic [1:0] bresp_q[AXI_NUM_BANKS], rresp_q[AXI_NUM_BANKS];
    logic [AXI_DATA_WIDTH-1:0] rdata_q[AXI_NUM_BANKS];

    // Before the first edge the core is in reset.
    initial reset_q = 1'b1;

    always_ff @(posedge clk) begin
        reset_q <= reset;
        start_q <= start;
        dcr_req_valid_q <= dcr_req_valid;
        dcr_req_rw_q <= dcr_req_rw;
        dcr_req_addr_q <= dcr_req_addr;
        dcr_req_data_q <= dcr_req_data;
        awready_q <= m_axi_awready;
        wready_q <= m_axi_wready;
        arready_q <= m_axi_arready;
        bvalid_q <= m_axi_bvalid;
        bid_q <= m_axi_bid;
        bresp_q <= m_axi_bresp;
        rvalid_q <= m_axi_rvalid;
        for (int bank = 0; bank < AXI_NUM_BANKS; ++bank) begin
            if (m_axi_rvalid[bank]) begin
                rlast_q[bank] <= m_axi_rlast[bank];
                rid_q[bank] <= m_axi_rid[bank];
                rresp_q[bank] <= m_axi_rresp[bank];
                rdata_q[bank] <= m_axi_rdata[bank];
            end
        end
    end

    Vortex_axi #(
        .AXI_DATA_WIDTH(AXI_DATA_WIDTH),
        .AXI_ADDR_WIDTH(AXI_ADDR_WIDTH),
        .AXI_TID_WIDTH(AXI_TID_WIDTH),
        .AXI_NUM_BANKS(AXI_NUM_BANKS)
    ) dut (
        .clk(clk),
        .reset(reset_q),
        .m_axi_awvalid(m_axi_awvalid),
        .m_axi_awready(awready_q),
        .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awid(m_axi_awid),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_awsize(m_axi_awsize),
        .m_axi_awburst(m_axi_awburst),
        .m_axi_awlock(m_axi_awlock),
        .m_axi_awcache(m_axi_awcache),
        .m_axi_awprot(m_axi_awprot),
        .m_axi_awqos(m_axi_awqos),
        .m_axi_awregion(m_axi_awregion),
        .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(wready_q),
        .m_axi_wdata(m_axi_wdata),
        .m_axi_wstrb(m_axi_wstrb),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_bvalid(bvalid_q),
        .m_axi_bready(m_axi_bready),
        .m_axi_bid(bid_q),
        .m_axi_bresp(bresp_q),
        .m_axi_arvalid(m_axi_arvalid),
        .m_axi_arready(arready_q),
        .m_axi_araddr(m_axi_araddr),
        .m_axi_arid(m_axi_arid),
        .m_axi_arlen(m_axi_arlen),
        .m_axi_arsize(m_axi_arsize),
        .m_axi_arburst(m_axi_arburst),
        .m_axi_arlock(m_axi_arlock),
        .m_axi_arcache(m_axi_arcache),
        .m_axi_arprot(m_axi_arprot),
        .m_axi_arqos(m_axi_arqos),
        .m_axi_arregion(m_axi_arregion),
        .m_axi_rvalid(rvalid_q),
        .m_axi_rready(m_axi_rready),
        .m_axi_rdata(rdata_q),
        .m_axi_rlast(rlast_q),
        .m_axi_rid(rid_q),
        .m_axi_rresp(rresp_q),
        .dcr_req_valid(dcr_req_valid_q),
        .dcr_req_rw(dcr_req_rw_q),
        .dcr_req_addr(dcr_req_addr_q),
        .dcr_req_data(dcr_req_data_q),
        .dcr_rsp_valid(dcr_rsp_valid),
        .dcr_rsp_data(dcr_rsp_data),
        .start(start_q),
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

endmodule
