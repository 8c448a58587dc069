// One lane of the fused multiply-add pipeline: a * b + c with one rounding; sum, difference, product and the conversion
// from an integer are special cases of it. Four stages: multiply and align, add, normalize, round.
//
// Contract
// * `advance[i]` makes stage i take what is before it: `advance[0]` the operands, `advance[3]` fills `result` and `flags`.
//   The lane has no valid bits: vx_fpu_pipe keeps them, for all lanes in step.
// * `op`, `mode`, `a`, `b`, `c` are those of the instruction that enters stage 0; only operations of `is_fma` count.
//
// How: the product has 48 bits, the addend 24. The one with the smaller exponent is shifted to the right in a field of 64
// bits, in which bit 61 has the weight of the larger exponent; what is lost leaves a sticky bit. Operands need not be
// normal: where a subnormal factor makes leading zeros, at least 26 bits of the result remain above the sticky bit. As the
// addend's exponent is never below that of the smallest normal number, neither is that of bit 61, so a subnormal result
// needs no shift to the right: its shift to the left just ends earlier. A product alone has an addend of 0 for that.
module vx_fpu_fma_lane
    import vx_fpu_pkg::*;
#(
    parameter int INT_WIDTH = 32
) (
    input wire clk,
    input wire [3:0] advance,

    input fpu_op_t op,
    input rounding_t mode,
    input wire [INT_WIDTH-1:0] a,
    input wire [31:0] b,
    input wire [31:0] c,

    output float_t result,
    output flags_t flags
);
    localparam int INTEGER_EXPONENT = 127 + 61;  // biased, of bit 61 if bit 0 weighs 1

    // What a finite result needs in every stage, and what replaces it.
    typedef struct packed {
        rounding_t mode;
        logic sign;
        logic special;  // the result is NaN or infinite
        logic nan;
        logic nv;
    } side_t;

    // ---------------------------------------------------------------- stage 0: multiply, align

    side_t side0_q;
    logic subtract_q;
    logic [63:0] large_q, small_q;
    logic [9:0] exponent0_q;  // biased, of bit 61

    always_ff @(posedge clk) begin
        if (advance[0]) begin
            float_t x, y, z;
            logic sign_product, sign_addend;
            logic invalid;
            logic [47:0] product;
            logic [63:0] product_field, addend_field;
            logic [9:0] exponent_product, exponent_addend, distance;

            x = a[31:0];
            y = (op == FPU_ADD || op == FPU_SUB) ? ONE : b;
            z = (op == FPU_ADD || op == FPU_SUB) ? b : c;
            if (op == FPU_MUL) z = '0;
            sign_product = x[31] ^ y[31] ^ (op == FPU_NMSUB || op == FPU_NMADD);
            sign_addend = z[31] ^ (op == FPU_MSUB || op == FPU_NMADD || op == FPU_SUB);
            if (op == FPU_MUL) sign_addend = sign_product;

            if (op >= FPU_FROM_W) begin
                logic negative;
                logic [63:0] integer_value;
                integer_value = 64'(a);
                negative = 1'b0;
                case (op)
                    FPU_FROM_W: integer_value = 64'(signed'(a[31:0]));
                    FPU_FROM_WU: integer_value = 64'(a[31:0]);
                    default: ;
                endcase
                if (op == FPU_FROM_W || op == FPU_FROM_L) negative = integer_value[63];
                side0_q <= '{mode: mode, sign: negative, default: '0};
                subtract_q <= 1'b0;
                large_q <= negative ? -integer_value : integer_value;
                small_q <= '0;
                exponent0_q <= 10'(INTEGER_EXPONENT);
            end else begin
                product = significand(x) * significand(y);
                // Never negative: 127 more than the product's biased exponent, and than the addend's.
                exponent_product = 10'(exponent(x)) + 10'(exponent(y));
                if (is_zero(x) || is_zero(y)) exponent_product = '0;  // the other factor must not push the addend away
                exponent_addend = 10'(exponent(z)) + 10'd127;
                product_field = {1'b0, product, 15'b0};
                addend_field = {2'b0, significand(z), 38'b0};
                if (exponent_product >= exponent_addend) begin
                    distance = exponent_product - exponent_addend;
                    large_q <= product_field;
                    small_q <= shift_sticky(addend_field, distance);
                    exponent0_q <= exponent_product - 10'd127;
                end else begin
                    distance = exponent_addend - exponent_product;
                    large_q <= addend_field;
                    small_q <= shift_sticky(product_field, distance);
                    exponent0_q <= exponent_addend - 10'd127;
                end
                subtract_q <= sign_product != sign_addend;

                invalid = (is_infinite(x) && is_zero(y)) || (is_zero(x) && is_infinite(y));
                side0_q <= '{
                    mode: mode,
                    sign: (exponent_product >= exponent_addend) ? sign_product : sign_addend,
                    default: '0
                };
                if (x[30:23] == 8'hff || y[30:23] == 8'hff || z[30:23] == 8'hff) begin
                    side0_q.special <= 1'b1;
                    side0_q.sign <= (is_infinite(x) || is_infinite(y)) ? sign_product : sign_addend;
                    if (is_nan(x) || is_nan(y) || is_nan(z)) begin
                        side0_q.nan <= 1'b1;
                        side0_q.nv <= invalid || is_signaling(x) || is_signaling(y) || is_signaling(z);
                    end else if (invalid || ((is_infinite(x) || is_infinite(y)) && is_infinite(z) &&
                                             sign_product != sign_addend)) begin
                        side0_q.nan <= 1'b1;
                        side0_q.nv <= 1'b1;
                    end
                end
            end
        end
    end

    // ---------------------------------------------------------------- stage 1: add

    side_t side1_q;
    logic [63:0] sum_q;
    logic [9:0] exponent1_q;

    always_ff @(posedge clk) begin
        if (advance[1]) begin
            side1_q <= side0_q;
            exponent1_q <= exponent0_q;
            if (!subtract_q) begin
                sum_q <= large_q + small_q;
            end else if (large_q >= small_q) begin
                sum_q <= large_q - small_q;
                if (large_q == small_q && !side0_q.special) side1_q.sign <= side0_q.mode == RDN;
            end else begin
                sum_q <= small_q - large_q;
                if (!side0_q.special) side1_q.sign <= !side0_q.sign;
            end
        end
    end

    // ---------------------------------------------------------------- stage 2: normalize

    side_t side2_q;
    logic [25:0] significand_q;
    logic sticky_q;
    logic [9:0] exponent2_q;  // biased; 0 for a subnormal result

    always_ff @(posedge clk) begin
        if (advance[2]) begin
            logic [5:0] places;
            logic [63:0] normal;
            logic subnormal;
            places = leading_zeros(sum_q);
            subnormal = 10'(places) > exponent1_q + 10'd1;
            if (subnormal) places = 6'(exponent1_q + 10'd1);
            normal = sum_q << places;
            side2_q <= side1_q;
            exponent2_q <= (subnormal || sum_q == '0) ? '0 : exponent1_q + 10'd2 - 10'(places);
            significand_q <= normal[63:38];
            sticky_q <= normal[37:0] != '0;
        end
    end

    // ---------------------------------------------------------------- stage 3: round

    always_ff @(posedge clk) begin
        if (advance[3]) begin
            if (side2_q.special) begin
                result <= side2_q.nan ? CANONICAL_NAN : {side2_q.sign, POSITIVE_INFINITY[30:0]};
                flags <= '{nv: side2_q.nv, default: '0};
            end else begin
                {flags, result} <= round_and_pack(side2_q.mode, side2_q.sign, exponent2_q, significand_q, sticky_q);
            end
        end
    end

    if (INT_WIDTH != 32 && INT_WIDTH != 64) begin : g_check
        $error("vx_fpu_fma_lane: INT_WIDTH = %0d must be 32 or 64", INT_WIDTH);
    end
endmodule
