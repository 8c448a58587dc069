// Barrier unit of one core (reference section 2.7): NUM_WARPS slots of NUM_BARRIERS barriers, each with its own arrival
// count, waiting warps and phase bit. Synchronous arrivals (BAR) only.
//
// Contract
// * `complete`, `phase` and `released` describe the arrival that is offered; it takes effect with `arrive`.
// * `released` contains the arriving warp and everybody who waited if the arrival completes the phase, else nothing.
// * State lasts over CTAs and launches; only reset clears it.
module vx_barrier
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire valid,
    input wire arrive,
    input wid_t wid,
    input wire [30:0] id,
    input wire [31:0] count,  // participating warps, at least 1
    output logic complete,
    output logic phase,  // before this arrival
    output logic [NUM_WARPS-1:0] released
);
    localparam int ENTRIES = NUM_WARPS * NUM_BARRIERS;
    localparam int ENTRY_WIDTH = (ENTRIES > 1) ? $clog2(ENTRIES) : 1;
    localparam int COUNT_WIDTH = NW_WIDTH + 1;
    typedef logic [COUNT_WIDTH-1:0] count_t;

    logic [NUM_WARPS-1:0] waiting_q[ENTRIES];
    count_t arrived_q[ENTRIES];
    logic [ENTRIES-1:0] phase_q;
    logic [ENTRY_WIDTH-1:0] entry;

    // {CTA slot, number inside the CTA}; what lies outside wraps.
    always_comb begin
        entry = '0;
        complete = 1'b0;
        phase = 1'b0;
        released = '0;
        if (valid) begin
            entry = ENTRY_WIDTH'((32'(id[7:0]) % NUM_WARPS) * NUM_BARRIERS + (32'(id[30:8]) % NUM_BARRIERS));
            phase = phase_q[entry];
            complete = 32'(arrived_q[entry]) == count - 32'd1;
            if (complete) begin
                released = waiting_q[entry];
                released[wid] = 1'b1;
            end
        end
    end

    always_ff @(posedge clk) begin
        if (arrive) begin
            if (complete) begin
                arrived_q[entry] <= '0;
                waiting_q[entry] <= '0;
                phase_q[entry] <= !phase_q[entry];
            end else begin
                arrived_q[entry] <= arrived_q[entry] + count_t'(1);
                waiting_q[entry][wid] <= 1'b1;
            end
        end
        if (reset) begin
            for (int i = 0; i < ENTRIES; ++i) begin
                arrived_q[i] <= '0;
                waiting_q[i] <= '0;
            end
            phase_q <= '0;
        end
    end
endmodule
