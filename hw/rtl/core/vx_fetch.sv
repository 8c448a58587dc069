// Fetch unit: sends the scheduler's choice to the instruction cache in the same cycle and holds it while the cache is busy.
//
// Contract
// * At most one word per cycle; the tag is {epoch, warp}, and the scheduler has one word per warp on its way. Responses are
//   always taken.
module vx_fetch
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire fetch_valid,
    output logic fetch_ready,  // does not depend on fetch_valid
    input wid_t fetch_wid,
    /* verilator lint_off UNUSEDSIGNAL */  // bits above the address space are zero
    input word_t fetch_pc,
    /* verilator lint_on UNUSEDSIGNAL */
    input epoch_t fetch_epoch,

    output logic req_valid,
    input wire req_ready,
    output icache_req_t req
);
    logic held_q;
    icache_req_t held_req_q;

    assign fetch_ready = !held_q;
    assign req_valid = held_q || fetch_valid;

    always_comb begin
        req = held_req_q;
        if (!held_q) begin
            req.addr = fetch_pc[MEM_ADDR_WIDTH-1:0];
            req.tag = {fetch_epoch, fetch_wid};
        end
    end

    always_ff @(posedge clk) begin
        held_q <= req_valid && !req_ready && !reset;
        if (fetch_valid) held_req_q <= req;
    end
endmodule
