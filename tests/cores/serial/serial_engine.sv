// Executes one instruction of one warp at a time, from its fetch to its last write, and only then the next.
//
//   PICK a warp ─▶ FETCH its word ─▶ EXECUTE ─┬──────────────────▶ RETIRE ─▶ PICK
//                                             └─▶ ACCESS memory ──▶
//
// Contract: a warp starts in a cycle with `start_valid` and `start_ready`; `end_*` comes once for each that ended.
// `retired` describes each instruction in the cycle in which its results are written.
module serial_engine
    import serial_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire forget,  // the line buffer: memory may have changed
    output wire busy,

    input wire start_valid,
    output wire start_ready,
    input start_t start_warp,
    output logic [WARPS-1:0] active,
    output wire end_valid,
    output wire wid_t end_wid,
    output wire word_t end_pc,

    output wire cta_wanted,
    output wire wid_t wid,
    input cta_t cta,
    input wire [63:0] mcycle,
    output logic [63:0] minstret,

    output wire line_valid,
    output wire line_write,
    output wire [25:0] line_addr,
    output wire [511:0] line_data,
    output wire [63:0] line_strobe,
    input wire line_done,
    input wire [511:0] line_result,
    input wire line_error,

    output retired_t retired
);
    localparam int SLICE = 16;  // instructions of one warp before another gets its turn

    enum logic [2:0] {
        PICK,
        FETCH,
        EXECUTE,
        ACCESS,
        RETIRE
    } state_q;

    // ---------------------------------------------------------------- state of the warps

    word_t pc_q[WARPS];
    mask_t mask_q[WARPS];
    logic [WARPS-1:0] waiting_q;  // at a barrier
    vector_t reg_q[WARPS*32];
    depth_t sp_q[WARPS];
    mask_t stack_mask_q[WARPS*DEPTH];
    word_t stack_pc_q[WARPS*DEPTH];
    logic [WARPS*DEPTH-1:0] stack_second_q;
    wid_t slot_q[WARPS];

    wid_t wid_q;
    logic [4:0] slice_q;
    logic buffer_valid_q;
    logic [25:0] buffer_line_q;
    logic [511:0] buffer_q;
    word_t instr_q;
    logic fetch_failed_q;
    effect_t effect_q;

    assign wid = wid_q;
    assign cta_wanted = state_q == EXECUTE && instr_q[6:0] == 7'h73;
    wire word_t pc = pc_q[wid_q];
    wire mask_t mask = mask_q[wid_q];
    wire depth_t sp = sp_q[wid_q];
    int top;
    assign top = int'(wid_q) * DEPTH + (sp == 0 ? 0 : int'(sp) - 1);

    // ---------------------------------------------------------------- choice of a warp

    wire [WARPS-1:0] runnable = active & ~waiting_q;
    wid_t next_wid;
    always_comb begin
        next_wid = wid_q;
        for (int n = WARPS - 1; n > 0; --n) begin
            if (runnable[(int'(wid_q)+n)%WARPS]) next_wid = wid_t'((int'(wid_q) + n) % WARPS);
        end
        if (runnable[wid_q] && slice_q != 0) next_wid = wid_q;
    end

    // ---------------------------------------------------------------- fetch and execution

    wire hit = buffer_valid_q && buffer_line_q == pc[31:6];
    wire fetching = state_q == FETCH && !hit;

    logic csr_known, csr_writable;
    vector_t csr_value;
    effect_t effect;

    serial_csrs csrs (
        .clk,
        .reset,
        .valid(state_q inside {EXECUTE, RETIRE} && instr_q[6:0] == 7'h73),
        .number(instr_q[31:20]),
        .wid(wid_q),
        .mask,
        .active,
        .cta,
        .write(state_q == RETIRE && effect_q.csr && effect_q.csr_write && csr_writable),
        .write_value(effect_q.csr_value),
        .start_valid(start_valid && start_ready),
        .start_warp,
        .mcycle,
        .minstret,
        .known(csr_known),
        .writable(csr_writable),
        .value(csr_value)
    );

    serial_execute execute (
        .valid(state_q == EXECUTE),
        .instr(instr_q),
        .pc,
        .mask,
        .rs1(instr_q[19:15] == 0 ? '0 : reg_q[int'(wid_q)*32+int'(instr_q[19:15])]),
        .rs2(instr_q[24:20] == 0 ? '0 : reg_q[int'(wid_q)*32+int'(instr_q[24:20])]),
        .sp,
        .top_mask(stack_mask_q[top]),
        .top_pc(stack_pc_q[top]),
        .top_second(stack_second_q[top]),
        .csr_known,
        .csr_writable,
        .csr_data(csr_value),
        .effect
    );

    // ---------------------------------------------------------------- memory

    logic memory_done, memory_line;
    logic memory_write;
    logic [25:0] memory_addr;
    vector_t loaded;
    fault_t memory_fault;
    word_t memory_fault_addr;

    serial_memory memory (
        .clk,
        .reset,
        .begin_valid(state_q == EXECUTE && (effect.load || effect.store)),
        .mask,
        .effect(effect_q),
        .done(memory_done),
        .loaded,
        .fault(memory_fault),
        .fault_addr(memory_fault_addr),
        .line_valid(memory_line),
        .line_write(memory_write),
        .line_addr(memory_addr),
        .line_data,
        .line_strobe,
        .line_done(line_done && !fetching),
        .line_result,
        .line_error
    );

    assign line_valid = fetching || memory_line;
    assign line_write = !fetching && memory_write;
    assign line_addr = fetching ? pc[31:6] : memory_addr;

    // ---------------------------------------------------------------- barriers

    word_t barrier_id, barrier_count;
    logic barrier_phase, completes;
    logic [WARPS-1:0] released;

    always_comb begin
        barrier_id = instr_q[19:15] == 0 ? 0 : reg_q[int'(wid_q)*32+int'(instr_q[19:15])][last_lane(mask)];
        barrier_count = instr_q[24:20] == 0 ? 0 : reg_q[int'(wid_q)*32+int'(instr_q[24:20])][last_lane(mask)];
    end

    serial_barriers barriers (
        .clk,
        .reset,
        .arrive(state_q == RETIRE && final_effect.barrier),
        .wid(wid_q),
        .id(barrier_id[30:0]),
        .count(barrier_count),
        .phase(barrier_phase),
        .completes,
        .released
    );

    // ---------------------------------------------------------------- end of an instruction

    effect_t final_effect;
    always_comb begin
        final_effect = effect_q;
        if (effect_q.load) final_effect.result = loaded;
        if (fetch_failed_q) begin
            final_effect = '0;
            final_effect.fault = FETCH_FAULT;
            final_effect.fault_addr = pc;
            final_effect.next_pc = pc + 4;
        end else if (effect_q.load && memory_fault != NO_FAULT) begin
            final_effect.writes = 1'b0;
            final_effect.fault = memory_fault;
            final_effect.fault_addr = memory_fault_addr;
            final_effect.next_mask = '0;
        end
    end

    always_comb begin
        retired = '0;
        if (state_q == RETIRE) begin
            retired.valid = 1'b1;
            retired.wid = wid_q;
            retired.slot = slot_q[wid_q];
            retired.pc = pc;
            retired.instr = instr_q;
            retired.mask = mask;
            retired.effect = final_effect;
            retired.barrier_id = barrier_id;
            retired.barrier_count = barrier_count;
            retired.barrier_phase = barrier_phase;
            retired.released = released;
            retired.sp = sp;
            retired.top_mask = stack_mask_q[top];
            retired.top_pc = stack_pc_q[top];
            retired.fetch_failed = fetch_failed_q;
        end
    end

    assign end_valid = state_q == RETIRE && final_effect.next_mask == 0;
    assign end_wid = wid_q;
    assign end_pc = pc + 4;
    assign start_ready = state_q == PICK;
    assign busy = active != 0 || state_q != PICK;

    always_ff @(posedge clk) begin
        case (state_q)
            PICK: begin
                slice_q <= next_wid == wid_q && slice_q != 0 ? slice_q - 1 : SLICE;
                wid_q <= next_wid;
                if (runnable != 0) state_q <= FETCH;
            end
            FETCH: begin
                fetch_failed_q <= 1'b0;
                if (hit) begin
                    instr_q <= buffer_q[32*int'(pc[5:2])+:32];
                    state_q <= EXECUTE;
                end else if (line_done) begin
                    buffer_valid_q <= !line_error;
                    buffer_line_q <= pc[31:6];
                    buffer_q <= line_result;
                    if (line_error) begin
                        fetch_failed_q <= 1'b1;
                        state_q <= RETIRE;
                    end
                end
            end
            EXECUTE: begin
                effect_q <= effect;
                state_q <= effect.load || effect.store ? ACCESS : RETIRE;
            end
            ACCESS: if (memory_done) state_q <= RETIRE;
            RETIRE: begin
                state_q <= PICK;
                pc_q[wid_q] <= final_effect.next_pc;
                mask_q[wid_q] <= final_effect.next_mask;
                if (final_effect.next_mask == 0) active[wid_q] <= 1'b0;
                if (!fetch_failed_q) minstret <= minstret + 1;
                for (int i = 0; i < LANES; ++i) begin
                    if (final_effect.writes && mask[i])
                        reg_q[int'(wid_q)*32+int'(instr_q[11:7])][i] <= final_effect.result[i];
                end
                case (final_effect.stack)
                    STACK_PUSH: begin
                        stack_mask_q[int'(wid_q)*DEPTH+int'(sp)] <= mask;
                        stack_pc_q[int'(wid_q)*DEPTH+int'(sp)] <= pc + 4;
                        stack_second_q[int'(wid_q)*DEPTH+int'(sp)] <= 1'b0;
                        sp_q[wid_q] <= sp + 1;
                    end
                    STACK_FLIP: stack_second_q[top] <= 1'b1;
                    STACK_POP: sp_q[wid_q] <= sp - 1;
                    default: ;
                endcase
                if (final_effect.barrier) begin
                    waiting_q <= waiting_q & ~released;
                    waiting_q[wid_q] <= !completes;
                end
            end
            default: state_q <= PICK;
        endcase

        if (start_valid && start_ready) begin
            active[start_warp.wid] <= 1'b1;
            pc_q[start_warp.wid] <= start_warp.pc;
            mask_q[start_warp.wid] <= start_warp.mask;
            slot_q[start_warp.wid] <= start_warp.slot;
            sp_q[start_warp.wid] <= '0;
        end
        if (forget) buffer_valid_q <= 1'b0;
        if (reset) begin
            state_q <= PICK;
            active <= '0;
            waiting_q <= '0;
            wid_q <= '0;
            slice_q <= '0;
            buffer_valid_q <= 1'b0;
            minstret <= '0;
        end
    end
endmodule
