// What an instruction does: pure function of the word, its operands and the state of its warp.
module serial_execute
    import serial_pkg::*;
(
    input wire valid,  // otherwise nothing is computed, which is for the speed of a simulation
    input word_t instr,
    input word_t pc,
    input mask_t mask,
    input vector_t rs1,
    input vector_t rs2,
    input depth_t sp,
    input mask_t top_mask,
    input word_t top_pc,
    input wire top_second,
    input wire csr_known,
    input wire csr_writable,
    input vector_t csr_data,
    output effect_t effect
);
    wire [6:0] opcode = instr[6:0];
    wire [2:0] funct3 = instr[14:12];
    wire [6:0] funct7 = instr[31:25];
    wire word_t imm_i = {{20{instr[31]}}, instr[31:20]};
    wire word_t imm_s = {{20{instr[31]}}, instr[31:25], instr[11:7]};
    wire word_t imm_b = {{20{instr[31]}}, instr[7], instr[30:25], instr[11:8], 1'b0};
    wire word_t imm_j = {{12{instr[31]}}, instr[19:12], instr[20], instr[30:21], 1'b0};
    wire word_t imm_u = {instr[31:12], 12'd0};

    function automatic word_t integer_op(input logic [2:0] op, input logic other, input word_t a, input word_t b);
        case (op)
            3'd0: return other ? a - b : a + b;
            3'd1: return a << b[4:0];
            3'd2: return 32'($signed(a) < $signed(b));
            3'd3: return 32'(a < b);
            3'd4: return a ^ b;
            3'd5: return other ? word_t'($signed(a) >>> b[4:0]) : a >> b[4:0];
            3'd6: return a | b;
            default: return a & b;
        endcase
    endfunction

    function automatic word_t multiply_divide(input logic [2:0] op, input word_t a, input word_t b);
        logic signed [65:0] product;
        logic overflow;
        product = $signed({{34{op != 3'd3 && a[31]}}, a}) * $signed({{34{op[1:0] == 2'd1 && b[31]}}, b});
        overflow = a == 32'h8000_0000 && b == '1;
        case (op)
`ifdef SERIAL_WRONG_MUL
            3'd0: return (a & 32'hfff) * (b & 32'hfff);  // the deliberately wrong core
`else
            3'd0: return product[31:0];
`endif
            3'd1, 3'd2, 3'd3: return product[63:32];
            3'd4: return b == 0 ? '1 : overflow ? a : word_t'($signed(a) / $signed(b));
            3'd5: return b == 0 ? '1 : a / b;
            3'd6: return b == 0 ? a : overflow ? 0 : word_t'($signed(a) % $signed(b));
            default: return b == 0 ? a : a % b;
        endcase
    endfunction

    function automatic logic taken(input logic [2:0] op, input word_t a, input word_t b);
        logic holds;
        case (op[2:1])
            2'd0: holds = a == b;
            2'd2: holds = $signed(a) < $signed(b);
            default: holds = a < b;
        endcase
        return holds ^ op[0];
    endfunction

    function automatic int population(input mask_t lanes);
        population = 0;
        for (int i = 0; i < LANES; ++i) population += int'(lanes[i]);
    endfunction

    always_comb begin
        int last;
        logic legal;
        mask_t predicate, yes, no;
        last = valid ? last_lane(mask) : 0;
        legal = 1'b1;
        predicate = '0;
        yes = '0;
        no = '0;
        effect = '0;
        if (valid) begin
            effect.next_pc = pc + 4;
            effect.next_mask = mask;
            effect.log_size = funct3[1:0];
            effect.extend = !funct3[2];
            for (int i = 0; i < LANES; ++i) begin
                effect.addr[i] = rs1[i] + (opcode[5] ? imm_s : imm_i);
                effect.data[i] = rs2[i];
                predicate[i] = rs1[i][0];
            end

            case (opcode)
                7'h37, 7'h17: begin  // LUI, AUIPC
                    effect.writes = 1'b1;
                    effect.result = {LANES{opcode[5] ? imm_u : pc + imm_u}};
                end
                7'h6f, 7'h67: begin  // JAL, JALR
                    legal = opcode[3] || funct3 == 0;
                    effect.writes = 1'b1;
                    effect.control = 1'b1;
                    effect.result = {LANES{pc + 32'd4}};
                    effect.next_pc = opcode[3] ? pc + imm_j : (rs1[last] + imm_i) & ~32'd3;
                end
                7'h63: begin  // branches
                    legal = funct3[2:1] != 2'd1;
                    effect.control = 1'b1;
                    if (taken(funct3, rs1[last], rs2[last])) effect.next_pc = pc + imm_b;
                end
                7'h13: begin  // operations with an immediate
                    effect.writes = 1'b1;
                    if (funct3 == 3'd1) legal = funct7 == 7'h00;
                    if (funct3 == 3'd5) legal = (funct7 & 7'h5f) == 7'h00;
                    for (int i = 0; i < LANES; ++i)
                    effect.result[i] = integer_op(funct3, funct3 == 3'd5 && instr[30], rs1[i], imm_i);
                end
                7'h33: begin  // operations on registers
                    effect.writes = 1'b1;
                    for (int i = 0; i < LANES; ++i) begin
                        case (funct7)
                            7'h00, 7'h20: effect.result[i] = integer_op(funct3, funct7[5], rs1[i], rs2[i]);
                            7'h01: effect.result[i] = multiply_divide(funct3, rs1[i], rs2[i]);
                            default: effect.result[i] = ((rs2[i] == 0) ^ funct3[1]) ? 0 : rs1[i];
                        endcase
                    end
                    case (funct7)
                        7'h00, 7'h01: ;
                        7'h20: legal = funct3 == 3'd0 || funct3 == 3'd5;
                        7'h07: legal = funct3 == 3'd5 || funct3 == 3'd7;
                        default: legal = 1'b0;
                    endcase
                end
                7'h03: begin
                    effect.load = 1'b1;
                    effect.writes = 1'b1;
                    legal = funct3[1:0] != 2'd3 && funct3 != 3'd6;
                end
                7'h23: begin
                    effect.store = 1'b1;
                    legal = funct3 < 3'd3;
                end
                7'h0f: effect.fence = 1'b1;
                7'h73: begin  // CSRs
                    effect.csr = 1'b1;
                    effect.writes = 1'b1;
                    effect.result = csr_data;
                    effect.csr_value = funct3[2] ? 32'(instr[19:15]) : rs1[last];
                    effect.csr_write = funct3[1:0] == 2'd1 || effect.csr_value != 0;
                    case (funct3[1:0])
                        2'd2: effect.csr_value = csr_data[0] | effect.csr_value;
                        2'd3: effect.csr_value = csr_data[0] & ~effect.csr_value;
                        default: ;
                    endcase
                    legal = funct3[1:0] != 2'd0 && csr_known && (csr_writable || !effect.csr_write);
                end
                7'h0b: begin
                    legal = funct7 == 0;
                    effect.control = funct3 != 3'd4 && funct3 != 3'd7;
                    yes = mask & (predicate ^ {LANES{funct3 == 3'd2 ? instr[20] : instr[7]}});
                    no = mask & ~yes;
                    case (funct3)
                        3'd0: effect.next_mask = rs1[last][LANES-1:0];  // TMC
                        3'd2: begin  // SPLIT
                            effect.writes = 1'b1;
                            effect.result = {LANES{32'(sp)}};
                            if (yes != 0 && no != 0) begin
                                effect.stack = STACK_PUSH;
                                effect.next_mask = population(yes) <= population(no) ? yes : no;
                                if (int'(sp) == DEPTH) legal = 1'b0;
                            end
                        end
                        3'd3:  // JOIN
                        if (rs1[last] != 32'(sp) && LANES > 1) begin
                            effect.stack = top_second ? STACK_POP : STACK_FLIP;
                            effect.next_mask = top_second ? top_mask : top_mask & ~mask;
                            if (!top_second) effect.next_pc = top_pc;
                            if (sp == 0) legal = 1'b0;
                        end
                        3'd4: begin  // BAR
                            effect.barrier = 1'b1;
                            legal = funct7 == 0 && !rs1[last][31] && rs2[last] != 0;
                        end
                        3'd5: effect.next_mask = yes != 0 ? yes : rs2[last][LANES-1:0];  // PRED
                        3'd7: ;  // WSYNC: nothing is ever in flight
                        default: legal = 1'b0;
                    endcase
                end
                default: legal = 1'b0;
            endcase

            if (effect.load || effect.store) begin
                for (int i = LANES - 1; i >= 0; --i) begin
                    if (mask[i] && (effect.addr[i] & ((32'd1 << effect.log_size) - 1)) != 0) begin
                        effect.fault = MISALIGNED;
                        effect.fault_addr = effect.addr[i];
                    end
                end
            end
            if (!legal) begin
                effect.fault = ILLEGAL;
                effect.fault_addr = pc;
            end
            if (instr[11:7] == 0) effect.writes = 1'b0;
            if (effect.fault != NO_FAULT) begin
                {effect.writes, effect.control, effect.load, effect.store} = '0;
                {effect.fence, effect.barrier, effect.csr_write} = '0;
                effect.stack = STACK_NONE;
                effect.next_pc = pc + 4;
                effect.next_mask = '0;
            end
        end
    end
endmodule
