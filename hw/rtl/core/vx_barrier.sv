// Barrier unit of one core (reference section 2.7): NUM_WARPS slots of NUM_BARRIERS barriers, each with its own arrival
// count, waiting warps, announced transactions and phase bit.
//
// Contract
// * `ready`, `resume`, `phase` and `released` describe the operation that is offered; it takes effect with `fire`, which may
//   come only while `ready`.
// * `resume`: the warp goes on (always after ARRIVE and EXPECT). `released` contains every warp that this operation lets go, the
//   arriving one included; `let_go` adds, a cycle at a time, the warps that another core's arrival lets go.
// * An arrival at a barrier across cores (bit 31 of the id) is in order with those of all other cores: `gbar_req` asks for its
//   turn, and the unit for all cores says in the turn whether it ends the phase (hw/rtl/vx_global_barrier.sv). A core has arrived
//   when all of its active warps have, so when a warp ends (`warp_ended`) the core asks again for what it holds.
// * State lasts over CTAs and launches; only reset clears it.
module vx_barrier
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire valid,
    input barrier_op_t op,
    input wire fire,
    input wid_t wid,
    input wire [31:0] id,
    input wire [31:0] count,  // participating warps or cores, at least 1; token of WAIT; transactions of EXPECT
    input wire [NUM_WARPS-1:0] active,
    input wire warp_ended,

    output logic ready,
    output logic resume,
    output logic phase,  // before this operation
    output logic [NUM_WARPS-1:0] released,
    output logic [NUM_WARPS-1:0] let_go,

    output gbar_req_t gbar_req,
    input gbar_rsp_t gbar_rsp,
    output logic gbar_arrived,  // this core at gbar_rsp.entry, the operation in turn included
    output logic gbar_fire  // the operation in turn takes effect
);
    typedef logic [BARRIER_WIDTH-1:0] entry_t;
    typedef logic [CORE_COUNT_WIDTH-1:0] cores_t;
    typedef logic [NUM_WARPS-1:0] warps_t;

    warps_t waiting_q[BARRIER_ENTRIES];
    logic [31:0] arrived_q[BARRIER_ENTRIES];  // a warp may arrive any number of times
    logic [30:0] events_q[BARRIER_ENTRIES];
    logic [BARRIER_ENTRIES-1:0] phase_q;
    // Barriers across cores: who has arrived, and how many cores take part.
    warps_t present_q[BARRIER_ENTRIES];
    cores_t cores_q[BARRIER_ENTRIES];
    logic [BARRIER_ENTRIES-1:0] open_q;  // somebody is present
    logic [BARRIER_ENTRIES-1:0] recheck_q;  // ... and a warp has ended since

    // ---------------------------------------------------------------- the operation

    entry_t entry;
    logic across;  // an arrival at a barrier across cores
    logic arrives;
    logic complete;  // the arrival is the last one
    logic ends;  // ... and nothing else is waited for
    logic recheck_fire;
    logic remote_end;  // ended by another core, or by a warp's end on this one

    always_comb begin
        entry = '0;
        across = 1'b0;
        arrives = 1'b0;
        phase = 1'b0;
        complete = 1'b0;
        if (valid) begin
            // {CTA slot, number inside the CTA}; what lies outside wraps.
            entry = entry_t'((32'(id[7:0]) % NUM_WARPS) * NUM_BARRIERS + (32'(id[30:8]) % NUM_BARRIERS));
            arrives = op == BARRIER_SYNC || op == BARRIER_ARRIVE;
            across = arrives && id[31];
            phase = phase_q[entry];
            complete = arrives && (across ? gbar_rsp.complete : arrived_q[entry] == count - 32'd1);
        end
    end

    always_comb begin
        released = '0;
        resume = 1'b1;
        ends = 1'b0;
        ready = 1'b0;
        if (valid) begin
            if (across) ready = gbar_rsp.grant && !gbar_rsp.recheck;
            else ready = !((gbar_rsp.ending || remote_end) && entry == gbar_rsp.entry);
            ends = complete && (across || events_q[entry] == '0);
            if (ends) begin
                released = waiting_q[entry];
                if (op == BARRIER_SYNC) released[wid] = 1'b1;
            end
            if (op == BARRIER_SYNC) resume = ends;
            if (op == BARRIER_WAIT) begin
                resume = count[0] != phase;
                released[wid] = resume;
            end
        end
    end

    // ---------------------------------------------------------------- barriers across cores

    entry_t recheck_entry;
    logic any_recheck;
    warps_t mine;

    vx_priority_encoder #(
        .N(BARRIER_ENTRIES)
    ) recheck_select (
        .bits(recheck_q),
        .valid(any_recheck),
        .index(recheck_entry)
    );

    always_comb begin
        gbar_req = '0;
        if (across) begin
            gbar_req.valid = 1'b1;
            gbar_req.entry = entry;
            gbar_req.cores = (count >= 32'(TOTAL_CORES)) ? cores_t'(TOTAL_CORES) : cores_t'(count);
        end else if (any_recheck) begin
            gbar_req.valid = 1'b1;
            gbar_req.recheck = 1'b1;
            gbar_req.entry = recheck_entry;
            gbar_req.cores = cores_q[recheck_entry];
        end
    end

    assign recheck_fire = gbar_rsp.grant && gbar_rsp.recheck;
    assign gbar_fire = recheck_fire || (fire && across);
    assign remote_end = gbar_rsp.release_phase || (recheck_fire && gbar_rsp.complete);

    always_comb begin
        mine = '0;
        gbar_arrived = 1'b0;
        let_go = '0;
        if (gbar_rsp.turn) begin
            mine = present_q[gbar_rsp.entry];
            if (gbar_rsp.mine && !gbar_rsp.recheck && across) mine[wid] = 1'b1;
            gbar_arrived = mine != '0 && (active & ~mine) == '0 && events_q[gbar_rsp.entry] == '0;
            if (remote_end) let_go = waiting_q[gbar_rsp.entry];
        end
        if (fire) let_go = let_go | released;
    end

    // ---------------------------------------------------------------- state

    always_ff @(posedge clk) begin
        if (fire) begin
            if (arrives) begin
                if (across) begin
                    present_q[entry][wid] <= 1'b1;
                    open_q[entry] <= 1'b1;
                    cores_q[entry] <= gbar_req.cores;
                end else begin
                    arrived_q[entry] <= complete ? '0 : arrived_q[entry] + 32'd1;
                end
                if (op == BARRIER_SYNC) waiting_q[entry][wid] <= 1'b1;
                if (ends) begin
                    waiting_q[entry] <= '0;
                    phase_q[entry] <= !phase_q[entry];
                    if (across) begin
                        present_q[entry] <= '0;
                        open_q[entry] <= 1'b0;
                    end
                end
            end
            if (op == BARRIER_WAIT && !resume) waiting_q[entry][wid] <= 1'b1;
            if (op == BARRIER_EXPECT) events_q[entry] <= events_q[entry] + count[30:0];
        end
        if (remote_end) begin
            waiting_q[gbar_rsp.entry] <= '0;
            phase_q[gbar_rsp.entry] <= !phase_q[gbar_rsp.entry];
            present_q[gbar_rsp.entry] <= '0;
            open_q[gbar_rsp.entry] <= 1'b0;
        end
        if (recheck_fire) recheck_q[gbar_rsp.entry] <= 1'b0;
        if (warp_ended && open_q != '0) recheck_q <= recheck_q | open_q;
        if (reset) begin
            for (int i = 0; i < BARRIER_ENTRIES; ++i) begin
                arrived_q[i] <= '0;
                events_q[i] <= '0;
                waiting_q[i] <= '0;
                present_q[i] <= '0;
            end
            phase_q <= '0;
            open_q <= '0;
            recheck_q <= '0;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && fire) assert (ready) else $error("vx_barrier: an arrival across cores took effect out of turn");
    end
`endif
endmodule
