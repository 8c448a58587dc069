// Shows the testbench what the serial core does. This is all that a core needs for lockstep: a module that turns its own
// signals into the events of vx_trace_pkg, and a bind that puts it into the core (docs/your_own_core.md).
//
// The core executes one instruction at a time, so all events of an instruction come in one cycle.
module serial_probe
    import serial_pkg::*;
    import vx_trace_pkg::*;
(
    input wire clk,
    input wire reset,
    input retired_t retired,
    input block_event_t blocks
);
    // The testbench numbers the instructions of each warp from 0 after reset.
    logic [31:0] uid_q[WARPS];
    wire [31:0] uid = uid_q[retired.wid];
    wire executed = retired.valid && !retired.fetch_failed;

    always_ff @(posedge clk) begin
        if (executed) uid_q[retired.wid] <= uid + 1;
        if (reset) for (int w = 0; w < WARPS; ++w) uid_q[w] <= 0;
    end

    function automatic logic [31:0] stored(input logic [1:0] log_size, input logic [31:0] data);
        case (log_size)
            2'd0: return 32'(data[7:0]);
            2'd1: return 32'(data[15:0]);
            default: return data;
        endcase
    endfunction

    trace_issue_t issue;
    trace_commit_t commit;
    trace_control_t control;
    trace_memory_t memory;
    trace_barrier_t barrier;
    trace_ipdom_t ipdom;
    trace_fault_t fault;
    trace_cta_t cta;

    always_comb begin
        automatic effect_t effect = retired.effect;
        automatic logic [31:0] first = effect.addr[0];
        for (int i = LANES - 1; i >= 0; --i) if (retired.mask[i]) first = effect.addr[i];

        issue = '0;
        issue.valid = executed;
        issue.wid = retired.wid;
        issue.uid = uid;
        issue.pc = retired.pc;
        issue.instr = retired.instr;
        issue.tmask = retired.mask;
        issue.slot = retired.slot;

        commit = '0;
        commit.valid = executed;
        commit.wid = retired.wid;
        commit.uid = uid;
        commit.first = 1'b1;
        commit.last = 1'b1;
        commit.write = effect.writes;
        commit.rd = {1'b0, retired.instr[11:7]};
        commit.wmask = retired.mask;
        commit.data = effect.result;

        control = '0;
        control.valid = executed && effect.control;
        control.wid = retired.wid;
        control.uid = uid;
        control.next_pc = effect.next_pc;
        control.next_mask = effect.next_mask;

        memory = '0;
        memory.valid = executed && (effect.load || effect.store || effect.fence);
        memory.wid = retired.wid;
        memory.uid = uid;
        memory.op = effect.fence ? 2'd2 : effect.store ? 2'd1 : 2'd0;
        memory.mask = retired.mask;
        if (!effect.fence) begin
            if (first >= LMEM_BASE && first - LMEM_BASE < LMEM_BYTES) memory.space = 2'd1;
            else if (first >= 32'h40 && first < 32'h10000) memory.space = 2'd2;
            memory.size = 4'd1 << effect.log_size;
            memory.addr = effect.addr;
            for (int i = 0; i < LANES; ++i) if (effect.store) memory.data[i] = stored(effect.log_size, effect.data[i]);
        end

        barrier = '0;
        barrier.valid = executed && effect.barrier;
        barrier.wid = retired.wid;
        barrier.uid = uid;
        barrier.id = retired.barrier_id;
        barrier.count = retired.barrier_count;
        barrier.phase = retired.barrier_phase;
        barrier.released = retired.released;

        ipdom = '0;
        ipdom.valid = executed && effect.stack != STACK_NONE;
        ipdom.wid = retired.wid;
        ipdom.uid = uid;
        ipdom.op = effect.stack == STACK_PUSH ? 2'd0 : effect.stack == STACK_FLIP ? 2'd1 : 2'd2;
        ipdom.sp = retired.sp;
        ipdom.mask = effect.stack == STACK_PUSH ? retired.mask : retired.top_mask;
        ipdom.pc = effect.stack == STACK_PUSH ? retired.pc + 4 : retired.top_pc;

        fault = '0;
        fault.valid = retired.valid && effect.fault != NO_FAULT;
        fault.wid = retired.wid;
        fault.uid = uid;
        fault.kind = vx_pkg::fault_kind_t'(effect.fault);
        fault.pc = retired.pc;
        fault.addr = effect.fault_addr;
        fault.tmask = retired.mask;

        cta = '0;
        cta.accept_valid = blocks.accepted;
        cta.accept_block_idx = blocks.block;
        cta.accept_slot = blocks.slot;
        cta.accept_lmem_addr = blocks.lmem;
        cta.accept_first_of_cluster = blocks.first;
        cta.accept_num_warps = $bits(cta.accept_num_warps)'(blocks.warps);
        cta.start_valid = blocks.started;
        cta.start.wid = blocks.start.wid;
        cta.start.pc = blocks.start.pc;
        cta.start.tmask = blocks.start.mask;
        cta.start.param = blocks.start.param;
        cta.start.slot = blocks.start.slot;
        cta.start_rank = blocks.start.rank;
        cta.end_valid = blocks.ended;
        cta.end_wid = blocks.end_wid;
        cta.end_slot = blocks.end_slot;
        cta.retire_valid = blocks.retired;
        cta.retire_slot = blocks.end_slot;
    end

    vx_probe #(
        .CORE_ID(0)
    ) probe (
        .clk,
        .reset,
        .trace_decode('0),
        .trace_issue(issue),
        .trace_commit(commit),
        .trace_control(control),
        .trace_memory(memory),
        .trace_barrier(barrier),
        .trace_ipdom(ipdom),
        .trace_fault(fault),
        .trace_cta(cta),
        .trace_spawn('0)
    );
endmodule

bind serial_gpu serial_probe probe (
    .clk,
    .reset,
    .retired,
    .blocks
);
