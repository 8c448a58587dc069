// A Vortex-compatible processor of one core that executes one instruction at a time. It shares nothing with the in-tree
// core: it is here to show that any core with these ports can be put under test (docs/your_own_core.md).
//
// Contract: docs/reference/dut_ports.md. One core; RV32IM, Zicsr, Zicond, TMC, SPLIT, JOIN, PRED, BAR, WSYNC.
module serial_gpu
    import serial_pkg::*;
#(
    parameter int AXI_DATA_WIDTH = 512,
    parameter int AXI_ADDR_WIDTH = 32,
    parameter int AXI_TID_WIDTH = 3,
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
`ifdef VX_CFG_NUM_CORES
    if (`VX_CFG_NUM_CORES * `VX_CFG_NUM_CLUSTERS != 1) begin : g_check
        $fatal(1, "serial_gpu: it has one core; CORES=1 CLUSTERS=1");
    end
`endif

    logic launch_busy, engine_busy;
    logic start_valid, start_ready;
    start_t start_warp;
    logic [WARPS-1:0] active;
    logic end_valid;
    wid_t end_wid, csr_wid;
    logic csr_wanted;
    word_t end_pc;
    cta_t cta;
    block_event_t blocks;
    retired_t retired;

    serial_launch launch (
        .clk,
        .reset,
        .write(dcr_req_valid && dcr_req_rw),
        .write_addr(dcr_req_addr),
        .write_data(dcr_req_data),
        .start,
        .busy(launch_busy),
        .start_valid,
        .start_ready,
        .start_warp,
        .active,
        .end_valid,
        .end_wid,
        .end_pc,
        .csr_valid(csr_wanted),
        .csr_wid,
        .csr_cta(cta),
        .events(blocks)
    );

    logic line_valid, line_write, line_done, line_error;
    logic [25:0] line_addr;
    logic [511:0] line_data, line_result;
    logic [63:0] line_strobe;
    logic [63:0] mcycle_q, minstret;

    serial_engine engine (
        .clk,
        .reset,
        .forget(start || dcr_req_valid),
        .busy(engine_busy),
        .start_valid,
        .start_ready,
        .start_warp,
        .active,
        .end_valid,
        .end_wid,
        .end_pc,
        .cta_wanted(csr_wanted),
        .wid(csr_wid),
        .cta,
        .mcycle(mcycle_q),
        .minstret,
        .line_valid,
        .line_write,
        .line_addr,
        .line_data,
        .line_strobe,
        .line_done,
        .line_result,
        .line_error,
        .retired
    );

    logic [AXI_ADDR_WIDTH-1:0] address;
    serial_bus #(
        .ADDR_WIDTH(AXI_ADDR_WIDTH),
        .DATA_WIDTH(AXI_DATA_WIDTH),
        .BANKS(AXI_NUM_BANKS)
    ) line_bus (
        .clk,
        .reset,
        .valid(line_valid),
        .write(line_write),
        .addr(line_addr),
        .done(line_done),
        .result(line_result),
        .error(line_error),
        .awvalid(m_axi_awvalid),
        .awready(m_axi_awready),
        .wvalid(m_axi_wvalid),
        .wready(m_axi_wready),
        .bvalid(m_axi_bvalid),
        .bresp(m_axi_bresp),
        .arvalid(m_axi_arvalid),
        .arready(m_axi_arready),
        .address,
        .rvalid(m_axi_rvalid),
        .rdata(m_axi_rdata),
        .rresp(m_axi_rresp)
    );

    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_bank
        assign m_axi_awaddr[b] = address;
        assign m_axi_awid[b] = AXI_TID_WIDTH'(1);
        assign m_axi_awlen[b] = 8'd0;
        assign m_axi_awsize[b] = 3'd6;
        assign m_axi_awburst[b] = 2'b01;
        assign m_axi_awlock[b] = 2'b00;
        assign m_axi_awcache[b] = 4'd0;
        assign m_axi_awprot[b] = 3'd0;
        assign m_axi_awqos[b] = 4'd0;
        assign m_axi_awregion[b] = 4'd0;
        assign m_axi_wdata[b] = line_data;
        assign m_axi_wstrb[b] = line_strobe;
        assign m_axi_wlast[b] = 1'b1;
        assign m_axi_bready[b] = 1'b1;
        assign m_axi_araddr[b] = address;
        assign m_axi_arid[b] = AXI_TID_WIDTH'(2);
        assign m_axi_arlen[b] = 8'd0;
        assign m_axi_arsize[b] = 3'd6;
        assign m_axi_arburst[b] = 2'b01;
        assign m_axi_arlock[b] = 2'b00;
        assign m_axi_arcache[b] = 4'd0;
        assign m_axi_arprot[b] = 3'd0;
        assign m_axi_arqos[b] = 4'd0;
        assign m_axi_arregion[b] = 4'd0;
        assign m_axi_rready[b] = 1'b1;
    end

    // ---------------------------------------------------------------- counters and reads of registers

    wire running = launch_busy || engine_busy;
    logic answer_q;
    word_t answer_data_q;

    always_ff @(posedge clk) begin
        answer_q <= dcr_req_valid && !dcr_req_rw;
        answer_data_q <= 0;
        if (dcr_req_addr == 12'h001) begin
            case (dcr_req_data[20:16])  // number of the counter; bit 21 asks for its high half
                5'd0: answer_data_q <= dcr_req_data[21] ? mcycle_q[63:32] : mcycle_q[31:0];
                5'd2: answer_data_q <= dcr_req_data[21] ? minstret[63:32] : minstret[31:0];
                default: ;
            endcase
            if (dcr_req_data[29:22] != 0) answer_data_q <= 0;
        end
        if (running) mcycle_q <= mcycle_q + 1;
        if (reset) begin
            answer_q <= 1'b0;
            mcycle_q <= 0;
        end
    end

    assign dcr_rsp_valid = answer_q;
    assign dcr_rsp_data = answer_data_q;

`ifdef SERIAL_ANSWER
    // Shows that defines, DPI sources and generated files of a core reach their places.
    import "DPI-C" function int serial_answer();
    `include "serial_generated.svh"
    always_ff @(posedge clk) begin
        assert (!start || serial_answer() == `SERIAL_ANSWER + `SERIAL_OFFSET)
        else $error("serial_gpu: serial_answer() is not SERIAL_ANSWER + SERIAL_OFFSET");
    end
`endif

    // ---------------------------------------------------------------- faults and busy

    wire write_failed = line_valid && line_write && line_done && line_error;
    wire stopped = retired.valid && retired.effect.fault != NO_FAULT;

    assign fault_valid = write_failed || stopped;
    assign fault_kind = write_failed ? WRITE_FAULT : retired.effect.fault;
    assign fault_addr = write_failed ? 64'(address) : 64'(retired.effect.fault_addr);
    assign fault_pc = write_failed ? 64'd0 : 64'(retired.pc);
    assign fault_info = write_failed ? 32'd0 : {16'(retired.mask), 8'd0, 8'(retired.wid)};
    assign busy = running || dcr_req_valid || answer_q;
endmodule
