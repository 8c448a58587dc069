// Atomics of one AXI bank: reads the block, works on it lane by lane, writes it back; one request at a time.
//
// Contract
// * `begin_*` hands over a request whose read goes out in the same cycle; the bank has made sure that nothing else of the
//   block is outstanding and keeps every other request to `addr` away while `busy`. So nothing can come in between, and
//   this is the point at which atomics of all lanes, warps and cores are in order.
// * `read_*` is the answer to that read. `write_valid` asks for the block's write and holds until `write_ready`; the answer to the
//   requester follows when it has been entered, and is held until `rsp_ready`. A request that stores nothing (LR, a failed
//   SC, a read that was answered with an error) writes nothing.
// * Lanes are served in ascending order. Of the lanes of one SC at most one succeeds: its store breaks the reservations of
//   the others on the line.
// * `reserve` (LR) and `conditional` (SC) are pulses for the reservation table; `held` answers in the same cycle.
module vx_amo_unit
    import vx_pkg::*;
    import vx_mem_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire begin_valid,
    /* verilator lint_off UNUSEDSIGNAL */  // an atomic is neither read nor write
    input mem_req_t begin_req,
    /* verilator lint_on UNUSEDSIGNAL */
    input source_t begin_source,
    input mem_tag_t begin_tag,

    output logic busy,
    output line_addr_t addr,
    output source_t source,

    input wire read_valid,
    input line_t read_data,
    input wire read_err,

    output logic write_valid,
    input wire write_ready,
    output line_t write_data,
    output logic [LINE_BYTES-1:0] write_byteen,

    output logic rsp_valid,
    input wire rsp_ready,
    output mem_rsp_t rsp,

    output logic reserve,
    output logic conditional,
    output wid_t wid,
    output tmask_t lanes,
    input tmask_t held
);
    localparam int WORDS = LINE_BYTES / 4;
    localparam int PLACE_WIDTH = $clog2(AMO_PLACES);
    typedef logic [PLACE_WIDTH-1:0] place_t;
    typedef logic [$clog2(WORDS)-1:0] index_t;  // of a 4-byte word in the line

    typedef enum logic [2:0] {
        IDLE,
        READ,
        STEP,
        WRITE,
        RESPOND
    } state_t;

    state_t state_q;
    amo_t amo_q;
    line_addr_t addr_q;
    source_t source_q;
    mem_tag_t tag_q;
    logic [AMO_PLACES-1:0][XLEN-1:0] operand_q;
    logic [WORDS-1:0][3:0] index_q;  // of a place
    logic [AMO_PLACES-1:0] todo_q;
    logic [AMO_PLACES-1:0] failed_q;  // places whose SC does not store
    logic [WORDS-1:0][31:0] line_q;
    logic [WORDS-1:0] dirty_q;
    logic [AMO_PLACES-1:0][XLEN-1:0] result_q;
    logic err_q;

    assign busy = state_q != IDLE;
    assign addr = addr_q;
    assign source = source_q;

    // ---------------------------------------------------------------- reservations

    assign reserve = state_q == READ && read_valid && !read_err && amo_q.op == AMO_LR;
    assign conditional = state_q == READ && read_valid && !read_err && amo_q.op == AMO_SC;
    assign wid = amo_q.wid;

    logic [AMO_PLACES-1:0] held_places;
    logic [AMO_PLACES-1:0] winner;  // the lowest place that holds its reservation, one bit

    always_comb begin
        lanes = '0;
        held_places = '0;
        winner = '0;
        if (reserve || conditional) begin
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (amo_q.upper == (i >= AMO_PLACES)) begin
                    lanes[i] = amo_q.mask[i%AMO_PLACES];
                    held_places[i%AMO_PLACES] = held[i];
                end
            end
            winner = held_places & amo_q.mask;
            winner = winner & (~winner + AMO_PLACES'(1));
        end
    end

    // ---------------------------------------------------------------- one lane a cycle

    logic any_todo;
    place_t place;
    index_t index;
    word_t old, operand, result, changed;
    logic stores;

    vx_priority_encoder #(
        .N(AMO_PLACES)
    ) place_select (
        .bits(todo_q),
        .valid(any_todo),
        .index(place)
    );

    always_comb begin
        index = '0;
        old = '0;
        operand = '0;
        changed = '0;
        result = '0;
        stores = 1'b0;
        if (state_q == STEP) begin
            index = index_q[place];
            operand = operand_q[place];
            old = word_t'(signed'(line_q[index]));
            if (XLEN == 64) begin
                if (amo_q.wide) old = word_t'({line_q[index|index_t'(1)], line_q[index]});
                else operand = word_t'(signed'(operand[31:0]));
            end
            result = old;
            stores = 1'b1;
            unique case (amo_q.op)
                AMO_LR: stores = 1'b0;
                AMO_SC: begin
                    stores = !failed_q[place];
                    result = word_t'(failed_q[place]);
                    changed = operand;
                end
                AMO_ADD: changed = old + operand;
                AMO_XOR: changed = old ^ operand;
                AMO_OR: changed = old | operand;
                AMO_AND: changed = old & operand;
                AMO_MIN: changed = (signed'(old) < signed'(operand)) ? old : operand;
                AMO_MAX: changed = (signed'(old) > signed'(operand)) ? old : operand;
                // Sign extension of both keeps the unsigned order.
                AMO_MINU: changed = (old < operand) ? old : operand;
                AMO_MAXU: changed = (old > operand) ? old : operand;
                default: changed = operand;
            endcase
        end
    end

    always_ff @(posedge clk) begin
        unique case (state_q)
            IDLE:
            if (begin_valid) begin
                state_q <= READ;
                amo_q <= begin_req.amo;
                addr_q <= begin_req.addr;
                source_q <= begin_source;
                tag_q <= begin_tag;
                operand_q <= begin_req.data;
                index_q <= begin_req.byteen;
                todo_q <= begin_req.amo.mask;
                dirty_q <= '0;
            end
            READ:
            if (read_valid) begin
                state_q <= read_err ? RESPOND : STEP;
                err_q <= read_err;
                line_q <= read_data;
                failed_q <= ~winner;
            end
            STEP: begin
                todo_q[place] <= 1'b0;
                result_q[place] <= result;
                if (stores) begin
                    line_q[index] <= changed[31:0];
                    dirty_q[index] <= 1'b1;
                    if (XLEN == 64 && amo_q.wide) begin
                        line_q[index|index_t'(1)] <= 32'(changed >> 32);
                        dirty_q[index|index_t'(1)] <= 1'b1;
                    end
                end
                if ((todo_q & (todo_q - AMO_PLACES'(1))) == '0) begin
                    state_q <= (stores || dirty_q != '0) ? WRITE : RESPOND;
                end
            end
            WRITE: if (write_ready) state_q <= RESPOND;
            default: if (rsp_ready) state_q <= IDLE;
        endcase
        if (reset) state_q <= IDLE;
    end

    assign write_valid = state_q == WRITE;
    assign write_data = line_q;
    always_comb begin
        write_byteen = '0;
        if (write_valid) for (int w = 0; w < WORDS; ++w) write_byteen[4*w+:4] = {4{dirty_q[w]}};
    end

    assign rsp_valid = state_q == RESPOND;
    always_comb begin
        rsp = '0;
        if (rsp_valid) rsp = '{data: result_q, tag: tag_q, err: err_q};
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && begin_valid) begin
            assert (!busy) else $error("vx_amo_unit: a second atomic while one is at work");
            assert (begin_req.amo.mask != '0) else $error("vx_amo_unit: an atomic of no lane");
        end
        if (!reset && state_q == STEP) assert (any_todo) else $error("vx_amo_unit: nothing to do");
        if (!reset && read_valid) assert (state_q == READ) else $error("vx_amo_unit: data that nothing waits for");
    end
`endif
endmodule
