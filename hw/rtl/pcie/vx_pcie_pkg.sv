// Types and numbers of the BAR device (docs/reference/pcie_bar.md).
package vx_pcie_pkg;

    import vx_pkg::*;

    /* verilator lint_off UNUSEDPARAM */  // no top uses every constant

    localparam int BLOCK_BYTES = 64;
    localparam int BLOCK_BITS = 8 * BLOCK_BYTES;
    localparam int BLOCK_SHIFT = 6;
    localparam int VRAM_ADDR_WIDTH = 26;  // the 64 MiB window
    localparam int VRAM_BLOCK_WIDTH = VRAM_ADDR_WIDTH - BLOCK_SHIFT;
    localparam int TAG_WIDTH = 4;  // of a piece on the memory ports, without its source
    localparam int MSIX_VECTORS = 16;

    localparam logic [63:0] TABLE_BASE = 64'h03FF_0000;
    localparam int TABLE_REGION_ENTRIES = (65536 - 16) / 24;

    localparam int CORE_THREADS = NUM_WARPS * NUM_THREADS;
    localparam int LMEM_SIZE = 1 << LMEM_LOG_SIZE;

    typedef logic [BLOCK_BITS-1:0] block_t;
    typedef logic [BLOCK_BYTES-1:0] strobe_t;
    typedef logic [BLOCK_SHIFT-1:0] lane_t;  // byte of a block
    typedef logic [BLOCK_SHIFT:0] length_t;  // 0 to 64 bytes
    typedef logic [VRAM_BLOCK_WIDTH-1:0] vram_block_t;

    // ---------------------------------------------------------------- BAR0 offsets

    localparam logic [19:0] R_DEV_ID = 20'h00000;
    localparam logic [19:0] R_DEV_VERSION = 20'h00004;
    localparam logic [19:0] R_DEV_CAPS = 20'h00008;
    localparam logic [19:0] R_VRAM_SIZE_LO = 20'h0000C;
    localparam logic [19:0] R_VRAM_SIZE_HI = 20'h00010;
    localparam logic [19:0] R_DEV_CAPS2 = 20'h00014;
    localparam logic [19:0] R_ISA_FLAGS_LO = 20'h00018;
    localparam logic [19:0] R_ISA_FLAGS_HI = 20'h0001C;
    localparam logic [19:0] R_GLOBAL_CTRL = 20'h00100;
    localparam logic [19:0] R_GLOBAL_STATUS = 20'h00104;
    localparam logic [19:0] R_ERROR_STATUS = 20'h00108;
    localparam logic [19:0] R_IRQ_ENABLE = 20'h00200;
    localparam logic [19:0] R_IRQ_STATUS = 20'h00204;
    localparam logic [19:0] R_IRQ_ACK = 20'h00208;
    localparam logic [19:0] R_KERNEL_ADDR_LO = 20'h00300;
    localparam logic [19:0] R_KERNEL_ADDR_HI = 20'h00304;
    localparam logic [19:0] R_KERNEL_ARGS_LO = 20'h00308;
    localparam logic [19:0] R_KERNEL_ARGS_HI = 20'h0030C;
    localparam logic [19:0] R_GRID_DIM_X = 20'h00310;
    localparam logic [19:0] R_GRID_DIM_Y = 20'h00314;
    localparam logic [19:0] R_GRID_DIM_Z = 20'h00318;
    localparam logic [19:0] R_BLOCK_DIM_X = 20'h0031C;
    localparam logic [19:0] R_BLOCK_DIM_Y = 20'h00320;
    localparam logic [19:0] R_BLOCK_DIM_Z = 20'h00324;
    localparam logic [19:0] R_SHARED_MEM_SIZE = 20'h00328;
    localparam logic [19:0] R_DISPATCH = 20'h00330;
    localparam logic [19:0] R_MAX_CYCLES_LO = 20'h00340;
    localparam logic [19:0] R_MAX_CYCLES_HI = 20'h00344;
    localparam logic [19:0] R_STARTUP_ADDR_LO = 20'h00350;
    localparam logic [19:0] R_STARTUP_ADDR_HI = 20'h00354;
    localparam logic [19:0] R_CLUSTER_DIM_X = 20'h00358;
    localparam logic [19:0] R_CLUSTER_DIM_Y = 20'h0035C;
    localparam logic [19:0] R_CLUSTER_DIM_Z = 20'h00360;
    localparam logic [19:0] R_LAUNCH_ID = 20'h00370;
    localparam logic [19:0] R_FAULT_KIND = 20'h00380;
    localparam logic [19:0] R_FAULT_ADDR_LO = 20'h00384;
    localparam logic [19:0] R_FAULT_ADDR_HI = 20'h00388;
    localparam logic [19:0] R_FAULT_PC_LO = 20'h0038C;
    localparam logic [19:0] R_FAULT_PC_HI = 20'h00390;
    localparam logic [19:0] R_FAULT_WARP = 20'h00394;
    localparam logic [19:0] R_DCR_ADDR = 20'h003A0;
    localparam logic [19:0] R_DCR_DATA = 20'h003A4;
    localparam logic [19:0] R_DCR_CTRL = 20'h003A8;
    localparam logic [19:0] R_DCR_RSP = 20'h003AC;
    localparam logic [19:0] R_DMA_SRC_LO = 20'h00400;
    localparam logic [19:0] R_DMA_SRC_HI = 20'h00404;
    localparam logic [19:0] R_DMA_DST_LO = 20'h00408;
    localparam logic [19:0] R_DMA_DST_HI = 20'h0040C;
    localparam logic [19:0] R_DMA_SIZE = 20'h00410;
    localparam logic [19:0] R_DMA_CTRL = 20'h00414;
    localparam logic [19:0] R_DMA_STATUS = 20'h00418;
    localparam logic [19:0] R_DB_STATUS = 20'h00600;
    localparam logic [19:0] R_DB_POP = 20'h00604;
    localparam logic [19:0] R_RELEASE_ADDR_LO = 20'h00610;
    localparam logic [19:0] R_RELEASE_ADDR_HI = 20'h00614;
    localparam logic [19:0] R_RELEASE_PAYLOAD_LO = 20'h00618;
    localparam logic [19:0] R_RELEASE_PAYLOAD_HI = 20'h0061C;
    localparam logic [19:0] R_RELEASE_CTRL = 20'h00620;
    localparam logic [19:0] R_RAISE = 20'h00624;
    localparam logic [19:0] R_MSIX_PBA_LO = 20'hFF000;
    localparam logic [15:0] BAR4_DOORBELL = 16'h0090;

    /* verilator lint_on UNUSEDPARAM */

    // ---------------------------------------------------------------- registers of a launch, sampled at DISPATCH

    typedef struct packed {
        logic [63:0] addr;
        logic [63:0] payload;
        logic host;  // RELEASE_CTRL, bit 3 first
        logic timestamp;
        logic wide;
        logic enable;
    } release_t;

    typedef struct packed {
        logic [63:0] kernel;  // with VORTEX_MODE_FLAG
        logic [63:0] args;
        logic [2:0][31:0] grid;  // index 0 is x
        logic [2:0][31:0] block;
        logic [31:0] lmem;
        logic [63:0] max_cycles;
        logic [63:0] startup;
        logic [2:0][31:0] cluster;
        release_t on_end;
    } launch_regs_t;

    typedef struct packed {
        logic [63:0] source;
        logic [63:0] target;
        logic [31:0] size;
        logic wants_irq;  // DMA_CTRL, bit 2 first
        logic to_host;
    } dma_regs_t;

    typedef struct packed {
        logic [3:0] kind;
        logic [63:0] addr;
        logic [63:0] pc;
        logic [31:0] info;
    } fault_record_t;

    // Bits of ERROR_STATUS.
    typedef struct packed {
        logic dma_fault;
        logic kernel_fault;
        logic vram_fault;
        logic invalid_cmd;
    } errors_t;

    // What a follower of the device adopts; each bit is high for the cycle after which the change is visible.
    typedef struct packed {
        logic ctl_access;  // an access to BAR0 or BAR4 takes effect or is sampled
        logic dcr_answered;
        logic dma_ended;
        logic dma_piece;  // a piece has been moved
        logic launch_fault;
        logic launch_done;
        logic table_bad;
        logic launch_accepted;
    } device_event_t;

    // ---------------------------------------------------------------- bytes of a block

    // Strobes of `count` bytes from `first` on; the rest of the block is off, nothing wraps.
    function automatic strobe_t byte_mask(input lane_t first, input length_t count);
        strobe_t off;
        off = count[BLOCK_SHIFT] ? '0 : '1 << count[BLOCK_SHIFT-1:0];
        return ~off << first;
    endfunction

    // Byte b of the result is byte (b - amount) mod 64.
    function automatic block_t rotate_bytes(input block_t data, input lane_t amount);
        if (amount == '0) return data;
        return data << {amount, 3'd0} | data >> {7'd64 - 7'(amount), 3'd0};
    endfunction

    function automatic strobe_t rotate_strobes(input strobe_t strobes, input lane_t amount);
        if (amount == '0) return strobes;
        return strobes << amount | strobes >> (7'd64 - 7'(amount));
    endfunction

    function automatic block_t bit_mask(input strobe_t strobes);
        for (int b = 0; b < BLOCK_BYTES; ++b) bit_mask[8*b+:8] = {8{strobes[b]}};
    endfunction

endpackage
