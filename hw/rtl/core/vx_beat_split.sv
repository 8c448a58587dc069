// Makes beats of an instruction for a unit with SIMD_WIDTH lanes (vx_core_pkg says what a beat is).
//
//   exec ──┬──────────────▶ mux ─▶ slice ─▶ beat       first beat: in the cycle of issue
//          └─▶ register ──▶  ▲                         the others: one whenever the unit is ready
//                            └── beats still to come
//
// Contract
// * As at issue, a valid beat comes only while the unit is ready, and is taken then.
// * The first beat goes to the unit in the cycle in which the instruction comes; until the unit has taken the last one no
//   other instruction is accepted. With one beat this module is wires.
// * With LAST_IF_UNWRITTEN an instruction that writes no register is its last beat alone: that of the highest active
//   lane, which decides branches. vx_beat_gather of the same unit must have the same parameter.
module vx_beat_split
    import vx_pkg::*;
    import vx_core_pkg::*;
#(
    parameter bit LAST_IF_UNWRITTEN = 0
) (
    input wire clk,
    input wire reset,

    input wire exec_valid,
    output logic exec_ready,
    input exec_t exec,

    output logic beat_valid,
    input wire beat_ready,
    output beat_t beat
);
    if (BEATS == 1) begin : g_whole
        assign beat_valid = exec_valid;
        assign exec_ready = beat_ready;
        assign beat = exec;

        logic unused;
        assign unused = &{1'b0, clk, reset, LAST_IF_UNWRITTEN};
    end else begin : g_beats
        beats_t waiting_q;  // beats of `x_q` that the unit has not taken
        exec_t x_q;
        exec_t source;
        beats_t todo, next;

        always_comb begin
            todo = waiting_q;
            if (waiting_q == '0 && exec_valid)
                todo = beats_of(exec.tmask, LAST_IF_UNWRITTEN && !exec.dec.use_rd);
            next = todo & (~todo + beats_t'(1));
        end

        assign exec_ready = waiting_q == '0 && beat_ready;
        assign beat_valid = todo != '0 && beat_ready;

        always_ff @(posedge clk) begin
            if (exec_valid) x_q <= exec;
            if (beat_valid) waiting_q <= todo & ~next;
            if (reset) waiting_q <= '0;
        end

        always_comb begin
            source = '0;
            beat = '0;
            if (beat_valid) begin
                source = (waiting_q == '0) ? exec : x_q;
                beat.wid = source.wid;
                beat.uid = source.uid;
                beat.pc = source.pc;
                beat.tmask = source.tmask;
                beat.dec = source.dec;
                for (int b = 0; b < BEATS; ++b) begin
                    if (next[b]) begin
                        beat.rs1 = source.rs1[b*SIMD_WIDTH+:SIMD_WIDTH];
                        beat.rs2 = source.rs2[b*SIMD_WIDTH+:SIMD_WIDTH];
                        beat.rs3 = source.rs3[b*SIMD_WIDTH+:SIMD_WIDTH];
                    end
                end
            end
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && exec_valid) begin
            assert (exec_ready) else $error("vx_beat_split: an instruction comes while beats of another one wait");
            assert (exec.tmask != '0) else $error("vx_beat_split: an instruction without an active lane");
        end
    end
`endif
endmodule
