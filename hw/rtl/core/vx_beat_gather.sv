// Puts the results of an instruction's beats together (vx_core_pkg says what a beat is).
//
// Contract
// * The unit's results come in the order of issue, and those of one instruction in ascending order of its beats; which
//   beat it is follows from `info`. All but the last one are taken at once and kept. The last one is passed on with
//   those, in the same cycle, and is held by the unit until the whole is taken. With one beat this module is wires.
// * `whole` is meaningful in lanes whose beat has been executed, so in all active ones if the register is written.
// * LAST_IF_UNWRITTEN as in vx_beat_split; LANE_BITS is what a lane gives (data, and flags if there are any).
module vx_beat_gather
    import vx_pkg::*;
    import vx_core_pkg::exec_info_t, vx_core_pkg::beats_t, vx_core_pkg::beats_of;
#(
    parameter bit LAST_IF_UNWRITTEN = 0,
    parameter int LANE_BITS = 32
) (
    input wire clk,
    input wire reset,

    input wire part_valid,
    output logic part_ready,
    /* verilator lint_off UNUSEDSIGNAL */  // only masks matter
    input exec_info_t info,
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [SIMD_WIDTH-1:0][LANE_BITS-1:0] part,

    output logic whole_valid,
    input wire whole_ready,
    output logic [NUM_THREADS-1:0][LANE_BITS-1:0] whole
);
    if (BEATS == 1) begin : g_whole
        assign whole_valid = part_valid;
        assign part_ready = whole_ready;
        assign whole = part;

        logic unused;
        assign unused = &{1'b0, clk, reset, LAST_IF_UNWRITTEN};
    end else begin : g_beats
        beats_t done_q;  // beats of the instruction that have come
        logic [NUM_THREADS-1:0][LANE_BITS-1:0] kept_q;
        beats_t todo, now;
        logic last;

        always_comb begin
            todo = '0;
            if (part_valid) todo = beats_of(info.tmask, LAST_IF_UNWRITTEN && !info.use_rd) & ~done_q;
            now = todo & (~todo + beats_t'(1));
            last = todo == now;
        end

        assign whole_valid = part_valid && last;
        assign part_ready = last ? whole_ready : 1'b1;

        always_comb begin
            whole = '0;
            if (whole_valid) begin
                whole = kept_q;
                for (int b = 0; b < BEATS; ++b) if (now[b]) whole[b*SIMD_WIDTH+:SIMD_WIDTH] = part;
            end
        end

        always_ff @(posedge clk) begin
            if (part_valid && !last) begin
                done_q <= done_q | now;
                for (int b = 0; b < BEATS; ++b) if (now[b]) kept_q[b*SIMD_WIDTH+:SIMD_WIDTH] <= part;
            end
            if (whole_valid && whole_ready) done_q <= '0;
            if (reset) done_q <= '0;
        end

`ifndef SYNTHESIS
        always_ff @(posedge clk) begin
            if (!reset && part_valid) assert (todo != '0) else $error("vx_beat_gather: more beats than the instruction has");
        end
`endif
    end
endmodule
