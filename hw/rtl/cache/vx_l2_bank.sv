// One bank of the L2 that all cores share: a write-through cache on the memory's side of vx_axi_bank, where the order of all
// requests of a block has been decided. It is looked at in the cycle in which the bank lets a request go.
//
//   access ─▶ tags ─ read hit ──▶ data array ─▶ FIFO ─▶┬─▶ r, the answers of the bank
//               ├─ read miss: the bank sends it to AXI │
//               └─ write hit: bytes merged into line   │
//                             line kept ◀── m_r, R ────┘
//
// Contract
// * The bank never has a read and a write of one block under way together, nor two reads of one cached block: so a line is never
//   older than memory, and never entered twice. A write that fails must come with `clear`, because the line has it already.
// * `access_*` may only be valid while `access_ready`. `hit` answers in the same cycle: the read is answered here and must not
//   go to AXI; otherwise its answer is expected at `m_r`.
// * `r_*` holds until `r_ready`; an answer of AXI goes before those of hits. Ids of unanswered reads are distinct. An answer at
//   `m_r` that no read waits for (reset in mid-transfer) is taken and dropped.
// * The I/O window and answers with an error are not kept. `clear` invalidates every line on the clock edge; answers to reads that
//   were let go until then are passed on and not kept.
module vx_l2_bank
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int SIZE = 65536,
    parameter int WAYS = 8,
    parameter int BANK_BITS = 0,  // low bits of the block address that are the same for the whole bank
    parameter int ID_WIDTH = 4
) (
    input wire clk,
    input wire reset,
    input wire clear,

    output logic access_ready,
    input wire access_valid,
    input wire access_rw,
    input line_addr_t access_addr,
    input wire [ID_WIDTH-1:0] access_id,  // of a read
    input line_t access_data,
    input wire [LINE_BYTES-1:0] access_byteen,
    output logic hit,

    input wire m_r_valid,
    output logic m_r_ready,
    input wire [ID_WIDTH-1:0] m_r_id,
    input line_t m_r_data,
    input wire m_r_err,

    output logic r_valid,
    input wire r_ready,
    output logic [ID_WIDTH-1:0] r_id,
    output line_t r_data,
    output logic r_err,

    output cache_perf_t perf  // mshr_stalls stays zero: ids are the bank's
);
    localparam int IDS = 2 ** ID_WIDTH;
    localparam int INDEX_WIDTH = $clog2(SIZE / LINE_BYTES);
    localparam line_addr_t IO_FIRST = line_addr_t'(IO_BASE >> LINE_OFFSET_BITS);
    localparam line_addr_t IO_LAST = line_addr_t'((IO_END - XLEN'(1)) >> LINE_OFFSET_BITS);

    line_t data_q[SIZE / LINE_BYTES];
    line_addr_t addr_q[IDS];
    logic [IDS-1:0] away_q;  // reads whose answer AXI owes
    logic [IDS-1:0] keep_q;  // ... and whose line may be kept

    logic cached, present, fill, evicts;
    logic [INDEX_WIDTH-1:0] index, fill_index;

    assign cached = access_valid && (access_addr < IO_FIRST || access_addr > IO_LAST);
    assign hit = present && !access_rw;

    vx_cache_tags #(
        .SIZE(SIZE),
        .WAYS(WAYS)
    ) tags (
        .clk,
        .reset,
        .clear,
        .lookup_valid(cached),
        .lookup_addr(access_addr >> BANK_BITS),
        .hit(present),
        .hit_index(index),
        .drop_valid(1'b0),
        .fill_valid(fill),
        .fill_addr(addr_q[m_r_id] >> BANK_BITS),
        .fill_index,
        .fill_evicts(evicts)
    );

    // ---------------------------------------------------------------- answers

    logic hits_ready, hit_valid, expected, from_hit;
    logic held_q, held_hit_q;  // an answer that is not taken stays
    logic [ID_WIDTH-1:0] hit_id;
    line_t hit_data, line;

    always_comb begin
        line = '0;
        if (present) line = data_q[index];
    end

    vx_fifo #(
        .WIDTH(ID_WIDTH + LINE_BITS),
        .DEPTH(2)
    ) hits (
        .clk,
        .reset,
        .in_valid(hit),
        .in_ready(hits_ready),
        .in_data({access_id, line}),
        .out_valid(hit_valid),
        .out_ready(r_ready && from_hit),
        .out_data({hit_id, hit_data})
    );

    assign expected = m_r_valid && away_q[m_r_id];
    assign from_hit = held_q ? held_hit_q : !expected;
    assign r_valid = from_hit ? hit_valid : expected;
    assign r_id = from_hit ? hit_id : m_r_id;
    assign r_err = !from_hit && m_r_err;
    always_comb begin
        r_data = '0;
        if (r_valid) r_data = from_hit ? hit_data : m_r_data;
    end
    assign m_r_ready = !away_q[m_r_id] || (r_ready && !from_hit);

    // ---------------------------------------------------------------- one operation a cycle: fill or access

    assign fill = expected && !from_hit && r_ready && !m_r_err && keep_q[m_r_id];
    assign access_ready = hits_ready && !fill;

    function automatic line_t merged(input line_t old, input line_t data, input logic [LINE_BYTES-1:0] byteen);
        merged = old;
        for (int b = 0; b < LINE_BYTES; ++b) if (byteen[b]) merged[8*b+:8] = data[8*b+:8];
    endfunction

    always_ff @(posedge clk) begin
        held_q <= r_valid && !r_ready;
        held_hit_q <= from_hit;

        if (fill) data_q[fill_index] <= m_r_data;
        if (present && access_rw) data_q[index] <= merged(line, access_data, access_byteen);

        if (expected && !from_hit && r_ready) away_q[m_r_id] <= 1'b0;
        if (access_valid && !access_rw && !hit) begin
            away_q[access_id] <= 1'b1;
            keep_q[access_id] <= cached;
            addr_q[access_id] <= access_addr;
        end
        if (clear) keep_q <= '0;
        if (reset) begin
            away_q <= '0;
            held_q <= 1'b0;
        end
    end

    // ---------------------------------------------------------------- counters

    always_ff @(posedge clk) begin
        if (cached && !access_rw) perf.reads <= perf.reads + 1'b1;
        if (cached && access_rw) perf.writes <= perf.writes + 1'b1;
        if (cached && !access_rw && !present) perf.read_misses <= perf.read_misses + 1'b1;
        if (cached && access_rw && !present) perf.write_misses <= perf.write_misses + 1'b1;
        if (fill && evicts) perf.evictions <= perf.evictions + 1'b1;
        if (reset) perf <= '0;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && access_valid) begin
            assert (access_ready) else $error("vx_l2_bank: a request came in a cycle that a fill has");
            if (!access_rw)
                assert (!away_q[access_id] || (expected && !from_hit && r_ready && m_r_id == access_id))
                else $error("vx_l2_bank: two unanswered reads with id %0d", access_id);
            for (int i = 0; i < IDS; ++i)
                assert (!(cached && away_q[i] && addr_q[i] == access_addr))
                else $error("vx_l2_bank: a request passes an unanswered read of its block %h", access_addr);
        end
    end
`endif
endmodule
