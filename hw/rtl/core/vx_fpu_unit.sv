// Floating-point unit of the core: gives instructions to vx_fpu_pipe and vx_fpu_divsqrt and makes commits of their results.
//
// Contract
// * Two units for issue: `pipe_*` takes one instruction a cycle, `div_*` one at a time. Commits are held until taken.
// * `dec.imm[2:0]` is the rounding mode of the instruction; 7 takes `frm`, that of the warp in the cycle of issue (CSR
//   instructions that touch it are alone in flight). A mode that does not exist makes the instruction a fault.
// * `*_fflags` are those of all active lanes, valid with the commit; none with a fault.
module vx_fpu_unit
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_fpu_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire pipe_exec_valid,
    output logic pipe_exec_ready,
    input wire div_exec_valid,
    output logic div_exec_ready,
    input exec_t exec,
    input wire [2:0] frm,  // of the warp of `exec`

    output logic pipe_commit_valid,
    input wire pipe_commit_ready,
    output commit_t pipe_commit,
    output flags_t pipe_fflags,

    output logic div_commit_valid,
    input wire div_commit_ready,
    output commit_t div_commit,
    output flags_t div_fflags
);
    localparam logic [2:0] DYNAMIC = 3'd7;

    if (FLEN != 32) begin : g_check
        $error("vx_fpu_unit: FLEN = %0d: double precision is not implemented, EXT_F needs FLEN = 32", FLEN);
    end

    typedef struct packed {
        exec_info_t info;
        logic bad_mode;
    } tag_t;

    logic [2:0] mode;
    rounding_t req_mode;
    tag_t req_tag;
    logic [NUM_THREADS-1:0][31:0] rs1, rs2, rs3;

    always_comb begin
        mode = '0;
        req_tag = '0;
        rs1 = '0;
        rs2 = '0;
        rs3 = '0;
        if (pipe_exec_valid || div_exec_valid) begin
            mode = (exec.dec.imm[2:0] == DYNAMIC) ? frm : exec.dec.imm[2:0];
            req_tag = '{info: info_of(exec), bad_mode: mode > RMM};
            for (int i = 0; i < NUM_THREADS; ++i) begin
                rs1[i] = exec.rs1[i][31:0];
                rs2[i] = exec.rs2[i][31:0];
                rs3[i] = exec.rs3[i][31:0];
            end
        end
        req_mode = (mode > RMM) ? RNE : rounding_t'(mode);
    end

    // ---------------------------------------------------------------- both parts

    lanes_t pipe_data;
    logic [NUM_THREADS-1:0][31:0] div_data;
    flags_t [NUM_THREADS-1:0] pipe_flags, div_flags;
    tag_t pipe_tag, div_tag;

    vx_fpu_pipe #(
        .LANES(NUM_THREADS),
        .TAG_WIDTH($bits(tag_t)),
        .INT_WIDTH(XLEN)
    ) pipe (
        .clk,
        .reset,
        .req_valid(pipe_exec_valid),
        .req_ready(pipe_exec_ready),
        .req_op(fpu_op_t'(exec.dec.op[vx_fpu_pkg::OP_WIDTH-1:0])),
        .req_mode,
        .req_a(exec.rs1),
        .req_b(rs2),
        .req_c(rs3),
        .req_tag,
        .rsp_valid(pipe_commit_valid),
        .rsp_ready(pipe_commit_ready),
        .rsp_data(pipe_data),
        .rsp_flags(pipe_flags),
        .rsp_tag(pipe_tag)
    );

    vx_fpu_divsqrt #(
        .LANES(NUM_THREADS),
        .TAG_WIDTH($bits(tag_t))
    ) divsqrt (
        .clk,
        .reset,
        .req_valid(div_exec_valid),
        .req_ready(div_exec_ready),
        .req_op(fpu_op_t'(exec.dec.op[vx_fpu_pkg::OP_WIDTH-1:0])),
        .req_mode,
        .req_a(rs1),
        .req_b(rs2),
        .req_tag,
        .rsp_valid(div_commit_valid),
        .rsp_ready(div_commit_ready),
        .rsp_data(div_data),
        .rsp_flags(div_flags),
        .rsp_tag(div_tag)
    );

    // ---------------------------------------------------------------- commits

    function automatic flags_t active_flags(input flags_t [NUM_THREADS-1:0] flags, input tmask_t mask);
        active_flags = '0;
        for (int i = 0; i < NUM_THREADS; ++i) if (mask[i]) active_flags = active_flags | flags[i];
    endfunction

    always_comb begin
        pipe_commit = '0;
        pipe_fflags = '0;
        if (pipe_commit_valid) begin
            pipe_commit.info = pipe_tag.info;
            pipe_commit.data = pipe_data;
            if (pipe_tag.bad_mode) begin
                pipe_commit.fault = FAULT_ILLEGAL;
                pipe_commit.fault_addr = pipe_tag.info.pc;
            end else begin
                pipe_fflags = active_flags(pipe_flags, pipe_tag.info.tmask);
            end
        end
    end

    always_comb begin
        div_commit = '0;
        div_fflags = '0;
        if (div_commit_valid) begin
            div_commit.info = div_tag.info;
            for (int i = 0; i < NUM_THREADS; ++i) div_commit.data[i] = XLEN'(div_data[i]);
            if (div_tag.bad_mode) begin
                div_commit.fault = FAULT_ILLEGAL;
                div_commit.fault_addr = div_tag.info.pc;
            end else begin
                div_fflags = active_flags(div_flags, div_tag.info.tmask);
            end
        end
    end
endmodule
