// What a write-back cache owes to memory: the written bytes of each line, and the ways in which they go there.
//
// Contract
// * `mark_*` adds written bytes of a line.
// * `fill_*`: another line takes the place of the one at `fill_index`. If bytes of that were written, `evicts` says so in the same
//   cycle, and line and bytes are kept under `fill_slot` until they have been pushed (`pushed_*`); `evict_addr` is its address. A slot is
//   never filled again before.
// * `clean_valid` asks for the line at `clean_index` to be written, `flush_valid` for all lines, one a cycle; the caller holds
//   them until the line is clean (`push_valid` falls), or `none` says that it is done. It shows the contents of the line at `read_index` in `read_data`.
// * `push_*` is a write with exactly the bytes that were written. It goes when `push_ready`; until then another line may take its turn,
//   because kept ones go first.
// * After `reset` nothing is dirty.
module vx_dirty_lines
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int LINES = 256,
    parameter int SLOTS = 8,
    localparam int INDEX_WIDTH = $clog2(LINES),
    localparam int SLOT_WIDTH = SLOTS > 1 ? $clog2(SLOTS) : 1
) (
    input wire clk,
    input wire reset,

    input wire mark_valid,
    input wire [INDEX_WIDTH-1:0] mark_index,
    input wire [LINE_BYTES-1:0] mark_byteen,

    input wire fill_valid,
    input wire [INDEX_WIDTH-1:0] fill_index,
    input line_addr_t fill_addr,
    input wire [SLOT_WIDTH-1:0] fill_slot,
    output logic evicts,
    output line_addr_t evict_addr,

    input wire clean_valid,
    input wire [INDEX_WIDTH-1:0] clean_index,
    input wire flush_valid,
    output logic none,
    output logic [INDEX_WIDTH-1:0] read_index,
    input line_t read_data,

    output logic push_valid,
    input wire push_ready,
    output line_addr_t push_addr,
    output line_t push_data,
    output logic [LINE_BYTES-1:0] push_byteen,
    output logic pushed_valid,  // a kept line has gone, and its slot is free
    output logic [SLOT_WIDTH-1:0] pushed_slot
);
    typedef logic [INDEX_WIDTH-1:0] index_t;
    typedef logic [SLOT_WIDTH-1:0] slot_t;

    logic [LINES-1:0] dirty_q;
    logic [LINE_BYTES-1:0] bytes_q[LINES];  // while dirty
    line_addr_t addr_q[LINES];  // the tags once more: their port belongs to the requests

    logic [SLOTS-1:0] kept_q;
    line_addr_t kept_addr_q[SLOTS];
    line_t kept_data_q[SLOTS];
    logic [LINE_BYTES-1:0] kept_bytes_q[SLOTS];

    assign evicts = fill_valid && dirty_q[fill_index];
    assign evict_addr = addr_q[fill_index];
    assign none = dirty_q == '0 && kept_q == '0;

    // ---------------------------------------------------------------- what goes next

    slot_t slot;
    logic any_kept;
    vx_priority_encoder #(
        .N(SLOTS)
    ) slot_select (
        .bits(kept_q),
        .valid(any_kept),
        .index(slot)
    );

    logic [LINES-1:0] wanted;
    index_t first_index;
    logic any_wanted;
    assign wanted = flush_valid ? dirty_q : '0;
    vx_priority_encoder #(
        .N(LINES)
    ) line_select (
        .bits(wanted),
        .valid(any_wanted),
        .index(first_index)
    );

    index_t save_index;
    logic save;
    assign save_index = clean_valid ? clean_index : first_index;
    assign save = (clean_valid && dirty_q[clean_index]) || any_wanted;
    assign read_index = fill_valid ? fill_index : save_index;

    assign push_valid = any_kept || save;
    assign pushed_valid = any_kept && push_ready;
    assign pushed_slot = slot;

    always_comb begin
        push_addr = '0;
        push_data = '0;
        push_byteen = '0;
        if (any_kept) begin
            push_addr = kept_addr_q[slot];
            push_data = kept_data_q[slot];
            push_byteen = kept_bytes_q[slot];
        end else if (save) begin
            push_addr = addr_q[save_index];
            push_data = read_data;
            push_byteen = bytes_q[save_index];
        end
    end

    always_ff @(posedge clk) begin
        if (mark_valid) begin
            dirty_q[mark_index] <= 1'b1;
            bytes_q[mark_index] <= dirty_q[mark_index] ? bytes_q[mark_index] | mark_byteen : mark_byteen;
        end
        if (fill_valid) begin
            addr_q[fill_index] <= fill_addr;
            dirty_q[fill_index] <= 1'b0;
            if (evicts) begin
                kept_q[fill_slot] <= 1'b1;
                kept_addr_q[fill_slot] <= addr_q[fill_index];
                kept_data_q[fill_slot] <= read_data;
                kept_bytes_q[fill_slot] <= bytes_q[fill_index];
            end
        end
        if (push_ready) begin
            if (any_kept) kept_q[slot] <= 1'b0;
            else if (save) dirty_q[save_index] <= 1'b0;
        end
        if (reset) begin
            dirty_q <= '0;
            kept_q <= '0;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && fill_valid) begin
            assert (!kept_q[fill_slot]) else $error("vx_dirty_lines: slot %0d is filled while its line has not gone", fill_slot);
            assert (!save) else $error("vx_dirty_lines: a line comes in while another is read to be written");
        end
    end
`endif
endmodule
