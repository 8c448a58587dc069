// Judges the launch registers and derives BLOCK_SIZE and WARP_STEP (docs/reference/vortex.md section 8.3).
//
// Contract: `start` with stable `regs`; `done` for one cycle, then `refused` says that no core may see this launch, and
// otherwise `block_size` and `warp_step` are right. Products are exact: a factor that alone is too large refuses, so what is
// multiplied is small.
module vx_launch_check
    import vx_pkg::*;
    import vx_pcie_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire start,
    /* verilator lint_off UNUSEDSIGNAL */  // watchdog and release are nothing to judge
    input launch_regs_t regs,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic done,
    output logic refused,
    output logic [31:0] block_size,
    output logic [2:0][31:0] warp_step
);
    localparam int DIM_WIDTH = $clog2(CORE_THREADS + 1);
    localparam int CLUSTER_WIDTH = $clog2(NUM_WARPS + 1);

    // ---------------------------------------------------------------- at once

    logic [63:0] kernel;
    /* verilator lint_off UNUSEDSIGNAL */  // only alignment and width count
    logic [63:0] startup;
    /* verilator lint_on UNUSEDSIGNAL */
    assign kernel = {1'b0, regs.kernel[62:0]};
    assign startup = regs.startup == '0 ? kernel : regs.startup;

    logic zero, block_wide, cluster_wide, too_wide, misaligned;
    logic [2:0][31:0] cluster;
    always_comb begin
        zero = 1'b0;
        block_wide = 1'b0;
        cluster_wide = 1'b0;
        for (int a = 0; a < 3; ++a) begin
            cluster[a] = regs.cluster[a] == '0 ? 32'd1 : regs.cluster[a];
            if (regs.grid[a] == '0 || regs.block[a] == '0) zero = 1'b1;
            if (regs.block[a] > 32'(CORE_THREADS)) block_wide = 1'b1;
            if (cluster[a] > 32'(NUM_WARPS)) cluster_wide = 1'b1;
        end
        misaligned = kernel[1:0] != '0 || startup[1:0] != '0 || regs.args[1:0] != '0;
    end
    if (XLEN < 64) begin : g_narrow
        assign too_wide = kernel[63:XLEN] != '0 || startup[63:XLEN] != '0 || regs.args[63:XLEN] != '0;
    end else begin : g_wide
        assign too_wide = 1'b0;
    end

    logic [3*DIM_WIDTH-1:0] threads;
    logic [3*CLUSTER_WIDTH-1:0] ctas;
    logic [LMEM_LOG_SIZE+1:0] stride;
    logic [3*CLUSTER_WIDTH+LMEM_LOG_SIZE+1:0] lmem;
    logic lmem_large, cluster_large;
    always_comb begin
        threads = (3 * DIM_WIDTH)'(DIM_WIDTH'(regs.block[0])) * (3 * DIM_WIDTH)'(DIM_WIDTH'(regs.block[1])) *
            (3 * DIM_WIDTH)'(DIM_WIDTH'(regs.block[2]));
        ctas = (3 * CLUSTER_WIDTH)'(CLUSTER_WIDTH'(cluster[0])) * (3 * CLUSTER_WIDTH)'(CLUSTER_WIDTH'(cluster[1])) *
            (3 * CLUSTER_WIDTH)'(CLUSTER_WIDTH'(cluster[2]));
        stride = {(LMEM_LOG_SIZE - 4)'((33'(regs.lmem) + 33'd63) >> 6), 6'd0};
        lmem = (3 * CLUSTER_WIDTH + LMEM_LOG_SIZE + 2)'(ctas) * (3 * CLUSTER_WIDTH + LMEM_LOG_SIZE + 2)'(stride);
        lmem_large = regs.lmem > 32'(LMEM_SIZE);
        // One CTA always has room; more have it while there are slots and local memory for all of them.
        cluster_large = cluster_wide || 32'(ctas) > 32'(NUM_WARPS) || (ctas > 1 && 64'(lmem) > 64'(LMEM_SIZE));
    end

    logic plain_refused;
    assign plain_refused = zero || block_wide || 64'(threads) > 64'(CORE_THREADS) || misaligned || too_wide ||
        lmem_large || cluster_large;

    // ---------------------------------------------------------------- divisions: grid by cluster, lanes by block

    typedef enum logic [1:0] {
        IDLE,
        DIVIDE,
        WAIT
    } state_t;
    state_t state_q;
    logic [2:0] step_q;  // 0 to 2 grid / cluster, 3 to 5 lanes / block
    logic [31:0] lanes_q;
    logic divider_busy;
    logic [31:0] dividend, divisor, quotient, remainder;
    logic [1:0] axis;
    assign axis = step_q < 3'd3 ? 2'(step_q) : 2'(step_q - 3'd3);
    assign dividend = step_q < 3'd3 ? regs.grid[axis] : lanes_q;
    assign divisor = step_q < 3'd3 ? cluster[axis] : regs.block[axis];

    vx_serial_divider #(
        .WIDTH(32)
    ) divider (
        .clk,
        .reset,
        .start(state_q == DIVIDE),
        .dividend,
        .divisor,
        .busy(divider_busy),
        .quotient,
        .remainder
    );

    always_ff @(posedge clk) begin
        done <= 1'b0;
        case (state_q)
            IDLE: begin
                step_q <= '0;
                lanes_q <= 32'(NUM_THREADS);
                if (start) begin
                    refused <= plain_refused;
                    block_size <= 32'(threads);
                    state_q <= plain_refused ? IDLE : DIVIDE;
                    done <= plain_refused;
                end
            end
            DIVIDE: state_q <= WAIT;
            default: begin
                if (!divider_busy) begin
                    if (step_q < 3'd3) begin
                        if (remainder != '0) refused <= 1'b1;
                    end else begin
                        warp_step[axis] <= remainder;
                        lanes_q <= quotient;
                    end
                    step_q <= step_q + 3'd1;
                    state_q <= step_q == 3'd5 ? IDLE : DIVIDE;
                    done <= step_q == 3'd5;
                end
            end
        endcase
        if (reset) begin
            state_q <= IDLE;
            done <= 1'b0;
        end
    end
endmodule
