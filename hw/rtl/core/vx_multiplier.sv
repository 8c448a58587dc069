// Multiplier (MUL, MULH, MULHSU, MULHU and MULW): three pipeline registers, one beat of SIMD_WIDTH lanes per cycle.
//
// Contract: results leave in issue order and are held until taken; bubbles collapse.
module vx_multiplier
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire exec_valid,
    output logic exec_ready,
    input exec_t exec,

    output logic commit_valid,
    input wire commit_ready,
    output commit_t commit
);
    typedef logic [2*XLEN-1:0] product_t;

    logic beat_valid, beat_ready, part_ready;
    beat_t beat;

    vx_beat_split split (
        .clk,
        .reset,
        .exec_valid,
        .exec_ready,
        .exec,
        .beat_valid,
        .beat_ready,
        .beat
    );

    // Operand register -> product register -> result register.
    typedef struct packed {
        exec_info_t info;
        logic high;
        logic is_word;
    } info_t;

    logic valid1_q, valid2_q, valid3_q;
    logic ready1, ready2, ready3;
    info_t info1_q, info2_q;
    exec_info_t info3_q;
    slice_t a_q, b_q;
    logic a_signed_q, b_signed_q;
    logic [SIMD_WIDTH-1:0][2*XLEN-1:0] product_q;
    slice_t result_q;

    assign ready3 = !valid3_q || part_ready;
    assign ready2 = !valid2_q || ready3;
    assign ready1 = !valid1_q || ready2;
    assign beat_ready = ready1;

    function automatic product_t extend(input word_t value, input logic is_signed);
        return {{XLEN{is_signed && value[XLEN-1]}}, value};
    endfunction

    always_ff @(posedge clk) begin
        if (beat_valid) begin
            info1_q <= '{
                info: info_of_beat(beat),
                high: beat.dec.op[1:0] != 2'd0,
                is_word: beat.dec.is_word
            };
            a_q <= beat.rs1;
            b_q <= beat.rs2;
            a_signed_q <= beat.dec.op[1:0] != 2'd3;  // MULHU
            b_signed_q <= !beat.dec.op[1];  // MULHSU, MULHU
        end
        if (valid1_q && ready2) begin
            info2_q <= info1_q;
            // The product of both extended operands is exact in 2*XLEN bits.
            for (int i = 0; i < SIMD_WIDTH; ++i) begin
                product_q[i] <= extend(a_q[i], a_signed_q) * extend(b_q[i], b_signed_q);
            end
        end
        if (valid2_q && ready3) begin
            info3_q <= info2_q.info;
            for (int i = 0; i < SIMD_WIDTH; ++i) begin
                if (info2_q.is_word) result_q[i] <= word_t'(signed'(product_q[i][31:0]));
                else result_q[i] <= info2_q.high ? product_q[i][2*XLEN-1:XLEN] : product_q[i][XLEN-1:0];
            end
        end
        if (ready1) valid1_q <= beat_valid;
        if (ready2) valid2_q <= valid1_q;
        if (ready3) valid3_q <= valid2_q;
        if (reset) begin
            valid1_q <= 1'b0;
            valid2_q <= 1'b0;
            valid3_q <= 1'b0;
        end
    end

    lanes_t whole;

    vx_beat_gather #(
        .LANE_BITS(XLEN)
    ) gather (
        .clk,
        .reset,
        .part_valid(valid3_q),
        .part_ready,
        .info(info3_q),
        .part(result_q),
        .whole_valid(commit_valid),
        .whole_ready(commit_ready),
        .whole
    );

    always_comb begin
        commit = '0;
        if (commit_valid) begin
            commit.info = info3_q;
            commit.data = whole;
        end
    end
endmodule
