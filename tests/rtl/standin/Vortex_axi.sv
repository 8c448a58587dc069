// A processor that can only copy, for tests of the harness: on `start` it reads N lines from ARG, adds one to each
// 32-bit word and writes them behind the last. DCR 0x014 is ARG, 0x019 is N, and 0x030 chooses how it misbehaves:
//   1  an assertion fails once a cycle while it runs      4  $finish at the end
//   2  busy never falls                                   5  a fault pulse at the end
//   3  busy falls before the last write is acknowledged   6  AWADDR changes while it waits
`include "vx_config.svh"

module Vortex_axi #(
    parameter int AXI_DATA_WIDTH = 512,
    parameter int AXI_ADDR_WIDTH = 32,
    parameter int AXI_TID_WIDTH = 8,
    parameter int AXI_NUM_BANKS = 1
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
    output logic dcr_rsp_valid,
    output logic [31:0] dcr_rsp_data,
    input wire start,
    output wire busy,
    output wire fault_valid,
    output wire [3:0] fault_kind,
    output wire [63:0] fault_addr,
    output wire [63:0] fault_pc,
    output wire [31:0] fault_info
);
    logic [31:0] arg_q, lines_q, mode_q, line_q;
    logic running_q, asked_q, have_q, aw_done_q, w_done_q, wait_b_q, drifted_q;
    logic [AXI_DATA_WIDTH-1:0] data_q;
    logic last_line, written, done;

    assign last_line = line_q + 1 == lines_q;
    assign written = have_q && (aw_done_q || m_axi_awready[0]) && (w_done_q || m_axi_wready[0]);
    assign done = running_q && (wait_b_q ? m_axi_bvalid[0] && last_line : written && last_line && mode_q == 3);

    always_ff @(posedge clk) begin
        dcr_rsp_valid <= dcr_req_valid && !dcr_req_rw;
        dcr_rsp_data <= dcr_req_addr == 12'h000 ? 32'd0 : dcr_req_data ^ 32'hffff_0000;
        if (dcr_req_valid && dcr_req_rw) begin
            if (dcr_req_addr == 12'h014) arg_q <= dcr_req_data;
            if (dcr_req_addr == 12'h019) lines_q <= dcr_req_data;
            if (dcr_req_addr == 12'h030) mode_q <= dcr_req_data;
        end
        if (m_axi_arvalid[0] && m_axi_arready[0]) asked_q <= 1'b1;
        if (m_axi_rvalid[0] && m_axi_rready[0]) begin
            have_q <= 1'b1;
            for (int i = 0; i < AXI_DATA_WIDTH / 32; ++i) data_q[32*i+:32] <= m_axi_rdata[0][32*i+:32] + 1;
        end
        if (m_axi_awvalid[0] && m_axi_awready[0]) aw_done_q <= 1'b1;
        if (m_axi_wvalid[0] && m_axi_wready[0]) w_done_q <= 1'b1;
        drifted_q <= m_axi_awvalid[0] && !m_axi_awready[0];
        if (written) begin
            have_q <= 1'b0;
            aw_done_q <= 1'b0;
            w_done_q <= 1'b0;
            wait_b_q <= 1'b1;
        end
        if (wait_b_q && m_axi_bvalid[0]) begin
            wait_b_q <= 1'b0;
            asked_q <= 1'b0;
            line_q <= line_q + 1;
        end
        if (done && mode_q != 2) running_q <= 1'b0;
        if (done && mode_q == 4) $finish;
        if (start) begin
            running_q <= lines_q != 0;
            line_q <= '0;
            asked_q <= 1'b0;
        end
        if (reset) begin
            running_q <= 1'b0;
            asked_q <= 1'b0;
            have_q <= 1'b0;
            aw_done_q <= 1'b0;
            w_done_q <= 1'b0;
            wait_b_q <= 1'b0;
            dcr_rsp_valid <= 1'b0;
        end
        // During reset this fails all the time, and nobody may notice.
        assert (!reset && !(running_q && mode_q == 1)) else $error("stand-in: asked to fail");
    end

    assign busy = running_q || dcr_req_valid;
    assign m_axi_arvalid[0] = running_q && !asked_q && line_q < lines_q;
    assign m_axi_araddr[0] = arg_q + line_q * 64;
    assign m_axi_arid[0] = AXI_TID_WIDTH'(line_q);
    assign m_axi_rready[0] = 1'b1;
    assign m_axi_awvalid[0] = have_q && !aw_done_q;
    assign m_axi_awaddr[0] = arg_q + (lines_q + line_q) * 64 + (mode_q == 6 && drifted_q ? 64 : 0);
    assign m_axi_awid[0] = AXI_TID_WIDTH'(line_q);
    assign m_axi_wvalid[0] = have_q && !w_done_q;
    assign m_axi_wdata[0] = data_q;
    assign m_axi_wstrb[0] = '1;
    assign m_axi_wlast[0] = 1'b1;
    assign m_axi_bready[0] = 1'b1;
    assign fault_valid = done && mode_q == 5;
    assign fault_kind = 4'd3;
    assign fault_addr = 64'h1234;
    assign fault_pc = 64'h8000_0010;
    assign fault_info = {16'h000f, 8'd2, 8'd1};

    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_constant
        assign m_axi_awlen[b] = 8'd0;
        assign m_axi_awsize[b] = 3'd6;
        assign m_axi_awburst[b] = 2'd1;
        assign m_axi_awlock[b] = 2'd0;
        assign m_axi_awcache[b] = 4'd0;
        assign m_axi_awprot[b] = 3'd0;
        assign m_axi_awqos[b] = 4'd0;
        assign m_axi_awregion[b] = 4'd0;
        assign m_axi_arlen[b] = 8'd0;
        assign m_axi_arsize[b] = 3'd6;
        assign m_axi_arburst[b] = 2'd1;
        assign m_axi_arlock[b] = 2'd0;
        assign m_axi_arcache[b] = 4'd0;
        assign m_axi_arprot[b] = 3'd0;
        assign m_axi_arqos[b] = 4'd0;
        assign m_axi_arregion[b] = 4'd0;
    end
endmodule
