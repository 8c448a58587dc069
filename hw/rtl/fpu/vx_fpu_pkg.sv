// Types and functions of the floating-point unit: binary32 as RISC-V's F defines it (reference section 2.15).
package vx_fpu_pkg;

    typedef logic [31:0] float_t;

    localparam int OP_WIDTH = 5;

    // Encoded so that the core can carry it in its own `op` field.
    typedef enum logic [OP_WIDTH-1:0] {
        FPU_MADD,  // a * b + c
        FPU_MSUB,  // a * b - c
        FPU_NMSUB,  // -(a * b) + c
        FPU_NMADD,  // -(a * b) - c
        FPU_ADD,  // a + b
        FPU_SUB,  // a - b
        FPU_MUL,  // a * b
        FPU_FROM_W,  // integer a
        FPU_FROM_WU,
        FPU_FROM_L,
        FPU_FROM_LU,
        FPU_SGNJ,
        FPU_SGNJN,
        FPU_SGNJX,
        FPU_MIN,
        FPU_MAX,
        FPU_LE,
        FPU_LT,
        FPU_EQ,
        FPU_CLASS,
        FPU_MOVE_X,  // bits of a float to an integer register
        FPU_MOVE_F,  // bits of an integer to a float register
        FPU_TO_W,
        FPU_TO_WU,
        FPU_TO_L,
        FPU_TO_LU,
        FPU_DIV,  // a / b
        FPU_SQRT  // square root of a
    } fpu_op_t;

    typedef enum logic [2:0] {
        RNE,  // to nearest, ties to even
        RTZ,  // towards zero
        RDN,  // down
        RUP,  // up
        RMM  // to nearest, ties away from zero
    } rounding_t;

    typedef struct packed {
        logic nv;  // invalid
        logic dz;  // division by zero
        logic of;  // overflow
        logic uf;  // underflow: tiny after rounding and inexact
        logic nx;  // inexact
    } flags_t;

    typedef struct packed {
        flags_t flags;
        float_t value;
    } rounded_t;

    /* verilator lint_off UNUSEDPARAM */  // one part of the unit alone does not use every constant
    localparam float_t CANONICAL_NAN = 32'h7fc0_0000;
    localparam float_t POSITIVE_INFINITY = 32'h7f80_0000;
    localparam float_t LARGEST = 32'h7f7f_ffff;
    localparam float_t ONE = 32'h3f80_0000;
    /* verilator lint_on UNUSEDPARAM */

    // Which of the three parts of the unit executes an operation.
    function automatic logic is_fma(input fpu_op_t op);
        return op <= FPU_FROM_LU;
    endfunction

    function automatic logic is_divsqrt(input fpu_op_t op);
        return op >= FPU_DIV;
    endfunction

    // ---------------------------------------------------------------- taking apart

    /* verilator lint_off UNUSEDSIGNAL */  // each looks at some fields of its argument only

    function automatic logic is_nan(input float_t a);
        return a[30:23] == 8'hff && a[22:0] != '0;
    endfunction

    function automatic logic is_signaling(input float_t a);
        return a[30:23] == 8'hff && !a[22] && a[21:0] != '0;
    endfunction

    function automatic logic is_infinite(input float_t a);
        return a[30:0] == POSITIVE_INFINITY[30:0];
    endfunction

    function automatic logic is_zero(input float_t a);
        return a[30:0] == '0;
    endfunction

    // With its hidden bit, which is 0 for zeros and subnormals.
    function automatic logic [23:0] significand(input float_t a);
        return {a[30:23] != '0, a[22:0]};
    endfunction

    // Biased exponent of the hidden bit: a subnormal has that of the smallest normal number.
    function automatic logic [7:0] exponent(input float_t a);
        return (a[30:23] == '0) ? 8'd1 : a[30:23];
    endfunction

    /* verilator lint_on UNUSEDSIGNAL */

    // ---------------------------------------------------------------- rounding

    // Whether the magnitude grows by one unit in its last place: `half` is the first bit that is cut off, `rest` says that
    // a later one is set, `odd` is the last bit that stays.
    function automatic logic rounds_up(input rounding_t mode, input logic sign, input logic odd, input logic half,
                                       input logic rest);
        case (mode)
            RNE: return half && (rest || odd);
            RDN: return sign && (half || rest);
            RUP: return !sign && (half || rest);
            RMM: return half;
            default: return 1'b0;
        endcase
    endfunction

    // Rounds and packs a finite result. `sig` holds 24 bits and two more; `sticky` stands for all below.
    // biased > 0: sig[25] is the leading bit, with that biased exponent. biased = 0: subnormal (or zero), sig[25] is 0 and
    // has the weight of the smallest normal number.
    /* verilator lint_off UNUSEDSIGNAL */  // the leading bit is implied by the exponent
    function automatic rounded_t round_and_pack(input rounding_t mode, input logic sign, input logic [9:0] biased,
                                                input logic [25:0] sig, input logic sticky);
        logic inexact, reaches_normal, towards_zero;
        logic [32:0] packed_value;
        inexact = sig[1] || sig[0] || sticky;
        // The carry of the mantissa goes where it belongs: into the exponent.
        packed_value = {biased, sig[24:2]} + 33'(rounds_up(mode, sign, sig[2], sig[1], sig[0] || sticky));
        // Tiny unless, rounded as if the exponent had no lower end, the value becomes the smallest normal number.
        reaches_normal = (&sig[24:1]) && rounds_up(mode, sign, 1'b1, sig[0], sticky);
        towards_zero = mode == RTZ || mode == (sign ? RUP : RDN);
        round_and_pack = '0;
        if (packed_value[32:23] >= 10'd255) begin
            round_and_pack.flags.of = 1'b1;
            round_and_pack.flags.nx = 1'b1;
            round_and_pack.value = {sign, towards_zero ? LARGEST[30:0] : POSITIVE_INFINITY[30:0]};
        end else begin
            round_and_pack.flags.nx = inexact;
            round_and_pack.flags.uf = inexact && biased == '0 && !reaches_normal;
            round_and_pack.value = {sign, packed_value[30:0]};
        end
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    // ---------------------------------------------------------------- shifting

    // To the right; bits that are lost leave a 1 at the end.
    function automatic logic [63:0] shift_sticky(input logic [63:0] value, input logic [9:0] places);
        logic [63:0] kept;
        if (places >= 10'd64) return 64'(value != '0);
        kept = value >> places[5:0];
        return kept | 64'((kept << places[5:0]) != value);
    endfunction

    // Zeros above the highest 1; the value must not be 0.
    function automatic logic [5:0] leading_zeros(input logic [63:0] value);
        logic [63:0] rest;
        logic [5:0] zeros;
        rest = value;
        zeros = 6'd0;
        if (rest[63:32] == '0) begin
            zeros = 6'd32;
            rest = rest << 32;
        end
        if (rest[63:48] == '0) begin
            zeros = zeros + 6'd16;
            rest = rest << 16;
        end
        if (rest[63:56] == '0) begin
            zeros = zeros + 6'd8;
            rest = rest << 8;
        end
        if (rest[63:60] == '0) begin
            zeros = zeros + 6'd4;
            rest = rest << 4;
        end
        if (rest[63:62] == '0) begin
            zeros = zeros + 6'd2;
            rest = rest << 2;
        end
        return zeros + 6'(!rest[63]);
    endfunction

endpackage
