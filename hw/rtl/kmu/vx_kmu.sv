// Kernel management unit: launch registers and the walk over the grid (reference sections 4.3 to 5.2).
//
// Contract
// * `dcr_write` is always accepted; bits above a register's stored width are dropped; registers read 0 after reset.
// * `start` begins the walk, also when one is running. A zero grid, block or BLOCK_SIZE starts no CTA: `running` stays
//   low. A zero cluster dimension counts as 1.
// * From the cycle after `start` until the last CTA has been accepted `running` and `cta_valid` are high. Registers must
//   not be written in that time.
// * A grid that is no multiple of the cluster dimensions (the host rejects it) ends too: its last clusters are smaller.
module vx_kmu
    import vx_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire dcr_write,
    input wire [11:0] dcr_addr,
    input wire [31:0] dcr_data,

    input wire start,
    output logic running,

    output logic cta_valid,
    input wire cta_ready,
    output cta_desc_t cta
);
    localparam int CDIM_WIDTH = CLUSTER_SIZE_WIDTH;

    typedef logic [CDIM_WIDTH-1:0] cdim_t;

    // ---------------------------------------------------------------- registers

    /* verilator lint_off UNUSEDSIGNAL */  // the high halves have no reader when XLEN is 32
    logic [63:0] startup_addr_q, kernel_entry_q, startup_arg_q;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [2:0][CTA_DIM_WIDTH-1:0] block_dim_q;
    logic [2:0][31:0] grid_dim_q;
    logic [LMEM_LOG_SIZE:0] lmem_size_q;
    logic [CTA_DIM_WIDTH-1:0] block_size_q;
    logic [2:0][CTA_TID_WIDTH-1:0] warp_step_q;
    logic [2:0][CDIM_WIDTH-1:0] cluster_dim_q;

    always_ff @(posedge clk) begin
        if (dcr_write) begin
            unique case (dcr_addr)
                12'h010: startup_addr_q[31:0] <= dcr_data;
                12'h011: startup_addr_q[63:32] <= dcr_data;
                12'h012: kernel_entry_q[31:0] <= dcr_data;
                12'h013: kernel_entry_q[63:32] <= dcr_data;
                12'h014: startup_arg_q[31:0] <= dcr_data;
                12'h015: startup_arg_q[63:32] <= dcr_data;
                12'h016, 12'h017, 12'h018: block_dim_q[2'(dcr_addr - 12'h016)] <= dcr_data[CTA_DIM_WIDTH-1:0];
                12'h019, 12'h01A, 12'h01B: grid_dim_q[2'(dcr_addr - 12'h019)] <= dcr_data;
                12'h01C: lmem_size_q <= dcr_data[LMEM_LOG_SIZE:0];
                12'h01D: block_size_q <= dcr_data[CTA_DIM_WIDTH-1:0];
                12'h01E, 12'h01F, 12'h020: warp_step_q[2'(dcr_addr - 12'h01E)] <= dcr_data[CTA_TID_WIDTH-1:0];
                12'h021, 12'h022, 12'h023: cluster_dim_q[2'(dcr_addr - 12'h021)] <= dcr_data[CDIM_WIDTH-1:0];
                default: ;
            endcase
        end
        if (reset) begin
            startup_addr_q <= '0;
            kernel_entry_q <= '0;
            startup_arg_q <= '0;
            block_dim_q <= '0;
            grid_dim_q <= '0;
            lmem_size_q <= '0;
            block_size_q <= '0;
            warp_step_q <= '0;
            cluster_dim_q <= '0;
        end
    end

    // ---------------------------------------------------------------- what `start` derives

    logic empty;
    logic [2:0][CDIM_WIDTH-1:0] cluster_dim_eff;

    always_comb begin
        empty = block_size_q == '0;
        for (int a = 0; a < 3; ++a) begin
            if (grid_dim_q[a] == '0 || block_dim_q[a] == '0) empty = 1'b1;
            cluster_dim_eff[a] = (cluster_dim_q[a] == '0) ? cdim_t'(1) : cluster_dim_q[a];
        end
    end

    // The stride is LMEM_SIZE rounded up to 64 bytes. Sizes beyond LMEM are the host's to reject; they saturate, so that
    // they can't wrap to a small stride.
    function automatic logic [LMEM_LOG_SIZE:0] aligned(input logic [LMEM_LOG_SIZE:0] size);
        logic [LMEM_LOG_SIZE+1:0] sum;
        sum = (LMEM_LOG_SIZE + 2)'(size) + (LMEM_LOG_SIZE + 2)'(63);
        if (sum[LMEM_LOG_SIZE+1]) sum = '1;
        return {sum[LMEM_LOG_SIZE:6], 6'b0};
    endfunction

    logic [LMEM_LOG_SIZE:0] stride_q;
    cdim_t cluster_size_q;
    logic [2:0][CDIM_WIDTH-1:0] cdim_q;  // cluster dimensions of the running launch

    // ---------------------------------------------------------------- walk

    logic [2:0][31:0] origin_q;  // of the present cluster
    logic [2:0][CDIM_WIDTH-1:0] inner_q;  // position inside it
    logic [2:0] inner_last, origin_last;

    always_comb begin
        for (int a = 0; a < 3; ++a) begin
            inner_last[a] = inner_q[a] + cdim_t'(1) >= cdim_q[a] ||
                            33'(origin_q[a]) + 33'(inner_q[a]) + 33'd1 >= 33'(grid_dim_q[a]);
            origin_last[a] = 33'(origin_q[a]) + 33'(cdim_q[a]) >= 33'(grid_dim_q[a]);
        end
    end

    always_ff @(posedge clk) begin
        if (cta_valid && cta_ready) begin
            if (!inner_last[0]) begin
                inner_q[0] <= inner_q[0] + cdim_t'(1);
            end else begin
                inner_q[0] <= '0;
                if (!inner_last[1]) begin
                    inner_q[1] <= inner_q[1] + cdim_t'(1);
                end else begin
                    inner_q[1] <= '0;
                    if (!inner_last[2]) inner_q[2] <= inner_q[2] + cdim_t'(1);
                    else inner_q[2] <= '0;
                end
            end
            if (&inner_last) begin
                if (!origin_last[0]) begin
                    origin_q[0] <= origin_q[0] + 32'(cdim_q[0]);
                end else begin
                    origin_q[0] <= '0;
                    if (!origin_last[1]) begin
                        origin_q[1] <= origin_q[1] + 32'(cdim_q[1]);
                    end else begin
                        origin_q[1] <= '0;
                        if (!origin_last[2]) origin_q[2] <= origin_q[2] + 32'(cdim_q[2]);
                        else running <= 1'b0;
                    end
                end
            end
        end
        if (start) begin
            running <= !empty;
            origin_q <= '0;
            inner_q <= '0;
            cdim_q <= cluster_dim_eff;
            cluster_size_q <= cluster_dim_eff[0] * cluster_dim_eff[1] * cluster_dim_eff[2];
            stride_q <= aligned(lmem_size_q);
        end
        if (reset) running <= 1'b0;
    end

    // ---------------------------------------------------------------- descriptor

    assign cta_valid = running;

    always_comb begin
        cta = '0;
        if (running) begin
            cta.pc = startup_addr_q[XLEN-1:0];
            cta.entry = kernel_entry_q[XLEN-1:0];
            cta.param = startup_arg_q[XLEN-1:0];
            for (int a = 0; a < 3; ++a) cta.block_idx[a] = origin_q[a] + 32'(inner_q[a]);
            cta.block_dim = block_dim_q;
            cta.grid_dim = grid_dim_q;
            cta.block_size = block_size_q;
            cta.warp_step = warp_step_q;
            cta.lmem_stride = stride_q;
            cta.cluster_size = cluster_size_q;
            cta.first_of_cluster = inner_q == '0;
            cta.last_of_cluster = &inner_last;
        end
    end
endmodule
