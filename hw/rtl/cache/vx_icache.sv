// Instruction cache of one core: set-associative, non-blocking, read only.
//
// Contract
// * A hit answers one cycle after it was accepted; one request a cycle. Misses of one line share a memory read; responses
//   of different lines come in any order. `rsp` has no ready: the fetch unit always takes it.
// * A tag that is still unanswered is not accepted again, so every request is answered exactly once.
// * A line whose read failed is answered with `err` and not kept.
// * `flush_valid` is a level: nothing is accepted while it is high; `flush_done` answers for one cycle when no miss is
//   outstanding and every line is being invalidated.
module vx_icache
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int SIZE = 16384,
    parameter int WAYS = 4,
    parameter int MSHRS = 4
) (
    input wire clk,
    input wire reset,

    input wire req_valid,
    output logic req_ready,
    input icache_req_t req,
    output logic rsp_valid,
    output icache_rsp_t rsp,

    output logic mem_req_valid,
    input wire mem_req_ready,
    output mem_req_t mem_req,
    output mem_tag_t mem_req_tag,
    input wire mem_rsp_valid,
    output logic mem_rsp_ready,
    input mem_rsp_t mem_rsp,

    input wire flush_valid,
    output logic flush_done,

    output logic busy,
    output cache_perf_t perf
);
    localparam int LINES = SIZE / LINE_BYTES;
    localparam int INDEX_WIDTH = $clog2(LINES);
    localparam int TAGS = 2 ** ITAG_WIDTH;
    localparam int WORDS = LINE_BYTES / 4;
    localparam int WORD_WIDTH = $clog2(WORDS);
    localparam int MSHR_WIDTH = MSHRS > 1 ? $clog2(MSHRS) : 1;

    if (MSHRS < 1 || MSHRS > MAX_MSHRS) begin : g_check
        $error("vx_icache: MSHRS=%0d must be between 1 and %0d", MSHRS, MAX_MSHRS);
    end

    typedef logic [MSHR_WIDTH-1:0] mshr_t;
    typedef logic [WORD_WIDTH-1:0] word_index_t;
    typedef logic [ITAG_WIDTH-1:0] itag_t;

    logic [WORDS-1:0][31:0] data_q[LINES];

    line_addr_t req_line;
    word_index_t req_word;
    assign req_line = req.addr[MEM_ADDR_WIDTH-1:LINE_OFFSET_BITS];
    assign req_word = req.addr[LINE_OFFSET_BITS-1:2];

    // ---------------------------------------------------------------- outstanding misses

    logic [MSHRS-1:0] mshr_valid_q;
    line_addr_t mshr_addr_q[MSHRS];
    logic [TAGS-1:0] mshr_waiting_q[MSHRS];  // by fetch tag
    word_index_t tag_word_q[TAGS];  // the word that a waiting tag wants
    logic [TAGS-1:0] outstanding_q;

    mshr_t free_mshr;
    logic any_free;
    vx_priority_encoder #(
        .N(MSHRS)
    ) mshr_select (
        .bits(~mshr_valid_q),
        .valid(any_free),
        .index(free_mshr)
    );

    logic mshr_hit;
    mshr_t hit_mshr;
    always_comb begin
        mshr_hit = 1'b0;
        hit_mshr = '0;
        if (req_valid) begin
            for (int m = 0; m < MSHRS; ++m) begin
                if (mshr_valid_q[m] && mshr_addr_q[m] == req_line) begin
                    mshr_hit = 1'b1;
                    hit_mshr = mshr_t'(m);
                end
            end
        end
    end

    // ---------------------------------------------------------------- memory read queue

    logic queue_ready;
    logic queue_push;
    line_addr_t queue_addr;
    mshr_t queue_mshr;
    vx_fifo #(
        .WIDTH(LINE_ADDR_WIDTH + MSHR_WIDTH),
        .DEPTH(2)
    ) queue (
        .clk,
        .reset,
        .in_valid(queue_push),
        .in_ready(queue_ready),
        .in_data({req_line, free_mshr}),
        .out_valid(mem_req_valid),
        .out_ready(mem_req_ready),
        .out_data({queue_addr, queue_mshr})
    );
    always_comb begin
        mem_req = '0;
        mem_req.addr = queue_addr;
        mem_req.byteen = '1;
        mem_req_tag = mem_tag_t'(queue_mshr);
    end

    // ---------------------------------------------------------------- one operation a cycle: fill or lookup

    logic fill;
    mshr_t fill_mshr;
    logic hit;
    logic [INDEX_WIDTH-1:0] hit_index, fill_index;
    logic fill_evicts;
    logic draining;
    logic lookup;
    logic accept, accept_hit, accept_miss;

    assign mem_rsp_ready = !draining;
    assign fill = mem_rsp_valid && mem_rsp_ready;
    assign fill_mshr = mshr_t'(mem_rsp.tag);
    assign lookup = req_valid && !fill && !flush_valid;

    vx_cache_tags #(
        .SIZE(SIZE),
        .WAYS(WAYS)
    ) tags (
        .clk,
        .reset,
        .clear(flush_done),
        .lookup_valid(lookup),
        .lookup_addr(req_line),
        .hit,
        .hit_index,
        .drop_valid(1'b0),
        .fill_valid(fill && !mem_rsp.err),
        .fill_addr(mshr_addr_q[fill_mshr]),
        .fill_index,
        .fill_evicts
    );

    always_comb begin
        req_ready = 1'b0;
        if (lookup && !outstanding_q[req.tag]) begin
            if (hit) req_ready = !draining;  // the drain has the response port
            else req_ready = mshr_hit || (any_free && queue_ready);
        end
        accept = req_valid && req_ready;
        accept_hit = accept && hit;
        accept_miss = accept && !hit;
        queue_push = accept_miss && !mshr_hit;
    end

    // ---------------------------------------------------------------- answers of a filled line, one a cycle

    logic [TAGS-1:0] drain_q;
    logic [WORDS-1:0][31:0] drain_data_q;
    logic drain_err_q;
    itag_t drain_tag;

    vx_priority_encoder #(
        .N(TAGS)
    ) drain_select (
        .bits(drain_q),
        .valid(draining),
        .index(drain_tag)
    );

    always_ff @(posedge clk) begin
        rsp_valid <= 1'b0;
        if (draining) begin
            rsp_valid <= 1'b1;
            rsp <= '{data: drain_data_q[tag_word_q[drain_tag]], tag: drain_tag, err: drain_err_q};
            drain_q[drain_tag] <= 1'b0;
            outstanding_q[drain_tag] <= 1'b0;
        end else if (accept_hit) begin
            rsp_valid <= 1'b1;
            rsp <= '{data: data_q[hit_index][req_word], tag: req.tag, err: 1'b0};
        end

        if (accept_miss) begin
            tag_word_q[req.tag] <= req_word;
            outstanding_q[req.tag] <= 1'b1;
            if (mshr_hit) begin
                mshr_waiting_q[hit_mshr][req.tag] <= 1'b1;
            end else begin
                mshr_valid_q[free_mshr] <= 1'b1;
                mshr_addr_q[free_mshr] <= req_line;
                mshr_waiting_q[free_mshr] <= TAGS'(1) << req.tag;
            end
        end

        if (fill) begin
            if (!mem_rsp.err) data_q[fill_index] <= mem_rsp.data;
            mshr_valid_q[fill_mshr] <= 1'b0;
            drain_q <= mshr_waiting_q[fill_mshr];
            drain_data_q <= mem_rsp.data;
            drain_err_q <= mem_rsp.err;
        end

        if (reset) begin
            rsp_valid <= 1'b0;
            mshr_valid_q <= '0;
            outstanding_q <= '0;
            drain_q <= '0;
        end
    end

    assign flush_done = flush_valid && mshr_valid_q == '0 && !draining;
    assign busy = mshr_valid_q != '0 || draining || rsp_valid;

    // ---------------------------------------------------------------- counters

    always_ff @(posedge clk) begin
        if (accept) perf.reads <= perf.reads + 1'b1;
        if (queue_push) perf.read_misses <= perf.read_misses + 1'b1;
        if (fill && !mem_rsp.err && fill_evicts) perf.evictions <= perf.evictions + 1'b1;
        if (lookup && !hit && !req_ready) perf.mshr_stalls <= perf.mshr_stalls + 1'b1;
        if (reset) perf <= '0;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && fill)
            assert (mem_rsp.tag < mem_tag_t'(MSHRS) && mshr_valid_q[fill_mshr])
            else $error("vx_icache: response %0d for no outstanding read", mem_rsp.tag);
        if (!reset && req_valid)
            assert (req.addr[1:0] == 2'b00) else $error("vx_icache: fetch address %h is not word aligned", req.addr);
    end
`endif
endmodule
