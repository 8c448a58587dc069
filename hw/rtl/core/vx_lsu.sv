// Load/store unit: addresses, checks, routing to LMEM, I/O window or data cache, atomics, FENCE.
//
// Contract
// * Instructions are handled strictly in the order in which they arrive, and every request is accepted by LMEM or cache
//   before the next one is sent; both serve in order, so program order holds for a warp over all spaces. Loads may
//   complete out of order.
// * A store commits when its last request has been accepted, a FENCE when the cache has answered, a load when all of its
//   lanes have data.
// * An atomic is performed by the memory side, a request per line; nothing younger is sent before its last response, so
//   that the order of this unit is the order in which the core's accesses take effect. `trace` shows it, line by line, when
//   it has been performed.
// * A packed load is two or four accesses of every lane, one piece of all lanes after the other.
// * A misaligned lane makes the whole instruction a fault: no lane accesses memory. So does an atomic on LMEM.
// * Lanes in the LMEM aperture make one request to vx_lmem; other lanes one request per cache line, lowest lane's first.
module vx_lsu
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire exec_valid,
    output logic exec_ready,
    input exec_t exec,

    output logic dcache_req_valid,
    input wire dcache_req_ready,
    output dcache_req_t dcache_req,
    input wire dcache_rsp_valid,
    output logic dcache_rsp_ready,
    input dcache_rsp_t dcache_rsp,
    output logic dcache_flush_valid,
    input wire dcache_flush_done,

    output logic lmem_req_valid,
    input wire lmem_req_ready,
    output lmem_req_t lmem_req,
    input wire lmem_rsp_valid,
    output logic lmem_rsp_ready,
    input lmem_rsp_t lmem_rsp,

    output logic load_commit_valid,  // must be taken at once
    output commit_t load_commit,
    output logic other_commit_valid,
    input wire other_commit_ready,
    output commit_t other_commit,

    output logic idle,
    output logic [4:0] loads_waiting,  // for counters
    output logic splits,  // a request leaves, and its instruction needs another one
    output trace_memory_t trace
);
    localparam int WORD_BYTES = XLEN / 8;
    localparam int WORD_OFFSET_BITS = $clog2(WORD_BYTES);
    localparam int ENTRIES = 16;

    if (LMEM_BASE[LMEM_LOG_SIZE-1:0] != '0) begin : g_check
        $error("vx_lsu: LMEM_BASE must be a multiple of the LMEM size");
    end

    // ---------------------------------------------------------------- stage A: addresses and checks

    logic a_valid_q;
    exec_t a_q;
    lsu_op_t a_op;
    logic a_advance;
    lanes_t a_addr;
    tmask_t a_lmem;  // active lanes in the LMEM aperture
    fault_kind_t a_fault;
    word_t a_fault_addr;
    logic a_is_load;  // will wait for data

    assign a_op = lsu_op_t'(a_q.dec.op);
    assign exec_ready = !a_valid_q || a_advance;

    always_ff @(posedge clk) begin
        if (exec_valid) a_q <= exec;
        if (exec_valid) a_valid_q <= 1'b1;
        else if (a_advance) a_valid_q <= 1'b0;
        if (reset) a_valid_q <= 1'b0;
    end

    always_comb begin
        a_addr = '0;
        a_lmem = '0;
        a_fault = FAULT_NONE;
        a_fault_addr = '0;
        if (a_valid_q && !a_op.fence) begin
            for (int i = NUM_THREADS - 1; i >= 0; --i) begin
                a_addr[i] = a_q.rs1[i] + (a_op.atomic ? '0 : word_t'(signed'(a_q.dec.imm)));
                a_lmem[i] = a_q.tmask[i] && is_lmem(a_addr[i]);
                // A lane of a packed load is at fault in its first misaligned piece: the second one if only the stride is odd.
                if (EXT_PACKED && a_op.pieces && a_q.tmask[i] && a_op.log_size[0] && a_q.rs2[i][0]) begin
                    a_fault = FAULT_MISALIGNED;
                    a_fault_addr = a_addr[i] + a_q.rs2[i];
                end
                if (a_q.tmask[i] && (a_addr[i][2:0] & ~(3'b111 << a_op.log_size)) != '0) begin
                    a_fault = FAULT_MISALIGNED;
                    a_fault_addr = a_addr[i];
                end
            end
            if (a_op.atomic && a_lmem != '0 && a_fault == FAULT_NONE) begin
                a_fault = FAULT_ILLEGAL;
                a_fault_addr = a_q.pc;
            end
        end
    end

    assign a_is_load = !a_op.fence && !a_op.store && a_fault == FAULT_NONE;

    // ---------------------------------------------------------------- stage B: requests

    logic b_valid_q;
    exec_info_t b_info_q;
    /* verilator lint_off UNUSEDSIGNAL */  // is_unsigned matters to the table of loads only
    lsu_op_t b_op_q;
    /* verilator lint_on UNUSEDSIGNAL */
    lanes_t b_addr_q, b_data_q;  // address of the piece at work; store data, operand, or distance of the pieces
    tmask_t b_lmem_q, b_line_q;  // lanes whose request has not been sent
    amo_op_t b_amo_q;
    fault_kind_t b_fault_q;
    word_t b_fault_addr_q;
    logic [$clog2(ENTRIES)-1:0] b_entry_q;
    piece_t b_piece_q;

    tmask_t group;
    word_t group_addr;
    logic group_io;
    logic [LINE_ADDR_WIDTH-1:0] group_line;
    logic [LINE_BYTES-1:0] group_byteen;
    logic [LINE_BITS-1:0] group_data;
    tmask_t line_group, amo_group;
    logic [LINE_BYTES-1:0] line_byteen, amo_indices;
    logic [LINE_BITS-1:0] line_data, amo_places;
    amo_t amo;

    logic alloc_ready, tag_ready, table_empty;
    logic [$clog2(ENTRIES)-1:0] alloc_entry;
    logic [DTAG_WIDTH-1:0] tag;

    logic other_valid_q;
    commit_t other_q;
    logic other_free;
    logic may_send;
    logic b_access;  // has requests to send
    logic lmem_fire, line_fire;
    logic piece_sent, more_pieces;
    logic b_done;

    assign a_advance = a_valid_q && (!b_valid_q || b_done) && (!a_is_load || alloc_ready);

    // Only stage B fills the register of store commits, so once it may send it may send until it has.
    assign other_free = !other_valid_q || other_commit_ready;
    assign b_access = b_valid_q && !b_op_q.fence && b_fault_q == FAULT_NONE;
    assign may_send = b_access && (b_op_q.store ? other_free : tag_ready);

    assign lmem_req_valid = may_send && b_lmem_q != '0;
    assign dcache_req_valid = may_send && b_lmem_q == '0 && b_line_q != '0;
    assign lmem_fire = lmem_req_valid && lmem_req_ready;
    assign line_fire = dcache_req_valid && dcache_req_ready;
    assign dcache_flush_valid = b_valid_q && b_op_q.fence && table_empty && !other_valid_q;

    assign piece_sent = lmem_fire ? b_line_q == '0 : line_fire && b_line_q == group;
    assign more_pieces = EXT_PACKED && b_piece_q != last_piece(b_op_q);

    always_comb begin
        b_done = 1'b0;
        if (lmem_fire || line_fire) b_done = piece_sent && !more_pieces && !b_op_q.atomic;
        else if (b_access && b_op_q.atomic) b_done = b_line_q == '0 && table_empty;
        else if (dcache_flush_valid) b_done = dcache_flush_done;
        else if (b_valid_q && b_fault_q != FAULT_NONE) b_done = other_free;
    end

    vx_lsu_coalescer coalescer (
        .valid(dcache_req_valid),
        .is_store(b_op_q.store),
        .log_size(b_op_q.log_size),
        .mask(b_line_q),
        .addr(b_addr_q),
        .data(b_data_q),
        .group(line_group),
        .first_addr(group_addr),
        .io(group_io),
        .line_addr(group_line),
        .line_byteen,
        .line_data
    );

    if (EXT_A) begin : g_amo
        vx_lsu_amo amo_group_of (
            .valid(dcache_req_valid && b_op_q.atomic),
            .op(b_amo_q),
            .wide(b_op_q.log_size == 2'd3),
            .wid(b_info_q.wid),
            .mask(b_line_q),
            .addr(b_addr_q),
            .data(b_data_q),
            .group(amo_group),
            .amo,
            .indices(amo_indices),
            .places(amo_places)
        );
        always_comb begin
            group = line_group;
            group_byteen = line_byteen;
            group_data = line_data;
            if (b_op_q.atomic) begin  // the coalescer is idle then
                group = amo_group;
                group_byteen = amo_indices;
                group_data = amo_places;
            end
        end
    end else begin : g_no_amo
        assign amo_group = '0;
        assign amo = '0;
        assign amo_indices = '0;
        assign amo_places = '0;
        assign group = line_group;
        assign group_byteen = line_byteen;
        assign group_data = line_data;
    end

    assign dcache_req.rw = b_op_q.store;
    assign dcache_req.amo = amo;
    assign dcache_req.io = group_io && !b_op_q.atomic;
    assign dcache_req.addr = group_line;
    assign dcache_req.byteen = group_byteen;
    assign dcache_req.data = group_data;
    assign dcache_req.tag = tag;

    always_comb begin
        lmem_req = '0;
        if (lmem_req_valid) begin
            lmem_req.rw = b_op_q.store;
            lmem_req.mask = b_lmem_q;
            lmem_req.tag = tag;
            for (int i = 0; i < NUM_THREADS; ++i) begin
                automatic logic [WORD_OFFSET_BITS-1:0] offset;
                offset = b_addr_q[i][WORD_OFFSET_BITS-1:0];
                lmem_req.addr[i] = b_addr_q[i][LMEM_LOG_SIZE-1:0];
                lmem_req.data[i] = b_data_q[i] << {offset, 3'b000};
                lmem_req.byteen[i] = WORD_BYTES'((9'd1 << (4'd1 << b_op_q.log_size)) - 9'd1) << offset;
            end
        end
    end

    always_ff @(posedge clk) begin
        if (lmem_fire) b_lmem_q <= '0;
        if (line_fire) b_line_q <= b_line_q & ~group;
        if (piece_sent && more_pieces) begin
            b_piece_q <= b_piece_q + piece_t'(1);
            for (int i = 0; i < NUM_THREADS; ++i) begin
                automatic word_t addr;
                addr = b_addr_q[i] + b_data_q[i];
                b_addr_q[i] <= addr;
                b_lmem_q[i] <= b_info_q.tmask[i] && is_lmem(addr);
                b_line_q[i] <= b_info_q.tmask[i] && !is_lmem(addr);
            end
        end
        if (b_done) b_valid_q <= 1'b0;
        if (a_advance) begin
            b_valid_q <= 1'b1;
            b_info_q <= info_of(a_q);
            b_op_q <= a_op;
            b_addr_q <= a_addr;
            b_data_q <= a_q.rs2;
            b_lmem_q <= a_lmem;
            b_line_q <= a_q.tmask & ~a_lmem;
            b_amo_q <= amo_op_t'(a_q.dec.imm[3:0]);
            b_fault_q <= a_fault;
            b_fault_addr_q <= a_fault_addr;
            b_entry_q <= alloc_entry;
            b_piece_q <= '0;
        end
        if (reset) b_valid_q <= 1'b0;
    end

    // ---------------------------------------------------------------- loads

    logic rsp_valid;
    logic [$clog2(ENTRIES)-1:0] rsp_entry;
    tmask_t rsp_mask;
    lanes_t rsp_data;
    logic send;
    logic [NUM_THREADS-1:0][LINE_OFFSET_BITS-1:0] send_offset;

    assign send = (lmem_fire || line_fire) && !b_op_q.store;

    always_comb begin
        send_offset = '0;
        if (send) begin
            for (int i = 0; i < NUM_THREADS; ++i) begin
                send_offset[i] = b_addr_q[i][LINE_OFFSET_BITS-1:0];
                if (b_op_q.atomic) send_offset[i] = LINE_OFFSET_BITS'((i % AMO_PLACES) * WORD_BYTES);
            end
        end
    end

    vx_lsu_table #(
        .ENTRIES(ENTRIES)
    ) loads (
        .clk,
        .reset,
        .alloc_valid(a_advance && a_is_load),
        .alloc_ready,
        .alloc_info(info_of(a_q)),
        .alloc_op(a_op),
        .alloc_entry,
        .send_valid(send),
        .send_ready(tag_ready),
        .send_entry(b_entry_q),
        .send_mask(lmem_fire ? b_lmem_q : group),
        .send_piece(b_piece_q),
        .send_offset,
        .send_addr(group_addr),
        .send_tag(tag),
        .dcache_rsp_valid,
        .dcache_rsp_ready,
        .dcache_rsp,
        .lmem_rsp_valid,
        .lmem_rsp_ready,
        .lmem_rsp,
        .rsp_valid,
        .rsp_entry,
        .rsp_mask,
        .rsp_data,
        .commit_valid(load_commit_valid),
        .commit(load_commit),
        .waiting(loads_waiting),
        .empty(table_empty)
    );

    // ---------------------------------------------------------------- commits without data

    assign other_commit_valid = other_valid_q;
    assign other_commit = other_q;

    always_ff @(posedge clk) begin
        if (other_commit_ready) other_valid_q <= 1'b0;
        if (b_done && (b_op_q.store || b_op_q.fence || b_fault_q != FAULT_NONE)) begin
            other_valid_q <= 1'b1;
            other_q.info <= b_info_q;
            other_q.data <= '0;
            other_q.fault <= b_fault_q;
            other_q.fault_addr <= b_fault_addr_q;
        end
        if (reset) other_valid_q <= 1'b0;
    end

    assign splits = (lmem_fire || line_fire) && (!piece_sent || more_pieces);
    assign idle = !a_valid_q && !b_valid_q && !other_valid_q && table_empty;

    // ---------------------------------------------------------------- trace

    vx_lsu_trace tracer (
        .accept(a_advance && a_fault == FAULT_NONE && !a_op.atomic),
        .accepted(a_q),
        .addr(a_addr),
        .performed(rsp_valid && b_access && b_op_q.atomic && rsp_entry == b_entry_q),
        .atomic_info(b_info_q),
        .atomic_op(b_amo_q),
        .atomic_log_size(b_op_q.log_size),
        .atomic_addr(b_addr_q),
        .atomic_data(b_data_q),
        .atomic_mask(rsp_mask),
        .atomic_result(rsp_data),
        .trace
    );
endmodule
