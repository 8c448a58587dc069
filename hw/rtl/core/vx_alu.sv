// Integer unit: SIMD_WIDTH lanes a cycle; also resolves branches and jumps.
//
// Contract
// * The result is offered in the cycle after issue, one later for each further beat. One that is not taken moves on into
//   a second register and is held there, so a commit that goes to another unit does not stop issue; results leave in
//   order.
// * `control_valid` pulses in the commit cycle of a branch, JAL or JALR; `redirect` says that fetch waits for it (JAL
//   has redirected fetch in decode). The highest active lane decides (reference section 2.1), so a branch,
//   which writes no register, is one beat.
module vx_alu
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
    output commit_t commit,

    output logic control_valid,
    output logic redirect,
    output word_t control_pc
);
    localparam int SHIFT_WIDTH = $clog2(XLEN);

    // ---------------------------------------------------------------- beats of SIMD_WIDTH lanes

    logic beat_valid, beat_ready, result_valid, result_ready;
    beat_t beat;

    vx_beat_split #(
        .LAST_IF_UNWRITTEN(1)
    ) split (
        .clk,
        .reset,
        .exec_valid,
        .exec_ready,
        .exec,
        .beat_valid,
        .beat_ready,
        .beat
    );

    logic valid_q;
    beat_t x_q;
    logic held_q;  // a result that was not taken is in the second register
    logic advance;  // the first register gives its result away

    assign advance = !held_q || result_ready;
    assign beat_ready = !valid_q || advance;
    assign result_valid = valid_q || held_q;

    always_ff @(posedge clk) begin
        if (beat_valid) x_q <= beat;
        if (beat_valid) valid_q <= 1'b1;
        else if (advance) valid_q <= 1'b0;
        if (result_ready) held_q <= held_q && valid_q;
        else held_q <= result_valid;
        if (reset) begin
            valid_q <= 1'b0;
            held_q <= 1'b0;
        end
    end

    word_t imm;
    slice_t a, b, data;
    logic [PLACE_WIDTH-1:0] last;
    logic taken;

    assign imm = word_t'(signed'(x_q.dec.imm));

    // The 32-bit forms of RV64 work on extended operands and extend the result.
    function automatic word_t sext32(input logic [31:0] value);
        return word_t'(signed'(value));
    endfunction

    always_comb begin
        a = '0;
        b = '0;
        data = '0;
        last = '0;
        taken = 1'b0;
        if (valid_q) begin
            a = x_q.rs1;
            b = x_q.rs2;
            if (x_q.dec.use_pc) a = {SIMD_WIDTH{x_q.pc}};
            if (x_q.dec.use_imm) b = {SIMD_WIDTH{imm}};
            last = last_in_beat(x_q.tmask);

            case (x_q.dec.op)
                ALU_ADD: for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = a[i] + b[i];
                ALU_SUB: for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = a[i] - b[i];
                ALU_XOR: data = a ^ b;
                ALU_OR: data = a | b;
                ALU_AND: data = a & b;
                ALU_LUI: data = b;
                ALU_SLT: for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = word_t'(signed'(a[i]) < signed'(b[i]));
                ALU_SLTU: for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = word_t'(a[i] < b[i]);
                ALU_SLL: begin
                    for (int i = 0; i < SIMD_WIDTH; ++i) begin
                        if (x_q.dec.is_word) data[i] = a[i] << b[i][4:0];
                        else data[i] = a[i] << b[i][SHIFT_WIDTH-1:0];
                    end
                end
                ALU_SRL: begin
                    for (int i = 0; i < SIMD_WIDTH; ++i) begin
                        if (x_q.dec.is_word) data[i] = word_t'(a[i][31:0]) >> b[i][4:0];
                        else data[i] = a[i] >> b[i][SHIFT_WIDTH-1:0];
                    end
                end
                ALU_SRA: begin
                    for (int i = 0; i < SIMD_WIDTH; ++i) begin
                        if (x_q.dec.is_word) data[i] = word_t'(signed'(sext32(a[i][31:0])) >>> b[i][4:0]);
                        else data[i] = word_t'(signed'(a[i]) >>> b[i][SHIFT_WIDTH-1:0]);
                    end
                end
                ALU_CZERO_EQZ: for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = (b[i] == '0) ? '0 : a[i];
                ALU_CZERO_NEZ: for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = (b[i] != '0) ? '0 : a[i];
                ALU_JAL, ALU_JALR: begin
                    taken = 1'b1;
                    data = {SIMD_WIDTH{x_q.pc + word_t'(4)}};
                end
                ALU_BEQ: taken = a[last] == b[last];
                ALU_BNE: taken = a[last] != b[last];
                ALU_BLT: taken = signed'(a[last]) < signed'(b[last]);
                ALU_BGE: taken = signed'(a[last]) >= signed'(b[last]);
                ALU_BLTU: taken = a[last] < b[last];
                ALU_BGEU: taken = a[last] >= b[last];
                default: ;
            endcase

            if (x_q.dec.is_word) for (int i = 0; i < SIMD_WIDTH; ++i) data[i] = sext32(data[i][31:0]);
        end
    end

    // ---------------------------------------------------------------- what is offered

    word_t target, held_target_q;
    beat_result_t done, held_result_q, result;
    logic is_control, redirects, held_is_control_q, held_redirects_q;

    assign is_control = x_q.dec.op >= ALU_JAL;
    assign redirects = x_q.dec.op != ALU_JAL;

    always_comb begin
        target = x_q.pc + word_t'(4);
        if (taken) target = align_pc((x_q.dec.op == ALU_JALR ? a[last] : x_q.pc) + imm);
    end

    always_comb begin
        done = '0;
        if (valid_q) begin
            done.info = info_of_beat(x_q);
            done.data = data;
        end
    end

    always_ff @(posedge clk) begin
        if (valid_q && advance) begin
            held_result_q <= done;
            held_target_q <= target;
            held_is_control_q <= is_control;
            held_redirects_q <= redirects;
        end
    end

    assign result = held_q ? held_result_q : done;

    // ---------------------------------------------------------------- all beats

    lanes_t whole;

    vx_beat_gather #(
        .LAST_IF_UNWRITTEN(1),
        .LANE_BITS(XLEN)
    ) gather (
        .clk,
        .reset,
        .part_valid(result_valid),
        .part_ready(result_ready),
        .info(result.info),
        .part(result.data),
        .whole_valid(commit_valid),
        .whole_ready(commit_ready),
        .whole
    );

    always_comb begin
        commit = '0;
        commit.info = result.info;
        commit.data = whole;
    end

    assign control_valid = commit_valid && commit_ready && (held_q ? held_is_control_q : is_control);
    assign redirect = held_q ? held_redirects_q : redirects;
    assign control_pc = held_q ? held_target_q : target;
endmodule
