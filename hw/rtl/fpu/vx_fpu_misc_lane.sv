// One lane of everything that neither multiplies nor adds: sign injection, minimum and maximum, comparisons, class, moves
// and the conversion to an integer. One stage.
//
// Contract
// * `advance` makes the lane take its operands; `result` and `flags` are registers. vx_fpu_pipe keeps the valid bit.
// * Float results are zero-extended to INT_WIDTH, 32-bit integers sign-extended.
module vx_fpu_misc_lane
    import vx_fpu_pkg::*;
#(
    parameter int INT_WIDTH = 32
) (
    input wire clk,
    input wire advance,

    input fpu_op_t op,
    input rounding_t mode,
    input wire [31:0] a,
    input wire [31:0] b,

    output logic [INT_WIDTH-1:0] result,
    output flags_t flags
);
    typedef logic [INT_WIDTH-1:0] integer_t;

    typedef struct packed {
        logic nv;
        logic nx;
        integer_t value;
    } converted_t;

    // Saturates; a NaN counts as larger than everything.
    function automatic converted_t to_integer(input fpu_op_t kind, input rounding_t rounding, input float_t x);
        logic is_signed, negative, half, rest, too_large;
        logic [49:0] fixed;  // 24 bits and 26 behind the point
        integer_t magnitude, limit;
        is_signed = kind == FPU_TO_W || kind == FPU_TO_L;
        negative = x[31] && !is_nan(x);
        half = 1'b0;
        rest = 1'b0;
        too_large = 1'b0;
        if (x[30:23] >= 8'd150) begin
            too_large = x[30:23] >= 8'(127 + INT_WIDTH);
            magnitude = integer_t'(significand(x)) << $clog2(INT_WIDTH)'(x[30:23] - 8'd150);
        end else begin
            logic [7:0] places;
            places = 8'd150 - exponent(x);
            // Further than 26 places there is nothing but a sticky bit.
            fixed = {significand(x), 26'b0} >> (places > 8'd26 ? 5'd26 : places[4:0]);
            half = fixed[25];
            rest = fixed[24:0] != '0;
            magnitude = integer_t'(fixed[49:26]) + integer_t'(rounds_up(rounding, negative, fixed[26], half, rest));
        end
        // Largest magnitude that has a result.
        if (kind == FPU_TO_W || kind == FPU_TO_WU) limit = integer_t'(32'hffff_ffff);
        else limit = '1;
        if (is_signed) limit = negative ? (limit >> 1) + integer_t'(1) : limit >> 1;
        else if (negative) limit = '0;
        to_integer = '{nv: 1'b0, nx: half || rest, value: negative ? -magnitude : magnitude};
        if (too_large || magnitude > limit) begin
            to_integer.nv = 1'b1;
            to_integer.nx = 1'b0;
            to_integer.value = negative ? -limit : limit;
        end
        if (kind == FPU_TO_WU || kind == FPU_TO_W) to_integer.value = integer_t'(signed'(to_integer.value[31:0]));
    endfunction

    // Order of numbers in which -0 comes before +0.
    function automatic logic is_less(input float_t x, input float_t y);
        if (x[31] != y[31]) return x[31];
        return x[31] ? y[30:0] < x[30:0] : x[30:0] < y[30:0];
    endfunction

    function automatic logic [9:0] class_of(input float_t x);
        logic [7:0] biased;
        biased = x[30:23];
        if (biased == 8'hff && x[22:0] != '0) return x[22] ? 10'h200 : 10'h100;
        if (biased == 8'hff) return x[31] ? 10'h001 : 10'h080;
        if (biased != '0) return x[31] ? 10'h002 : 10'h040;
        if (x[22:0] != '0) return x[31] ? 10'h004 : 10'h020;
        return x[31] ? 10'h008 : 10'h010;
    endfunction

    always_ff @(posedge clk) begin
        if (advance) begin
            logic unordered, signaling, both_zero, less_ab;
            flags <= '0;
            unordered = is_nan(a) || is_nan(b);
            signaling = is_signaling(a) || is_signaling(b);
            both_zero = is_zero(a) && is_zero(b);
            less_ab = is_less(a, b);
            case (op)
                FPU_SGNJ: result <= integer_t'({b[31], a[30:0]});
                FPU_SGNJN: result <= integer_t'({!b[31], a[30:0]});
                FPU_SGNJX: result <= integer_t'({a[31] ^ b[31], a[30:0]});
                FPU_MIN, FPU_MAX: begin
                    flags.nv <= signaling;
                    if (is_nan(a) && is_nan(b)) result <= integer_t'(CANONICAL_NAN);
                    else if (is_nan(a)) result <= integer_t'(b);
                    else if (is_nan(b)) result <= integer_t'(a);
                    else if (less_ab == (op == FPU_MIN)) result <= integer_t'(a);
                    else result <= integer_t'(b);
                end
                FPU_LE: begin
                    flags.nv <= unordered;
                    result <= integer_t'(!unordered && (less_ab || a == b || both_zero));
                end
                FPU_LT: begin
                    flags.nv <= unordered;
                    result <= integer_t'(!unordered && less_ab && !both_zero);
                end
                FPU_EQ: begin
                    flags.nv <= signaling;
                    result <= integer_t'(!unordered && (a == b || both_zero));
                end
                FPU_CLASS: result <= integer_t'(class_of(a));
                FPU_MOVE_X: result <= integer_t'(signed'(a));
                FPU_MOVE_F: result <= integer_t'(a);
                default: begin
                    converted_t converted;
                    converted = to_integer(op, mode, a);
                    result <= converted.value;
                    flags.nv <= converted.nv;
                    flags.nx <= converted.nx;
                end
            endcase
        end
    end
endmodule
