// Issue: picks one ready warp per cycle (round robin), reads its operands and hands the instruction to its unit.
//
// Contract
// * In order per warp: only buffer heads issue. A unit that is not ready, or a busy register, holds its warps only.
// * `exec` is meaningful in the cycle in which a bit of `exec_valid` is set; the unit takes it then (it said it was ready).
// * No instruction of `stop_wid` issues in the cycle in which that warp is stopped, or later.
// * The uid counts up by one per warp from 0 after reset.
module vx_issue
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire [NUM_WARPS-1:0] ready,  // of the scoreboard
    input wire stop_valid,
    input wid_t stop_wid,

    output logic issue_valid,
    output wid_t issue_wid,
    /* verilator lint_off UNUSEDSIGNAL */  // the instruction word is for the trace
    input ibuf_entry_t entry,
    /* verilator lint_on UNUSEDSIGNAL */
    input tmask_t tmask[NUM_WARPS],

    output logic read_valid,
    output reg_t read_rs1,
    output reg_t read_rs2,
    output logic read_third,  // rs3 is wanted
    output reg_t read_rs3,
    input lanes_t read_data1,
    input lanes_t read_data2,
    input lanes_t read_data3,

    output logic [NUM_UNITS-1:0] exec_valid,
    output exec_t exec,

    output uid_t next_uid[NUM_WARPS]
);
    wid_t last_q;
    uid_t uid_q[NUM_WARPS];
    logic [NUM_WARPS-1:0] candidates;

    assign next_uid = uid_q;

    always_comb begin
        candidates = ready;
        if (stop_valid) candidates[stop_wid] = 1'b0;
        issue_valid = candidates != '0;
        issue_wid = next_warp(candidates, last_q);
    end

    assign read_valid = issue_valid;
    assign read_rs1 = entry.dec.rs1;
    assign read_rs2 = entry.dec.rs2;
    assign read_third = issue_valid && entry.dec.use_rs3;
    assign read_rs3 = entry.dec.rs3;

    always_comb begin
        exec_valid = '0;
        exec = '0;
        if (issue_valid) begin
            exec_valid[entry.dec.unit] = 1'b1;
            exec.wid = issue_wid;
            exec.uid = uid_q[issue_wid];
            exec.pc = entry.pc;
            exec.tmask = tmask[issue_wid];
            exec.dec = entry.dec;
            exec.rs1 = read_data1;
            exec.rs2 = read_data2;
            exec.rs3 = read_data3;
        end
    end

    always_ff @(posedge clk) begin
        if (issue_valid) begin
            last_q <= issue_wid;
            uid_q[issue_wid] <= uid_q[issue_wid] + uid_t'(1);
        end
        if (reset) begin
            last_q <= '0;
            for (int w = 0; w < NUM_WARPS; ++w) uid_q[w] <= '0;
        end
    end
endmodule
