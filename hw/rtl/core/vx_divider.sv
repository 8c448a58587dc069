// Divider (DIV, DIVU, REM, REMU and their W forms): iterative, two quotient bits per cycle, SIMD_WIDTH lanes in step, one
// beat at a time.
//
// Contract
// * Accepts an instruction while idle, with no beat of another one to come; the result is held until it is taken.
// * Division by zero and overflow give the values of the RISC-V specification (reference section 2.1); they need no
//   special case beyond not correcting the sign of a quotient by zero.
module vx_divider
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
    logic beat_valid, beat_ready, part_valid, part_ready;
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

    localparam int BITS_PER_CYCLE = 2;
    localparam int CYCLES = XLEN / BITS_PER_CYCLE;
    localparam int STEP_WIDTH = $clog2(CYCLES + 1);

    typedef enum logic [1:0] {
        IDLE,
        DIVIDE,
        DONE
    } state_t;

    state_t state_q;
    logic [STEP_WIDTH-1:0] step_q;

    exec_info_t info_q;
    logic remainder_q;  // REM or REMU
    logic is_word_q;

    // Magnitudes; the quotient shifts into the low end of the register from which the dividend shifts out.
    slice_t dividend_q, divisor_q, partial_q;
    logic [SIMD_WIDTH-1:0] negate_quotient_q, negate_remainder_q;

    assign beat_ready = state_q == IDLE;

    function automatic word_t operand(input word_t value, input logic is_word, input logic is_signed);
        if (!is_word) return value;
        return is_signed ? word_t'(signed'(value[31:0])) : word_t'(value[31:0]);
    endfunction

    always_ff @(posedge clk) begin
        case (state_q)
            IDLE:
            if (beat_valid) begin
                state_q <= DIVIDE;
                step_q <= STEP_WIDTH'(CYCLES);
                info_q <= info_of_beat(beat);
                remainder_q <= beat.dec.op[1];
                is_word_q <= beat.dec.is_word;
                for (int i = 0; i < SIMD_WIDTH; ++i) begin
                    word_t a, b;
                    logic is_signed;
                    is_signed = !beat.dec.op[0];
                    a = operand(beat.rs1[i], beat.dec.is_word, is_signed);
                    b = operand(beat.rs2[i], beat.dec.is_word, is_signed);
                    dividend_q[i] <= (is_signed && a[XLEN-1]) ? -a : a;
                    divisor_q[i] <= (is_signed && b[XLEN-1]) ? -b : b;
                    negate_quotient_q[i] <= is_signed && b != '0 && (a[XLEN-1] != b[XLEN-1]);
                    negate_remainder_q[i] <= is_signed && a[XLEN-1];
                end
                partial_q <= '0;
            end

            DIVIDE: begin
                for (int i = 0; i < SIMD_WIDTH; ++i) begin
                    logic [XLEN:0] partial;
                    word_t quotient;
                    partial = {1'b0, partial_q[i]};
                    quotient = dividend_q[i];
                    for (int k = 0; k < BITS_PER_CYCLE; ++k) begin
                        partial = {partial[XLEN-1:0], quotient[XLEN-1]};
                        quotient = {quotient[XLEN-2:0], 1'b0};
                        if (partial >= {1'b0, divisor_q[i]}) begin
                            partial = partial - {1'b0, divisor_q[i]};
                            quotient[0] = 1'b1;
                        end
                    end
                    partial_q[i] <= partial[XLEN-1:0];
                    dividend_q[i] <= quotient;
                end
                step_q <= step_q - STEP_WIDTH'(1);
                if (step_q == STEP_WIDTH'(1)) state_q <= DONE;
            end

            default: if (part_ready) state_q <= IDLE;
        endcase
        if (reset) state_q <= IDLE;
    end

    assign part_valid = state_q == DONE;

    slice_t part;

    always_comb begin
        part = '0;
        if (part_valid) begin
            for (int i = 0; i < SIMD_WIDTH; ++i) begin
                automatic word_t value;
                if (remainder_q) value = negate_remainder_q[i] ? -partial_q[i] : partial_q[i];
                else value = negate_quotient_q[i] ? -dividend_q[i] : dividend_q[i];
                part[i] = is_word_q ? word_t'(signed'(value[31:0])) : value;
            end
        end
    end

    lanes_t whole;

    vx_beat_gather #(
        .LANE_BITS(XLEN)
    ) gather (
        .clk,
        .reset,
        .part_valid,
        .part_ready,
        .info(info_q),
        .part,
        .whole_valid(commit_valid),
        .whole_ready(commit_ready),
        .whole
    );

    always_comb begin
        commit = '0;
        if (commit_valid) begin
            commit.info = info_q;
            commit.data = whole;
        end
    end
endmodule
