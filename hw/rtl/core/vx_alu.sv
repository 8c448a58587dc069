// Integer unit: all lanes in one cycle; also resolves branches and jumps.
//
// Contract
// * The result is offered in the cycle after issue. One that is not taken moves on into a second register and is held
//   there, so a commit that goes to another unit does not stop issue; results leave in order.
// * `control_valid` pulses in the commit cycle of a branch, JAL or JALR; `redirect` says that fetch waits for it (JAL
//   has redirected fetch in decode). The highest active lane decides (reference section 2.1).
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

    logic valid_q;
    exec_t x_q;
    logic held_q;  // a result that was not taken is in the second register
    logic advance;  // the first register gives its result away

    assign advance = !held_q || commit_ready;
    assign exec_ready = !valid_q || advance;
    assign commit_valid = valid_q || held_q;

    always_ff @(posedge clk) begin
        if (exec_valid) x_q <= exec;
        if (exec_valid) valid_q <= 1'b1;
        else if (advance) valid_q <= 1'b0;
        if (commit_ready) held_q <= held_q && valid_q;
        else held_q <= commit_valid;
        if (reset) begin
            valid_q <= 1'b0;
            held_q <= 1'b0;
        end
    end

    word_t imm;
    lanes_t a, b, result;
    logic [NT_WIDTH-1:0] last;
    logic taken;

    assign imm = word_t'(signed'(x_q.dec.imm));

    // The 32-bit forms of RV64 work on extended operands and extend the result.
    function automatic word_t sext32(input logic [31:0] value);
        return word_t'(signed'(value));
    endfunction

    always_comb begin
        a = '0;
        b = '0;
        result = '0;
        last = '0;
        taken = 1'b0;
        if (valid_q) begin
            a = x_q.rs1;
            b = x_q.rs2;
            if (x_q.dec.use_pc) a = {NUM_THREADS{x_q.pc}};
            if (x_q.dec.use_imm) b = {NUM_THREADS{imm}};
            last = last_lane(x_q.tmask);

            case (x_q.dec.op)
                ALU_ADD: for (int i = 0; i < NUM_THREADS; ++i) result[i] = a[i] + b[i];
                ALU_SUB: for (int i = 0; i < NUM_THREADS; ++i) result[i] = a[i] - b[i];
                ALU_XOR: result = a ^ b;
                ALU_OR: result = a | b;
                ALU_AND: result = a & b;
                ALU_LUI: result = b;
                ALU_SLT: for (int i = 0; i < NUM_THREADS; ++i) result[i] = word_t'(signed'(a[i]) < signed'(b[i]));
                ALU_SLTU: for (int i = 0; i < NUM_THREADS; ++i) result[i] = word_t'(a[i] < b[i]);
                ALU_SLL: begin
                    for (int i = 0; i < NUM_THREADS; ++i) begin
                        if (x_q.dec.is_word) result[i] = a[i] << b[i][4:0];
                        else result[i] = a[i] << b[i][SHIFT_WIDTH-1:0];
                    end
                end
                ALU_SRL: begin
                    for (int i = 0; i < NUM_THREADS; ++i) begin
                        if (x_q.dec.is_word) result[i] = word_t'(a[i][31:0]) >> b[i][4:0];
                        else result[i] = a[i] >> b[i][SHIFT_WIDTH-1:0];
                    end
                end
                ALU_SRA: begin
                    for (int i = 0; i < NUM_THREADS; ++i) begin
                        if (x_q.dec.is_word) result[i] = word_t'(signed'(sext32(a[i][31:0])) >>> b[i][4:0]);
                        else result[i] = word_t'(signed'(a[i]) >>> b[i][SHIFT_WIDTH-1:0]);
                    end
                end
                ALU_CZERO_EQZ: for (int i = 0; i < NUM_THREADS; ++i) result[i] = (b[i] == '0) ? '0 : a[i];
                ALU_CZERO_NEZ: for (int i = 0; i < NUM_THREADS; ++i) result[i] = (b[i] != '0) ? '0 : a[i];
                ALU_JAL, ALU_JALR: begin
                    taken = 1'b1;
                    result = {NUM_THREADS{x_q.pc + word_t'(4)}};
                end
                ALU_BEQ: taken = a[last] == b[last];
                ALU_BNE: taken = a[last] != b[last];
                ALU_BLT: taken = signed'(a[last]) < signed'(b[last]);
                ALU_BGE: taken = signed'(a[last]) >= signed'(b[last]);
                ALU_BLTU: taken = a[last] < b[last];
                ALU_BGEU: taken = a[last] >= b[last];
                default: ;
            endcase

            if (x_q.dec.is_word) for (int i = 0; i < NUM_THREADS; ++i) result[i] = sext32(result[i][31:0]);
        end
    end

    // ---------------------------------------------------------------- what is offered

    word_t target, held_target_q;
    commit_t done, held_commit_q;
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
            done.info = info_of(x_q);
            done.data = result;
        end
    end

    always_ff @(posedge clk) begin
        if (valid_q && advance) begin
            held_commit_q <= done;
            held_target_q <= target;
            held_is_control_q <= is_control;
            held_redirects_q <= redirects;
        end
    end

    assign commit = held_q ? held_commit_q : done;
    assign control_valid = commit_valid && commit_ready && (held_q ? held_is_control_q : is_control);
    assign redirect = held_q ? held_redirects_q : redirects;
    assign control_pc = held_q ? held_target_q : target;
endmodule
