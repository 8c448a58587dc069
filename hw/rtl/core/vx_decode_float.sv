// Decodes the float part of the instruction set: FLW, FSW and everything that the float units execute. Combinational.
//
// Contract
// * Outputs count while `instr` has one of the opcodes below. `dec.use_rd` is left to vx_decode.
// * Float registers have bit 5 of their number set. Rounding modes that do not exist are legal here: vx_fpu_unit, which
//   knows the dynamic one, finds them.
module vx_decode_float
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_fpu_pkg::*;
(
    input wire valid,
    input wire [31:0] instr,

    output decoded_t dec,
    output logic legal,
    output logic writes  // an instruction that is legal has a destination
);
    localparam logic [6:0] OPC_LOAD_FP = 7'h07;
    localparam logic [6:0] OPC_STORE_FP = 7'h27;
    localparam logic [6:0] OPC_MADD = 7'h43;
    localparam logic [6:0] OPC_MSUB = 7'h47;
    localparam logic [6:0] OPC_NMSUB = 7'h4b;
    localparam logic [6:0] OPC_NMADD = 7'h4f;
    localparam logic [6:0] OPC_OP_FP = 7'h53;

    localparam logic [6:0] FUNCT7_FADD = 7'h00;  // funct7 of OP-FP for singles
    localparam logic [6:0] FUNCT7_FSUB = 7'h04;
    localparam logic [6:0] FUNCT7_FMUL = 7'h08;
    localparam logic [6:0] FUNCT7_FDIV = 7'h0c;
    localparam logic [6:0] FUNCT7_FSGNJ = 7'h10;
    localparam logic [6:0] FUNCT7_FMINMAX = 7'h14;
    localparam logic [6:0] FUNCT7_FSQRT = 7'h2c;
    localparam logic [6:0] FUNCT7_FCMP = 7'h50;
    localparam logic [6:0] FUNCT7_FCVT_TO = 7'h60;
    localparam logic [6:0] FUNCT7_FCVT_FROM = 7'h68;
    localparam logic [6:0] FUNCT7_FMV_X_CLASS = 7'h70;
    localparam logic [6:0] FUNCT7_FMV_F = 7'h78;

    logic [2:0] funct3;
    logic [6:0] funct7;

    assign funct3 = instr[14:12];
    assign funct7 = instr[31:25];

    always_comb begin
        dec = '0;
        legal = 1'b0;
        writes = 1'b0;
        if (valid && EXT_F) begin
            dec.imm = 32'(funct3);
            dec.rd = reg_t'(instr[11:7]);
            dec.rs1 = reg_t'(instr[19:15]);
            dec.rs2 = reg_t'(instr[24:20]);
            case (instr[6:0])
                OPC_LOAD_FP: begin
                    lsu_op_t op;
                    op = '{pieces: 1'b0, atomic: 1'b0, fence: 1'b0, store: 1'b0, is_unsigned: 1'b0, log_size: 2'd2};
                    legal = funct3 == 3'd2;
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                    dec.imm = {{20{instr[31]}}, instr[31:20]};
                    dec.rd[5] = 1'b1;
                    dec.use_rs1 = 1'b1;
                    writes = 1'b1;
                end

                OPC_STORE_FP: begin
                    lsu_op_t op;
                    op = '{pieces: 1'b0, atomic: 1'b0, fence: 1'b0, store: 1'b1, is_unsigned: 1'b0, log_size: 2'd2};
                    legal = funct3 == 3'd2;
                    dec.unit = UNIT_LSU;
                    dec.op = op;
                    dec.imm = {{20{instr[31]}}, instr[31:25], instr[11:7]};
                    dec.rs2[5] = 1'b1;
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                end

                OPC_MADD, OPC_MSUB, OPC_NMSUB, OPC_NMADD: begin
                    legal = instr[26:25] == 2'b00;
                    dec.unit = UNIT_FPU;
                    dec.op = op_t'(FPU_MADD) + op_t'(instr[3:2]);
                    dec.rd[5] = 1'b1;
                    dec.rs1[5] = 1'b1;
                    dec.rs2[5] = 1'b1;
                    dec.rs3 = {1'b1, instr[31:27]};
                    dec.use_rs1 = 1'b1;
                    dec.use_rs2 = 1'b1;
                    dec.use_rs3 = 1'b1;
                    writes = 1'b1;
                end

                OPC_OP_FP: begin
                    logic first_only;  // no second operand: its field is part of the encoding
                    first_only = instr[24:20] == '0;
                    dec.unit = UNIT_FPU;
                    dec.rd[5] = 1'b1;
                    dec.rs1[5] = 1'b1;
                    dec.rs2[5] = 1'b1;
                    dec.use_rs1 = 1'b1;
                    writes = 1'b1;
                    case (funct7)
                        FUNCT7_FADD, FUNCT7_FSUB, FUNCT7_FMUL, FUNCT7_FDIV: begin
                            legal = 1'b1;
                            dec.use_rs2 = 1'b1;
                            case (funct7)
                                FUNCT7_FADD: dec.op = op_t'(FPU_ADD);
                                FUNCT7_FSUB: dec.op = op_t'(FPU_SUB);
                                FUNCT7_FMUL: dec.op = op_t'(FPU_MUL);
                                default: begin
                                    dec.unit = UNIT_FDIV;
                                    dec.op = op_t'(FPU_DIV);
                                end
                            endcase
                        end
                        FUNCT7_FSQRT: begin
                            legal = first_only;
                            dec.unit = UNIT_FDIV;
                            dec.op = op_t'(FPU_SQRT);
                        end
                        FUNCT7_FSGNJ: begin
                            legal = funct3 <= 3'd2;
                            dec.op = op_t'(FPU_SGNJ) + op_t'(funct3);
                            dec.use_rs2 = 1'b1;
                        end
                        FUNCT7_FMINMAX: begin
                            legal = funct3 <= 3'd1;
                            dec.op = op_t'(FPU_MIN) + op_t'(funct3);
                            dec.use_rs2 = 1'b1;
                        end
                        FUNCT7_FCMP: begin
                            legal = funct3 <= 3'd2;
                            dec.op = op_t'(FPU_LE) + op_t'(funct3);
                            dec.rd[5] = 1'b0;
                            dec.use_rs2 = 1'b1;
                        end
                        FUNCT7_FCVT_TO: begin
                            legal = instr[24:22] == '0 && (XLEN == 64 || !instr[21]);
                            dec.op = op_t'(FPU_TO_W) + op_t'(instr[21:20]);
                            dec.rd[5] = 1'b0;
                        end
                        FUNCT7_FCVT_FROM: begin
                            legal = instr[24:22] == '0 && (XLEN == 64 || !instr[21]);
                            dec.op = op_t'(FPU_FROM_W) + op_t'(instr[21:20]);
                            dec.rs1[5] = 1'b0;
                        end
                        FUNCT7_FMV_X_CLASS: begin
                            legal = first_only && funct3 <= 3'd1;
                            dec.op = funct3[0] ? op_t'(FPU_CLASS) : op_t'(FPU_MOVE_X);
                            dec.rd[5] = 1'b0;
                        end
                        FUNCT7_FMV_F: begin
                            legal = first_only && funct3 == '0;
                            dec.op = op_t'(FPU_MOVE_F);
                            dec.rs1[5] = 1'b0;
                        end
                        default: ;
                    endcase
                end

                default: ;
            endcase
        end
    end
endmodule
