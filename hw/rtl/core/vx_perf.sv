// Counters of one core beyond MCYCLE and MINSTRET: class CORE of MPM (reference section 3.5), LMEM and LSU rows of class MEM.
//
// Contract
// * Every busy cycle is counted once, so MCYCLE = issued (B06) + idle (B03) + fetch (B08) + ibuffer (B09) + scoreboard (B0A)
//   + ALU, FPU, LSU, SFU stalls (B0C to B0F); operand (B0B) and TCU stalls (B10) are always zero here. A cycle without an
//   issue belongs to the first of these that holds:
//     - an instruction has its operands and its unit is not ready: that unit's stall;
//     - an instruction waits for operands, for its destination or for older instructions of its warp: scoreboard;
//     - an instruction word is on its way: fetch;
//     - a warp could go on and has nothing buffered: ibuffer;
//     - else idle: no warp is active, or all wait for a branch, a barrier or warp control.
// * `value` follows `group` (class) and `index` (number - 0xB00) combinationally. Counters run on over launches.
module vx_perf
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire busy,

    input wire [NUM_WARPS-1:0] head_valid,
    input hazard_t head[NUM_WARPS],
    input wire [NUM_WARPS-1:0] free_of_hazards,
    input wire issue_valid,
    input unit_t issue_unit,
    input op_t issue_op,
    input tmask_t issue_mask,

    input wire [NUM_WARPS-1:0] active,
    input wire [NUM_WARPS-1:0] stalled,  // wait for control flow or a barrier
    input wire [NUM_WARPS-1:0] fetching,  // a word is on its way
    input wire fetch_valid,
    input wire diverges,  // a SPLIT pushes

    input wire [4:0] loads_waiting,
    input wire lmem_read,
    input wire lmem_write,
    input wire lmem_stall,
    input wire lsu_split,  // an instruction needs another request

    input wire [7:0] group,
    input wire [4:0] index,
    output logic ours,  // a counter of this module
    output logic [PERF_WIDTH-1:0] value
);
    typedef logic [PERF_WIDTH-1:0] counter_t;
    typedef logic [$clog2(NUM_WARPS+1)-1:0] warps_t;
    typedef logic [$clog2(NUM_THREADS+1)-1:0] lanes_number_t;

    typedef enum logic [3:0] {
        ISSUED,
        IDLE,
        FETCH,
        IBUFFER,
        SCOREBOARD,
        STALL_ALU,
        STALL_FPU,
        STALL_LSU,
        STALL_SFU
    } reason_t;
    localparam int REASONS = 9;

    typedef enum logic [1:0] {
        KIND_ALU,
        KIND_FPU,
        KIND_LSU,
        KIND_SFU
    } kind_t;

    function automatic kind_t kind_of(input unit_t unit);
        case (unit)
            UNIT_LSU: return KIND_LSU;
            UNIT_SFU: return KIND_SFU;
            UNIT_ALU, UNIT_MUL, UNIT_DIV: return KIND_ALU;
            default: return KIND_FPU;
        endcase
    endfunction

    function automatic warps_t warps_in(input logic [NUM_WARPS-1:0] set);
        warps_in = '0;
        for (int w = 0; w < NUM_WARPS; ++w) warps_in = warps_in + warps_t'(set[w]);
    endfunction

    function automatic lanes_number_t lanes_in(input tmask_t set);
        lanes_in = '0;
        for (int i = 0; i < NUM_THREADS; ++i) lanes_in = lanes_in + lanes_number_t'(set[i]);
    endfunction

    // ---------------------------------------------------------------- where a cycle belongs

    reason_t reason;

    always_comb begin
        reason = ISSUED;
        if (busy && !issue_valid) begin
            if (free_of_hazards != '0) begin
                reason = STALL_ALU;
                for (int w = NUM_WARPS - 1; w >= 0; --w) begin
                    if (free_of_hazards[w]) begin
                        unique case (kind_of(head[w].unit))
                            KIND_LSU: reason = STALL_LSU;
                            KIND_SFU: reason = STALL_SFU;
                            KIND_FPU: reason = STALL_FPU;
                            default: reason = STALL_ALU;
                        endcase
                    end
                end
            end else if (head_valid != '0) reason = SCOREBOARD;
            else if (fetching != '0) reason = FETCH;
            else if ((active & ~stalled) != '0) reason = IBUFFER;
            else reason = IDLE;
        end
    end

    // ---------------------------------------------------------------- counters

    counter_t cycles_q[REASONS];
    counter_t instructions_q[4];  // by kind
    counter_t active_q, stalled_q, threads_q, branches_q, splits_q, ifetches_q, ifetch_latency_q;
    counter_t loads_q, load_latency_q, stores_q;
    counter_t lmem_reads_q, lmem_writes_q, lmem_stalls_q, coalescer_misses_q;
    /* verilator lint_off UNUSEDSIGNAL */  // size and sign do not matter
    lsu_op_t lsu_op;
    /* verilator lint_on UNUSEDSIGNAL */

    assign lsu_op = lsu_op_t'(issue_op);

    always_ff @(posedge clk) begin
        if (busy) begin
            cycles_q[reason] <= cycles_q[reason] + counter_t'(1);
            active_q <= active_q + counter_t'(warps_in(active));
            if (stalled != '0) stalled_q <= stalled_q + counter_t'(warps_in(active & stalled));
            if (fetching != '0) ifetch_latency_q <= ifetch_latency_q + counter_t'(warps_in(fetching));
            if (loads_waiting != '0) load_latency_q <= load_latency_q + counter_t'(loads_waiting);
        end
        if (issue_valid) begin
            instructions_q[kind_of(issue_unit)] <= instructions_q[kind_of(issue_unit)] + counter_t'(1);
            threads_q <= threads_q + counter_t'(lanes_in(issue_mask));
            if (issue_unit == UNIT_ALU && issue_op >= ALU_JAL) branches_q <= branches_q + counter_t'(1);
            if (issue_unit == UNIT_LSU && !lsu_op.fence) begin
                if (lsu_op.store) stores_q <= stores_q + counter_t'(1);
                else loads_q <= loads_q + counter_t'(1);
            end
        end
        if (fetch_valid) ifetches_q <= ifetches_q + counter_t'(1);
        if (diverges) splits_q <= splits_q + counter_t'(1);
        if (lmem_read) lmem_reads_q <= lmem_reads_q + counter_t'(1);
        if (lmem_write) lmem_writes_q <= lmem_writes_q + counter_t'(1);
        if (lmem_stall) lmem_stalls_q <= lmem_stalls_q + counter_t'(1);
        if (lsu_split) coalescer_misses_q <= coalescer_misses_q + counter_t'(1);
        if (reset) begin
            for (int i = 0; i < REASONS; ++i) cycles_q[i] <= '0;
            for (int i = 0; i < 4; ++i) instructions_q[i] <= '0;
            {active_q, stalled_q, threads_q, branches_q, splits_q, ifetches_q, ifetch_latency_q} <= '0;
            {loads_q, load_latency_q, stores_q} <= '0;
            {lmem_reads_q, lmem_writes_q, lmem_stalls_q, coalescer_misses_q} <= '0;
        end
    end

    // ---------------------------------------------------------------- read-out

    localparam logic [7:0] CLASS_CORE = 8'd1;
    localparam logic [7:0] CLASS_MEM = 8'd7;

    always_comb begin
        ours = 1'b1;
        value = '0;
        unique case ({group, index})
            {CLASS_CORE, 5'h03} : value = cycles_q[IDLE];
            {CLASS_CORE, 5'h04} : value = active_q;
            {CLASS_CORE, 5'h05} : value = stalled_q;
            {CLASS_CORE, 5'h06} : value = cycles_q[ISSUED];
            {CLASS_CORE, 5'h07} : value = threads_q;
            {CLASS_CORE, 5'h08} : value = cycles_q[FETCH];
            {CLASS_CORE, 5'h09} : value = cycles_q[IBUFFER];
            {CLASS_CORE, 5'h0a} : value = cycles_q[SCOREBOARD];
            {CLASS_CORE, 5'h0c} : value = cycles_q[STALL_ALU];
            {CLASS_CORE, 5'h0d} : value = cycles_q[STALL_FPU];
            {CLASS_CORE, 5'h0e} : value = cycles_q[STALL_LSU];
            {CLASS_CORE, 5'h0f} : value = cycles_q[STALL_SFU];
            {CLASS_CORE, 5'h11} : value = branches_q;
            {CLASS_CORE, 5'h12} : value = splits_q;
            {CLASS_CORE, 5'h13} : value = instructions_q[KIND_ALU];
            {CLASS_CORE, 5'h14} : value = instructions_q[KIND_FPU];
            {CLASS_CORE, 5'h15} : value = instructions_q[KIND_LSU];
            {CLASS_CORE, 5'h16} : value = instructions_q[KIND_SFU];
            {CLASS_CORE, 5'h1a} : value = ifetches_q;
            {CLASS_CORE, 5'h1b} : value = ifetch_latency_q;
            {CLASS_CORE, 5'h1c} : value = loads_q;
            {CLASS_CORE, 5'h1d} : value = load_latency_q;
            {CLASS_CORE, 5'h1e} : value = stores_q;
            {CLASS_MEM, 5'h07} : value = lmem_reads_q;
            {CLASS_MEM, 5'h08} : value = lmem_writes_q;
            {CLASS_MEM, 5'h09} : value = lmem_stalls_q;
            {CLASS_MEM, 5'h0a} : value = coalescer_misses_q;
            default: ours = 1'b0;
        endcase
    end
endmodule
