// One lane of the divider and square-rooter: digit recurrence, two bits of the result a step.
//
// Contract: vx_fpu_divsqrt gives the steps, for all lanes in step: `load` takes the operands, `prepare` unpacks them,
// thirteen times `iterate`, `finish` fills `result` and `flags`. `is_sqrt` and `mode` are stable from `prepare` to `finish`.
//
// How: significands are normalized first, subnormal ones too, so that the result has its leading 1 in the first bit. 26 bits
// are computed; what remains is the sticky bit. A subnormal quotient is shifted to the right before it is rounded.
// Division subtracts the divisor, the root subtracts twice what there is of it and one digit; both from a remainder that
// is never negative.
module vx_fpu_divsqrt_lane
    import vx_fpu_pkg::*;
(
    input wire clk,
    input wire load,
    input wire prepare,
    input wire iterate,
    input wire finish,

    input wire is_sqrt,
    input rounding_t mode,
    input wire [31:0] a,
    input wire [31:0] b,

    output float_t result,
    output flags_t flags
);
    float_t a_q, b_q;
    logic sign_q, special_q;
    float_t special_value_q;
    flags_t special_flags_q;
    logic signed [9:0] exponent_q;  // biased
    logic [23:0] divisor_q;
    logic [27:0] remainder_q;
    logic [25:0] radicand_q, digits_q;

    // ---------------------------------------------------------------- unpack, digits

    always_ff @(posedge clk) begin
        if (load) begin
            a_q <= a;
            b_q <= b;
        end
        if (prepare) begin
            logic [23:0] x, y;
            logic [5:0] places_x, places_y;
            logic signed [9:0] exponent_x, exponent_y;
            x = significand(a_q);
            y = significand(b_q);
            places_x = leading_zeros({x, 40'b0});
            places_y = leading_zeros({y, 40'b0});
            x = x << places_x;
            y = y << places_y;
            exponent_x = signed'(10'(exponent(a_q)) - 10'(places_x));
            exponent_y = signed'(10'(exponent(b_q)) - 10'(places_y));
            divisor_q <= y;
            digits_q <= '0;
            if (is_sqrt) begin
                // Half of the exponent, rounded down; what that leaves over goes into the radicand: 1.0 to below 4.0.
                sign_q <= 1'b0;
                exponent_q <= (exponent_x + 10'sd127) >>> 1;
                remainder_q <= '0;
                radicand_q <= exponent_x[0] ? {1'b0, x, 1'b0} : {x, 2'b0};
            end else begin
                // The dividend is doubled if the quotient would be below 1.
                sign_q <= a_q[31] ^ b_q[31];
                if (x < y) begin
                    exponent_q <= exponent_x - exponent_y + 10'sd126;
                    remainder_q <= {3'b0, x, 1'b0};
                end else begin
                    exponent_q <= exponent_x - exponent_y + 10'sd127;
                    remainder_q <= {4'b0, x};
                end
            end
        end
        if (iterate) begin
            logic [27:0] remainder, subtrahend;
            logic [25:0] digits, radicand;
            logic digit;
            remainder = remainder_q;
            digits = digits_q;
            radicand = radicand_q;
            for (int k = 0; k < 2; ++k) begin
                if (is_sqrt) begin
                    remainder = {remainder[25:0], radicand[25:24]};
                    radicand = {radicand[23:0], 2'b0};
                    subtrahend = {digits, 2'b01};
                end else begin
                    subtrahend = {4'b0, divisor_q};
                end
                digit = remainder >= subtrahend;
                if (digit) remainder = remainder - subtrahend;
                digits = {digits[24:0], digit};
                if (!is_sqrt) remainder = {remainder[26:0], 1'b0};
            end
            remainder_q <= remainder;
            digits_q <= digits;
            radicand_q <= radicand;
        end
    end

    // ---------------------------------------------------------------- results that need no digits

    always_ff @(posedge clk) begin
        if (prepare) begin
            logic sign;
            sign = a_q[31] ^ b_q[31];
            special_q <= 1'b1;
            special_value_q <= CANONICAL_NAN;
            special_flags_q <= '0;
            if (is_sqrt) begin
                if (is_nan(a_q)) special_flags_q.nv <= is_signaling(a_q);
                else if (is_zero(a_q)) special_value_q <= a_q;
                else if (a_q[31]) special_flags_q.nv <= 1'b1;
                else if (is_infinite(a_q)) special_value_q <= POSITIVE_INFINITY;
                else special_q <= 1'b0;
            end else begin
                if (is_nan(a_q) || is_nan(b_q)) begin
                    special_flags_q.nv <= is_signaling(a_q) || is_signaling(b_q);
                end else if ((is_infinite(a_q) && is_infinite(b_q)) || (is_zero(a_q) && is_zero(b_q))) begin
                    special_flags_q.nv <= 1'b1;
                end else if (is_infinite(a_q) || is_zero(b_q)) begin
                    special_value_q <= {sign, POSITIVE_INFINITY[30:0]};
                    special_flags_q.dz <= !is_infinite(a_q);
                end else if (is_zero(a_q) || is_infinite(b_q)) begin
                    special_value_q <= {sign, 31'b0};
                end else begin
                    special_q <= 1'b0;
                end
            end
        end
    end

    // ---------------------------------------------------------------- round

    always_ff @(posedge clk) begin
        if (finish) begin
            if (special_q) begin
                result <= special_value_q;
                flags <= special_flags_q;
            end else if (exponent_q > 0) begin
                {flags, result} <= round_and_pack(mode, sign_q, unsigned'(exponent_q), digits_q, remainder_q != '0);
            end else begin
                logic [63:0] shifted;
                shifted = shift_sticky({digits_q, 38'b0}, unsigned'(10'sd1 - exponent_q));
                {flags, result} <=
                    round_and_pack(mode, sign_q, '0, shifted[63:38], shifted[37:0] != '0 || remainder_q != '0);
            end
        end
    end
endmodule
