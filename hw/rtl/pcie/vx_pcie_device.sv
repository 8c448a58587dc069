// The BAR device: sits between a host and the cores (docs/reference/pcie_bar.md; blocks and ports in README.md).
//
// Contract
// * The core side takes single-beat transfers of 64 bytes, aligned; other AxLEN, AxSIZE and attributes are not looked at.
// * The memory side keeps private memory and VRAM apart by address bit AXI_ADDR_WIDTH (1 = VRAM).
// * `core_reset` resets the core and nothing else; nothing reaches its DCR bus until 8 cycles after it.
module vx_pcie_device
    import vx_pkg::*;
    import vx_pcie_pkg::*;
#(
    parameter int AXI_ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH,
    parameter int AXI_DATA_WIDTH = `VX_CFG_AXI_DATA_WIDTH,
    parameter int AXI_TID_WIDTH = `VX_CFG_AXI_TID_WIDTH,
    parameter int AXI_NUM_BANKS = `VX_CFG_AXI_NUM_BANKS,
    parameter int MEM_TID_WIDTH = 8,
    parameter int VRAM_ID_WIDTH = 8,
    parameter int HOST_ID_WIDTH = 4,
    parameter longint VRAM_SIZE = 64'h400_0000,
    parameter int TABLE_ENTRIES = 64,
    parameter bit STRICT_MAP = 0,  // unmapped addresses are bus errors instead of private memory
    parameter bit CORE_FAULTS = 1  // the core has fault ports
) (
    input wire clk,
    input wire reset,

    `include "pcie/vx_pcie_host_ports.svh"

    `include "pcie/vx_pcie_memory_ports.svh"

    // the core's memory ports: AXI4 slaves
    input wire s_core_awvalid[AXI_NUM_BANKS],
    output wire s_core_awready[AXI_NUM_BANKS],
    /* verilator lint_off UNUSEDSIGNAL */  // addresses are aligned
    input wire [AXI_ADDR_WIDTH-1:0] s_core_awaddr[AXI_NUM_BANKS],
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [AXI_TID_WIDTH-1:0] s_core_awid[AXI_NUM_BANKS],
    input wire s_core_wvalid[AXI_NUM_BANKS],
    output wire s_core_wready[AXI_NUM_BANKS],
    input wire [511:0] s_core_wdata[AXI_NUM_BANKS],
    input wire [63:0] s_core_wstrb[AXI_NUM_BANKS],
    output wire s_core_bvalid[AXI_NUM_BANKS],
    input wire s_core_bready[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] s_core_bid[AXI_NUM_BANKS],
    output wire [1:0] s_core_bresp[AXI_NUM_BANKS],
    input wire s_core_arvalid[AXI_NUM_BANKS],
    output wire s_core_arready[AXI_NUM_BANKS],
    /* verilator lint_off UNUSEDSIGNAL */
    input wire [AXI_ADDR_WIDTH-1:0] s_core_araddr[AXI_NUM_BANKS],
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [AXI_TID_WIDTH-1:0] s_core_arid[AXI_NUM_BANKS],
    output wire s_core_rvalid[AXI_NUM_BANKS],
    input wire s_core_rready[AXI_NUM_BANKS],
    output wire [511:0] s_core_rdata[AXI_NUM_BANKS],
    output wire [AXI_TID_WIDTH-1:0] s_core_rid[AXI_NUM_BANKS],
    output wire [1:0] s_core_rresp[AXI_NUM_BANKS],
    output wire s_core_rlast[AXI_NUM_BANKS],

    // the core's control
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

    // for followers
    output device_event_t device_event,
    output wire launch_busy,
    output wire dma_busy,
    output logic [63:0] device_cycles
);
    if (AXI_DATA_WIDTH != BLOCK_BITS) begin : g_check_data
        $fatal(1, "vx_pcie_device: AXI_DATA_WIDTH=%0d must be %0d", AXI_DATA_WIDTH, BLOCK_BITS);
    end
    if (AXI_NUM_BANKS < 1 || 2 ** $clog2(AXI_NUM_BANKS) != AXI_NUM_BANKS) begin : g_check_banks
        $fatal(1, "vx_pcie_device: AXI_NUM_BANKS=%0d must be a power of two", AXI_NUM_BANKS);
    end
    if (AXI_ADDR_WIDTH > XLEN || AXI_ADDR_WIDTH < VRAM_ADDR_WIDTH) begin : g_check_addr
        $fatal(1, "vx_pcie_device: AXI_ADDR_WIDTH=%0d must be %0d to XLEN", AXI_ADDR_WIDTH, VRAM_ADDR_WIDTH);
    end

    localparam int BANK_BITS = $clog2(AXI_NUM_BANKS);
    localparam int BANK_WIDTH = BANK_BITS > 0 ? BANK_BITS : 1;
    localparam int SOURCES = AXI_NUM_BANKS + 1;
    localparam int DEVICE = AXI_NUM_BANKS;  // source number of the device itself
    localparam int BLOCK_WIDTH = AXI_ADDR_WIDTH - BLOCK_SHIFT;
    localparam int COUNT_WIDTH = $clog2(TABLE_ENTRIES + 1);

    // Clients of VRAM and of the host.
    localparam int V_TABLE = 0, V_BAR2 = 1, V_DMA = 2, V_RELEASE = 3;
    localparam int H_DMA = 0, H_RELEASE = 1;

    always_ff @(posedge clk) device_cycles <= reset ? '0 : device_cycles + 64'd1;

    // ---------------------------------------------------------------- registers and interrupts

    logic soft_reset, abort, access;
    logic enable, reset_request, dispatch, dispatch_ack, refused;
    launch_regs_t launch_regs;
    logic [31:0] launch_id;
    fault_record_t fault;
    logic irq_write_enable;
    logic [3:0] irq_value, irq_acknowledge, irq_status, irq_enable, irq_raise;
    errors_t clear_errors, errors, launch_errors, all_errors;
    logic [MSIX_VECTORS-1:0] raise, pending;
    logic msix_write, msix_settled;
    logic [3:0] table_vector;
    logic [1:0] table_word;
    logic [31:0] msix_read, write_data;
    logic [1:0] dcr_command;
    logic [11:0] dcr_addr;
    logic [31:0] dcr_data, dcr_response;
    logic dcr_pending, dcr_response_valid, dcr_settled, dcr_refused, dcr_answered;
    logic dma_start;
    dma_regs_t dma_regs;
    logic [2:0] dma_status;
    logic dma_piece, dma_end, dma_done, dma_error;
    logic ring, entered, pop, clear_overflow, overflow;
    logic [15:0] tokens;
    logic [31:0] token;
    logic vram_fault;
    logic launch_accepted, launch_bad, launch_done, launch_fault;

    vx_pcie_regs #(
        .VRAM_SIZE(VRAM_SIZE),
        .TABLE_ENTRIES(TABLE_ENTRIES)
    ) regs (
        .clk,
        .reset,
        .soft_reset,
        .awvalid(s_ctl_awvalid),
        .awready(s_ctl_awready),
        .awaddr(s_ctl_awaddr),
        .wvalid(s_ctl_wvalid),
        .wready(s_ctl_wready),
        .wdata(s_ctl_wdata),
        .wstrb(s_ctl_wstrb),
        .bvalid(s_ctl_bvalid),
        .bready(s_ctl_bready),
        .arvalid(s_ctl_arvalid),
        .arready(s_ctl_arready),
        .araddr(s_ctl_araddr),
        .arsize(s_ctl_arsize),
        .rvalid(s_ctl_rvalid),
        .rready(s_ctl_rready),
        .rdata(s_ctl_rdata),
        .access,
        .enable,
        .reset_request,
        .dispatch,
        .launch_regs,
        .dispatch_ack,
        .busy(launch_busy),
        .launch_id,
        .fault,
        .refused,
        .irq_write_enable,
        .irq_value,
        .irq_acknowledge,
        .clear_errors,
        .irq_status,
        .irq_enable,
        .errors,
        .raise,
        .msix_write,
        .msix_vector(table_vector),
        .msix_word(table_word),
        .msix_read,
        .msix_pending(pending),
        .msix_settled,
        .write_data,
        .dcr_command,
        .dcr_addr,
        .dcr_data,
        .dcr_pending,
        .dcr_response_valid,
        .dcr_response,
        .dcr_settled,
        .dma_start,
        .dma_regs,
        .dma_busy,
        .dma_status,
        .ring,
        .pop,
        .clear_overflow,
        .tokens,
        .overflow,
        .token
    );
    assign s_ctl_bresp = 2'b00;
    assign s_ctl_rresp = 2'b00;

    always_comb begin
        all_errors = launch_errors;
        if (refused || dcr_refused) all_errors.invalid_cmd = 1'b1;
        if (vram_fault) all_errors.vram_fault = 1'b1;
        if (dma_error) all_errors.dma_fault = 1'b1;
    end

    vx_irq_unit irq (
        .clk,
        .reset(reset || soft_reset),
        .event_kernel(launch_done),
        .event_dma(dma_done),
        .event_doorbell(entered),
        .event_error(all_errors),
        .write_enable(irq_write_enable),
        .enable_value(irq_value),
        .acknowledge(irq_acknowledge),
        .clear_errors,
        .status(irq_status),
        .enable(irq_enable),
        .errors,
        .raise(irq_raise)
    );

    vx_msix msix (
        .clk,
        .reset,
        .soft_reset,
        .enable(msix_enable),
        .function_mask(msix_function_mask),
        .write(msix_write),
        .write_vector(table_vector),
        .write_word(table_word),
        .write_data,
        .read_vector(table_vector),
        .read_word(table_word),
        .read_data(msix_read),
        .pending,
        .raise(raise | MSIX_VECTORS'(irq_raise)),
        .settled(msix_settled),
        .msix_valid,
        .msix_ready,
        .msix_vector,
        .msix_addr,
        .msix_data
    );

    vx_doorbell_queue doorbells (
        .clk,
        .reset(reset || soft_reset),
        .ring,
        .token(write_data),
        .pop,
        .clear_overflow,
        .entered,
        .count(tokens),
        .overflow,
        .head(token)
    );

    // ---------------------------------------------------------------- launches

    logic table_start, table_raw, table_busy, table_done, table_bad;
    logic [63:0] kernel, startup, args;
    logic release_start, release_done, release_error, release_idle, dma_idle;
    release_t on_end;
    logic ln_valid, ln_ready, ln_write, ln_answer;
    logic [11:0] ln_addr;
    logic [31:0] ln_data;
    logic hold, isolate;
    logic [AXI_NUM_BANKS-1:0] bank_idle;
    logic core_failed;
    fault_record_t core_fault;

    vx_launch_unit launch (
        .clk,
        .reset,
        .enable,
        .dispatch,
        .regs(launch_regs),
        .dispatch_ack,
        .reset_request,
        .soft_reset,
        .busy(launch_busy),
        .launch_id,
        .fault,
        .event_accepted(launch_accepted),
        .event_bad(launch_bad),
        .event_done(launch_done),
        .event_fault(launch_fault),
        .event_error(launch_errors),
        .table_start,
        .table_raw,
        .kernel,
        .startup,
        .args,
        .table_done,
        .table_bad,
        .release_start,
        .on_end,
        .release_done,
        .release_error,
        .dcr_valid(ln_valid),
        .dcr_ready(ln_ready),
        .dcr_write(ln_write),
        .dcr_addr(ln_addr),
        .dcr_data(ln_data),
        .dcr_answer(ln_answer),
        .core_start,
        .core_busy,
        .core_reset,
        .hold,
        .isolate,
        .abort,
        .remap_idle(&bank_idle),
        .units_idle(!table_busy && release_idle && dma_idle),
        .core_fault_valid(core_failed),
        .core_fault
    );

    vx_dcr_window dcr (
        .clk,
        .reset,
        .soft_reset,
        .hold,
        .launch_busy,
        .command(dcr_command),
        .addr(dcr_addr),
        .data(dcr_data),
        .refused(dcr_refused),
        .pending(dcr_pending),
        .answered(dcr_answered),
        .response_valid(dcr_response_valid),
        .response(dcr_response),
        .settled(dcr_settled),
        .ln_valid,
        .ln_ready,
        .ln_write,
        .ln_addr,
        .ln_data,
        .ln_answer,
        .dcr_req_valid,
        .dcr_req_rw,
        .dcr_req_addr,
        .dcr_req_data,
        .dcr_rsp_valid,
        .dcr_rsp_data
    );

    // ---------------------------------------------------------------- VRAM and host memory

    localparam int VRAM_CLIENTS = 4;
    logic [VRAM_CLIENTS-1:0] v_valid, v_write, v_rsp;
    vram_block_t v_block[VRAM_CLIENTS];
    block_t v_data[VRAM_CLIENTS];
    strobe_t v_strb[VRAM_CLIENTS];
    block_t v_rsp_data;
    logic v_err;

    localparam int HOST_CLIENTS = 2;
    logic [HOST_CLIENTS-1:0] h_valid, h_write, h_rsp;
    logic [63:0] h_addr[HOST_CLIENTS];
    block_t h_data[HOST_CLIENTS];
    strobe_t h_strb[HOST_CLIENTS];
    block_t h_rsp_data;
    logic h_err;

    logic [COUNT_WIDTH-1:0] map_count;
    word_t map_vma[TABLE_ENTRIES], map_last[TABLE_ENTRIES];
    logic [VRAM_ADDR_WIDTH-1:0] map_offset[TABLE_ENTRIES];

    vx_table_reader #(
        .ENTRIES(TABLE_ENTRIES),
        .VRAM_SIZE(VRAM_SIZE)
    ) image_table (
        .clk,
        .reset,
        .abort,
        .start(table_start),
        .start_raw(table_raw),
        .kernel,
        .startup,
        .args,
        .busy(table_busy),
        .done(table_done),
        .bad(table_bad),
        .cl_valid(v_valid[V_TABLE]),
        .cl_block(v_block[V_TABLE]),
        .rsp_valid(v_rsp[V_TABLE]),
        .rsp_data(v_rsp_data),
        .rsp_err(v_err),
        .show(launch_busy),
        .map_count,
        .map_vma,
        .map_last,
        .map_offset
    );
    assign v_write[V_TABLE] = 1'b0;
    assign v_data[V_TABLE] = '0;
    assign v_strb[V_TABLE] = '0;

    vx_bar2_slave #(
        .ID_WIDTH(VRAM_ID_WIDTH),
        .VRAM_SIZE(VRAM_SIZE)
    ) bar2 (
        .clk,
        .reset,
        .fault(vram_fault),
        .awvalid(s_vram_awvalid),
        .awready(s_vram_awready),
        .awaddr(s_vram_awaddr),
        .awid(s_vram_awid),
        .awlen(s_vram_awlen),
        .awsize(s_vram_awsize),
        .awburst(s_vram_awburst),
        .wvalid(s_vram_wvalid),
        .wready(s_vram_wready),
        .wdata(s_vram_wdata),
        .wstrb(s_vram_wstrb),
        .wlast(s_vram_wlast),
        .bvalid(s_vram_bvalid),
        .bready(s_vram_bready),
        .bid(s_vram_bid),
        .bresp(s_vram_bresp),
        .arvalid(s_vram_arvalid),
        .arready(s_vram_arready),
        .araddr(s_vram_araddr),
        .arid(s_vram_arid),
        .arlen(s_vram_arlen),
        .arsize(s_vram_arsize),
        .arburst(s_vram_arburst),
        .rvalid(s_vram_rvalid),
        .rready(s_vram_rready),
        .rdata(s_vram_rdata),
        .rid(s_vram_rid),
        .rresp(s_vram_rresp),
        .rlast(s_vram_rlast),
        .cl_valid(v_valid[V_BAR2]),
        .cl_write(v_write[V_BAR2]),
        .cl_block(v_block[V_BAR2]),
        .cl_data(v_data[V_BAR2]),
        .cl_strb(v_strb[V_BAR2]),
        .rsp_valid(v_rsp[V_BAR2]),
        .rsp_data(v_rsp_data),
        .rsp_err(v_err)
    );

    vx_dma_engine #(
        .VRAM_SIZE(VRAM_SIZE)
    ) dma (
        .clk,
        .reset,
        .soft_reset,
        .abort,
        .idle(dma_idle),
        .start(dma_start),
        .regs(dma_regs),
        .busy(dma_busy),
        .status(dma_status),
        .event_piece(dma_piece),
        .event_end(dma_end),
        .event_done(dma_done),
        .event_error(dma_error),
        .host_valid(h_valid[H_DMA]),
        .host_write(h_write[H_DMA]),
        .host_addr(h_addr[H_DMA]),
        .host_data(h_data[H_DMA]),
        .host_strb(h_strb[H_DMA]),
        .host_rsp(h_rsp[H_DMA]),
        .host_rsp_data(h_rsp_data),
        .host_err(h_err),
        .vram_valid(v_valid[V_DMA]),
        .vram_write(v_write[V_DMA]),
        .vram_block(v_block[V_DMA]),
        .vram_data(v_data[V_DMA]),
        .vram_strb(v_strb[V_DMA]),
        .vram_rsp(v_rsp[V_DMA]),
        .vram_rsp_data(v_rsp_data),
        .vram_err(v_err)
    );

    block_t release_data;
    strobe_t release_strb;
    vx_release_writer #(
        .VRAM_SIZE(VRAM_SIZE)
    ) releaser (
        .clk,
        .reset,
        .abort,
        .idle(release_idle),
        .start(release_start),
        .request(on_end),
        .cycles(device_cycles),
        .done(release_done),
        .error(release_error),
        .host_valid(h_valid[H_RELEASE]),
        .host_addr(h_addr[H_RELEASE]),
        .host_rsp(h_rsp[H_RELEASE]),
        .host_err(h_err),
        .vram_valid(v_valid[V_RELEASE]),
        .vram_block(v_block[V_RELEASE]),
        .vram_rsp(v_rsp[V_RELEASE]),
        .vram_err(v_err),
        .data(release_data),
        .strb(release_strb)
    );
    assign h_write[H_RELEASE] = 1'b1;
    assign h_data[H_RELEASE] = release_data;
    assign h_strb[H_RELEASE] = release_strb;
    assign v_write[V_RELEASE] = 1'b1;
    assign v_data[V_RELEASE] = release_data;
    assign v_strb[V_RELEASE] = release_strb;

    vx_host_master #(
        .CLIENTS(HOST_CLIENTS),
        .ID_WIDTH(HOST_ID_WIDTH)
    ) host (
        .clk,
        .reset,
        .cl_valid(h_valid),
        .cl_write(h_write),
        .cl_addr(h_addr),
        .cl_data(h_data),
        .cl_strb(h_strb),
        .rsp_valid(h_rsp),
        .rsp_data(h_rsp_data),
        .rsp_err(h_err),
        .awvalid(m_host_awvalid),
        .awready(m_host_awready),
        .awaddr(m_host_awaddr),
        .awid(m_host_awid),
        .awlen(m_host_awlen),
        .awsize(m_host_awsize),
        .awburst(m_host_awburst),
        .wvalid(m_host_wvalid),
        .wready(m_host_wready),
        .wdata(m_host_wdata),
        .wstrb(m_host_wstrb),
        .wlast(m_host_wlast),
        .bvalid(m_host_bvalid),
        .bready(m_host_bready),
        .bid(m_host_bid),
        .bresp(m_host_bresp),
        .arvalid(m_host_arvalid),
        .arready(m_host_arready),
        .araddr(m_host_araddr),
        .arid(m_host_arid),
        .arlen(m_host_arlen),
        .arsize(m_host_arsize),
        .arburst(m_host_arburst),
        .rvalid(m_host_rvalid),
        .rready(m_host_rready),
        .rdata(m_host_rdata),
        .rid(m_host_rid),
        .rlast(m_host_rlast),
        .rresp(m_host_rresp)
    );

    // ---------------------------------------------------------------- pieces

    logic [SOURCES-1:0] p_valid, p_ready, p_write, p_vram, p_rd_valid, p_rd_ready, p_rd_err, p_wr_valid, p_wr_err;
    logic [BLOCK_WIDTH-1:0] p_block[SOURCES];
    logic [TAG_WIDTH-1:0] p_tag[SOURCES], p_rd_tag[SOURCES], p_wr_tag[SOURCES];
    block_t p_data[SOURCES], p_rd_data[SOURCES];
    strobe_t p_strb[SOURCES];
    logic [BANK_WIDTH-1:0] p_wr_bank[SOURCES];

    vram_block_t device_block;
    vx_vram_arbiter #(
        .CLIENTS(VRAM_CLIENTS),
        .LOCK(V_TABLE)
    ) vram (
        .clk,
        .reset,
        .lock(table_busy || table_start),
        .cl_valid(v_valid),
        .cl_write(v_write),
        .cl_block(v_block),
        .cl_data(v_data),
        .cl_strb(v_strb),
        .rsp_valid(v_rsp),
        .rsp_data(v_rsp_data),
        .rsp_err(v_err),
        .req_valid(p_valid[DEVICE]),
        .req_ready(p_ready[DEVICE]),
        .req_write(p_write[DEVICE]),
        .req_block(device_block),
        .req_data(p_data[DEVICE]),
        .req_strb(p_strb[DEVICE]),
        .rd_valid(p_rd_valid[DEVICE]),
        .rd_data(p_rd_data[DEVICE]),
        .rd_err(p_rd_err[DEVICE]),
        .wr_valid(p_wr_valid[DEVICE]),
        .wr_err(p_wr_err[DEVICE])
    );
    assign p_vram[DEVICE] = 1'b1;
    assign p_block[DEVICE] = BLOCK_WIDTH'(device_block);
    assign p_tag[DEVICE] = '0;
    assign p_rd_ready[DEVICE] = 1'b1;

    vx_mem_xbar #(
        .SOURCES(SOURCES),
        .NUM_BANKS(AXI_NUM_BANKS),
        .ADDR_WIDTH(AXI_ADDR_WIDTH),
        .TID_WIDTH(MEM_TID_WIDTH)
    ) xbar (
        .clk,
        .reset,
        .req_valid(p_valid),
        .req_ready(p_ready),
        .req_write(p_write),
        .req_vram(p_vram),
        .req_block(p_block),
        .req_tag(p_tag),
        .req_data(p_data),
        .req_strb(p_strb),
        .rd_valid(p_rd_valid),
        .rd_ready(p_rd_ready),
        .rd_tag(p_rd_tag),
        .rd_data(p_rd_data),
        .rd_err(p_rd_err),
        .wr_valid(p_wr_valid),
        .wr_bank(p_wr_bank),
        .wr_tag(p_wr_tag),
        .wr_err(p_wr_err),
        .awvalid(m_mem_awvalid),
        .awready(m_mem_awready),
        .awaddr(m_mem_awaddr),
        .awid(m_mem_awid),
        .wvalid(m_mem_wvalid),
        .wready(m_mem_wready),
        .wdata(m_mem_wdata),
        .wstrb(m_mem_wstrb),
        .bvalid(m_mem_bvalid),
        .bready(m_mem_bready),
        .bid(m_mem_bid),
        .bresp(m_mem_bresp),
        .arvalid(m_mem_arvalid),
        .arready(m_mem_arready),
        .araddr(m_mem_araddr),
        .arid(m_mem_arid),
        .rvalid(m_mem_rvalid),
        .rready(m_mem_rready),
        .rdata(m_mem_rdata),
        .rid(m_mem_rid),
        .rresp(m_mem_rresp)
    );

    logic [AXI_NUM_BANKS-1:0] bus_fault, bus_fault_write;
    logic [BLOCK_WIDTH-1:0] bus_fault_block[AXI_NUM_BANKS];

    for (genvar b = 0; b < AXI_NUM_BANKS; ++b) begin : g_bank
        assign m_mem_awlen[b] = 8'd0;
        assign m_mem_awsize[b] = 3'd6;
        assign m_mem_awburst[b] = 2'b01;
        assign m_mem_wlast[b] = 1'b1;
        assign m_mem_arlen[b] = 8'd0;
        assign m_mem_arsize[b] = 3'd6;
        assign m_mem_arburst[b] = 2'b01;

        logic b_err, r_err;
        assign s_core_bresp[b] = {b_err, 1'b0};
        assign s_core_rresp[b] = {r_err, 1'b0};
        assign s_core_rlast[b] = 1'b1;

        vx_remap_bank #(
            .ADDR_WIDTH(AXI_ADDR_WIDTH),
            .TID_WIDTH(AXI_TID_WIDTH),
            .ENTRIES(TABLE_ENTRIES),
            .BANK_BITS(BANK_BITS),
            .STRICT(STRICT_MAP)
        ) remap (
            .clk,
            .reset,
            .isolate,
            .idle(bank_idle[b]),
            .map_count,
            .map_vma,
            .map_last,
            .map_offset,
            .s_awvalid(s_core_awvalid[b]),
            .s_awready(s_core_awready[b]),
            .s_awblock(s_core_awaddr[b][AXI_ADDR_WIDTH-1:BLOCK_SHIFT]),
            .s_awid(s_core_awid[b]),
            .s_wvalid(s_core_wvalid[b]),
            .s_wready(s_core_wready[b]),
            .s_wdata(s_core_wdata[b]),
            .s_wstrb(s_core_wstrb[b]),
            .s_bvalid(s_core_bvalid[b]),
            .s_bready(s_core_bready[b]),
            .s_bid(s_core_bid[b]),
            .s_berr(b_err),
            .s_arvalid(s_core_arvalid[b]),
            .s_arready(s_core_arready[b]),
            .s_arblock(s_core_araddr[b][AXI_ADDR_WIDTH-1:BLOCK_SHIFT]),
            .s_arid(s_core_arid[b]),
            .s_rvalid(s_core_rvalid[b]),
            .s_rready(s_core_rready[b]),
            .s_rdata(s_core_rdata[b]),
            .s_rid(s_core_rid[b]),
            .s_rerr(r_err),
            .req_valid(p_valid[b]),
            .req_ready(p_ready[b]),
            .req_write(p_write[b]),
            .req_vram(p_vram[b]),
            .req_block(p_block[b]),
            .req_tag(p_tag[b]),
            .req_data(p_data[b]),
            .req_strb(p_strb[b]),
            .rd_valid(p_rd_valid[b]),
            .rd_ready(p_rd_ready[b]),
            .rd_tag(p_rd_tag[b]),
            .rd_data(p_rd_data[b]),
            .rd_err(p_rd_err[b]),
            .wr_valid(p_wr_valid[b]),
            .wr_bank(p_wr_bank[b]),
            .wr_tag(p_wr_tag[b]),
            .wr_err(p_wr_err[b]),
            .fault_valid(bus_fault[b]),
            .fault_write(bus_fault_write[b]),
            .fault_block(bus_fault_block[b])
        );
    end

    // ---------------------------------------------------------------- faults of the core, events

    if (CORE_FAULTS) begin : g_core_faults
        assign core_failed = core_fault_valid;
        assign core_fault = '{core_fault_kind, core_fault_addr, core_fault_pc, core_fault_info};
        wire unused_bus = &{1'b0, bus_fault, bus_fault_write, bus_fault_block[0]};
    end else begin : g_bus_faults
        assign core_failed = |bus_fault;
        always_comb begin
            core_fault = '0;
            for (int b = AXI_NUM_BANKS - 1; b >= 0; --b) begin
                if (bus_fault[b]) begin
                    core_fault.kind = bus_fault_write[b] ? FAULT_BUS_WRITE : FAULT_BUS_READ;
                    core_fault.addr = 64'(bus_fault_block[b]) << BLOCK_SHIFT;
                end
            end
        end
        wire unused_fault =
            &{1'b0, core_fault_valid, core_fault_kind, core_fault_addr, core_fault_pc, core_fault_info};
    end

    assign device_event = '{
        ctl_access: access,
        dcr_answered: dcr_answered,
        dma_ended: dma_end,
        dma_piece: dma_piece,
        launch_fault: launch_fault,
        launch_done: launch_done,
        table_bad: launch_bad,
        launch_accepted: launch_accepted
    };

    wire unused = &{1'b0, p_rd_tag[DEVICE], p_wr_tag[DEVICE], p_wr_bank[DEVICE]};
endmodule
