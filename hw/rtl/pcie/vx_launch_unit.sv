// A launch from DISPATCH until BUSY clears, its aborts, and RESET of the device.
//
//   IDLE ─dispatch▶ CHECK ▶ TABLE ▶ PROGRAM ▶ START ▶ RISE ▶ RUN ▶ FLUSH ▶ DRAIN ▶ RELEASE ▶ IDLE   KERNEL_DONE
//             │refused │bad       └───── fault, watchdog ─────┬──────────┘         any state ─ reset_request ─┐
//             ▼        ▼                                      ▼                                              ▼
//            IDLE     IDLE                     ABORT (drain) ▶ CORE_RESET ▶ IDLE        KERNEL_FAULT, or RESET is done
//
// Contract
// * `dispatch` is held until `dispatch_ack`, which ends it: refused, or `busy` is high. BUSY, the events and the FAULT registers change together.
// * The first fault of a launch counts. An abort isolates the core, waits until every transaction of the device's units is
//   over (`units_idle`), and resets the core for RESET_CYCLES, then waits as many again (`hold`).
// * `soft_reset` for one cycle ends a reset_request, which is held until then.
module vx_launch_unit
    import vx_pkg::*;
    import vx_pcie_pkg::*;
#(
    parameter int RESET_CYCLES = 8
) (
    input wire clk,
    input wire reset,

    input wire enable,
    input wire dispatch,
    input launch_regs_t regs,
    output logic dispatch_ack,
    input wire reset_request,
    output logic soft_reset,
    output logic busy,
    output logic [31:0] launch_id,
    output fault_record_t fault,

    output logic event_accepted,
    output logic event_bad,
    output logic event_done,
    output logic event_fault,
    output errors_t event_error,

    output logic table_start,
    output logic table_raw,
    output logic [63:0] kernel,
    output logic [63:0] startup,
    output logic [63:0] args,
    input wire table_done,
    input wire table_bad,

    output logic release_start,
    output release_t on_end,
    input wire release_done,
    input wire release_error,

    output logic dcr_valid,
    input wire dcr_ready,
    output logic dcr_write,
    output logic [11:0] dcr_addr,
    output logic [31:0] dcr_data,
    input wire dcr_answer,

    output logic core_start,
    input wire core_busy,
    output logic core_reset,
    output logic hold,
    output logic isolate,
    output logic abort,  // to the other units, on RESET only
    input wire remap_idle,
    input wire units_idle,

    input wire core_fault_valid,
    input fault_record_t core_fault
);
    typedef enum logic [3:0] {
        IDLE,
        CHECK,
        TABLE,
        PROGRAM,
        START,
        RISE,
        RUN,
        FLUSH,
        FLUSHING,
        DRAIN,
        RELEASE,
        RELEASED,
        ABORT,
        CORE_RESET
    } state_t;

    localparam int COUNT_WIDTH = $clog2(2 * RESET_CYCLES + 1);
    localparam int DCR_WRITES = 20;

    state_t state_q;
    launch_regs_t regs_q;
    logic [COUNT_WIDTH-1:0] count_q;
    logic resetting_q;  // the abort is a RESET
    logic first_q;  // first cycle of a state
    logic [4:0] step_q;
    logic [15:0] core_q;
    logic [63:0] cycles_q;
    fault_record_t captured_q;

    // ---------------------------------------------------------------- checks and derived values

    logic check_start, check_done, check_refused;
    logic [31:0] block_size;
    logic [2:0][31:0] warp_step;
    assign check_start = state_q == CHECK && first_q;
    vx_launch_check check (
        .clk,
        .reset,
        .start(check_start),
        .regs(regs_q),
        .done(check_done),
        .refused(check_refused),
        .block_size,
        .warp_step
    );

    assign kernel = {1'b0, regs_q.kernel[62:0]};
    assign startup = regs_q.startup == '0 ? kernel : regs_q.startup;
    assign args = regs_q.args;
    assign on_end = regs_q.on_end;

    // ---------------------------------------------------------------- DCR writes

    always_comb begin
        dcr_write = state_q == PROGRAM;
        dcr_addr = DCR_CACHE_FLUSH;
        dcr_data = 32'(core_q);
        if (dcr_write) begin
            dcr_addr = DCR_KMU_BASE + 12'(step_q);
            case (step_q)
                5'h00: dcr_data = startup[31:0];
                5'h01: dcr_data = startup[63:32];
                5'h02: dcr_data = kernel[31:0];
                5'h03: dcr_data = kernel[63:32];
                5'h04: dcr_data = args[31:0];
                5'h05: dcr_data = args[63:32];
                5'h06: dcr_data = regs_q.block[0];
                5'h07: dcr_data = regs_q.block[1];
                5'h08: dcr_data = regs_q.block[2];
                5'h09: dcr_data = regs_q.grid[0];
                5'h0A: dcr_data = regs_q.grid[1];
                5'h0B: dcr_data = regs_q.grid[2];
                5'h0C: dcr_data = regs_q.lmem;
                5'h0D: dcr_data = block_size;
                5'h0E: dcr_data = warp_step[0];
                5'h0F: dcr_data = warp_step[1];
                5'h10: dcr_data = warp_step[2];
                5'h11: dcr_data = regs_q.cluster[0] == '0 ? 32'd1 : regs_q.cluster[0];
                5'h12: dcr_data = regs_q.cluster[1] == '0 ? 32'd1 : regs_q.cluster[1];
                default: dcr_data = regs_q.cluster[2] == '0 ? 32'd1 : regs_q.cluster[2];
            endcase
        end
    end
    assign dcr_valid = state_q == PROGRAM || state_q == FLUSH;

    // ---------------------------------------------------------------- faults and watchdog

    logic running, expired, faulted;
    assign running = state_q inside {START, RISE, RUN, FLUSH, FLUSHING, DRAIN};
    assign expired = running && regs_q.max_cycles != '0 && cycles_q >= regs_q.max_cycles;
    assign faulted = running && core_fault_valid;

    // ---------------------------------------------------------------- states

    logic ended;
    assign ended = state_q == DRAIN && remap_idle && !core_busy;

    always_ff @(posedge clk) begin
        first_q <= 1'b0;
        if (running) cycles_q <= cycles_q + 64'd1;
        case (state_q)
            IDLE: begin
                if (dispatch && enable) begin
                    state_q <= CHECK;
                    first_q <= 1'b1;
                    regs_q <= regs;
                end
            end
            CHECK: begin
                if (check_done) begin
                    state_q <= check_refused ? IDLE : TABLE;
                    first_q <= 1'b1;
                    step_q <= '0;
                    core_q <= '0;
                    cycles_q <= '0;
                end
            end
            TABLE: begin
                if (table_done) begin
                    state_q <= table_bad ? IDLE : PROGRAM;
                    if (!table_bad) begin
                        launch_id <= launch_id + 32'd1;
                        fault <= '0;
                    end
                end
            end
            PROGRAM: begin
                if (dcr_ready) begin
                    step_q <= step_q + 5'd1;
                    if (step_q == 5'(DCR_WRITES - 1)) begin
                        state_q <= START;
                        count_q <= '0;
                    end
                end
            end
            START: begin  // after the last DCR write has been on the bus
                count_q <= count_q + COUNT_WIDTH'(1);
                if (core_start) state_q <= RISE;
            end
            RISE: if (core_busy) state_q <= RUN;
            RUN: if (!core_busy) state_q <= FLUSH;
            FLUSH: if (dcr_ready) state_q <= FLUSHING;
            FLUSHING: begin
                if (dcr_answer) begin
                    core_q <= core_q + 16'd1;
                    state_q <= core_q == 16'(TOTAL_CORES - 1) ? DRAIN : FLUSH;
                end
            end
            DRAIN: begin
                if (ended) begin
                    state_q <= regs_q.on_end.enable ? RELEASE : RELEASED;
                    first_q <= 1'b1;
                end
            end
            RELEASE: if (release_done) state_q <= RELEASED;
            RELEASED: state_q <= IDLE;
            ABORT: begin
                count_q <= '0;
                if (remap_idle && (units_idle || !resetting_q)) state_q <= CORE_RESET;
            end
            default: begin  // CORE_RESET
                count_q <= count_q + COUNT_WIDTH'(1);
                if (count_q == COUNT_WIDTH'(2 * RESET_CYCLES - 1)) state_q <= IDLE;
            end
        endcase
        if (faulted || expired) begin
            state_q <= ABORT;
            captured_q <= faulted ? core_fault : '{kind: FAULT_WATCHDOG, default: '0};
        end
        if (event_fault) fault <= captured_q;
        if (reset_request && !resetting_q && !soft_reset) begin
            resetting_q <= 1'b1;
            state_q <= ABORT;
        end
        if (soft_reset) begin
            resetting_q <= 1'b0;
            launch_id <= '0;
            fault <= '0;
        end
        if (reset) begin
            state_q <= CORE_RESET;
            count_q <= '0;
            resetting_q <= 1'b0;
            launch_id <= '0;
            fault <= '0;
        end
    end

    // Power-on has no launch to end: `busy_q` is low then.
    logic busy_q, reset_over;
    assign reset_over = state_q == CORE_RESET && count_q == COUNT_WIDTH'(2 * RESET_CYCLES - 1);
    assign soft_reset = reset_over && resetting_q;
    assign event_fault = reset_over && !resetting_q && busy_q && !reset_request;

    logic event_refused;
    assign event_refused = (dispatch && (!enable || busy_q)) || (state_q == CHECK && check_done && check_refused);
    assign event_accepted = state_q == TABLE && table_done && !table_bad && !reset_request;
    assign event_bad = state_q == TABLE && table_done && table_bad && !reset_request;
    assign event_done = state_q == RELEASED && !reset_request;
    always_comb begin
        event_error = '0;
        event_error.invalid_cmd = event_refused || event_bad;
        event_error.kernel_fault = event_fault;
        if (state_q == RELEASE && release_done && release_error) begin
            event_error.dma_fault = regs_q.on_end.host;
            event_error.vram_fault = !regs_q.on_end.host;
        end
    end
    assign dispatch_ack = (dispatch && (!enable || busy_q)) || (state_q == CHECK && check_done);

    always_ff @(posedge clk) begin
        if (state_q == CHECK && check_done && !check_refused) busy_q <= 1'b1;
        if (event_bad || event_done || event_fault || soft_reset || reset) busy_q <= 1'b0;
    end
    assign busy = busy_q;

    assign table_start = state_q == TABLE && first_q && regs_q.kernel[63];
    assign table_raw = state_q == TABLE && first_q && !regs_q.kernel[63];
    assign release_start = state_q == RELEASE && first_q;
    assign core_start = state_q == START && count_q == COUNT_WIDTH'(3) && !faulted && !expired && !reset_request;
    assign isolate = state_q inside {ABORT, CORE_RESET} || reset_request;
    assign abort = reset_request;
    assign hold = state_q inside {ABORT, CORE_RESET};
    assign core_reset = reset || (state_q == CORE_RESET && count_q < COUNT_WIDTH'(RESET_CYCLES));
endmodule
