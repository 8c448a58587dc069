// Register scoreboard: says which warps' next instruction has its operands and its destination free.
//
// Contract
// * Issue reserves rd, the instruction's commit releases it; a register has at most one writer in flight.
// * An instruction with `drain` is alone of its warp in flight: nothing older when it issues, nothing younger until its
//   commit.
// * An instruction with `alone` issues only when no other warp is active.
// * `in_flight` counts issued and uncommitted instructions of a warp, those without a destination included.
module vx_scoreboard
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire [NUM_WARPS-1:0] head_valid,
    input hazard_t head[NUM_WARPS],
    input wire [NUM_UNITS-1:0] unit_ready,
    output logic [NUM_WARPS-1:0] ready,
    output logic [NUM_WARPS-1:0] free_of_hazards,  // ready but for its unit
    output logic [NUM_WARPS-1:0] idle,  // nothing in flight
    input wire [NUM_WARPS-1:0] active,

    input wire issue_valid,
    input wid_t issue_wid,
    input wire issue_drain,
    input wire issue_use_rd,
    input reg_t issue_rd,

    input wire commit_valid,
    input wid_t commit_wid,
    input wire commit_use_rd,
    input reg_t commit_rd,

    input wid_t query_wid,  // how many instructions has this warp in flight
    output inflight_t query_in_flight
);
    localparam int NUM_REGS = 2 ** REG_WIDTH;

    logic [NUM_REGS-1:0] pending_q[NUM_WARPS];
    inflight_t in_flight_q[NUM_WARPS];
    logic [NUM_WARPS-1:0] idle_q;
    logic [NUM_WARPS-1:0] alone_q;  // what is in flight must be alone

    assign idle = idle_q;
    assign query_in_flight = in_flight_q[query_wid];

    always_comb begin
        ready = '0;
        free_of_hazards = '0;
        for (int w = 0; w < NUM_WARPS; ++w) begin
            if (head_valid[w] && !alone_q[w]) begin
                free_of_hazards[w] = !(head[w].use_rs1 && pending_q[w][head[w].rs1]) &&
                           !(head[w].use_rs2 && pending_q[w][head[w].rs2]) &&
                           !(head[w].use_rs3 && pending_q[w][head[w].rs3]) &&
                           !(head[w].use_rd && pending_q[w][head[w].rd]) && !(head[w].drain && !idle_q[w]) &&
                           !(head[w].alone && active != NUM_WARPS'(1) << w);
                ready[w] = free_of_hazards[w] && unit_ready[head[w].unit];
            end
        end
    end

    always_ff @(posedge clk) begin
        if (commit_valid && commit_use_rd) pending_q[commit_wid][commit_rd] <= 1'b0;
        if (issue_valid && issue_use_rd) pending_q[issue_wid][issue_rd] <= 1'b1;
        if (commit_valid) alone_q[commit_wid] <= 1'b0;
        if (issue_valid) alone_q[issue_wid] <= issue_drain;

        if (issue_valid && commit_valid && issue_wid == commit_wid) begin
            // one in, one out
        end else begin
            if (issue_valid) begin
                in_flight_q[issue_wid] <= in_flight_q[issue_wid] + inflight_t'(1);
                idle_q[issue_wid] <= 1'b0;
            end
            if (commit_valid) begin
                in_flight_q[commit_wid] <= in_flight_q[commit_wid] - inflight_t'(1);
                idle_q[commit_wid] <= in_flight_q[commit_wid] == inflight_t'(1);
            end
        end

        if (reset) begin
            for (int w = 0; w < NUM_WARPS; ++w) begin
                pending_q[w] <= '0;
                in_flight_q[w] <= '0;
            end
            idle_q <= '1;
            alone_q <= '0;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && issue_valid) begin
            assert (!issue_use_rd || !pending_q[issue_wid][issue_rd])
            else $error("vx_scoreboard: warp %0d: register %0d reserved twice", issue_wid, issue_rd);
            assert (in_flight_q[issue_wid] != '1)
            else $error("vx_scoreboard: warp %0d: too many instructions in flight", issue_wid);
        end
        if (!reset && commit_valid) begin
            assert (in_flight_q[commit_wid] != '0)
            else $error("vx_scoreboard: warp %0d: commit without issue", commit_wid);
            assert (!commit_use_rd || pending_q[commit_wid][commit_rd])
            else $error("vx_scoreboard: warp %0d: register %0d committed but not reserved", commit_wid, commit_rd);
        end
        for (int w = 0; w < NUM_WARPS; ++w) begin
            if (!reset && idle_q[w])
                assert (pending_q[w] == '0) else $error("vx_scoreboard: warp %0d is idle but holds registers", w);
        end
    end
`endif
endmodule
