// Commit: one instruction per cycle writes its result, releases its register and leaves the pipeline.
//
// Contract
// * Fixed priority: loads, divider, float divider, float, multiplier, SFU, stores and fences, ALU. Nobody starves, because
//   issue delivers at most one instruction per cycle and the ALU, last in line, then holds back issue to itself.
// * An instruction with a fault writes nothing and raises `stop_*` once per warp: `stopping` masks what follows.
module vx_commit
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
    import vx_fpu_pkg::flags_t;
(
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
    assign div_ready = !load_valid;
    assign fdiv_ready = div_ready && !div_valid;
    assign fpu_ready = fdiv_ready && !fdiv_valid;
    assign mul_ready = fpu_ready && !fpu_valid;
    assign sfu_ready = mul_ready && !mul_valid;
    assign store_ready = sfu_ready && !sfu_valid;
    assign alu_ready = store_ready && !store_valid;

    // Only the SFU writes other lanes than the active ones.
    assign write_mask = (sfu_valid && sfu_ready) ? sfu_write_mask : commit.info.tmask;

    always_comb begin
        commit_valid = 1'b1;
        fflags = '0;
        if (load_valid) commit = load;
        else if (div_valid) commit = div;
        else if (fdiv_valid) begin
            commit = fdiv;
            fflags = fdiv_fflags;
        end else if (fpu_valid) begin
            commit = fpu;
            fflags = fpu_fflags;
        end else if (mul_valid) commit = mul;
        else if (sfu_valid) commit = sfu;
        else if (store_valid) commit = store;
        else if (alu_valid) commit = alu;
        else begin
            commit = '0;
            commit_valid = 1'b0;
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
