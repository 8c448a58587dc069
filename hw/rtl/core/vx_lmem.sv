// Local memory of one core: as many banks as lanes, one word a bank and cycle, bank = low bits of the word address.
//
// Contract
// * One request carries the lanes of one instruction. Lanes that fall into one bank are served one after the other,
//   lowest lane first, so the highest lane's store is what remains; lanes that read one word share its access.
// * A request is finished before the next one is looked at: program order holds for all lanes. `req_ready` rises in the
//   request's last cycle; a request without conflicts takes one cycle. The request stays stable until then.
// * A read has exactly one response, in order, one cycle after its `req_ready`; a write has none. Lanes outside the mask
//   read as zero. The content is not cleared by reset.
module vx_lmem
    import vx_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire req_valid,
    output logic req_ready,
    input lmem_req_t req,

    output logic rsp_valid,
    input wire rsp_ready,
    output lmem_rsp_t rsp
);
    localparam int WORD_BYTES = XLEN / 8;
    localparam int WORD_BITS = $clog2(WORD_BYTES);
    localparam int ROW_LSB = WORD_BITS + NT_BITS;
    localparam int ROW_WIDTH = LMEM_LOG_SIZE - ROW_LSB;

    typedef logic [ROW_WIDTH-1:0] row_t;
    typedef logic [NT_WIDTH-1:0] lane_t;

    if (ROW_WIDTH < 1) begin : g_check
        $error("vx_lmem: %0d lanes of %0d bytes need more than 2**LMEM_LOG_SIZE = 2**%0d bytes", NUM_THREADS, WORD_BYTES,
               LMEM_LOG_SIZE);
    end

    // ---------------------------------------------------------------- which lanes this cycle serves

    tmask_t done_q;  // lanes of the present request that earlier cycles served
    tmask_t served;
    logic [NUM_THREADS-1:0] bank_used;
    lane_t bank_lane[NUM_THREADS];  // the lane whose row (and store data) a bank takes
    logic finished;
    logic advance;

    function automatic lane_t bank_of(input logic [LMEM_LOG_SIZE-1:0] addr);
        return (NUM_THREADS > 1) ? lane_t'(addr >> WORD_BITS) : '0;
    endfunction

    function automatic row_t row_of(input logic [LMEM_LOG_SIZE-1:0] addr);
        return row_t'(addr >> ROW_LSB);
    endfunction

    always_comb begin
        served = '0;
        bank_used = '0;
        for (int b = 0; b < NUM_THREADS; ++b) bank_lane[b] = '0;
        if (req_valid) begin
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (req.mask[i] && !done_q[i]) begin
                    if (!bank_used[bank_of(req.addr[i])]) begin
                        bank_used[bank_of(req.addr[i])] = 1'b1;
                        bank_lane[bank_of(req.addr[i])] = lane_t'(i);
                        served[i] = 1'b1;
                    end else if (!req.rw &&
                                 row_of(req.addr[i]) == row_of(req.addr[bank_lane[bank_of(req.addr[i])]])) begin
                        served[i] = 1'b1;
                    end
                end
            end
        end
        finished = (req.mask & ~(done_q | served)) == '0;
        // A finished read that finds the response register occupied repeats its last cycle.
        advance = req_valid && (req.rw || !finished || !rsp_valid || rsp_ready);
        req_ready = advance && finished;
    end

    always_ff @(posedge clk) begin
        if (reset) done_q <= '0;
        else if (advance) done_q <= finished ? '0 : done_q | served;
    end

    // ---------------------------------------------------------------- banks

    lanes_t bank_rdata;  // by bank

    function automatic word_t merged(input word_t old, input word_t data, input logic [WORD_BYTES-1:0] byteen);
        merged = old;
        for (int k = 0; k < WORD_BYTES; ++k) if (byteen[k]) merged[8*k+:8] = data[8*k+:8];
    endfunction

    for (genvar b = 0; b < NUM_THREADS; ++b) begin : g_bank
        logic [XLEN-1:0] mem_q[2**ROW_WIDTH];
        row_t row;
        assign row = row_of(req.addr[bank_lane[b]]);
        always_comb begin
            bank_rdata[b] = '0;
            if (bank_used[b] && !req.rw) bank_rdata[b] = mem_q[row];
        end
        always_ff @(posedge clk) begin
            if (bank_used[b] && req.rw)
                mem_q[row] <= merged(mem_q[row], req.data[bank_lane[b]], req.byteen[bank_lane[b]]);
        end
    end

    // ---------------------------------------------------------------- response

    lanes_t gathered_q;  // words of the lanes in done_q
    lanes_t gathered;

    always_comb begin
        gathered = '0;
        if (req_valid && !req.rw) begin
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (served[i]) gathered[i] = bank_rdata[bank_of(req.addr[i])];
                else if (done_q[i]) gathered[i] = gathered_q[i];
            end
        end
    end

    always_ff @(posedge clk) begin
        if (rsp_ready) rsp_valid <= 1'b0;
        if (advance && !req.rw) begin
            if (finished) begin
                rsp_valid <= 1'b1;
                rsp.data <= gathered;
                rsp.tag <= req.tag;
            end else begin
                gathered_q <= gathered;
            end
        end
        if (reset) rsp_valid <= 1'b0;
    end

`ifndef SYNTHESIS
    // The lanes that were served are remembered by number only, so the request must not change under way.
    lmem_req_t prev_req_q;
    logic prev_waiting_q;
    always_ff @(posedge clk) begin
        prev_waiting_q <= req_valid && !req_ready && !reset;
        if (req_valid) prev_req_q <= req;
        if (!reset && prev_waiting_q)
            assert (req_valid && req == prev_req_q)
            else $error("vx_lmem: the request changed or was withdrawn before it was accepted");
    end
`endif
endmodule
