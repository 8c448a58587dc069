// The BAR device with its cores, alone: device memory behind it, everything that a host drives on the ports.
//
// Contract
// * Ports of `vx_pcie_gpu` towards the host, unchanged; device memory is here, zero until written, one transfer of each
//   direction in flight per bank, answered after MEM_LATENCY cycles.
// * `probe_*` only show what coverage needs: state of the device at the last clock edge.
module vx_bar_bench
    import vx_pcie_pkg::*;
#(
    parameter int BANKS = `VX_CFG_AXI_NUM_BANKS,
    parameter int ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH,
    parameter longint VRAM_SIZE = 64'h400_0000,
    parameter int MEM_LATENCY = 4,
    localparam int VRAM_ID_WIDTH = 8,
    localparam int HOST_ID_WIDTH = 4
) (
    input wire clk,
    input wire reset,

    `include "pcie/vx_pcie_host_ports.svh"

    // state
    output wire probe_enabled,
    output wire probe_busy,
    output wire probe_dma_busy,
    output wire [3:0] probe_errors,
    output wire [63:0] probe_cycles
);
    // Before Python has driven anything the pins hold random values, and so may the first edge: it always resets.
    logic powered = 1'b0;
    always_ff @(posedge clk) powered <= 1'b1;
    wire device_reset = reset || !powered;

    typedef logic [ADDR_WIDTH-BLOCK_SHIFT:0] block_index_t;  // the highest bit tells VRAM from private memory

    wire mem_awvalid[BANKS];
    logic mem_awready[BANKS];
    wire [ADDR_WIDTH:0] mem_awaddr[BANKS];
    wire [7:0] mem_awid[BANKS];
    wire [7:0] mem_awlen[BANKS];
    wire [2:0] mem_awsize[BANKS];
    wire [1:0] mem_awburst[BANKS];
    wire mem_wvalid[BANKS];
    logic mem_wready[BANKS];
    wire [511:0] mem_wdata[BANKS];
    wire [63:0] mem_wstrb[BANKS];
    wire mem_wlast[BANKS];
    logic mem_bvalid[BANKS];
    wire mem_bready[BANKS];
    logic [7:0] mem_bid[BANKS];
    logic [1:0] mem_bresp[BANKS];
    wire mem_arvalid[BANKS];
    logic mem_arready[BANKS];
    wire [ADDR_WIDTH:0] mem_araddr[BANKS];
    wire [7:0] mem_arid[BANKS];
    wire [7:0] mem_arlen[BANKS];
    wire [2:0] mem_arsize[BANKS];
    wire [1:0] mem_arburst[BANKS];
    logic mem_rvalid[BANKS];
    wire mem_rready[BANKS];
    logic [511:0] mem_rdata[BANKS];
    logic [7:0] mem_rid[BANKS];
    logic [1:0] mem_rresp[BANKS];
    logic mem_rlast[BANKS];

    vx_pcie_gpu #(
        .AXI_ADDR_WIDTH(ADDR_WIDTH),
        .AXI_NUM_BANKS(BANKS),
        .VRAM_SIZE(VRAM_SIZE)
    ) gpu (
        .m_mem_awvalid(mem_awvalid),
        .m_mem_awready(mem_awready),
        .m_mem_awaddr(mem_awaddr),
        .m_mem_awid(mem_awid),
        .m_mem_awlen(mem_awlen),
        .m_mem_awsize(mem_awsize),
        .m_mem_awburst(mem_awburst),
        .m_mem_wvalid(mem_wvalid),
        .m_mem_wready(mem_wready),
        .m_mem_wdata(mem_wdata),
        .m_mem_wstrb(mem_wstrb),
        .m_mem_wlast(mem_wlast),
        .m_mem_bvalid(mem_bvalid),
        .m_mem_bready(mem_bready),
        .m_mem_bid(mem_bid),
        .m_mem_bresp(mem_bresp),
        .m_mem_arvalid(mem_arvalid),
        .m_mem_arready(mem_arready),
        .m_mem_araddr(mem_araddr),
        .m_mem_arid(mem_arid),
        .m_mem_arlen(mem_arlen),
        .m_mem_arsize(mem_arsize),
        .m_mem_arburst(mem_arburst),
        .m_mem_rvalid(mem_rvalid),
        .m_mem_rready(mem_rready),
        .m_mem_rdata(mem_rdata),
        .m_mem_rid(mem_rid),
        .m_mem_rresp(mem_rresp),
        .m_mem_rlast(mem_rlast),
        .device_event(),
        .launch_busy(probe_busy),
        .dma_busy(probe_dma_busy),
        .device_cycles(probe_cycles),
        .core_reset(),
        .core_start(),
        .core_busy(),
        .reset(device_reset),
        .*
    );

    assign probe_enabled = gpu.device.enable;
    assign probe_errors = gpu.device.errors;

    logic [511:0] memory[block_index_t];

    for (genvar b = 0; b < BANKS; ++b) begin : g_bank
        logic have_address, have_data;
        logic [ADDR_WIDTH:0] write_address, read_address;
        logic [511:0] write_data;
        logic [63:0] write_strobe;
        int write_wait, read_wait;

        assign mem_awready[b] = !have_address;
        assign mem_wready[b] = !have_data;
        assign mem_arready[b] = !mem_rvalid[b] && read_wait == 0;
        assign mem_bresp[b] = 2'b00;
        assign mem_rresp[b] = 2'b00;
        assign mem_rlast[b] = 1'b1;

        always_ff @(posedge clk) begin
            if (mem_awvalid[b] && mem_awready[b]) begin
                have_address <= 1;
                write_address <= mem_awaddr[b];
                mem_bid[b] <= mem_awid[b];
            end
            if (mem_wvalid[b] && mem_wready[b]) begin
                have_data <= 1;
                write_data <= mem_wdata[b];
                write_strobe <= mem_wstrb[b];
            end
            if (have_address && have_data && !mem_bvalid[b]) begin
                write_wait <= write_wait + 1;
                if (write_wait == MEM_LATENCY) begin
                    automatic block_index_t index = write_address[ADDR_WIDTH:BLOCK_SHIFT];
                    automatic logic [511:0] block = memory.exists(index) != 0 ? memory[index] : '0;
                    for (int i = 0; i < BLOCK_BYTES; ++i) begin
                        if (write_strobe[i]) block[8*i+:8] = write_data[8*i+:8];
                    end
                    memory[index] = block;
                    mem_bvalid[b] <= 1;
                end
            end
            if (mem_bvalid[b] && mem_bready[b]) begin
                mem_bvalid[b] <= 0;
                have_address <= 0;
                have_data <= 0;
                write_wait <= 0;
            end

            if (mem_arvalid[b] && mem_arready[b]) begin
                read_address <= mem_araddr[b];
                mem_rid[b] <= mem_arid[b];
                read_wait <= 1;
            end
            if (read_wait != 0) begin
                read_wait <= read_wait + 1;
                if (read_wait == MEM_LATENCY) begin
                    automatic block_index_t index = read_address[ADDR_WIDTH:BLOCK_SHIFT];
                    mem_rdata[b] <= memory.exists(index) != 0 ? memory[index] : '0;
                    mem_rvalid[b] <= 1;
                    read_wait <= 0;
                end
            end
            if (mem_rvalid[b] && mem_rready[b]) mem_rvalid[b] <= 0;

            if (device_reset) begin
                have_address <= 0;
                have_data <= 0;
                write_wait <= 0;
                read_wait <= 0;
                mem_bvalid[b] <= 0;
                mem_rvalid[b] <= 0;
            end
        end
    end

    /* verilator lint_off UNUSEDSIGNAL */  // every transfer has one beat
    wire unused = &{1'b0, mem_awlen[0], mem_awsize[0], mem_awburst[0], mem_wlast[0], mem_arlen[0], mem_arsize[0],
                    mem_arburst[0], 1'b0};
    /* verilator lint_on UNUSEDSIGNAL */
endmodule
