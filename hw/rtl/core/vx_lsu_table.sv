// Outstanding loads: assembles the responses of one instruction's requests, whatever their order, and commits it once.
//
// Contract
// * `alloc` opens an entry per load instruction; `send` then registers each request of it under a tag: lanes, which piece
//   of them (0 unless it is a packed load) and where in the line each lies. Both are refused (ready low) while the next
//   entry or tag of the ring is still in use.
// * Exactly one response per tag. Responses are always taken (one a cycle, cache before LMEM) because the load's commit
//   always is: `commit_valid` must be accepted in the same cycle.
// * A bus error on any part makes the whole load a fault: nothing is written.
module vx_lsu_table
    import vx_pkg::*;
    import vx_core_pkg::*;
#(
    parameter int ENTRIES = 16,
    parameter int TAGS = 64
) (
    input wire clk,
    input wire reset,

    input wire alloc_valid,
    output logic alloc_ready,
    input exec_info_t alloc_info,
    input lsu_op_t alloc_op,
    output logic [$clog2(ENTRIES)-1:0] alloc_entry,

    input wire send_valid,
    output logic send_ready,
    input wire [$clog2(ENTRIES)-1:0] send_entry,
    input tmask_t send_mask,
    input piece_t send_piece,
    input wire [NUM_THREADS-1:0][LINE_OFFSET_BITS-1:0] send_offset,
    input word_t send_addr,  // reported if the request fails
    output logic [DTAG_WIDTH-1:0] send_tag,

    input wire dcache_rsp_valid,
    output logic dcache_rsp_ready,
    input dcache_rsp_t dcache_rsp,
    input wire lmem_rsp_valid,
    output logic lmem_rsp_ready,
    input lmem_rsp_t lmem_rsp,

    output logic rsp_valid,  // a response comes: of these lanes of that entry, with these data
    output logic [$clog2(ENTRIES)-1:0] rsp_entry,
    output tmask_t rsp_mask,
    output lanes_t rsp_data,  // lanes of this response fresh, others as assembled so far

    output logic commit_valid,
    output commit_t commit,
    output logic [$clog2(ENTRIES):0] waiting,  // entries in use
    output logic empty
);
    localparam int WORD_BYTES = XLEN / 8;
    localparam int WORD_OFFSET_BITS = $clog2(WORD_BYTES);
    localparam int LINE_WORDS = LINE_BYTES / WORD_BYTES;

    typedef logic [$clog2(ENTRIES)-1:0] entry_t;
    typedef logic [$clog2(TAGS)-1:0] tag_t;

    if (ENTRIES < 8 || 2 ** $clog2(ENTRIES) != ENTRIES || 2 ** $clog2(TAGS) != TAGS || $clog2(TAGS) > DTAG_WIDTH)
    begin : g_check
        $error("vx_lsu_table: ENTRIES = %0d, TAGS = %0d: powers of two, at least 8 entries, tags within %0d bits", ENTRIES,
               TAGS, DTAG_WIDTH);
    end

    // ---------------------------------------------------------------- entries: one per load instruction

    logic [ENTRIES-1:0] entry_used_q;
    entry_t entry_ptr_q;
    exec_info_t info_q[ENTRIES];
    /* verilator lint_off UNUSEDSIGNAL */  // all entries load
    lsu_op_t op_q[ENTRIES];
    /* verilator lint_on UNUSEDSIGNAL */
    logic [PIECES-1:0][NUM_THREADS-1:0] waiting_q[ENTRIES];  // lanes without data, for each piece
    lanes_t data_q[ENTRIES];
    logic [ENTRIES-1:0] error_q;
    word_t error_addr_q[ENTRIES];

    assign alloc_ready = !entry_used_q[entry_ptr_q];
    assign alloc_entry = entry_ptr_q;
    assign empty = entry_used_q == '0;

    // ---------------------------------------------------------------- tags: one per request

    logic [TAGS-1:0] tag_used_q;
    tag_t tag_ptr_q;
    entry_t tag_entry_q[TAGS];
    tmask_t tag_mask_q[TAGS];
    piece_t tag_piece_q[TAGS];
    logic [NUM_THREADS-1:0][LINE_OFFSET_BITS-1:0] offset_q[TAGS];
    word_t tag_addr_q[TAGS];

    assign send_ready = !tag_used_q[tag_ptr_q];
    assign send_tag = DTAG_WIDTH'(tag_ptr_q);

    // ---------------------------------------------------------------- response

    tag_t rsp_tag;
    logic rsp_error;
    logic [PIECES-1:0][NUM_THREADS-1:0] rsp_waiting;  // what the entry still waits for
    logic complete;

    assign dcache_rsp_ready = 1'b1;
    assign lmem_rsp_ready = !dcache_rsp_valid;
    assign rsp_valid = dcache_rsp_valid || lmem_rsp_valid;

    function automatic word_t extract(input word_t value, input logic [WORD_OFFSET_BITS-1:0] offset, 
                                      input logic is_unsigned, input logic [1:0] log_size);
        word_t shifted;
        shifted = value >> {offset, 3'b000};
        case (log_size)
            2'd0: return is_unsigned ? word_t'(shifted[7:0]) : word_t'(signed'(shifted[7:0]));
            2'd1: return is_unsigned ? word_t'(shifted[15:0]) : word_t'(signed'(shifted[15:0]));
            2'd2: return is_unsigned ? word_t'(shifted[31:0]) : word_t'(signed'(shifted[31:0]));
            default: return shifted;
        endcase
    endfunction

    // Word with one of its pieces of 8 or 16 bits replaced; the last one that comes makes it whole.
    function automatic word_t place(input logic [31:0] word, input logic [15:0] value, input piece_t piece,
                                    input logic halves);
        logic [3:0][7:0] bytes;
        bytes = word;
        if (halves) bytes[{piece[0], 1'b0}+:2] = value;
        else bytes[piece] = value[7:0];
        return word_t'(bytes);
    endfunction

    always_comb begin
        logic [LINE_WORDS-1:0][XLEN-1:0] words;
        words = '0;
        rsp_tag = '0;
        rsp_entry = '0;
        rsp_mask = '0;
        rsp_error = 1'b0;
        rsp_data = '0;
        rsp_waiting = '0;
        complete = 1'b0;
        if (rsp_valid) begin
            rsp_tag = dcache_rsp_valid ? tag_t'(dcache_rsp.tag) : tag_t'(lmem_rsp.tag);
            rsp_error = dcache_rsp_valid && dcache_rsp.err;
            words = dcache_rsp.data;
            rsp_entry = tag_entry_q[rsp_tag];
            rsp_mask = tag_mask_q[rsp_tag];
            rsp_data = data_q[rsp_entry];
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (rsp_mask[i]) begin
                    automatic logic [LINE_OFFSET_BITS-1:0] offset;
                    automatic word_t value;
                    offset = offset_q[rsp_tag][i];
                    value = extract(
                        dcache_rsp_valid ? words[offset[LINE_OFFSET_BITS-1:WORD_OFFSET_BITS]] : lmem_rsp.data[i],
                        offset[WORD_OFFSET_BITS-1:0],
                        op_q[rsp_entry].is_unsigned,
                        op_q[rsp_entry].log_size
                    );
                    if (EXT_PACKED && op_q[rsp_entry].pieces)
                        rsp_data[i] = place(rsp_data[i][31:0], value[15:0], tag_piece_q[rsp_tag], op_q[rsp_entry].log_size[0]);
                    else rsp_data[i] = value;
                end
            end
            rsp_waiting = waiting_q[rsp_entry];
            for (int p = 0; p < PIECES; ++p)
                if (tag_piece_q[rsp_tag] == piece_t'(p)) rsp_waiting[p] = rsp_waiting[p] & ~rsp_mask;
            complete = rsp_waiting == '0;
        end
    end

    assign commit_valid = complete;

    always_comb begin
        commit = '0;
        if (complete) begin
            commit.info = info_q[rsp_entry];
            commit.data = rsp_data;
            if (error_q[rsp_entry] || rsp_error) begin
                commit.fault = FAULT_BUS_READ;
                commit.fault_addr = error_q[rsp_entry] ? error_addr_q[rsp_entry] : tag_addr_q[rsp_tag];
            end
        end
    end

    // ---------------------------------------------------------------- state

    always_ff @(posedge clk) begin
        if (alloc_valid != complete) begin
            waiting <= alloc_valid ? waiting + ($clog2(ENTRIES) + 1)'(1) : waiting - ($clog2(ENTRIES) + 1)'(1);
        end
        if (reset) waiting <= '0;
    end

    always_ff @(posedge clk) begin
        if (alloc_valid) begin
            entry_used_q[entry_ptr_q] <= 1'b1;
            entry_ptr_q <= entry_ptr_q + entry_t'(1);
            info_q[entry_ptr_q] <= alloc_info;
            op_q[entry_ptr_q] <= alloc_op;
            for (int p = 0; p < PIECES; ++p)
                waiting_q[entry_ptr_q][p] <= (piece_t'(p) <= last_piece(alloc_op)) ? alloc_info.tmask : '0;
            error_q[entry_ptr_q] <= 1'b0;
        end
        if (send_valid) begin
            tag_used_q[tag_ptr_q] <= 1'b1;
            tag_ptr_q <= tag_ptr_q + tag_t'(1);
            tag_entry_q[tag_ptr_q] <= send_entry;
            tag_mask_q[tag_ptr_q] <= send_mask;
            tag_piece_q[tag_ptr_q] <= send_piece;
            offset_q[tag_ptr_q] <= send_offset;
            tag_addr_q[tag_ptr_q] <= send_addr;
        end
        if (rsp_valid) begin
            tag_used_q[rsp_tag] <= 1'b0;
            waiting_q[rsp_entry] <= rsp_waiting;
            if (complete) begin
                entry_used_q[rsp_entry] <= 1'b0;
            end else begin
                data_q[rsp_entry] <= rsp_data;
                if (rsp_error && !error_q[rsp_entry]) begin
                    error_q[rsp_entry] <= 1'b1;
                    error_addr_q[rsp_entry] <= tag_addr_q[rsp_tag];
                end
            end
        end
        if (reset) begin
            entry_used_q <= '0;
            entry_ptr_q <= '0;
            tag_used_q <= '0;
            tag_ptr_q <= '0;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && rsp_valid)
            assert (tag_used_q[rsp_tag]) else $error("vx_lsu_table: response with tag %0d, which waits for none", rsp_tag);
        if (!reset && alloc_valid) assert (alloc_ready) else $error("vx_lsu_table: entry %0d is in use", entry_ptr_q);
        if (!reset && send_valid) assert (send_ready) else $error("vx_lsu_table: tag %0d is in use", tag_ptr_q);
    end
`endif
endmodule
