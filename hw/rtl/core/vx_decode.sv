// Decodes one instruction word (reference sections 2.1 and 2.2). Combinational.
//
// Contract
// * Every word decodes to something: what is not implemented becomes SFU_ILLEGAL, which stops the warp when it executes.
// * `stall`: where the warp goes is known only after execution, so its fetch stops here.
// * `jump`: a JAL; fetch goes on at PC + dec.imm at once.
// * Outputs mean nothing while `valid` is low.
module vx_decode
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire valid,
    input wire [31:0] instr,

    output decoded_t dec,
    output logic stall,
    output logic jump
);
    localparam logic [6:0] OPC_LOAD = 7'h03;
    localparam logic [6:0] OPC_LOAD_FP = 7'h07;
    localparam logic [6:0] OPC_CUSTOM0 = 7'h0b;
    localparam logic [6:0] OPC_FENCE = 7'h0f;
    localparam logic [6:0] OPC_OP_IMM = 7'h13;
    localparam logic [6:0] OPC_AUIPC = 7'h17;
    localparam logic [6:0] OPC_OP_IMM_32 = 7'h1b;
    localparam logic [6:0] OPC_STORE = 7'h23;
    localparam logic [6:0] OPC_CUSTOM1 = 7'h2b;
    localparam logic [6:0] OPC_AMO = 7'h2f;
    localparam logic [6:0] OPC_STORE_FP = 7'h27;
    localparam logic [6:0] OPC_OP = 7'h33;
    localparam logic [6:0] OPC_LUI = 7'h37;
    localparam logic [6:0] OPC_OP_32 = 7'h3b;
    localparam logic [6:0] OPC_MADD = 7'h43;
    localparam logic [6:0] OPC_MSUB = 7'h47;
    localparam logic [6:0] OPC_NMSUB = 7'h4b;
    localparam logic [6:0] OPC_NMADD = 7'h4f;
    localparam logic [6:0] OPC_OP_FP = 7'h53;
    localparam logic [6:0] OPC_BRANCH = 7'h63;
    localparam logic [6:0] OPC_JALR = 7'h67;
    localparam logic [6:0] OPC_JAL = 7'h6f;
    localparam logic [6:0] OPC_SYSTEM = 7'h73;

    decoded_t float_dec;
    logic float_legal, float_writes;

    vx_decode_float decode_float (
        .valid,
        .instr,
        .dec(float_dec),
        .legal(float_legal),
        .writes(float_writes)
    );

    logic [2:0] funct3;
    logic [6:0] funct7;
    logic legal;

    // Register operation of OP, OP-IMM (without SUB) and their 32-bit forms.
    function automatic alu_op_t alu_op(input logic [2:0] f3, input logic alternative);
        unique case (f3)
            3'd0: return alternative ? ALU_SUB : ALU_ADD;
            3'd1: return ALU_SLL;
            3'd2: return ALU_SLT;
            3'd3: return ALU_SLTU;
            3'd4: return ALU_XOR;
            3'd5: return alternative ? ALU_SRA : ALU_SRL;
            3'd6: return ALU_OR;
            default: return ALU_AND;
        endcase
    endfunction

    function automatic amo_op_t amo_op(input logic [4:0] funct5);
        case (funct5)
            5'h00: return AMO_ADD;
            5'h01: return AMO_SWAP;
            5'h02: return AMO_LR;
            5'h03: return AMO_SC;
            5'h04: return AMO_XOR;
            5'h08: return AMO_OR;
            5'h0c: return AMO_AND;
            5'h10: return AMO_MIN;
            5'h14: return AMO_MAX;
            5'h18: return AMO_MINU;
            5'h1c: return AMO_MAXU;
            default: return AMO_NONE;
        endcase
    endfunction

    assign funct3 = instr[14:12];
    assign funct7 = instr[31:25];

    always_comb begin
        logic writes;
        dec = '0;
        stall = 1'b0;
        jump = 1'b0;
        legal = 1'b0;
        writes = 1'b0;
        if (valid) begin
            dec.unit = UNIT_ALU;
            dec.op = ALU_ADD;
            dec.imm = {{20{instr[31]}}, instr[31:20]};
            dec.rd = reg_t'(instr[11:7]);
            dec.rs1 = reg_t'(instr[19:15]);
            dec.rs2 = reg_t'(instr[24:20]);
            dec.rs3 = reg_t'(instr[31:27]);

            case (instr[6:0])
                OPC_LUI, OPC_AUIPC: begin
                    legal = 1'b1;
                    dec.op = (instr[6:0] == OPC_LUI) ? ALU_LUI : ALU_ADD;
                    dec.use_pc = 1'b1;
                    dec.use_imm = 1'b1;
                    dec.imm = {instr[31:12], 12'b0};
                    writes = 1'b1;
                end

                OPC_JAL: begin
                    legal = 1'b1;
                    jump = 1'b1;
                    dec.op = ALU_JAL;
                    dec.imm = {{12{instr[31]}}, instr[19:12], instr[20], instr[30:21], 1'b0};
                    writes = 1'b1;
                end

                OPC_JALR: begin
                    legal = funct3 == 3'd0;
                    stall = 1'b1;
                    dec.op = ALU_JALR;
                    dec.use_rs1 = 1'b1;
                    writes = 1'b1;
                end

                OPC_BRANCH: begin
                    legal = funct3[2:1] != 2'b01;
                    stall = 1'b1;
                    unique case (funct3)
                        3'd0: dec.op = ALU_BEQ;
                        3'd1: dec.op = ALU_BNE;
                        3'd4: dec.op = ALU_BLT;
                        3'd5: dec.op = ALU_BGE;
                        3'd6: dec.op = ALU_BLTU;
                        default: dec.op = ALU_BGEU;
                    endcase
                    dec.imm = {{20{instr[31]}}, instr[7], instr[30:25], instr[11:8], 1'b0};
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                end

                OPC_OP_IMM: begin
                    logic arithmetic;
                    // The shift amount has 5 or 6 bits; the bits above it select the kind of shift.
                    arithmetic = instr[30] && funct3 == 3'd5;
                    legal = 1'b1;
                    if (funct3 == 3'd1 || funct3 == 3'd5) begin
                        legal = (funct7 & ~(7'(XLEN == 64) | (arithmetic ? 7'h20 : 7'h00))) == 7'h00;
                    end
                    dec.op = alu_op(funct3, arithmetic);
                    dec.use_imm = 1'b1;
                    dec.use_rs1 = 1'b1;
                    writes = 1'b1;
                end

                OPC_OP_IMM_32: begin
                    logic arithmetic;
                    arithmetic = instr[30] && funct3 == 3'd5;
                    legal = XLEN == 64 && (funct3 == 3'd0 || ((funct3 == 3'd1 || funct3 == 3'd5) &&
                                                              (funct7 & ~(arithmetic ? 7'h20 : 7'h00)) == 7'h00));
                    dec.op = alu_op(funct3, arithmetic);
                    dec.is_word = 1'b1;
                    dec.use_imm = 1'b1;
                    dec.use_rs1 = 1'b1;
                    writes = 1'b1;
                end

                OPC_OP, OPC_OP_32: begin
                    dec.is_word = instr[6:0] == OPC_OP_32;
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                    writes = 1'b1;
                    case (funct7)
                        7'h00, 7'h20: begin
                            dec.op = alu_op(funct3, funct7[5]);
                            legal = funct7 == 7'h00 || funct3 == 3'd0 || funct3 == 3'd5;
                            if (dec.is_word) legal = legal && (funct3 == 3'd0 || funct3 == 3'd1 || funct3 == 3'd5);
                        end
                        7'h01: begin
                            legal = EXT_M && !(dec.is_word && (funct3 == 3'd1 || funct3 == 3'd2 || funct3 == 3'd3));
                            dec.unit = funct3[2] ? UNIT_DIV : UNIT_MUL;
                            dec.op = op_t'(funct3[1:0]);
                        end
                        7'h07: begin
                            legal = EXT_ZICOND && !dec.is_word && (funct3 == 3'd5 || funct3 == 3'd7);
                            dec.op = funct3[1] ? ALU_CZERO_NEZ : ALU_CZERO_EQZ;
                        end
                        default: ;
                    endcase
                    if (dec.is_word && XLEN != 64) legal = 1'b0;
                end

                OPC_LOAD: begin
                    lsu_op_t op;
                    op = '{pieces: 1'b0, atomic: 1'b0, fence: 1'b0, store: 1'b0, is_unsigned: funct3[2], log_size: funct3[1:0]};
                    legal = (XLEN == 64) ? funct3 != 3'd7 : (funct3[1:0] != 2'd3 && funct3 != 3'd6);
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                    dec.use_rs1 = 1'b1;
                    writes = 1'b1;
                end

                OPC_STORE: begin
                    lsu_op_t op;
                    op = '{pieces: 1'b0, atomic: 1'b0, fence: 1'b0, store: 1'b1, is_unsigned: 1'b0, log_size: funct3[1:0]};
                    legal = !funct3[2] && (XLEN == 64 || funct3[1:0] != 2'd3);
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                    dec.imm = {{20{instr[31]}}, instr[31:25], instr[11:7]};
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                end

                OPC_LOAD_FP, OPC_STORE_FP, OPC_MADD, OPC_MSUB, OPC_NMSUB, OPC_NMADD, OPC_OP_FP: begin
                    dec = float_dec;
                    legal = float_legal;
                    writes = float_writes;
                end

                OPC_FENCE: begin
                    lsu_op_t op;
                    op = '{fence: 1'b1, default: '0};
                    legal = 1'b1;
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                end

                OPC_AMO: begin  // aq and rl say nothing new: every atomic is in order
                    lsu_op_t op;
                    amo_op_t kind;
                    op = '{pieces: 1'b0, atomic: 1'b1, fence: 1'b0, store: 1'b0, is_unsigned: 1'b0, log_size: funct3[1:0]};
                    kind = amo_op(instr[31:27]);
                    legal = EXT_A && kind != AMO_NONE && (funct3 == 3'd2 || (funct3 == 3'd3 && XLEN == 64)) &&
                            !(kind == AMO_LR && instr[24:20] != '0);
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                    dec.imm = 32'(kind);
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = kind != AMO_LR;
                    writes = 1'b1;
                end

                OPC_SYSTEM: begin
                    dec.unit = UNIT_SFU;
                    if (funct3[1:0] == 2'd0) begin
                        stall = 1'b1;
                        case (instr)
                            32'h00000073, 32'h00100073: begin  // ECALL, EBREAK
                                legal = EXT_SIMT_FULL;
                                dec.op = SFU_TRAP;
                                dec.imm = instr[20] ? 32'd3 : 32'd11;
                            end
                            32'h30200073, 32'h10200073, 32'h00200073: begin  // MRET, SRET, URET
                                legal = EXT_SIMT_FULL;
                                dec.op = SFU_RETURN;
                            end
                            default: ;
                        endcase
                    end else begin
                        legal = 1'b1;
                        unique case (funct3[1:0])
                            2'd2: dec.op = SFU_CSRRS;
                            2'd3: dec.op = SFU_CSRRC;
                            default: dec.op = SFU_CSRRW;
                        endcase
                        dec.imm = {15'b0, instr[19:15], instr[31:20]};
                        dec.use_imm = funct3[2];
                        dec.use_rs1 = !funct3[2];
                        // fflags, frm, fcsr: float instructions change and use them
                        dec.drain = instr[31:20] inside {12'h001, 12'h002, 12'h003};
                        writes = 1'b1;
                    end
                end

                OPC_CUSTOM0:
                if (funct7 == 7'd1) begin  // votes and shuffles
                    legal = EXT_SIMT_FULL;
                    dec.unit = UNIT_SFU;
                    dec.op = funct3[2] ? SFU_SHUFFLE : SFU_VOTE;
                    dec.imm = 32'(funct3[1:0]);
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = funct3[2];
                    writes = 1'b1;
                end else if (funct7 == 7'd4) begin  // packed loads of bytes and of halfwords
                    lsu_op_t op;
                    op = '{pieces: 1'b1, is_unsigned: 1'b1, log_size: {1'b0, funct3[1]}, default: '0};
                    legal = EXT_PACKED && (funct3 == 3'd1 || funct3 == 3'd2);
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                    dec.imm = '0;
                    dec.rd = {1'b1, instr[11:7]};
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                    writes = 1'b1;
                end else begin
                    legal = funct7 == 7'd0;
                    stall = 1'b1;
                    dec.unit = UNIT_SFU;
                    unique case (funct3)
                        3'd1: begin
                            legal = legal && EXT_SIMT_FULL;
                            dec.op = SFU_WSPAWN;
                            dec.use_rs1 = 1'b1;
                            dec.use_rs2 = 1'b1;
                            dec.drain = 1'b1;
                            dec.alone = 1'b1;
                        end
                        3'd0: begin  // the warp may end, so nothing of it may be in flight
                            dec.op = SFU_TMC;
                            dec.use_rs1 = 1'b1;
                            dec.drain = 1'b1;
                        end
                        3'd2: begin
                            dec.op = SFU_SPLIT;
                            dec.imm = 32'(instr[20]);
                            dec.use_rs1 = 1'b1;
                            writes = 1'b1;
                        end
                        3'd3: begin
                            dec.op = SFU_JOIN;
                            dec.use_rs1 = 1'b1;
                        end
                        3'd4: begin
                            dec.op = SFU_BAR;
                            dec.use_rs1 = 1'b1;
                            dec.use_rs2 = 1'b1;
                            dec.drain = 1'b1;
                        end
                        3'd5: begin
                            dec.op = SFU_PRED;
                            dec.imm = 32'(instr[7]);
                            dec.use_rs1 = 1'b1;
                            dec.use_rs2 = 1'b1;
                        end
                        3'd7: begin  // waits at issue, where younger instructions of the warp wait behind it
                            dec.op = SFU_WSYNC;
                            dec.drain = 1'b1;
                            stall = 1'b0;
                        end
                        default: begin  // the warp goes on after BAR.ARRIVE, which x0 as its destination makes BAR.WAIT
                            legal = legal && EXT_SIMT_FULL;
                            dec.op = (instr[11:7] == '0) ? SFU_BAR_WAIT : SFU_BAR_ARRIVE;
                            dec.use_rs1 = 1'b1;
                            dec.use_rs2 = 1'b1;
                            dec.drain = 1'b1;
                            stall = instr[11:7] == '0;
                            writes = 1'b1;
                        end
                    endcase
                end

                OPC_CUSTOM1: begin
                    legal = EXT_SIMT_FULL && funct3 == 3'd0;
                    dec.unit = UNIT_SFU;
                    dec.op = SFU_WGATHER;
                    dec.imm = 32'(instr[26:25]);
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                    dec.use_rs3 = 1'b1;
                    writes = 1'b1;
                end

                default: ;
            endcase

            if (instr[1:0] != 2'b11) legal = 1'b0;
            if (!legal) begin
                dec = '0;
                dec.unit = UNIT_SFU;
                dec.op = SFU_ILLEGAL;
                dec.drain = 1'b1;
                writes = 1'b0;
                stall = 1'b1;
                jump = 1'b0;
            end
            dec.use_rd = writes && dec.rd != '0;
        end
    end
endmodule
