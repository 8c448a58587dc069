// BAR0 and BAR4: decodes accesses, keeps what only is stored, refuses, and tells the units what to do.
//
// Contract
// * AXI4-Lite slave, one access at a time, always OKAY. Address bit 20 is 1 for BAR4. An access that is no aligned word reads 0
//   and does nothing; `arsize` tells a read's size.
// * B follows the effect: `dispatch` and `reset_request` are held until acknowledged, and messages that a write causes have
//   left as far as the shell takes them.
// * `access`: the cycle in which an access takes effect or is sampled.
// * `soft_reset` returns everything stored to 0.
module vx_pcie_regs
    import vx_pkg::*;
    import vx_pcie_pkg::*;
#(
    parameter longint VRAM_SIZE = 64'h400_0000,
    parameter int TABLE_ENTRIES = 64
) (
    input wire clk,
    input wire reset,
    input wire soft_reset,

    input wire awvalid,
    output logic awready,
    input wire [20:0] awaddr,
    input wire wvalid,
    output logic wready,
    input wire [31:0] wdata,
    input wire [3:0] wstrb,
    output logic bvalid,
    input wire bready,
    input wire arvalid,
    output logic arready,
    input wire [20:0] araddr,
    input wire [2:0] arsize,
    output logic rvalid,
    input wire rready,
    output logic [31:0] rdata,
    output logic access,

    // control and launches
    output logic enable,
    output logic reset_request,
    output logic dispatch,
    output launch_regs_t launch_regs,
    input wire dispatch_ack,
    input wire busy,
    input wire [31:0] launch_id,
    input fault_record_t fault,
    output logic refused,  // a write is refused here

    // interrupts
    output logic irq_write_enable,
    output logic [3:0] irq_value,
    output logic [3:0] irq_acknowledge,
    output errors_t clear_errors,
    input wire [3:0] irq_status,
    input wire [3:0] irq_enable,
    input errors_t errors,
    output logic [MSIX_VECTORS-1:0] raise,
    output logic msix_write,
    output logic [3:0] msix_vector,
    output logic [1:0] msix_word,
    input wire [31:0] msix_read,
    input wire [MSIX_VECTORS-1:0] msix_pending,
    input wire msix_settled,
    output logic [31:0] write_data,

    // DCR window
    output logic [1:0] dcr_command,
    output logic [11:0] dcr_addr,
    output logic [31:0] dcr_data,
    input wire dcr_pending,
    input wire dcr_response_valid,
    input wire [31:0] dcr_response,
    input wire dcr_settled,

    // DMA
    output logic dma_start,
    output dma_regs_t dma_regs,
    input wire dma_busy,
    input wire [2:0] dma_status,

    // doorbells
    output logic ring,
    output logic pop,
    output logic clear_overflow,
    input wire [15:0] tokens,
    input wire overflow,
    input wire [31:0] token
);
    typedef enum logic [2:0] {
        IDLE,
        EXECUTE,
        WAIT,  // for the launch unit
        SETTLE,
        SETTLED,
        RESPOND
    } state_t;

    state_t state_q;
    logic write_q, prefer_write_q, whole_q, bar4_q;
    logic [19:0] offset_q;
    logic [31:0] data_q;

    // ---------------------------------------------------------------- the bus

    logic take_write, take_read;
    assign take_write = state_q == IDLE && awvalid && wvalid && (prefer_write_q || !arvalid);
    assign take_read = state_q == IDLE && arvalid && !take_write;
    assign awready = take_write;
    assign wready = take_write;
    assign arready = take_read;
    assign bvalid = state_q == RESPOND && write_q;
    assign rvalid = state_q == RESPOND && !write_q;
    assign access = state_q == EXECUTE;

    logic must_wait, launch_answers;
    always_ff @(posedge clk) begin
        case (state_q)
            IDLE: begin
                if (take_write || take_read) begin
                    state_q <= EXECUTE;
                    write_q <= take_write;
                    prefer_write_q <= !take_write;
                    bar4_q <= take_write ? awaddr[20] : araddr[20];
                    offset_q <= take_write ? awaddr[19:0] : araddr[19:0];
                    whole_q <= take_write ? wstrb == 4'hF && awaddr[1:0] == '0 : arsize == 3'd2 && araddr[1:0] == '0;
                    data_q <= wdata;
                end
            end
            EXECUTE: state_q <= !write_q ? RESPOND : must_wait ? WAIT : SETTLE;
            WAIT: if (launch_answers) state_q <= SETTLE;
            SETTLE: state_q <= SETTLED;
            SETTLED: if (msix_settled && dcr_settled) state_q <= RESPOND;
            default: if (write_q ? bready : rready) state_q <= IDLE;
        endcase
        if (reset) begin
            state_q <= IDLE;
            prefer_write_q <= 1'b0;
        end
    end

    // ---------------------------------------------------------------- writes

    logic bar0_write, launch_guarded, dma_guarded, store;
    assign bar0_write = state_q == EXECUTE && write_q && whole_q && !bar4_q;
    assign launch_guarded = offset_q >= R_KERNEL_ADDR_LO && offset_q <= R_SHARED_MEM_SIZE;
    assign dma_guarded = offset_q >= R_DMA_SRC_LO && offset_q <= R_DMA_CTRL;
    assign store = bar0_write && !(launch_guarded && busy) && !(dma_guarded && dma_busy);

    logic bad_vector;
    assign bad_vector = store && offset_q == R_RAISE && data_q >= 32'(MSIX_VECTORS);
    assign refused = (bar0_write && !store) || bad_vector;

    logic resets, dispatches;
    assign resets = store && offset_q == R_GLOBAL_CTRL && data_q[1];
    assign dispatches = store && offset_q == R_DISPATCH;
    assign must_wait = resets || dispatches;
    assign launch_answers = reset_request ? soft_reset : dispatch_ack;

    always_ff @(posedge clk) begin
        if (dispatches) dispatch <= 1'b1;
        if (dispatch_ack) dispatch <= 1'b0;
        if (resets) reset_request <= 1'b1;
        if (soft_reset) reset_request <= 1'b0;
        if (reset) begin
            dispatch <= 1'b0;
            reset_request <= 1'b0;
        end
    end


    always_ff @(posedge clk) begin
        if (store) begin
            case (offset_q)
                R_GLOBAL_CTRL: enable <= data_q[0];
                R_KERNEL_ADDR_LO: launch_regs.kernel[31:0] <= data_q;
                R_KERNEL_ADDR_HI: launch_regs.kernel[63:32] <= data_q;
                R_KERNEL_ARGS_LO: launch_regs.args[31:0] <= data_q;
                R_KERNEL_ARGS_HI: launch_regs.args[63:32] <= data_q;
                R_GRID_DIM_X: launch_regs.grid[0] <= data_q;
                R_GRID_DIM_Y: launch_regs.grid[1] <= data_q;
                R_GRID_DIM_Z: launch_regs.grid[2] <= data_q;
                R_BLOCK_DIM_X: launch_regs.block[0] <= data_q;
                R_BLOCK_DIM_Y: launch_regs.block[1] <= data_q;
                R_BLOCK_DIM_Z: launch_regs.block[2] <= data_q;
                R_SHARED_MEM_SIZE: launch_regs.lmem <= data_q;
                R_MAX_CYCLES_LO: launch_regs.max_cycles[31:0] <= data_q;
                R_MAX_CYCLES_HI: launch_regs.max_cycles[63:32] <= data_q;
                R_STARTUP_ADDR_LO: launch_regs.startup[31:0] <= data_q;
                R_STARTUP_ADDR_HI: launch_regs.startup[63:32] <= data_q;
                R_CLUSTER_DIM_X: launch_regs.cluster[0] <= data_q;
                R_CLUSTER_DIM_Y: launch_regs.cluster[1] <= data_q;
                R_CLUSTER_DIM_Z: launch_regs.cluster[2] <= data_q;
                R_DCR_ADDR: dcr_addr <= data_q[11:0];
                R_DCR_DATA: dcr_data <= data_q;
                R_DMA_SRC_LO: dma_regs.source[31:0] <= data_q;
                R_DMA_SRC_HI: dma_regs.source[63:32] <= data_q;
                R_DMA_DST_LO: dma_regs.target[31:0] <= data_q;
                R_DMA_DST_HI: dma_regs.target[63:32] <= data_q;
                R_DMA_SIZE: dma_regs.size <= data_q;
                R_DMA_CTRL: {dma_regs.wants_irq, dma_regs.to_host} <= data_q[2:1];
                R_RELEASE_ADDR_LO: launch_regs.on_end.addr[31:0] <= data_q;
                R_RELEASE_ADDR_HI: launch_regs.on_end.addr[63:32] <= data_q;
                R_RELEASE_PAYLOAD_LO: launch_regs.on_end.payload[31:0] <= data_q;
                R_RELEASE_PAYLOAD_HI: launch_regs.on_end.payload[63:32] <= data_q;
                R_RELEASE_CTRL:
                    {launch_regs.on_end.host, launch_regs.on_end.timestamp, launch_regs.on_end.wide,
                     launch_regs.on_end.enable} <= data_q[3:0];
                default: ;
            endcase
        end
        dma_start <= store && offset_q == R_DMA_CTRL && data_q[0];
        if (reset || soft_reset) begin
            enable <= 1'b0;
            launch_regs <= '0;
            dma_regs <= '0;
            dcr_addr <= '0;
            dcr_data <= '0;
            dma_start <= 1'b0;
        end
    end

    assign write_data = data_q;
    assign irq_write_enable = store && offset_q == R_IRQ_ENABLE;
    assign irq_value = data_q[3:0];
    assign irq_acknowledge = store && offset_q == R_IRQ_ACK ? data_q[3:0] : '0;
    assign clear_errors = store && offset_q == R_ERROR_STATUS ? data_q[3:0] : '0;
    assign dcr_command = store && offset_q == R_DCR_CTRL ? data_q[1:0] : '0;
    assign clear_overflow = store && offset_q == R_DB_STATUS && data_q[31];
    assign raise = store && offset_q == R_RAISE && !bad_vector ? MSIX_VECTORS'(1) << data_q[3:0] : '0;
    assign ring = state_q == EXECUTE && write_q && whole_q && bar4_q && offset_q[15:0] == BAR4_DOORBELL;

    logic in_msix;
    assign in_msix = offset_q[19:8] == 12'hFE0;
    assign msix_write = store && in_msix;
    assign msix_vector = offset_q[7:4];
    assign msix_word = offset_q[3:2];

    // ---------------------------------------------------------------- reads

    localparam logic [31:0] MISA = 32'h0090_1100 & ~(EXT_M ? 32'd0 : 32'h1000) | (EXT_A ? 32'h1 : 32'd0) |
        (EXT_F ? 32'h20 : 32'd0) | (EXT_F && FLEN == 64 ? 32'h8 : 32'd0);

    logic [31:0] value;
    always_comb begin
        value = '0;
        if (whole_q && !bar4_q) begin
            case (offset_q)
                R_DEV_ID: value = 32'h4750_5055;
                R_DEV_VERSION: value = 32'h0001_0000;
                R_DEV_CAPS: value = {8'd0, 8'(NUM_THREADS), 8'(NUM_WARPS), 8'(TOTAL_CORES)};
                R_VRAM_SIZE_LO: value = 32'(VRAM_SIZE);
                R_VRAM_SIZE_HI: value = 32'(64'(VRAM_SIZE) >> 32);
                R_DEV_CAPS2: value = {8'(TABLE_ENTRIES), 8'(NUM_CLUSTERS), 8'(XLEN), 8'(LMEM_LOG_SIZE)};
                R_ISA_FLAGS_LO: value = MISA | (XLEN == 32 ? 32'h4000_0000 : 32'h8000_0000);
                R_ISA_FLAGS_HI: value = 32'h13 | (EXT_ZICOND ? 32'h20 : 32'd0);
                R_GLOBAL_CTRL: value = {31'd0, enable};
                R_GLOBAL_STATUS: value = {29'd0, errors != '0, busy, !busy};
                R_ERROR_STATUS: value = {28'd0, errors};
                R_IRQ_ENABLE: value = {28'd0, irq_enable};
                R_IRQ_STATUS: value = {28'd0, irq_status};
                R_KERNEL_ADDR_LO: value = launch_regs.kernel[31:0];
                R_KERNEL_ADDR_HI: value = launch_regs.kernel[63:32];
                R_KERNEL_ARGS_LO: value = launch_regs.args[31:0];
                R_KERNEL_ARGS_HI: value = launch_regs.args[63:32];
                R_GRID_DIM_X: value = launch_regs.grid[0];
                R_GRID_DIM_Y: value = launch_regs.grid[1];
                R_GRID_DIM_Z: value = launch_regs.grid[2];
                R_BLOCK_DIM_X: value = launch_regs.block[0];
                R_BLOCK_DIM_Y: value = launch_regs.block[1];
                R_BLOCK_DIM_Z: value = launch_regs.block[2];
                R_SHARED_MEM_SIZE: value = launch_regs.lmem;
                R_MAX_CYCLES_LO: value = launch_regs.max_cycles[31:0];
                R_MAX_CYCLES_HI: value = launch_regs.max_cycles[63:32];
                R_STARTUP_ADDR_LO: value = launch_regs.startup[31:0];
                R_STARTUP_ADDR_HI: value = launch_regs.startup[63:32];
                R_CLUSTER_DIM_X: value = launch_regs.cluster[0];
                R_CLUSTER_DIM_Y: value = launch_regs.cluster[1];
                R_CLUSTER_DIM_Z: value = launch_regs.cluster[2];
                R_LAUNCH_ID: value = launch_id;
                R_FAULT_KIND: value = {28'd0, fault.kind};
                R_FAULT_ADDR_LO: value = fault.addr[31:0];
                R_FAULT_ADDR_HI: value = fault.addr[63:32];
                R_FAULT_PC_LO: value = fault.pc[31:0];
                R_FAULT_PC_HI: value = fault.pc[63:32];
                R_FAULT_WARP: value = fault.info;
                R_DCR_ADDR: value = {20'd0, dcr_addr};
                R_DCR_DATA: value = dcr_data;
                R_DCR_CTRL: value = {22'd0, dcr_response_valid, dcr_pending, 8'd0};
                R_DCR_RSP: value = dcr_response;
                R_DMA_SRC_LO: value = dma_regs.source[31:0];
                R_DMA_SRC_HI: value = dma_regs.source[63:32];
                R_DMA_DST_LO: value = dma_regs.target[31:0];
                R_DMA_DST_HI: value = dma_regs.target[63:32];
                R_DMA_SIZE: value = dma_regs.size;
                R_DMA_CTRL: value = {29'd0, dma_regs.wants_irq, dma_regs.to_host, 1'b0};
                R_DMA_STATUS: value = {29'd0, dma_status};
                R_DB_STATUS: value = {overflow, 15'd0, tokens};
                R_DB_POP: value = token;
                R_RELEASE_ADDR_LO: value = launch_regs.on_end.addr[31:0];
                R_RELEASE_ADDR_HI: value = launch_regs.on_end.addr[63:32];
                R_RELEASE_PAYLOAD_LO: value = launch_regs.on_end.payload[31:0];
                R_RELEASE_PAYLOAD_HI: value = launch_regs.on_end.payload[63:32];
                R_RELEASE_CTRL:
                    value = {28'd0, launch_regs.on_end.host, launch_regs.on_end.timestamp, launch_regs.on_end.wide,
                             launch_regs.on_end.enable};
                R_MSIX_PBA_LO: value = 32'(msix_pending);
                default: if (in_msix) value = msix_read;
            endcase
        end
    end

    assign pop = state_q == EXECUTE && !write_q && whole_q && !bar4_q && offset_q == R_DB_POP;
    always_ff @(posedge clk) if (state_q == EXECUTE) rdata <= value;
endmodule
