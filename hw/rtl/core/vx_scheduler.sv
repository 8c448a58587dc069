// Warp table: which warps are active, where they fetch, with which lanes they execute, and what keeps them waiting.
//
// Contract
// * One warp per cycle is picked for fetch, round robin, among those that are active, not waiting and have room. A warp has
//   one word on its way; the next one can be requested in the cycle in which it arrives, unless decode says that the warp
//   does not go on sequentially. So nothing from a wrong path is ever fetched.
// * A control-flow instruction stops fetch in decode (`decode_stall`) until its unit resolves it; JAL redirects in decode.
// * The epoch of a warp changes when a fault stops it: a word that was on its way is recognised and dropped.
// * `stop_*`: the warp has a fault. It fetches and issues nothing more and ends when its last instruction has committed.
// * A fetch fault (PC 0, PC outside the address space, bus error) is reported when every older instruction has committed.
// * `end_*` pulses exactly once for every `start_*` and every spawned warp; the warp is inactive from the next cycle on.
module vx_scheduler
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire start_valid,
    /* verilator lint_off UNUSEDSIGNAL */  // the parameter goes to MSCRATCH in vx_csr_file
    input warp_start_t start,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic end_valid,
    output wid_t end_wid,
    output word_t end_pc,

    input wire fetch_ready,
    output logic fetch_valid,
    output wid_t fetch_wid,
    output word_t fetch_pc,
    output epoch_t fetch_epoch,
    input wire [NUM_WARPS-1:0] room,  // of the instruction buffers
    input wire [NUM_WARPS-1:0] quiet,

    input wire rsp_valid,
    input wid_t rsp_wid,
    input epoch_t rsp_epoch,
    input wire rsp_err,
    output logic rsp_live,  // to be decoded and buffered
    output word_t rsp_pc,
    input wire decode_stall,
    input wire decode_jump,
    input word_t decode_target,

    input wire branch_valid,  // from the ALU
    input wid_t branch_wid,
    input word_t branch_pc,

    input wire resolve_valid,  // from the SFU
    input wire resolve_resume,
    input wid_t resolve_wid,
    input word_t resolve_pc,
    input tmask_t resolve_mask,
    input wire [NUM_WARPS-1:0] released,

    input wire [NUM_WARPS-1:0] spawned,  // start at `spawn_pc` with lane 0 (WSPAWN)
    input word_t spawn_pc,

    input wire stop_valid,  // a committed instruction has a fault
    input wid_t stop_wid,
    input word_t stop_pc,
    input wire [NUM_WARPS-1:0] idle,  // nothing in flight

    output logic fetch_fault_valid,  // only in a cycle without stop_valid
    output wid_t fetch_fault_wid,
    output word_t fetch_fault_pc,
    output fault_kind_t fetch_fault_kind,

    output logic [NUM_WARPS-1:0] active,
    output logic [NUM_WARPS-1:0] stopping,
    output logic [NUM_WARPS-1:0] stalled,  // wait for control flow or at a barrier
    output logic [NUM_WARPS-1:0] fetching,  // a word is on its way
    output tmask_t tmask[NUM_WARPS],
    output wid_t slot[NUM_WARPS]  // CTA slot, for the trace
);
    logic [NUM_WARPS-1:0] active_q;
    logic [NUM_WARPS-1:0] stalled_q;  // waits for a control-flow instruction or at a barrier
    logic [NUM_WARPS-1:0] stopping_q;  // ends when idle
    logic [NUM_WARPS-1:0] fetch_error_q;  // cannot fetch its next instruction
    logic [NUM_WARPS-1:0] fetch_bus_q;  // ... because of a bus error
    tmask_t tmask_q[NUM_WARPS];
    word_t pc_q[NUM_WARPS];  // next fetch
    epoch_t epoch_q[NUM_WARPS];
    wid_t slot_q[NUM_WARPS];
    wid_t last_q;

    assign active = active_q;
    assign stopping = stopping_q;
    assign stalled = stalled_q;
    assign tmask = tmask_q;
    assign slot = slot_q;

    // ---------------------------------------------------------------- fetch

    logic [NUM_WARPS-1:0] waiting_q;  // a word is on its way
    assign fetching = waiting_q;
    logic [NUM_WARPS-1:0] waiting;  // ... and does not arrive now
    logic [NUM_WARPS-1:0] candidates;
    logic picked;
    logic pc_ok;

    always_comb begin
        waiting = waiting_q;
        if (rsp_valid && !rsp_err && !decode_stall && !decode_jump) waiting[rsp_wid] = 1'b0;
    end

    assign candidates = active_q & ~(stalled_q | stopping_q | fetch_error_q | waiting) & room;
    assign picked = candidates != '0 && fetch_ready;

    always_comb begin
        fetch_wid = '0;
        fetch_pc = '0;
        fetch_epoch = '0;
        pc_ok = 1'b0;
        if (picked) begin
            fetch_wid = next_warp(candidates, last_q);
            fetch_pc = pc_q[fetch_wid];
            fetch_epoch = epoch_q[fetch_wid];
            pc_ok = fetch_pc != '0 && (fetch_pc >> (MEM_ADDR_WIDTH - 1)) <= word_t'(1);
        end
        fetch_valid = picked && pc_ok;
    end

    always_comb begin
        rsp_live = 1'b0;
        rsp_pc = '0;
        if (rsp_valid) begin
            rsp_live = active_q[rsp_wid] && !stopping_q[rsp_wid] && rsp_epoch == epoch_q[rsp_wid] &&
                       !(stop_valid && stop_wid == rsp_wid);
            rsp_pc = pc_q[rsp_wid] - word_t'(4);
        end
    end

    // ---------------------------------------------------------------- faults and ends

    logic [NUM_WARPS-1:0] fetch_faults;
    logic [NUM_WARPS-1:0] drained;
    logic control_end;  // by TMC or PRED

    always_comb begin
        fetch_faults = fetch_error_q & active_q & ~stalled_q & ~stopping_q & quiet & idle;
        fetch_fault_valid = fetch_faults != '0 && !stop_valid;
        fetch_fault_wid = '0;
        fetch_fault_pc = '0;
        fetch_fault_kind = FAULT_NONE;
        if (fetch_fault_valid) begin
            fetch_fault_wid = next_warp(fetch_faults, '0);
            fetch_fault_pc = pc_q[fetch_fault_wid];
            fetch_fault_kind = fetch_bus_q[fetch_fault_wid] ? FAULT_BUS_READ : FAULT_FETCH;
        end
    end

    assign control_end = resolve_valid && resolve_mask == '0 && !stopping_q[resolve_wid];
    assign drained = stopping_q & idle;

    always_comb begin
        end_valid = control_end || drained != '0;
        end_wid = '0;
        end_pc = '0;
        if (control_end) begin
            end_wid = resolve_wid;
            end_pc = resolve_pc;
        end else if (drained != '0) begin
            end_wid = next_warp(drained, '0);
            end_pc = pc_q[end_wid];
        end
    end

    // ---------------------------------------------------------------- state; later assignments win

    always_ff @(posedge clk) begin
        if (rsp_valid) waiting_q[rsp_wid] <= 1'b0;
        if (picked) begin
            last_q <= fetch_wid;
            if (pc_ok) begin
                waiting_q[fetch_wid] <= 1'b1;
                pc_q[fetch_wid] <= fetch_pc + word_t'(4);
            end else begin
                fetch_error_q[fetch_wid] <= 1'b1;
                fetch_bus_q[fetch_wid] <= 1'b0;
            end
        end

        if (rsp_live) begin
            if (rsp_err) begin
                fetch_error_q[rsp_wid] <= 1'b1;
                fetch_bus_q[rsp_wid] <= 1'b1;
                pc_q[rsp_wid] <= rsp_pc;
            end else begin
                if (decode_jump) pc_q[rsp_wid] <= decode_target;
                if (decode_stall) stalled_q[rsp_wid] <= 1'b1;
            end
        end

        if (branch_valid && !stopping_q[branch_wid]) begin
            pc_q[branch_wid] <= branch_pc;
            stalled_q[branch_wid] <= 1'b0;
        end

        if (resolve_valid && !stopping_q[resolve_wid]) begin
            pc_q[resolve_wid] <= resolve_pc;
            tmask_q[resolve_wid] <= resolve_mask;
            if (resolve_resume) stalled_q[resolve_wid] <= 1'b0;
        end
        for (int w = 0; w < NUM_WARPS; ++w) if (released[w]) stalled_q[w] <= 1'b0;

        if (stop_valid) begin
            stopping_q[stop_wid] <= 1'b1;
            epoch_q[stop_wid] <= epoch_q[stop_wid] + epoch_t'(1);
            if (!stopping_q[stop_wid]) pc_q[stop_wid] <= stop_pc + word_t'(4);
        end
        if (fetch_fault_valid) begin
            stopping_q[fetch_fault_wid] <= 1'b1;
            pc_q[fetch_fault_wid] <= fetch_fault_pc + word_t'(4);
        end

        if (end_valid) begin
            active_q[end_wid] <= 1'b0;
            stopping_q[end_wid] <= 1'b0;
        end

        if (start_valid) begin
            active_q[start.wid] <= 1'b1;
            stalled_q[start.wid] <= 1'b0;
            fetch_error_q[start.wid] <= 1'b0;
            tmask_q[start.wid] <= start.tmask;
            pc_q[start.wid] <= align_pc(start.pc);
            slot_q[start.wid] <= start.slot;
        end
        if (spawned != '0) begin
            for (int w = 0; w < NUM_WARPS; ++w) begin
                if (spawned[w]) begin
                    active_q[w] <= 1'b1;
                    stalled_q[w] <= 1'b0;
                    fetch_error_q[w] <= 1'b0;
                    tmask_q[w] <= tmask_t'(1);
                    pc_q[w] <= align_pc(spawn_pc);
                end
            end
        end

        if (reset) begin
            active_q <= '0;
            stalled_q <= '0;
            stopping_q <= '0;
            fetch_error_q <= '0;
            waiting_q <= '0;
            last_q <= '0;
            for (int w = 0; w < NUM_WARPS; ++w) begin
                epoch_q[w] <= '0;
                slot_q[w] <= '0;
            end
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && start_valid) begin
            assert (!active_q[start.wid]) else $error("vx_scheduler: warp %0d started while active", start.wid);
            assert (start.tmask != '0) else $error("vx_scheduler: warp %0d started without lanes", start.wid);
            assert (idle[start.wid])
            else $error("vx_scheduler: warp %0d started with instructions in flight", start.wid);
        end
        if (!reset && spawned != '0) assert ((spawned & active_q) == '0) else $error("vx_scheduler: warps spawned while active");
        if (!reset && control_end) assert (active_q[end_wid]) else $error("vx_scheduler: warp %0d ended twice", end_wid);
    end
`endif
endmodule
