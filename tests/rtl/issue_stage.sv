// Instruction buffers, scoreboard and issue as vx_core connects them; a bench plays decode, units and commit.
module issue_stage
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire reserve_valid,
    input wid_t reserve_wid,
    input wire drop_valid,
    input wid_t drop_wid,
    output logic [NUM_WARPS-1:0] room,
    output logic [NUM_WARPS-1:0] quiet,
    output logic [NUM_WARPS-1:0] idle,
    input wire push_valid,
    input wid_t push_wid,
    input ibuf_entry_t push_entry,

    input wire stop_valid,
    input wire commit_valid,
    input wid_t commit_wid,
    input wire commit_use_rd,
    input reg_t commit_rd,

    input wire [NUM_WARPS-1:0] active,
    input wire [NUM_UNITS-1:0] unit_ready,
    output logic issue_valid,
    output wid_t issue_wid,
    output logic [NUM_UNITS-1:0] exec_valid,
    output exec_t exec
);
    logic [NUM_WARPS-1:0] head_valid, ready;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [NUM_WARPS-1:0] free_of_hazards;
    /* verilator lint_on UNUSEDSIGNAL */
    hazard_t head[NUM_WARPS];
    ibuf_entry_t entry;
    tmask_t tmask[NUM_WARPS];
    /* verilator lint_off UNUSEDSIGNAL */
    uid_t next_uid[NUM_WARPS];
    logic read_valid;
    logic read_third;
    reg_t read_rs1, read_rs2, read_rs3;
    inflight_t query_in_flight;
    /* verilator lint_on UNUSEDSIGNAL */

    always_comb for (int w = 0; w < NUM_WARPS; ++w) tmask[w] = '1;

    vx_ibuffer ibuffer (
        .flush_valid(stop_valid),
        .flush_wid(commit_wid),
        .pop_valid(issue_valid),
        .read_wid(issue_wid),
        .read_entry(entry),
        .*
    );

    vx_scoreboard scoreboard (
        .issue_drain(entry.dec.drain),
        .issue_use_rd(entry.dec.use_rd),
        .issue_rd(entry.dec.rd),
        .query_wid('0),
        .*
    );

    vx_issue issue (
        .stop_wid(commit_wid),
        .read_data1('0),
        .read_data2('0),
        .read_data3('0),
        .*
    );
endmodule
