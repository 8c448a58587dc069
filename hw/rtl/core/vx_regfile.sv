// Register files of all warps: one word of all lanes per warp and register. Three read ports, one write port.
//
// Contract
// * Reads are combinational; the scoreboard keeps a register from being read on the edge on which it is written.
// * Integer register 0 reads zero (and is never written: `use_rd` is low for it).
// * Contents survive everything, reset included: what was never written is undefined.
module vx_regfile
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,

    input wire read_valid,
    input wid_t read_wid,
    input reg_t read_rs1,
    input reg_t read_rs2,
    output lanes_t read_data1,
    output lanes_t read_data2,
    input wire read_third,  // few instructions have a third operand
    input reg_t read_rs3,
    output lanes_t read_data3,

    input wire write_valid,
    input wid_t write_wid,
    input reg_t write_rd,
    input tmask_t write_mask,
    input lanes_t write_data
);
    localparam int NUM_REGS = 32;

    lanes_t int_q[NUM_WARPS * NUM_REGS];

    lanes_t float_data1, float_data2, float_data3;

    function automatic int unsigned index(input wid_t wid, input logic [4:0] number);
        return 32'(wid) * NUM_REGS + 32'(number);
    endfunction

    always_comb begin
        read_data1 = '0;
        read_data2 = '0;
        read_data3 = '0;
        if (read_third) begin
            if (read_rs3[5]) read_data3 = float_data3;
            else if (read_rs3 != '0) read_data3 = int_q[index(read_wid, read_rs3[4:0])];
        end
        if (read_valid) begin
            if (read_rs1[5]) read_data1 = float_data1;
            else if (read_rs1 != '0) read_data1 = int_q[index(read_wid, read_rs1[4:0])];
            if (read_rs2[5]) read_data2 = float_data2;
            else if (read_rs2 != '0) read_data2 = int_q[index(read_wid, read_rs2[4:0])];
        end
    end

    always_ff @(posedge clk) begin
        if (write_valid && !write_rd[5]) begin
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (write_mask[i]) int_q[index(write_wid, write_rd[4:0])][i] <= write_data[i];
            end
        end
    end

    // The float file exists only with EXT_F. Its registers are FLEN wide and travel in the low bits of a lane.
    if (EXT_F) begin : g_float
        logic [NUM_THREADS-1:0][FLEN-1:0] float_q[NUM_WARPS * NUM_REGS];

        function automatic lanes_t extended(input logic [NUM_THREADS-1:0][FLEN-1:0] values);
            for (int i = 0; i < NUM_THREADS; ++i) extended[i] = XLEN'(values[i]);
        endfunction

        if (FLEN > XLEN) begin : g_check
            $error("vx_regfile: FLEN = %0d is wider than a lane of XLEN = %0d", FLEN, XLEN);
        end

        always_comb begin
            float_data1 = '0;
            float_data2 = '0;
            float_data3 = '0;
            if (read_valid && read_rs1[5]) float_data1 = extended(float_q[index(read_wid, read_rs1[4:0])]);
            if (read_valid && read_rs2[5]) float_data2 = extended(float_q[index(read_wid, read_rs2[4:0])]);
            if (read_third && read_rs3[5]) float_data3 = extended(float_q[index(read_wid, read_rs3[4:0])]);
        end

        always_ff @(posedge clk) begin
            if (write_valid && write_rd[5]) begin
                for (int i = 0; i < NUM_THREADS; ++i) begin
                    if (write_mask[i]) float_q[index(write_wid, write_rd[4:0])][i] <= write_data[i][FLEN-1:0];
                end
            end
        end
    end else begin : g_no_float
        assign float_data1 = '0;
        assign float_data2 = '0;
        assign float_data3 = '0;
    end
endmodule
