// Data cache of one core: set-associative, non-blocking, without write allocation. Write-through, a write updates the line on a hit;
// or write-back: on a hit it changes the line only, and memory gets the written bytes when the line goes.
//
// Contract
// * One request (a line with byte enables) a cycle; a read hit answers one cycle later. Reads get exactly one response, in
//   any order; writes none. A read's tag is unique among the unanswered ones. Responses are taken independently of
//   requests: the LSU must never hold back a response until a request or a flush has been accepted.
// * Program order: a read sees every older write and no younger one. Writes and reads leave through one queue in order;
//   the memory side holds a read of a block until the older writes to it are acknowledged. A write to a line with an
//   outstanding read waits for that read.
// * `io` requests bypass the lines; they are performed one after the other, each after every older write has been
//   acknowledged.
// * Atomics pass through, at most MAX_AMOS at a time: the memory side performs them in the order of the queue. The line is
//   invalidated, and a read of it that is outstanding is waited for, so no later read sees older data.
// * Write-back: a line that loses its place is written after that, and until it has left through `mem_req` a request of it waits. An
//   atomic lets its line be written first. What was written stays here when `busy` falls; a flush writes it.
// * A line whose read failed is answered with `err` and not kept.
// * `flush_valid` is a level: nothing is accepted while it is high; `flush_done` answers for one cycle when no read is
//   outstanding, all older writes are acknowledged and every line is being invalidated.
module vx_dcache
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int SIZE = 16384,
    parameter int WAYS = 4,
    parameter int MSHRS = 8,
    parameter bit WRITE_BACK = 1'b0
) (
    input wire clk,
    input wire reset,

    input wire req_valid,
    output logic req_ready,
    input dcache_req_t req,
    output logic rsp_valid,
    input wire rsp_ready,
    output dcache_rsp_t rsp,

    output logic mem_req_valid,
    input wire mem_req_ready,
    output mem_req_t mem_req,
    output mem_tag_t mem_req_tag,
    input wire mem_rsp_valid,
    output logic mem_rsp_ready,
    input mem_rsp_t mem_rsp,
    input wire writes_pending,  // writes that left through mem_req and are not acknowledged

    input wire flush_valid,
    output logic flush_done,

    output logic busy,
    output cache_perf_t perf
);
    localparam int LINES = SIZE / LINE_BYTES;
    localparam int INDEX_WIDTH = $clog2(LINES);
    localparam int TAGS = 2 ** DTAG_WIDTH;
    localparam int MSHR_WIDTH = MSHRS > 1 ? $clog2(MSHRS) : 1;

    if (MSHRS < 1 || MSHRS > MAX_MSHRS) begin : g_check
        $error("vx_dcache: MSHRS=%0d must be between 1 and %0d", MSHRS, MAX_MSHRS);
    end

    typedef logic [MSHR_WIDTH-1:0] mshr_t;
    typedef logic [DTAG_WIDTH-1:0] dtag_t;

    line_t data_q[LINES];

    // A whole line is written, read hits and writes share one read port; a write enable per byte would cost the simulator
    // 64 tests in every cycle.
    function automatic line_t merged(input line_t old, input line_t data, input logic [LINE_BYTES-1:0] byteen);
        merged = old;
        for (int w = 0; w < LINE_BYTES / 4; ++w) begin
            if (byteen[4*w+:4] != '0) begin
                for (int b = 4 * w; b < 4 * w + 4; ++b) if (byteen[b]) merged[8*b+:8] = data[8*b+:8];
            end
        end
    endfunction

    // ---------------------------------------------------------------- outstanding misses

    logic [MSHRS-1:0] mshr_valid_q;
    line_addr_t mshr_addr_q[MSHRS];
    logic [TAGS-1:0] mshr_waiting_q[MSHRS];  // by LSU tag

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
                if (mshr_valid_q[m] && mshr_addr_q[m] == req.addr) begin
                    mshr_hit = 1'b1;
                    hit_mshr = mshr_t'(m);
                end
            end
        end
    end

    logic [MSHRS-1:0] evicting_q;  // write-back: the entry is that of a line that has to leave
    logic leaving;
    assign leaving = WRITE_BACK && mshr_hit && evicting_q[hit_mshr];

    // ---------------------------------------------------------------- outstanding atomics

    typedef logic [$clog2(MAX_AMOS)-1:0] amo_index_t;

    logic is_amo;
    logic [MAX_AMOS-1:0] amo_valid_q;
    dtag_t amo_tag_q[MAX_AMOS];
    amo_index_t free_amo;
    logic any_free_amo;

    assign is_amo = req.amo.op != AMO_NONE;

    vx_priority_encoder #(
        .N(MAX_AMOS)
    ) amo_select (
        .bits(~amo_valid_q),
        .valid(any_free_amo),
        .index(free_amo)
    );

    // ---------------------------------------------------------------- queue to memory

    mem_req_t push_req;
    mem_tag_t push_tag;
    logic queue_ready, queue_free;
    logic queue_push;
    logic save_valid;  // write-back: a line on its way out takes the queue
    line_addr_t save_addr;
    line_t save_data;
    logic [LINE_BYTES-1:0] save_byteen;
    vx_fifo #(
        .WIDTH($bits(mem_req_t) + MEM_TAG_WIDTH),
        .DEPTH(4)
    ) queue (
        .clk,
        .reset,
        .in_valid(queue_push || (save_valid && queue_ready)),
        .in_ready(queue_ready),
        .in_data({push_req, push_tag}),
        .out_valid(mem_req_valid),
        .out_ready(mem_req_ready),
        .out_data({mem_req, mem_req_tag})
    );

    assign queue_free = queue_ready && !save_valid;

    always_comb begin
        push_req = '0;
        push_tag = '0;
        if (save_valid) begin
            push_req.rw = 1'b1;
            push_req.addr = save_addr;
            push_req.byteen = save_byteen;
            push_req.data = save_data;
        end else if (queue_push) begin
            push_req.rw = req.rw;
            push_req.addr = req.addr;
            push_req.amo = req.amo;
            push_req.byteen = (req.rw || req.io || is_amo) ? req.byteen : '1;
            if (req.rw || is_amo) push_req.data = req.data;
            push_tag = is_amo ? MEM_TAG_AMO | mem_tag_t'(free_amo) : req.io ? MEM_TAG_IO : mem_tag_t'(free_mshr);
        end
    end

    // ---------------------------------------------------------------- one operation a cycle: fill or request

    logic fill, fill_io, fill_amo, fill_keep;
    mshr_t fill_mshr;
    logic hit;
    logic [INDEX_WIDTH-1:0] hit_index, fill_index;
    logic fill_evicts;
    logic draining;
    logic rsp_free;
    logic lookup;
    logic io_read_q;  // an I/O read is outstanding
    dtag_t io_tag_q;
    logic quiet;
    logic accept;

    assign mem_rsp_ready = !draining;
    assign fill = mem_rsp_valid && mem_rsp_ready;
    assign fill_io = mem_rsp.tag == MEM_TAG_IO;
    assign fill_amo = mem_rsp.tag >= MEM_TAG_AMO;
    assign fill_mshr = mshr_t'(mem_rsp.tag);
    assign fill_keep = fill && !fill_io && !fill_amo && !mem_rsp.err;
    assign lookup = req_valid && !fill && !flush_valid;
    assign rsp_free = !rsp_valid || rsp_ready;
    assign quiet = !mem_req_valid && !writes_pending;

    vx_cache_tags #(
        .SIZE(SIZE),
        .WAYS(WAYS)
    ) tags (
        .clk,
        .reset,
        .clear(flush_done),
        .lookup_valid(lookup && !req.io),
        .lookup_addr(req.addr),
        .hit,
        .hit_index,
        .drop_valid(accept && hit && is_amo),
        .fill_valid(fill_keep),
        .fill_addr(mshr_addr_q[fill_mshr]),
        .fill_index,
        .fill_evicts
    );

    always_comb begin
        req_ready = 1'b0;
        if (lookup) begin
            if (is_amo) req_ready = !mshr_hit && queue_free && any_free_amo;
            else if (req.io) req_ready = quiet && !io_read_q && !save_valid;
            else if (req.rw) req_ready = !mshr_hit && ((WRITE_BACK && hit) || queue_free);
            else if (hit) req_ready = rsp_free && !draining;  // the drain has the response port
            else if (mshr_hit) req_ready = !leaving;
            else req_ready = any_free && queue_free;
        end
        accept = req_valid && req_ready;
        queue_push = accept && (req.io || is_amo || (req.rw ? !(WRITE_BACK && hit) : !hit && !mshr_hit));
    end

    // ---------------------------------------------------------------- write-back: lines on their way out

    logic evicts, clean;
    line_addr_t evict_addr;
    logic saved;
    mshr_t saved_mshr;

    if (WRITE_BACK) begin : g_write_back
        logic [INDEX_WIDTH-1:0] read_index;
        line_t read_data;
        always_comb begin
            read_data = '0;
            if (fill_keep || save_valid) read_data = data_q[read_index];
        end
        vx_dirty_lines #(
            .LINES(LINES),
            .SLOTS(MSHRS)
        ) dirty (
            .clk,
            .reset,
            .mark_valid(accept && hit && req.rw),
            .mark_index(hit_index),
            .mark_byteen(req.byteen),
            .fill_valid(fill_keep),
            .fill_index,
            .fill_addr(mshr_addr_q[fill_mshr]),
            .fill_slot(fill_mshr),
            .evicts,
            .evict_addr,
            .clean_valid(hit && is_amo),
            .clean_index(hit_index),
            .flush_valid(flush_valid && mshr_valid_q == '0),
            .none(clean),
            .read_index,
            .read_data,
            .push_valid(save_valid),
            .push_ready(queue_ready),
            .push_addr(save_addr),
            .push_data(save_data),
            .push_byteen(save_byteen),
            .pushed_valid(saved),
            .pushed_slot(saved_mshr)
        );
    end else begin : g_write_through
        assign {save_valid, evicts, saved} = '0;
        assign clean = 1'b1;
        assign save_addr = '0;
        assign save_data = '0;
        assign save_byteen = '0;
        assign evict_addr = '0;
        assign saved_mshr = '0;
    end

    // ---------------------------------------------------------------- answers of a filled line, one a cycle

    logic [TAGS-1:0] drain_q;
    line_t drain_data_q;
    logic drain_err_q;
    dtag_t drain_tag;

    vx_priority_encoder #(
        .N(TAGS)
    ) drain_select (
        .bits(drain_q),
        .valid(draining),
        .index(drain_tag)
    );

    always_ff @(posedge clk) begin
        if (rsp_ready) rsp_valid <= 1'b0;
        if (draining) begin
            if (rsp_free) begin
                rsp_valid <= 1'b1;
                rsp <= '{data: drain_data_q, tag: drain_tag, err: drain_err_q};
                drain_q[drain_tag] <= 1'b0;
            end
        end else if (accept && hit && !req.rw && !is_amo) begin
            rsp_valid <= 1'b1;
            rsp <= '{data: data_q[hit_index], tag: req.tag, err: 1'b0};
        end

        if (accept && !req.rw) begin
            if (is_amo) begin
                amo_valid_q[free_amo] <= 1'b1;
                amo_tag_q[free_amo] <= req.tag;
            end else if (req.io) begin
                io_read_q <= 1'b1;
                io_tag_q <= req.tag;
            end else if (!hit) begin
                if (mshr_hit) begin
                    mshr_waiting_q[hit_mshr][req.tag] <= 1'b1;
                end else begin
                    mshr_valid_q[free_mshr] <= 1'b1;
                    mshr_addr_q[free_mshr] <= req.addr;
                    mshr_waiting_q[free_mshr] <= TAGS'(1) << req.tag;
                end
            end
        end

        if (accept && hit && req.rw) data_q[hit_index] <= merged(data_q[hit_index], req.data, req.byteen);

        if (fill) begin
            drain_data_q <= mem_rsp.data;
            drain_err_q <= mem_rsp.err;
            if (fill_io) begin
                drain_q <= TAGS'(1) << io_tag_q;
                io_read_q <= 1'b0;
            end else if (fill_amo) begin
                drain_q <= TAGS'(1) << amo_tag_q[amo_index_t'(mem_rsp.tag)];
                amo_valid_q[amo_index_t'(mem_rsp.tag)] <= 1'b0;
            end else begin
                drain_q <= mshr_waiting_q[fill_mshr];
                mshr_valid_q[fill_mshr] <= evicts;
                if (WRITE_BACK && evicts) begin
                    evicting_q[fill_mshr] <= 1'b1;
                    mshr_addr_q[fill_mshr] <= evict_addr;
                end
                if (!mem_rsp.err) data_q[fill_index] <= mem_rsp.data;
            end
        end

        if (WRITE_BACK && saved) begin
            mshr_valid_q[saved_mshr] <= 1'b0;
            evicting_q[saved_mshr] <= 1'b0;
        end

        if (reset) begin
            rsp_valid <= 1'b0;
            mshr_valid_q <= '0;
            if (WRITE_BACK) evicting_q <= '0;
            io_read_q <= 1'b0;
            amo_valid_q <= '0;
            drain_q <= '0;
        end
    end

    logic idle;
    assign idle = quiet && mshr_valid_q == '0 && amo_valid_q == '0 && !io_read_q && !draining;
    assign flush_done = flush_valid && idle && clean;
    assign busy = !idle || rsp_valid;

    // ---------------------------------------------------------------- counters

    always_ff @(posedge clk) begin
        if (accept && !req.rw) perf.reads <= perf.reads + 1'b1;
        if (accept && req.rw) perf.writes <= perf.writes + 1'b1;
        if (accept && !req.rw && !req.io && !is_amo && !hit && !mshr_hit) perf.read_misses <= perf.read_misses + 1'b1;
        if (accept && req.rw && !req.io && !hit) perf.write_misses <= perf.write_misses + 1'b1;
        if (fill_keep && fill_evicts) perf.evictions <= perf.evictions + 1'b1;
        if (lookup && !req.io && !is_amo && !req.rw && !hit && !req_ready) perf.mshr_stalls <= perf.mshr_stalls + 1'b1;
        if (reset) perf <= '0;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && fill)
            assert (fill_io ? io_read_q : fill_amo ? amo_valid_q[amo_index_t'(mem_rsp.tag)] :
                    mem_rsp.tag < mem_tag_t'(MSHRS) && mshr_valid_q[fill_mshr])
            else $error("vx_dcache: response %0d for no outstanding read", mem_rsp.tag);
    end
`endif
endmodule
