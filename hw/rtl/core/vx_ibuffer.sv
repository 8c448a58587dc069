// Instruction buffers: one FIFO per warp between decode and issue.
//
// Contract
// * A place is reserved when a fetch is sent (`reserve`), so that every response finds room. The reservation ends when
//   the word is dropped instead of pushed (`drop`) or when the instruction issues (`pop`).
// * `flush` empties one warp's FIFO on the same edge as a stopping fault; its pop or push of that cycle is lost too.
// * Heads are shown as the small `hazard_t`; the whole entry is read only for the warp that issues (`read_wid`).
module vx_ibuffer
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire reserve_valid,
    input wid_t reserve_wid,
    input wire drop_valid,
    input wid_t drop_wid,
    output logic [NUM_WARPS-1:0] room,  // another fetch may be sent
    output logic [NUM_WARPS-1:0] quiet,  // nothing buffered and nothing on its way

    input wire push_valid,
    input wid_t push_wid,
    input ibuf_entry_t push_entry,

    input wire flush_valid,
    input wid_t flush_wid,

    output logic [NUM_WARPS-1:0] head_valid,
    output hazard_t head[NUM_WARPS],

    input wire pop_valid,
    input wid_t read_wid,
    output ibuf_entry_t read_entry
);
    localparam int PTR_WIDTH = $clog2(IBUF_SIZE);
    localparam int COUNT_WIDTH = $clog2(IBUF_SIZE + 1);
    typedef logic [PTR_WIDTH-1:0] ptr_t;
    typedef logic [COUNT_WIDTH-1:0] count_t;

    ibuf_entry_t entry_q[NUM_WARPS * IBUF_SIZE];
    hazard_t hazard_q[NUM_WARPS * IBUF_SIZE];
    ptr_t rptr_q[NUM_WARPS];
    ptr_t wptr_q[NUM_WARPS];
    count_t count_q[NUM_WARPS];
    count_t reserved_q[NUM_WARPS];

    /* verilator lint_off UNUSEDSIGNAL */  // takes only what the scoreboard needs
    function automatic hazard_t hazard_of(input decoded_t decoded);
        return '{
            unit: decoded.unit,
            drain: decoded.drain,
            alone: decoded.alone,
            rd: decoded.rd,
            rs1: decoded.rs1,
            rs2: decoded.rs2,
            rs3: decoded.rs3,
            use_rd: decoded.use_rd,
            use_rs1: decoded.use_rs1,
            use_rs2: decoded.use_rs2,
            use_rs3: decoded.use_rs3
        };
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    function automatic int unsigned place_of(input int unsigned wid, input ptr_t ptr);
        return wid * IBUF_SIZE + 32'(ptr);
    endfunction

    always_comb begin
        for (int w = 0; w < NUM_WARPS; ++w) begin
            head_valid[w] = count_q[w] != '0;
            head[w] = hazard_q[place_of(w, rptr_q[w])];
            room[w] = reserved_q[w] != count_t'(IBUF_SIZE);
            quiet[w] = reserved_q[w] == '0;
        end
    end

    always_comb begin
        read_entry = '0;
        if (pop_valid) read_entry = entry_q[place_of(32'(read_wid), rptr_q[read_wid])];
    end

    always_ff @(posedge clk) begin
        if (push_valid) begin
            entry_q[place_of(32'(push_wid), wptr_q[push_wid])] <= push_entry;
            hazard_q[place_of(32'(push_wid), wptr_q[push_wid])] <= hazard_of(push_entry.dec);
        end
    end

    always_ff @(posedge clk) begin
        for (int w = 0; w < NUM_WARPS; ++w) begin
            logic push, pop, add, drop;
            push = push_valid && push_wid == wid_t'(w);
            pop = pop_valid && read_wid == wid_t'(w);
            add = reserve_valid && reserve_wid == wid_t'(w);
            drop = drop_valid && drop_wid == wid_t'(w);
            if (flush_valid && flush_wid == wid_t'(w)) begin
                // What was buffered, and what arrives now, gives its reservation back.
                rptr_q[w] <= wptr_q[w];
                count_q[w] <= '0;
                reserved_q[w] <= reserved_q[w] + count_t'(add) - count_q[w] - count_t'(push || drop);
            end else if (push || pop || add || drop) begin
                if (push) wptr_q[w] <= wptr_q[w] + ptr_t'(1);
                if (pop) rptr_q[w] <= rptr_q[w] + ptr_t'(1);
                count_q[w] <= count_q[w] + count_t'(push) - count_t'(pop);
                reserved_q[w] <= reserved_q[w] + count_t'(add) - count_t'(pop || drop);
                if (pop && drop) reserved_q[w] <= reserved_q[w] + count_t'(add) - count_t'(2);
            end
        end
        if (reset) begin
            for (int w = 0; w < NUM_WARPS; ++w) begin
                rptr_q[w] <= '0;
                wptr_q[w] <= '0;
                count_q[w] <= '0;
                reserved_q[w] <= '0;
            end
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && push_valid)
            assert (count_q[push_wid] != count_t'(IBUF_SIZE))
            else $error("vx_ibuffer: warp %0d: push into a full buffer", push_wid);
        if (!reset && reserve_valid)
            assert (reserved_q[reserve_wid] != count_t'(IBUF_SIZE))
            else $error("vx_ibuffer: warp %0d: more fetches than places", reserve_wid);
        if (!reset && pop_valid)
            assert (count_q[read_wid] != '0) else $error("vx_ibuffer: warp %0d: pop from an empty buffer", read_wid);
    end
`endif
endmodule
