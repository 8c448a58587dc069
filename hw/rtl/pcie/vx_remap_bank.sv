// One port of the core: takes its 64-byte accesses and makes pieces of them, each inside one block of one memory; merges the
// answers.
//
// Contract
// * Core side: single-beat AXI4, AW and W are taken together; B in order of acceptance, R of different ids in any order.
// * Order within one block of the core: a read waits for older writes, a write for older reads, reads of one id for each
//   other. Pieces of writes carry a tag that follows from their block of memory, so writes of a block keep their order.
// * Only bytes with a strobe are written; a write without one is answered without an access. A piece that fails fails the
//   access. STRICT: bytes outside every range fail a write, and a read if nothing of its block is mapped.
// * `isolate`: nothing more is taken, and answers are dropped; `idle` follows when every piece has been answered.
module vx_remap_bank
    import vx_pkg::*;
    import vx_pcie_pkg::*;
#(
    parameter int ADDR_WIDTH = 32,
    parameter int TID_WIDTH = 8,
    parameter int ENTRIES = 64,
    parameter int BANK_BITS = 0,  // of the memory ports
    parameter bit STRICT = 0,
    localparam int COUNT_WIDTH = $clog2(ENTRIES + 1),
    localparam int BLOCK_WIDTH = ADDR_WIDTH - BLOCK_SHIFT,
    localparam int BANK_WIDTH = BANK_BITS > 0 ? BANK_BITS : 1
) (
    input wire clk,
    input wire reset,
    input wire isolate,
    output logic idle,

    input wire [COUNT_WIDTH-1:0] map_count,
    input word_t map_vma[ENTRIES],
    input word_t map_last[ENTRIES],
    input wire [VRAM_ADDR_WIDTH-1:0] map_offset[ENTRIES],

    input wire s_awvalid,
    output logic s_awready,
    input wire [BLOCK_WIDTH-1:0] s_awblock,
    input wire [TID_WIDTH-1:0] s_awid,
    input wire s_wvalid,
    output logic s_wready,
    input block_t s_wdata,
    input strobe_t s_wstrb,
    output logic s_bvalid,
    input wire s_bready,
    output logic [TID_WIDTH-1:0] s_bid,
    output logic s_berr,
    input wire s_arvalid,
    output logic s_arready,
    input wire [BLOCK_WIDTH-1:0] s_arblock,
    input wire [TID_WIDTH-1:0] s_arid,
    output logic s_rvalid,
    input wire s_rready,
    output block_t s_rdata,
    output logic [TID_WIDTH-1:0] s_rid,
    output logic s_rerr,

    output logic req_valid,
    input wire req_ready,
    output logic req_write,
    output logic req_vram,
    output logic [BLOCK_WIDTH-1:0] req_block,
    output logic [TAG_WIDTH-1:0] req_tag,
    output block_t req_data,
    output strobe_t req_strb,

    input wire rd_valid,
    output logic rd_ready,
    input wire [TAG_WIDTH-1:0] rd_tag,
    input block_t rd_data,
    input wire rd_err,
    input wire wr_valid,
    input wire [BANK_WIDTH-1:0] wr_bank,
    input wire [TAG_WIDTH-1:0] wr_tag,
    input wire wr_err,

    output logic fault_valid,  // an access of the core fails
    output logic fault_write,
    output logic [BLOCK_WIDTH-1:0] fault_block
);
    localparam int SLOTS = 2 ** TAG_WIDTH;
    localparam int KEY_WIDTH = TAG_WIDTH + BANK_BITS;

    typedef logic [TAG_WIDTH-1:0] slot_t;
    typedef logic [TAG_WIDTH:0] fill_t;
    typedef logic [KEY_WIDTH-1:0] key_t;
    typedef logic [BLOCK_WIDTH-1:0] mem_block_t;

    // ---------------------------------------------------------------- state

    // The access whose pieces are being sent.
    logic cur_valid_q, cur_write_q;
    mem_block_t cur_block_q;
    slot_t cur_slot_q;
    block_t cur_data_q;
    strobe_t cur_strb_q;
    lane_t pos_q;

    // Reads: an access each.
    logic [SLOTS-1:0] rs_used_q, rs_sent_q, rs_err_q, rs_mapped_q;
    mem_block_t rs_block_q[SLOTS];
    logic [TID_WIDTH-1:0] rs_id_q[SLOTS];
    length_t rs_left_q[SLOTS];
    block_t rs_data_q[SLOTS];

    // Reads: a piece each; its number is the tag.
    logic [SLOTS-1:0] rp_used_q;
    slot_t rp_slot_q[SLOTS];
    lane_t rp_rotate_q[SLOTS];
    strobe_t rp_mask_q[SLOTS];

    // Writes: a ring of accesses, oldest at head.
    logic [SLOTS-1:0] ws_used_q, ws_sent_q, ws_err_q;
    mem_block_t ws_block_q[SLOTS];
    logic [TID_WIDTH-1:0] ws_id_q[SLOTS];
    length_t ws_left_q[SLOTS];
    slot_t ws_head_q, ws_tail_q;

    // Writes: pieces without an answer, oldest first; an answer belongs to the oldest one with its key.
    key_t wp_key_q[SLOTS];
    slot_t wp_slot_q[SLOTS];
    fill_t wp_count_q;

    // ---------------------------------------------------------------- taking an access

    logic read_clear, write_clear;  // no older access stands in the way
    slot_t free_slot;
    always_comb begin
        read_clear = 1'b0;
        write_clear = 1'b0;
        free_slot = '0;
        if (s_arvalid) begin
            read_clear = 1'b1;
            for (int i = SLOTS - 1; i >= 0; --i) begin
                if (ws_used_q[i] && ws_block_q[i] == s_arblock) read_clear = 1'b0;
                if (rs_used_q[i] && rs_id_q[i] == s_arid) read_clear = 1'b0;
                if (!rs_used_q[i]) free_slot = slot_t'(i);
            end
        end
        if (s_awvalid && s_wvalid) begin
            write_clear = 1'b1;
            for (int i = 0; i < SLOTS; ++i) begin
                if (rs_used_q[i] && rs_block_q[i] == s_awblock) write_clear = 1'b0;
            end
        end
    end

    logic cur_done, take_read, take_write, may_read, may_write, prefer_write_q;
    assign may_read = read_clear && rs_used_q != '1 && !isolate;
    assign may_write = write_clear && !ws_used_q[ws_tail_q] && !isolate;
    assign take_write = (!cur_valid_q || cur_done) && may_write && (prefer_write_q || !may_read);
    assign take_read = (!cur_valid_q || cur_done) && may_read && !take_write;
    assign s_awready = take_write;
    assign s_wready = take_write;
    assign s_arready = take_read;

    // ---------------------------------------------------------------- the next piece

    logic hit;
    logic [ADDR_WIDTH-1:0] dest;
    length_t run;
    vx_remap_lookup #(
        .ADDR_WIDTH(ADDR_WIDTH),
        .ENTRIES(ENTRIES)
    ) lookup (
        .valid(cur_valid_q),
        .addr({cur_block_q, pos_q}),
        .count(map_count),
        .vma(map_vma),
        .last(map_last),
        .offset(map_offset),
        .hit,
        .dest,
        .run
    );

    length_t room, length;
    strobe_t mask, wanted;
    lane_t rotate;
    slot_t free_piece;
    logic nobody, skip, resources, sent, advance;
    always_comb begin
        // To the end of this block and to the end of the block of memory.
        room = length_t'(BLOCK_BYTES) -
            (pos_q > dest[BLOCK_SHIFT-1:0] ? length_t'(pos_q) : length_t'(dest[BLOCK_SHIFT-1:0]));
        length = run < room ? run : room;
        rotate = dest[BLOCK_SHIFT-1:0] - pos_q;
        mask = '0;
        wanted = '0;
        free_piece = '0;
        if (cur_valid_q) begin
            mask = byte_mask(pos_q, length);
            wanted = cur_write_q ? cur_strb_q & mask : mask;
            for (int i = SLOTS - 1; i >= 0; --i) if (!rp_used_q[i]) free_piece = slot_t'(i);
        end
    end
    assign nobody = STRICT && !hit;
    assign skip = wanted == '0 || nobody;
    assign resources = cur_write_q ? wp_count_q != fill_t'(SLOTS) : rp_used_q != '1;
    assign req_valid = cur_valid_q && !skip && resources;
    assign sent = req_valid && req_ready;
    assign advance = cur_valid_q && (skip || sent);
    assign cur_done = advance && length_t'(pos_q) + length == length_t'(BLOCK_BYTES);

    assign req_write = cur_write_q;
    assign req_vram = hit;
    assign req_block = dest[ADDR_WIDTH-1:BLOCK_SHIFT];
    assign req_tag = cur_write_q ? TAG_WIDTH'(req_block >> BANK_BITS) : free_piece;
    always_comb begin
        req_data = '0;
        req_strb = '0;
        if (req_valid && cur_write_q) begin
            req_data = rotate_bytes(cur_data_q, rotate);
            req_strb = rotate_strobes(wanted, rotate);
        end
    end

    always_ff @(posedge clk) begin
        if (advance) pos_q <= lane_t'(length_t'(pos_q) + length);
        if (cur_done) cur_valid_q <= 1'b0;
        if (take_read || take_write) begin
            cur_valid_q <= 1'b1;
            cur_write_q <= take_write;
            cur_block_q <= take_write ? s_awblock : s_arblock;
            cur_slot_q <= take_write ? ws_tail_q : free_slot;
            pos_q <= '0;
            prefer_write_q <= !take_write;
        end
        if (take_write) begin
            cur_data_q <= s_wdata;
            cur_strb_q <= s_wstrb;
        end
        if (reset) begin
            cur_valid_q <= 1'b0;
            prefer_write_q <= 1'b0;
        end
    end

    // ---------------------------------------------------------------- answers of reads

    slot_t rd_slot, done_slot;
    logic rd_take, rd_last, done_any;
    block_t merged;
    assign rd_slot = rp_slot_q[rd_tag];
    assign rd_take = rd_valid && rd_ready;
    assign rd_last = rd_take && rs_sent_q[rd_slot] && rs_left_q[rd_slot] == length_t'(1);
    always_comb begin
        merged = '0;
        if (rd_valid) begin
            if (rp_mask_q[rd_tag] == '1) begin
                merged = rd_data;
            end else begin
                merged = rs_data_q[rd_slot] |
                    (rotate_bytes(rd_data, -rp_rotate_q[rd_tag]) & bit_mask(rp_mask_q[rd_tag]));
            end
        end
    end

    // An access whose last piece was skipped after the answers of the others.
    always_comb begin
        done_any = 1'b0;
        done_slot = '0;
        if (STRICT) begin
            for (int i = 0; i < SLOTS; ++i) begin
                if (rs_used_q[i] && rs_sent_q[i] && rs_left_q[i] == '0) begin
                    done_any = 1'b1;
                    done_slot = slot_t'(i);
                end
            end
        end
    end

    logic r_push, r_ready, r_valid, r_err;
    slot_t r_slot;
    block_t r_data;
    assign rd_ready = r_ready && !done_any;
    assign r_push = rd_last || (done_any && r_ready);
    assign r_slot = done_any ? done_slot : rd_slot;
    assign r_err = rs_err_q[r_slot] || (rd_last && rd_err) || !rs_mapped_q[r_slot];
    always_comb begin
        r_data = '0;
        if (r_push) r_data = done_any ? rs_data_q[done_slot] : merged;
    end

    vx_fifo #(
        .WIDTH(TID_WIDTH + 1 + BLOCK_BITS),
        .DEPTH(2)
    ) r_fifo (
        .clk,
        .reset,
        .in_valid(r_push),
        .in_ready(r_ready),
        .in_data({rs_id_q[r_slot], r_err, r_data}),
        .out_valid(r_valid),
        .out_ready(s_rready || isolate),
        .out_data({s_rid, s_rerr, s_rdata})
    );
    assign s_rvalid = r_valid && !isolate;

    always_ff @(posedge clk) begin
        if (take_read) begin
            rs_used_q[free_slot] <= 1'b1;
            rs_sent_q[free_slot] <= 1'b0;
            rs_err_q[free_slot] <= 1'b0;
            rs_mapped_q[free_slot] <= !STRICT;
            rs_block_q[free_slot] <= s_arblock;
            rs_id_q[free_slot] <= s_arid;
            rs_left_q[free_slot] <= '0;
            rs_data_q[free_slot] <= '0;
        end
        if (sent && !cur_write_q) begin
            rp_used_q[free_piece] <= 1'b1;
            rp_slot_q[free_piece] <= cur_slot_q;
            rp_rotate_q[free_piece] <= rotate;
            rp_mask_q[free_piece] <= mask;
            rs_mapped_q[cur_slot_q] <= 1'b1;
            if (!(rd_take && rd_slot == cur_slot_q)) rs_left_q[cur_slot_q] <= rs_left_q[cur_slot_q] + length_t'(1);
        end
        if (cur_done && !cur_write_q) rs_sent_q[cur_slot_q] <= 1'b1;
        if (rd_take) begin
            rp_used_q[rd_tag] <= 1'b0;
            rs_data_q[rd_slot] <= merged;
            if (rd_err) rs_err_q[rd_slot] <= 1'b1;
            if (!(sent && !cur_write_q && rd_slot == cur_slot_q)) rs_left_q[rd_slot] <= rs_left_q[rd_slot] - length_t'(1);
        end
        if (r_push) rs_used_q[r_slot] <= 1'b0;
        if (reset) begin
            rs_used_q <= '0;
            rp_used_q <= '0;
        end
    end

    // ---------------------------------------------------------------- answers of writes

    fill_t wp_match;
    key_t wr_key;
    slot_t wr_slot;
    if (BANK_BITS > 0) begin : g_key
        assign wr_key = {wr_tag, wr_bank[BANK_WIDTH-1:0]};
    end else begin : g_key
        assign wr_key = wr_tag;
        wire unused_bank = &{1'b0, wr_bank};
    end
    always_comb begin
        wp_match = '0;
        if (wr_valid) begin
            for (int i = SLOTS - 1; i >= 0; --i) begin
                if (fill_t'(i) < wp_count_q && wp_key_q[i] == wr_key) wp_match = fill_t'(i);
            end
        end
    end
    assign wr_slot = wp_slot_q[slot_t'(wp_match)];

    logic write_sent;
    assign write_sent = sent && cur_write_q;

    always_ff @(posedge clk) begin
        if (wr_valid) begin
            for (int i = 0; i < SLOTS - 1; ++i) begin
                if (fill_t'(i) >= wp_match) begin
                    wp_key_q[i] <= wp_key_q[i+1];
                    wp_slot_q[i] <= wp_slot_q[i+1];
                end
            end
        end
        if (write_sent) begin
            wp_key_q[slot_t'(wp_count_q - fill_t'(wr_valid))] <= KEY_WIDTH'(req_block);
            wp_slot_q[slot_t'(wp_count_q - fill_t'(wr_valid))] <= cur_slot_q;
        end
        wp_count_q <= wp_count_q + fill_t'(write_sent) - fill_t'(wr_valid);
        if (reset) wp_count_q <= '0;
    end

    logic b_done, b_pop;
    assign b_done = ws_used_q[ws_head_q] && ws_sent_q[ws_head_q] && ws_left_q[ws_head_q] == '0;
    assign s_bvalid = b_done && !isolate;
    assign s_bid = ws_id_q[ws_head_q];
    assign s_berr = ws_err_q[ws_head_q];
    assign b_pop = b_done && (s_bready || isolate);

    always_ff @(posedge clk) begin
        if (take_write) begin
            ws_used_q[ws_tail_q] <= 1'b1;
            ws_sent_q[ws_tail_q] <= 1'b0;
            ws_err_q[ws_tail_q] <= 1'b0;
            ws_block_q[ws_tail_q] <= s_awblock;
            ws_id_q[ws_tail_q] <= s_awid;
            ws_left_q[ws_tail_q] <= '0;
            ws_tail_q <= ws_tail_q + slot_t'(1);
        end
        if (cur_write_q && cur_valid_q && nobody && wanted != '0) ws_err_q[cur_slot_q] <= 1'b1;
        if (cur_done && cur_write_q) ws_sent_q[cur_slot_q] <= 1'b1;
        if (write_sent && !(wr_valid && wr_slot == cur_slot_q))
            ws_left_q[cur_slot_q] <= ws_left_q[cur_slot_q] + length_t'(1);
        if (wr_valid) begin
            if (wr_err) ws_err_q[wr_slot] <= 1'b1;
            if (!(write_sent && wr_slot == cur_slot_q)) ws_left_q[wr_slot] <= ws_left_q[wr_slot] - length_t'(1);
        end
        if (b_pop) begin
            ws_used_q[ws_head_q] <= 1'b0;
            ws_head_q <= ws_head_q + slot_t'(1);
        end
        if (reset) begin
            ws_used_q <= '0;
            ws_head_q <= '0;
            ws_tail_q <= '0;
        end
    end

    assign idle = !cur_valid_q && rs_used_q == '0 && ws_used_q == '0 && !r_valid;

    assign fault_valid = (r_push && r_err) || (b_pop && s_berr);
    assign fault_write = !(r_push && r_err);
    assign fault_block = r_push && r_err ? rs_block_q[r_slot] : ws_block_q[ws_head_q];

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && rd_valid) assert (rp_used_q[rd_tag]) else $error("vx_remap_bank: read data that nobody asked for");
        if (!reset && wr_valid)
            assert (wp_match < wp_count_q && wp_key_q[slot_t'(wp_match)] == wr_key)
            else $error("vx_remap_bank: acknowledgement of a write that was not made");
    end
`endif
endmodule
