// DCR bus of the whole processor (reference sections 4.1 and 4.2): decodes requests, answers reads one after the other.
//
// Contract
// * A request is always accepted. Writes go to the KMU in the same cycle (`kmu_write`), to REWIND here; REWIND takes only
//   12, 16 and 20 and is 20 after reset. Other writes are ignored.
// * Every read has exactly one response pulse, in order: CACHE_FLUSH (0) after `flush_done` of the addressed core, MPM_VALUE
//   the counter half, REWIND its value, any other register and any core that does not exist 0. Up to four reads may wait.
// * `busy` is high from the cycle after a read until its response.
module vx_dcr
    import vx_pkg::*;
#(
    parameter int CORES = 1,
    localparam int CORE_WIDTH = CORES > 1 ? $clog2(CORES) : 1
) (
    input wire clk,
    input wire reset,

    input wire req_valid,
    input wire req_rw,
    input wire [11:0] req_addr,
    input wire [31:0] req_data,
    output logic rsp_valid,
    output logic [31:0] rsp_data,

    output logic kmu_write,
    output logic [4:0] rewind,

    output logic [CORES-1:0] flush_valid,
    input wire [CORES-1:0] flush_done,

    output logic [CORE_WIDTH-1:0] mpm_core,
    output logic [5:0] mpm_index,
    output logic [7:0] mpm_class,
    input wire [31:0] mpm_value,

    output logic busy
);
    assign kmu_write = req_valid && req_rw && req_addr >= DCR_KMU_BASE && req_addr < DCR_KMU_END;

    always_ff @(posedge clk) begin
        if (req_valid && req_rw && req_addr == DCR_REWIND &&
            (req_data == 32'd12 || req_data == 32'd16 || req_data == 32'd20))
            rewind <= req_data[4:0];
        if (reset) rewind <= 5'd20;
    end

    // ---------------------------------------------------------------- reads

    logic queue_ready, read_valid, read_done;
    logic [11:0] read_addr;
    /* verilator lint_off UNUSEDSIGNAL */  // tag bits above the class
    logic [31:0] read_tag;
    /* verilator lint_on UNUSEDSIGNAL */

    vx_fifo #(
        .WIDTH(12 + 32),
        .DEPTH(4)
    ) queue (
        .clk,
        .reset,
        .in_valid(req_valid && !req_rw && queue_ready),
        .in_ready(queue_ready),
        .in_data({req_addr, req_data}),
        .out_valid(read_valid),
        .out_ready(read_done),
        .out_data({read_addr, read_tag})
    );

    logic core_exists;
    logic [CORE_WIDTH-1:0] core;
    assign core_exists = 32'(read_tag[15:0]) < 32'(CORES);
    assign core = core_exists ? CORE_WIDTH'(read_tag[15:0]) : '0;

    assign mpm_core = core;
    assign mpm_index = read_tag[21:16];
    assign mpm_class = read_tag[29:22];

    logic is_flush;
    assign is_flush = read_valid && read_addr == DCR_CACHE_FLUSH && core_exists;
    assign read_done = read_valid && (!is_flush || flush_done[core]);

    always_comb begin
        flush_valid = '0;
        flush_valid[core] = is_flush;
    end

    always_ff @(posedge clk) begin
        rsp_valid <= read_done;
        rsp_data <= '0;
        if (read_done) begin
            if (read_addr == DCR_MPM_VALUE && core_exists) rsp_data <= mpm_value;
            if (read_addr == DCR_REWIND) rsp_data <= 32'(rewind);
        end
        if (reset) rsp_valid <= 1'b0;
    end

    assign busy = read_valid || rsp_valid;

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && req_valid && !req_rw)
            assert (queue_ready) else $error("vx_dcr: more than four reads are waiting, this one gets no response");
    end
`endif
endmodule
