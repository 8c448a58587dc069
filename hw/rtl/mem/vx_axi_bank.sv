// One AXI4 master port: chooses among the requests of all caches that fall into this bank, gives them ids, and keeps the
// order of each block: a read waits for the acknowledgement of older writes, a write for the answers of older reads.
//
// Contract
// * Right under every legal AXI4 slave: responses of different ids in any order, a write may take effect as late as its B.
// * AW and W are independent; payload stays stable until accepted; every transfer is one beat of the whole width.
// * A source whose request has to wait does not hold up the other sources.
// * An atomic goes out as a read when nothing of its block is outstanding; vx_amo_unit works on the answer and writes it back
//   in the name of its source, and until then no other request of the block passes.
// * `rsp_ready` belongs to the source in `rsp_source` and may depend on `rsp_valid`.
// * With L2_SIZE (bytes of this bank's part; 0: none) reads of present blocks are answered by vx_l2_bank, and a read waits for another
//   read of its block, because it will find the line. `l2_clear` invalidates all lines.
module vx_axi_bank
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int ADDR_WIDTH = 32,
    parameter int TID_WIDTH = 8,
    parameter int L2_SIZE = 0,
    parameter int L2_WAYS = 8,
    parameter int BANK_BITS = 0
) (
    input wire clk,
    input wire reset,

    input wire [NUM_SOURCES-1:0] req_valid,
    output logic [NUM_SOURCES-1:0] req_ready,
    input mem_req_t req[NUM_SOURCES],
    input mem_tag_t req_tag[NUM_SOURCES],

    output logic rsp_valid,
    input wire rsp_ready,
    output source_t rsp_source,
    output mem_rsp_t rsp,

    output logic enter_valid,  // a write, of an atomic too, leaves for memory
    output source_t enter_source,
    output line_addr_t enter_addr,
    output logic ack_valid,  // a write has been acknowledged
    output source_t ack_source,
    output logic write_fault,  // ... with an error
    output line_addr_t write_fault_addr,
    output logic busy,
    input wire l2_clear,
    output cache_perf_t l2_perf,

    output logic reserve,  // vx_amo_unit
    output logic conditional,
    output source_t amo_source,
    output wid_t amo_wid,
    output tmask_t amo_lanes,
    output line_addr_t amo_addr,
    input tmask_t held,

    output logic awvalid,
    input wire awready,
    output logic [ADDR_WIDTH-1:0] awaddr,
    output logic [TID_WIDTH-1:0] awid,
    output logic wvalid,
    input wire wready,
    output logic [LINE_BITS-1:0] wdata,
    output logic [LINE_BYTES-1:0] wstrb,
    input wire bvalid,
    output logic bready,
    input wire [TID_WIDTH-1:0] bid,
    input wire [1:0] bresp,
    output logic arvalid,
    input wire arready,
    output logic [ADDR_WIDTH-1:0] araddr,
    output logic [TID_WIDTH-1:0] arid,
    input wire rvalid,
    output logic rready,
    input wire [LINE_BITS-1:0] rdata,
    input wire rlast,
    input wire [TID_WIDTH-1:0] rid,
    input wire [1:0] rresp
);
    localparam int ID_BITS = TID_WIDTH < 4 ? TID_WIDTH : 4;
    localparam int ENTRIES = 2 ** ID_BITS;

    typedef logic [ID_BITS-1:0] id_t;

    // ---------------------------------------------------------------- who may go

    line_addr_t addr[NUM_SOURCES];
    logic [NUM_SOURCES-1:0] valid, rw, amo, single, locked, unwritten, unread, writable, eligible;
    id_t write_id[NUM_SOURCES];
    logic read_free, ar_ready, aw_ready, w_ready;
    logic grant;
    source_t winner;
    logic amo_busy, amo_write, amo_rsp;
    logic l2_ready, l2_hit;

    always_comb begin
        valid = req_valid;
        locked = '0;
        for (int s = 0; s < NUM_SOURCES; ++s) begin
            addr[s] = req[s].addr;
            rw[s] = req[s].rw;
            amo[s] = EXT_A && req[s].amo.op != AMO_NONE;
            if (amo_busy) locked[s] = amo[s] || req[s].addr == amo_addr;
        end
        if (amo_write) begin  // the write of an atomic takes the place of its source
            valid[amo_source] = 1'b1;
            rw[amo_source] = 1'b1;
            amo[amo_source] = 1'b0;
            addr[amo_source] = amo_addr;
            locked = '1;
            locked[amo_source] = 1'b0;
        end
    end

    assign single = L2_SIZE != 0 ? '1 : amo;  // reads that go out only when no other of their block is under way

    always_comb begin
        eligible = valid & ~locked & {NUM_SOURCES{l2_ready}} &
            ((rw & writable & ~unread & {NUM_SOURCES{aw_ready && w_ready}}) |
             (~rw & ~unwritten & ~(single & unread) & {NUM_SOURCES{read_free && ar_ready}}));
        req_ready = '0;
        if (grant && !amo_write) req_ready[winner] = 1'b1;
    end

    vx_rr_arbiter #(
        .N(NUM_SOURCES)
    ) arbiter (
        .clk,
        .reset,
        .request(eligible),
        .advance(1'b1),
        .valid(grant),
        .index(winner)
    );

    logic read_enter, write_enter;
    assign write_enter = grant && rw[winner];
    assign read_enter = grant && !rw[winner];

    assign enter_valid = write_enter;
    assign enter_source = winner;
    assign enter_addr = addr[winner];

    // ---------------------------------------------------------------- atomics

    line_t amo_data;
    logic [LINE_BYTES-1:0] amo_byteen;
    mem_rsp_t amo_answer;
    logic amo_read;  // the read data is that of the atomic

    // Answers to reads: of AXI, or of the L2.
    logic answer_valid, answer_ready, answer_err;
    id_t answer_id;
    line_t answer_data;

    if (EXT_A) begin : g_atomics
        vx_amo_unit atomics (
            .clk,
            .reset,
            .begin_valid(read_enter && amo[winner]),
            .begin_req(req[winner]),
            .begin_source(winner),
            .begin_tag(req_tag[winner]),
            .busy(amo_busy),
            .addr(amo_addr),
            .source(amo_source),
            .read_valid(amo_read),
            .read_data(answer_data),
            .read_err(answer_err),
            .write_valid(amo_write),
            .write_ready(write_enter),
            .write_data(amo_data),
            .write_byteen(amo_byteen),
            .rsp_valid(amo_rsp),
            .rsp_ready,
            .rsp(amo_answer),
            .reserve,
            .conditional,
            .wid(amo_wid),
            .lanes(amo_lanes),
            .held
        );
    end else begin : g_no_atomics
        assign {amo_busy, amo_write, amo_rsp, reserve, conditional} = '0;
        assign amo_addr = '0;
        assign amo_source = '0;
        assign amo_data = '0;
        assign amo_byteen = '0;
        assign amo_answer = '0;
        assign amo_wid = '0;
        assign amo_lanes = '0;
    end

    // ---------------------------------------------------------------- writes

    logic writes_idle;
    line_addr_t ack_addr;

    vx_write_tracker #(
        .ENTRIES(ENTRIES)
    ) writes (
        .clk,
        .reset,
        .valid,
        .addr,
        .conflict(unwritten),
        .writable,
        .write_id,
        .enter(write_enter),
        .enter_source(winner),
        .ack(bvalid),
        .ack_id(id_t'(bid)),
        .ack_valid,
        .ack_source,
        .ack_addr,
        .idle(writes_idle)
    );

    assign bready = 1'b1;
    assign write_fault = ack_valid && bresp != 2'b00;
    assign write_fault_addr = ack_addr;

    line_addr_t aw_line;
    id_t aw_id;
    vx_fifo #(
        .WIDTH(LINE_ADDR_WIDTH + ID_BITS),
        .DEPTH(2)
    ) aw_fifo (
        .clk,
        .reset,
        .in_valid(write_enter),
        .in_ready(aw_ready),
        .in_data({addr[winner], write_id[winner]}),
        .out_valid(awvalid),
        .out_ready(awready),
        .out_data({aw_line, aw_id})
    );
    assign awaddr = ADDR_WIDTH'({aw_line, LINE_OFFSET_BITS'(0)});
    assign awid = TID_WIDTH'(aw_id);

    logic [LINE_BITS+LINE_BYTES-1:0] w_in;
    always_comb begin
        w_in = '0;
        if (write_enter) w_in = amo_write ? {amo_data, amo_byteen} : {req[winner].data, req[winner].byteen};
    end
    vx_fifo #(
        .WIDTH(LINE_BITS + LINE_BYTES),
        .DEPTH(2)
    ) w_fifo (
        .clk,
        .reset,
        .in_valid(write_enter),
        .in_ready(w_ready),
        .in_data(w_in),
        .out_valid(wvalid),
        .out_ready(wready),
        .out_data({wdata, wstrb})
    );

    // ---------------------------------------------------------------- reads

    logic reads_idle;
    id_t read_id;
    logic known;
    mem_tag_t rsp_tag;
    source_t read_source;

    vx_read_table #(
        .ENTRIES(ENTRIES)
    ) reads (
        .clk,
        .reset,
        .valid(valid & (rw | single)),
        .addr,
        .conflict(unread),
        .any_free(read_free),
        .free_id(read_id),
        .enter(read_enter),
        .enter_source(winner),
        .enter_tag(req_tag[winner]),
        .lookup_id(answer_id),
        .lookup_used(known),
        .lookup_source(read_source),
        .lookup_tag(rsp_tag),
        .release_valid(answer_valid && answer_ready && known),
        .idle(reads_idle)
    );

    line_addr_t ar_line;
    id_t ar_id;
    vx_fifo #(
        .WIDTH(LINE_ADDR_WIDTH + ID_BITS),
        .DEPTH(2)
    ) ar_fifo (
        .clk,
        .reset,
        .in_valid(read_enter && !l2_hit),
        .in_ready(ar_ready),
        .in_data({addr[winner], read_id}),
        .out_valid(arvalid),
        .out_ready(arready),
        .out_data({ar_line, ar_id})
    );
    assign araddr = ADDR_WIDTH'({ar_line, LINE_OFFSET_BITS'(0)});
    assign arid = TID_WIDTH'(ar_id);

    // The answer of an atomic goes first: what the block's other requesters get is behind it.
    assign amo_read = EXT_A && answer_valid && known && rsp_tag >= MEM_TAG_AMO;
    assign rsp_valid = amo_rsp || (answer_valid && known && !amo_read);
    assign rsp_source = amo_rsp ? amo_source : read_source;
    assign answer_ready = !known || amo_read || (rsp_ready && !amo_rsp);
    always_comb begin
        rsp = '0;
        if (amo_rsp) rsp = amo_answer;
        else if (rsp_valid) rsp = '{data: answer_data, tag: rsp_tag, err: answer_err};
    end

    // ---------------------------------------------------------------- L2

    if (L2_SIZE != 0) begin : g_l2
        cache_perf_t perf;
        logic [PERF_WIDTH-1:0] stalls_q;  // cycles in which a read found every id in use

        vx_l2_bank #(
            .SIZE(L2_SIZE),
            .WAYS(L2_WAYS),
            .BANK_BITS(BANK_BITS),
            .ID_WIDTH(ID_BITS)
        ) l2 (
            .clk,
            .reset,
            .clear(l2_clear || write_fault),
            .access_ready(l2_ready),
            .access_valid(grant),
            .access_rw(write_enter),
            .access_addr(addr[winner]),
            .access_id(read_id),
            .access_data(w_in[LINE_BYTES+:LINE_BITS]),
            .access_byteen(w_in[LINE_BYTES-1:0]),
            .hit(l2_hit),
            .m_r_valid(rvalid),
            .m_r_ready(rready),
            .m_r_id(id_t'(rid)),
            .m_r_data(rdata),
            .m_r_err(rresp != 2'b00),
            .r_valid(answer_valid),
            .r_ready(answer_ready),
            .r_id(answer_id),
            .r_data(answer_data),
            .r_err(answer_err),
            .perf
        );

        always_ff @(posedge clk) begin
            if (!read_free && (valid & ~rw) != '0) stalls_q <= stalls_q + 1'b1;
            if (reset) stalls_q <= '0;
        end
        always_comb begin
            l2_perf = perf;
            l2_perf.mshr_stalls = stalls_q;
        end
    end else begin : g_no_l2
        assign l2_ready = 1'b1;
        assign l2_hit = 1'b0;
        assign l2_perf = '0;
        assign answer_valid = rvalid;
        assign rready = answer_ready;
        assign answer_id = id_t'(rid);
        assign answer_data = rdata;
        assign answer_err = rresp != 2'b00;
        /* verilator lint_off UNUSEDSIGNAL */  // nothing to clear
        wire unused_clear = l2_clear;
        /* verilator lint_on UNUSEDSIGNAL */
    end

    assign busy = !writes_idle || !reads_idle || amo_busy;

    if (TID_WIDTH > ID_BITS) begin : g_wide_ids
        /* verilator lint_off UNUSEDSIGNAL */  // the upper id bits are always zero
        wire unused = &{1'b0, bid[TID_WIDTH-1:ID_BITS], rid[TID_WIDTH-1:ID_BITS]};
        /* verilator lint_on UNUSEDSIGNAL */
    end

`ifdef SYNTHESIS
    wire unused_rlast = rlast;
`else
    always_ff @(posedge clk) begin
        if (!reset && rvalid) assert (rlast) else $error("vx_axi_bank: RLAST is low in a transfer of one beat");
    end
`endif
endmodule
