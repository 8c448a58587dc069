// Commit: one instruction per cycle writes its result, releases its register and leaves the pipeline.
//
// Contract
// * A load is taken at once. The other units share what is left fairly: those that wait together are served one after the
//   other (divider, float divider, float, multiplier, SFU, stores and fences, ALU) before anybody who came later, so a
//   unit waits for at most two instructions of each other one, and for loads. Loads cannot keep the others away for
//   long, since every loop of every warp has a branch, which is the ALU's.
// * An instruction with a fault writes nothing and raises `stop_*` once per warp: `stopping` masks what follows.
module vx_commit
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
    import vx_fpu_pkg::flags_t;
(
    input wire clk,
    input wire reset,

    input wire load_valid,
    input commit_t load,
    input wire div_valid,
    output logic div_ready,
    input commit_t div,
    input wire fdiv_valid,
    output logic fdiv_ready,
    input commit_t fdiv,
    input flags_t fdiv_fflags,
    input wire fpu_valid,
    output logic fpu_ready,
    input commit_t fpu,
    input flags_t fpu_fflags,
    input wire mul_valid,
    output logic mul_ready,
    input commit_t mul,
    input wire sfu_valid,
    output logic sfu_ready,
    input commit_t sfu,
    input tmask_t sfu_write_mask,
    input wire store_valid,
    output logic store_ready,
    input commit_t store,
    input wire alu_valid,
    output logic alu_ready,
    input commit_t alu,

    input wire [NUM_WARPS-1:0] stopping,

    output logic commit_valid,
    output commit_t commit,
    output flags_t fflags,  // that the instruction raises
    output logic write,  // to the register file
    output tmask_t write_mask,
    output logic stop_valid,
    output trace_commit_t trace
);
    // ---------------------------------------------------------------- whose turn it is

    typedef enum logic [2:0] {
        DIV,
        FDIV,
        FPU,
        MUL,
        SFU,
        STORE,
        ALU
    } unit_number_t;
    localparam int UNITS = 7;

    logic [UNITS-1:0] waits, round, grant;
    logic [UNITS-1:0] round_q;  // those that waited when the last round began, and have not been served since

    always_comb begin
        waits = {alu_valid, store_valid, sfu_valid, mul_valid, fpu_valid, fdiv_valid, div_valid};
        round = ((waits & round_q) != '0) ? round_q : waits;
        grant = waits & round;
        grant = load_valid ? '0 : grant & (~grant + UNITS'(1));
    end

    always_ff @(posedge clk) begin
        if (grant != '0) round_q <= round & ~grant;
        if (reset) round_q <= '0;
    end

    assign {alu_ready, store_ready, sfu_ready, mul_ready, fpu_ready, fdiv_ready, div_ready} = grant;

    // ---------------------------------------------------------------- its instruction

    // Only the SFU writes other lanes than the active ones.
    assign write_mask = grant[SFU] ? sfu_write_mask : commit.info.tmask;

    always_comb begin
        commit_valid = load_valid || grant != '0;
        fflags = '0;
        commit = load;
        if (!load_valid) begin
            if (grant[ALU]) commit = alu;
            else if (grant[STORE]) commit = store;
            else if (grant[SFU]) commit = sfu;
            else if (grant[MUL]) commit = mul;
            else if (grant[FPU]) begin
                commit = fpu;
                fflags = fpu_fflags;
            end else if (grant[FDIV]) begin
                commit = fdiv;
                fflags = fdiv_fflags;
            end else if (grant[DIV]) commit = div;
            else commit = '0;
        end
        write = commit_valid && commit.info.use_rd && commit.fault == FAULT_NONE;
        stop_valid = commit_valid && commit.fault != FAULT_NONE && !stopping[commit.info.wid];
    end

    // All lanes of an instruction commit together, so every packet is the first and the last.
    always_comb begin
        trace = '0;
        if (commit_valid) begin
            trace.valid = 1'b1;
            trace.wid = commit.info.wid;
            trace.uid = commit.info.uid;
            trace.first = 1'b1;
            trace.last = 1'b1;
            trace.write = write;
            trace.fflags = fflags;
            if (write) begin
                trace.rd = commit.info.rd;
                trace.wmask = write_mask;
                trace.data = commit.data;
            end
        end
    end
endmodule
