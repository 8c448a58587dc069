// Barriers across cores (reference section 2.7): one arrival of the whole processor at a time, so that all cores see the ends
// of phases in the same order.
//
//   choose a request ─▶ ask every core whether it has arrived there ─▶ let the request take effect ─▶ release the others
//
// Contract
// * `req` holds until its core's `fire`, which ends the turn; `rsp.grant` stays up until then.
// * A phase ends when as many cores have arrived as the request says. The core in turn is told so by `complete`, the others that
//   have arrived by `release_phase` in the cycle after its `fire`; from the turn on they hold back what they want to do with
//   that barrier (`ending`), so nobody sees one half of the cores released. A core that has not arrived does not take part.
// * `rsp` comes from registers.
module vx_global_barrier
    import vx_pkg::*;
(
    input wire clk,
    input wire reset,

    input gbar_req_t req[TOTAL_CORES],
    output gbar_rsp_t rsp[TOTAL_CORES],
    input wire [TOTAL_CORES-1:0] arrived,  // at rsp.entry; depends on rsp.entry, mine and recheck only
    input wire [TOTAL_CORES-1:0] fire
);
    localparam int CORE_WIDTH = TOTAL_CORES > 1 ? $clog2(TOTAL_CORES) : 1;
    typedef logic [CORE_WIDTH-1:0] core_t;
    typedef logic [CORE_COUNT_WIDTH-1:0] count_t;

    typedef enum logic [1:0] {
        IDLE,
        ASK,
        TURN,
        RELEASE
    } state_t;

    state_t state_q;
    core_t core_q;
    /* verilator lint_off UNUSEDSIGNAL */  // `valid` has been seen
    gbar_req_t req_q;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [TOTAL_CORES-1:0] arrived_q;
    logic complete_q;

    logic [TOTAL_CORES-1:0] wanted;
    logic any;
    core_t chosen;
    count_t number;

    always_comb for (int c = 0; c < TOTAL_CORES; ++c) wanted[c] = req[c].valid;

    vx_rr_arbiter #(
        .N(TOTAL_CORES)
    ) arbiter (
        .clk,
        .reset,
        .request(wanted),
        .advance(state_q == IDLE),
        .valid(any),
        .index(chosen)
    );

    always_comb begin
        number = '0;
        if (state_q == ASK) for (int c = 0; c < TOTAL_CORES; ++c) number = number + count_t'(arrived[c]);
    end

    always_ff @(posedge clk) begin
        unique case (state_q)
            IDLE:
            if (any) begin
                state_q <= ASK;
                core_q <= chosen;
                req_q <= req[chosen];
            end
            ASK: begin
                state_q <= TURN;
                arrived_q <= arrived;
                complete_q <= number >= req_q.cores;
            end
            TURN: if (fire[core_q]) state_q <= complete_q ? RELEASE : IDLE;
            default: state_q <= IDLE;
        endcase
        if (reset) state_q <= IDLE;
    end

    always_comb begin
        for (int c = 0; c < TOTAL_CORES; ++c) begin
            rsp[c] = '0;
            if (state_q != IDLE) begin
                rsp[c].turn = 1'b1;
                rsp[c].entry = req_q.entry;
                rsp[c].mine = core_q == core_t'(c);
                rsp[c].recheck = req_q.recheck;
                rsp[c].grant = state_q == TURN && core_q == core_t'(c);
                rsp[c].complete = rsp[c].grant && complete_q && arrived_q[c];
                rsp[c].ending = (state_q == TURN || state_q == RELEASE) && !rsp[c].mine && complete_q && arrived_q[c];
                rsp[c].release_phase = state_q == RELEASE && rsp[c].ending;
            end
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && (state_q == ASK || state_q == TURN))
            assert (req[core_q].valid || req_q.recheck)
            else $error("vx_global_barrier: core %0d withdrew its arrival", core_q);
    end
`endif
endmodule
