// vx_fpu_unit with the ports that unit_bench.py drives; frm is in the low bits of the PC's word number.
module fpu_unit
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_fpu_pkg::*;
#(
    parameter bit DIVIDER = 0  // which of the two units
) (
    input wire clk,
    input wire reset,

    input wire exec_valid,
    output logic exec_ready,
    input exec_t exec,

    output logic commit_valid,
    input wire commit_ready,
    output commit_t commit,
    output logic [4:0] fflags
);
    logic pipe_exec_ready, div_exec_ready, pipe_commit_valid, div_commit_valid;
    commit_t pipe_commit, div_commit;
    flags_t pipe_fflags, div_fflags;

    always_comb begin
        exec_ready = DIVIDER ? div_exec_ready : pipe_exec_ready;
        commit_valid = DIVIDER ? div_commit_valid : pipe_commit_valid;
        commit = DIVIDER ? div_commit : pipe_commit;
        fflags = DIVIDER ? div_fflags : pipe_fflags;
    end

    vx_fpu_unit unit (
        .clk,
        .reset,
        .pipe_exec_valid(exec_valid && !DIVIDER),
        .pipe_exec_ready,
        .div_exec_valid(exec_valid && DIVIDER),
        .div_exec_ready,
        .exec,
        .frm(exec.pc[4:2]),
        .pipe_commit_valid,
        .pipe_commit_ready(commit_ready && !DIVIDER),
        .pipe_commit,
        .pipe_fflags,
        .div_commit_valid,
        .div_commit_ready(commit_ready && DIVIDER),
        .div_commit,
        .div_fflags
    );
endmodule
