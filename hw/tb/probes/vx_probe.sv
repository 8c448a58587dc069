// Probe of one core, bound to vx_core (vx_probe_bind.sv). It samples the trace wires at the clock edge and calls C++
// only for events that are valid; it drives nothing, so a model with and without it behaves the same.
//
// Order of the calls within one edge: what begins (CTA, warp) before what happens in it, control and memory before the
// commit that needs them, ends last.
module vx_probe
    import vx_pkg::*;
    import vx_trace_pkg::*;
#(
    parameter int CORE_ID = 0
) (
    input wire clk,
    input wire reset,
    input trace_decode_t trace_decode,
    input trace_issue_t trace_issue,
    input trace_commit_t trace_commit,
    input trace_control_t trace_control,
    input trace_memory_t trace_memory,
    input trace_barrier_t trace_barrier,
    input trace_ipdom_t trace_ipdom,
    input trace_fault_t trace_fault,
    input trace_cta_t trace_cta,
    input trace_spawn_t trace_spawn
);

    import "DPI-C" function void vx_dpi_attach(input int core);
    import "DPI-C" function void vx_dpi_decode(input int core, input int wid);
    import "DPI-C" function void vx_dpi_issue(
        input int core, input int wid, input int uid, input longint pc, input int instr, input longint tmask, input int slot
    );
    import "DPI-C" function void vx_dpi_control(
        input int core, input int wid, input int uid, input longint next_pc, input longint next_mask
    );
    import "DPI-C" function void vx_dpi_commit(
        input int core,
        input int wid,
        input int uid,
        input int flags,
        input int rd,
        input longint wmask,
        input bit [NUM_THREADS*XLEN-1:0] data,
        input int fflags
    );
    import "DPI-C" function void vx_dpi_memory(
        input int core,
        input int wid,
        input int uid,
        input int op,
        input int space,
        input int size,
        input longint mask,
        input bit [NUM_THREADS*XLEN-1:0] addr,
        input bit [NUM_THREADS*XLEN-1:0] data
    );
    import "DPI-C" function void vx_dpi_barrier(
        input int core,
        input int wid,
        input int uid,
        input int op,
        input int id,
        input int count,
        input int phase,
        input longint released
    );
    import "DPI-C" function void vx_dpi_ipdom(
        input int core, input int wid, input int uid, input int op, input int sp, input longint mask, input longint pc
    );
    import "DPI-C" function void vx_dpi_fault(
        input int core, input int wid, input int uid, input int kind, input longint pc, input longint addr, input longint tmask
    );
    import "DPI-C" function void vx_dpi_cta_accept(
        input int core,
        input int x,
        input int y,
        input int z,
        input int slot,
        input longint lmem_addr,
        input int first_of_cluster,
        input int num_warps
    );
    import "DPI-C" function void vx_dpi_warp_start(
        input int core, input int wid, input longint pc, input longint tmask, input int slot, input int rank
    );
    import "DPI-C" function void vx_dpi_warp_spawn(input int core, input int wid, input longint pc);
    import "DPI-C" function void vx_dpi_warp_end(input int core, input int wid, input int slot);
    import "DPI-C" function void vx_dpi_cta_retire(input int core, input int slot);

    initial vx_dpi_attach(CORE_ID);

    always_ff @(posedge clk) begin
        if (!reset) begin
            if (trace_cta.accept_valid) begin
                vx_dpi_cta_accept(
                    CORE_ID,
                    trace_cta.accept_block_idx[0],
                    trace_cta.accept_block_idx[1],
                    trace_cta.accept_block_idx[2],
                    32'(trace_cta.accept_slot),
                    64'(trace_cta.accept_lmem_addr),
                    32'(trace_cta.accept_first_of_cluster),
                    32'(trace_cta.accept_num_warps)
                );
            end
            if (trace_cta.start_valid) begin
                vx_dpi_warp_start(
                    CORE_ID,
                    32'(trace_cta.start.wid),
                    64'(trace_cta.start.pc),
                    64'(trace_cta.start.tmask),
                    32'(trace_cta.start.slot),
                    32'(trace_cta.start_rank)
                );
            end
            if (trace_spawn.valid) begin
                for (int w = 0; w < NUM_WARPS; ++w) begin
                    if (trace_spawn.warps[w]) vx_dpi_warp_spawn(CORE_ID, w, 64'(trace_spawn.pc));
                end
            end
            if (trace_decode.valid) vx_dpi_decode(CORE_ID, 32'(trace_decode.wid));
            if (trace_issue.valid) begin
                vx_dpi_issue(
                    CORE_ID,
                    32'(trace_issue.wid),
                    32'(trace_issue.uid),
                    64'(trace_issue.pc),
                    trace_issue.instr,
                    64'(trace_issue.tmask),
                    32'(trace_issue.slot)
                );
            end
            if (trace_ipdom.valid) begin
                vx_dpi_ipdom(
                    CORE_ID,
                    32'(trace_ipdom.wid),
                    32'(trace_ipdom.uid),
                    32'(trace_ipdom.op),
                    32'(trace_ipdom.sp),
                    64'(trace_ipdom.mask),
                    64'(trace_ipdom.pc)
                );
            end
            if (trace_barrier.valid) begin
                vx_dpi_barrier(
                    CORE_ID,
                    32'(trace_barrier.wid),
                    32'(trace_barrier.uid),
                    32'(trace_barrier.op),
                    trace_barrier.id,
                    trace_barrier.count,
                    32'(trace_barrier.phase),
                    64'(trace_barrier.released)
                );
            end
            if (trace_control.valid) begin
                vx_dpi_control(
                    CORE_ID,
                    32'(trace_control.wid),
                    32'(trace_control.uid),
                    64'(trace_control.next_pc),
                    64'(trace_control.next_mask)
                );
            end
            if (trace_memory.valid) begin
                vx_dpi_memory(
                    CORE_ID,
                    32'(trace_memory.wid),
                    32'(trace_memory.uid),
                    32'(trace_memory.op),
                    32'(trace_memory.space),
                    32'(trace_memory.size),
                    64'(trace_memory.mask),
                    trace_memory.addr,
                    trace_memory.data
                );
            end
            if (trace_fault.valid) begin
                vx_dpi_fault(
                    CORE_ID,
                    32'(trace_fault.wid),
                    32'(trace_fault.uid),
                    32'(trace_fault.kind),
                    64'(trace_fault.pc),
                    64'(trace_fault.addr),
                    64'(trace_fault.tmask)
                );
            end
            if (trace_commit.valid) begin
                vx_dpi_commit(
                    CORE_ID,
                    32'(trace_commit.wid),
                    32'(trace_commit.uid),
                    32'({trace_commit.write, trace_commit.last, trace_commit.first}),
                    32'(trace_commit.rd),
                    64'(trace_commit.wmask),
                    trace_commit.data,
                    32'(trace_commit.fflags)
                );
            end
            if (trace_cta.end_valid) vx_dpi_warp_end(CORE_ID, 32'(trace_cta.end_wid), 32'(trace_cta.end_slot));
            if (trace_cta.retire_valid) vx_dpi_cta_retire(CORE_ID, 32'(trace_cta.retire_slot));
        end
    end

endmodule
