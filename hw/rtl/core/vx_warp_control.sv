// What TMC, SPLIT, JOIN and PRED do to a warp (reference sections 2.3, 2.5, 2.6). Combinational.
//
// Contract
// * Operands that are one per warp come from the highest active lane; predicates are bit 0 of each lane.
// * `next_mask` of zero ends the warp; `next_pc` is then the address after the instruction.
// * `bad_stack`: a SPLIT that diverges on a full stack, or a JOIN that matches no entry; nothing may take effect then.
module vx_warp_control
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire valid,
    input op_t op,
    input wire negate,
    input word_t pc,
    input tmask_t tmask,
    input tmask_t predicate,
    input word_t operand1,  // rs1 of the highest active lane
    input tmask_t restore_mask,  // of PRED, rs2 of the highest active lane

    input wire [IPDOM_WIDTH-1:0] sp,
    input tmask_t top_mask,
    input word_t top_pc,
    input wire top_second,

    output word_t next_pc,
    output tmask_t next_mask,
    output logic push,
    output logic flip,
    output logic pop,
    output logic bad_stack
);
    typedef logic [$clog2(NUM_THREADS+1)-1:0] count_t;

    function automatic count_t population(input tmask_t mask);
        population = '0;
        for (int i = 0; i < NUM_THREADS; ++i) population = population + count_t'(mask[i]);
    endfunction

    always_comb begin
        tmask_t then_mask, else_mask;
        then_mask = '0;
        else_mask = '0;
        next_pc = pc + word_t'(4);
        next_mask = tmask;
        push = 1'b0;
        flip = 1'b0;
        pop = 1'b0;
        bad_stack = 1'b0;
        if (valid) begin
            then_mask = tmask & (predicate ^ {NUM_THREADS{negate}});
            else_mask = tmask & ~then_mask;
            case (op)
                SFU_TMC: next_mask = operand1[NUM_THREADS-1:0];

                SFU_PRED: next_mask = (then_mask != '0) ? then_mask : restore_mask;

                SFU_SPLIT:
                if (then_mask != '0 && else_mask != '0) begin
                    push = 1'b1;
                    bad_stack = 32'(sp) == IPDOM_DEPTH;
                    next_mask = (population(then_mask) <= population(else_mask)) ? then_mask : else_mask;
                end

                SFU_JOIN:
                if (operand1 != word_t'(sp) && NUM_THREADS > 1) begin
                    bad_stack = sp == '0;
                    if (!top_second) begin
                        flip = 1'b1;
                        next_mask = top_mask & ~tmask;
                        next_pc = top_pc;
                    end else begin
                        pop = 1'b1;
                        next_mask = top_mask;
                    end
                end

                default: ;
            endcase
        end
    end
endmodule
