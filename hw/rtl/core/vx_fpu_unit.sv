// Floating-point unit of the core: gives instructions to vx_fpu_pipe and vx_fpu_divsqrt and makes commits of their results.
//
// Contract
// * Two units for issue: `pipe_*` takes one beat of SIMD_WIDTH lanes a cycle, `div_*` one at a time. Commits are held until
//   taken.
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

    // ---------------------------------------------------------------- beats

    typedef logic [SIMD_WIDTH-1:0][31:0] singles_t;

    // Rounding mode of the instruction that issues, and of the one whose further beats wait: frm is that of issue.
    logic [2:0] mode, pipe_mode, pipe_mode_q, div_mode, div_mode_q;
    logic pipe_beat_valid, pipe_beat_ready, div_beat_valid, div_beat_ready;
    /* verilator lint_off UNUSEDSIGNAL */  // a beat has more than this unit needs
    beat_t pipe_beat, div_beat;
    /* verilator lint_on UNUSEDSIGNAL */

    assign mode = (exec.dec.imm[2:0] == DYNAMIC) ? frm : exec.dec.imm[2:0];

    if (BEATS == 1) begin : g_mode
        assign pipe_mode_q = '0;
        assign div_mode_q = '0;
    end else begin : g_mode_of_beats
        always_ff @(posedge clk) begin
            if (pipe_exec_valid) pipe_mode_q <= mode;
            if (div_exec_valid) div_mode_q <= mode;
        end
    end

    assign pipe_mode = (BEATS == 1 || pipe_exec_valid) ? mode : pipe_mode_q;
    assign div_mode = (BEATS == 1 || div_exec_valid) ? mode : div_mode_q;

    vx_beat_split pipe_split (
        .clk,
        .reset,
        .exec_valid(pipe_exec_valid),
        .exec_ready(pipe_exec_ready),
        .exec,
        .beat_valid(pipe_beat_valid),
        .beat_ready(pipe_beat_ready),
        .beat(pipe_beat)
    );

    vx_beat_split div_split (
        .clk,
        .reset,
        .exec_valid(div_exec_valid),
        .exec_ready(div_exec_ready),
        .exec,
        .beat_valid(div_beat_valid),
        .beat_ready(div_beat_ready),
        .beat(div_beat)
    );

    tag_t pipe_req_tag, div_req_tag;
    singles_t pipe_b, pipe_c, div_a, div_b;

    always_comb begin
        pipe_req_tag = '0;
        pipe_b = '0;
        pipe_c = '0;
        if (pipe_beat_valid) begin
            pipe_req_tag = '{info: info_of_beat(pipe_beat), bad_mode: pipe_mode > RMM};
            for (int i = 0; i < SIMD_WIDTH; ++i) begin
                pipe_b[i] = pipe_beat.rs2[i][31:0];
                pipe_c[i] = pipe_beat.rs3[i][31:0];
            end
        end
    end

    always_comb begin
        div_req_tag = '0;
        div_a = '0;
        div_b = '0;
        if (div_beat_valid) begin
            div_req_tag = '{info: info_of_beat(div_beat), bad_mode: div_mode > RMM};
            for (int i = 0; i < SIMD_WIDTH; ++i) begin
                div_a[i] = div_beat.rs1[i][31:0];
                div_b[i] = div_beat.rs2[i][31:0];
            end
        end
    end

    function automatic rounding_t known_mode(input logic [2:0] number);
        return (number > RMM) ? RNE : rounding_t'(number);
    endfunction

    // ---------------------------------------------------------------- both parts

    slice_t pipe_data;
    singles_t div_data;
    flags_t [SIMD_WIDTH-1:0] pipe_flags, div_flags;
    tag_t pipe_tag, div_tag;
    logic pipe_rsp_valid, pipe_rsp_ready, pipe_rsp_misc, div_rsp_valid, div_rsp_ready;

    vx_fpu_pipe #(
        .LANES(SIMD_WIDTH),
        .TAG_WIDTH($bits(tag_t)),
        .INT_WIDTH(XLEN)
    ) pipe (
        .clk,
        .reset,
        .req_valid(pipe_beat_valid),
        .req_ready(pipe_beat_ready),
        .req_op(fpu_op_t'(pipe_beat.dec.op[vx_fpu_pkg::OP_WIDTH-1:0])),
        .req_mode(known_mode(pipe_mode)),
        .req_a(pipe_beat.rs1),
        .req_b(pipe_b),
        .req_c(pipe_c),
        .req_tag(pipe_req_tag),
        .rsp_valid(pipe_rsp_valid),
        .rsp_ready(pipe_rsp_ready),
        .rsp_misc(pipe_rsp_misc),
        .rsp_data(pipe_data),
        .rsp_flags(pipe_flags),
        .rsp_tag(pipe_tag)
    );

    vx_fpu_divsqrt #(
        .LANES(SIMD_WIDTH),
        .TAG_WIDTH($bits(tag_t))
    ) divsqrt (
        .clk,
        .reset,
        .req_valid(div_beat_valid),
        .req_ready(div_beat_ready),
        .req_op(fpu_op_t'(div_beat.dec.op[vx_fpu_pkg::OP_WIDTH-1:0])),
        .req_mode(known_mode(div_mode)),
        .req_a(div_a),
        .req_b(div_b),
        .req_tag(div_req_tag),
        .rsp_valid(div_rsp_valid),
        .rsp_ready(div_rsp_ready),
        .rsp_data(div_data),
        .rsp_flags(div_flags),
        .rsp_tag(div_tag)
    );

    // ---------------------------------------------------------------- all beats

    lanes_t pipe_whole, div_whole;
    flags_t [NUM_THREADS-1:0] pipe_whole_flags, div_whole_flags;

    if (BEATS == 1) begin : g_whole
        assign pipe_rsp_ready = pipe_commit_ready;
        assign pipe_commit_valid = pipe_rsp_valid;
        assign pipe_whole = pipe_data;
        assign pipe_whole_flags = pipe_flags;
        assign div_rsp_ready = div_commit_ready;
        assign div_commit_valid = div_rsp_valid;
        assign div_whole_flags = div_flags;
        always_comb for (int i = 0; i < NUM_THREADS; ++i) div_whole[i] = XLEN'(div_data[i]);

        logic unused;
        assign unused = pipe_rsp_misc;
    end else begin : g_beats
        typedef struct packed {
            flags_t flags;
            word_t data;
        } lane_t;

        lane_t [SIMD_WIDTH-1:0] pipe_part, div_part;
        lane_t [NUM_THREADS-1:0] misc_lanes, fma_lanes, div_lanes;
        logic misc_part_ready, fma_part_ready, misc_valid, fma_valid;

        always_comb begin
            for (int i = 0; i < SIMD_WIDTH; ++i) begin
                pipe_part[i] = '{flags: pipe_flags[i], data: pipe_data[i]};
                div_part[i] = '{flags: div_flags[i], data: XLEN'(div_data[i])};
            end
        end

        // Multiply-adds and the others may overtake each other, so each kind gathers by itself.
        vx_beat_gather #(
            .LANE_BITS($bits(lane_t))
        ) misc_gather (
            .clk,
            .reset,
            .part_valid(pipe_rsp_valid && pipe_rsp_misc),
            .part_ready(misc_part_ready),
            .info(pipe_tag.info),
            .part(pipe_part),
            .whole_valid(misc_valid),
            .whole_ready(pipe_commit_ready),
            .whole(misc_lanes)
        );

        vx_beat_gather #(
            .LANE_BITS($bits(lane_t))
        ) fma_gather (
            .clk,
            .reset,
            .part_valid(pipe_rsp_valid && !pipe_rsp_misc),
            .part_ready(fma_part_ready),
            .info(pipe_tag.info),
            .part(pipe_part),
            .whole_valid(fma_valid),
            .whole_ready(pipe_commit_ready),
            .whole(fma_lanes)
        );

        vx_beat_gather #(
            .LANE_BITS($bits(lane_t))
        ) div_gather (
            .clk,
            .reset,
            .part_valid(div_rsp_valid),
            .part_ready(div_rsp_ready),
            .info(div_tag.info),
            .part(div_part),
            .whole_valid(div_commit_valid),
            .whole_ready(div_commit_ready),
            .whole(div_lanes)
        );

        assign pipe_rsp_ready = pipe_rsp_misc ? misc_part_ready : fma_part_ready;
        assign pipe_commit_valid = misc_valid || fma_valid;

        always_comb begin
            for (int i = 0; i < NUM_THREADS; ++i) begin
                pipe_whole[i] = pipe_rsp_misc ? misc_lanes[i].data : fma_lanes[i].data;
                pipe_whole_flags[i] = pipe_rsp_misc ? misc_lanes[i].flags : fma_lanes[i].flags;
                div_whole[i] = div_lanes[i].data;
                div_whole_flags[i] = div_lanes[i].flags;
            end
        end
    end

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
            pipe_commit.data = pipe_whole;
            if (pipe_tag.bad_mode) begin
                pipe_commit.fault = FAULT_ILLEGAL;
                pipe_commit.fault_addr = pipe_tag.info.pc;
            end else begin
                pipe_fflags = active_flags(pipe_whole_flags, pipe_tag.info.tmask);
            end
        end
    end

    always_comb begin
        div_commit = '0;
        div_fflags = '0;
        if (div_commit_valid) begin
            div_commit.info = div_tag.info;
            div_commit.data = div_whole;
            if (div_tag.bad_mode) begin
                div_commit.fault = FAULT_ILLEGAL;
                div_commit.fault_addr = div_tag.info.pc;
            end else begin
                div_fflags = active_flags(div_whole_flags, div_tag.info.tmask);
            end
        end
    end
endmodule
