// Barriers of the core: one entry for each block slot and number.
//
// Contract: `phase`, `completes` and `released` belong to an arrival of `wid`; `arrive` makes it happen.
module serial_barriers
    import serial_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire arrive,
    input wid_t wid,
    input wire [30:0] id,
    input word_t count,
    output logic phase,
    output logic completes,
    output logic [WARPS-1:0] released
);
    localparam int ENTRIES = WARPS * BARRIERS;
    logic [WARPS-1:0] arrived_q[ENTRIES];
    word_t count_q[ENTRIES];
    logic [ENTRIES-1:0] phase_q;
    int entry;

    always_comb begin
        entry = int'(id[7:0]) % WARPS * BARRIERS + int'(id[30:8]) % BARRIERS;
        phase = phase_q[entry];
        completes = count_q[entry] + 1 == count;
        released = completes ? arrived_q[entry] | WARPS'(1 << wid) : '0;
    end

    always_ff @(posedge clk) begin
        if (arrive) begin
            count_q[entry] <= completes ? 0 : count_q[entry] + 1;
            arrived_q[entry] <= completes ? '0 : arrived_q[entry] | WARPS'(1 << wid);
            if (completes) phase_q[entry] <= !phase;
        end
        if (reset) begin
            phase_q <= '0;
            for (int i = 0; i < ENTRIES; ++i) begin
                count_q[i] <= 0;
                arrived_q[i] <= '0;
            end
        end
    end
endmodule
