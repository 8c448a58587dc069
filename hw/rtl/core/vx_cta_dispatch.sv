// CTA dispatcher of one core (reference sections 5.3 to 5.7): owns the CTA slots, expands a CTA into warps and keeps
// what the CTA CSRs read.
//
// Contract
// * `cta_ready` depends on the descriptor and on state, never on `cta_valid`: the distributor offers the descriptor to
//   every core and raises `cta_valid` of one that is ready.
// * `warp_start` is always accepted; the core shows the warp in `active_warps` from the next cycle on.
// * `warp_end_*` comes exactly once for every started warp, at most one a cycle, not later than the cycle in which the
//   warp's bit of `active_warps` has fallen; `warp_end_pc` is the address after the TMC.
// * `launch` clears the state that lasts for one launch: initialised bits and the slot pointer.
// * `cta_csrs` follows `csr_wid` combinationally.
module vx_cta_dispatch
    import vx_pkg::*;
    import vx_trace_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire launch,
    input wire [4:0] rewind,

    input wire cta_valid,
    output logic cta_ready,
    input cta_desc_t cta,

    input wire [NUM_WARPS-1:0] active_warps,
    output logic warp_start_valid,
    output warp_start_t warp_start,
    input wire warp_end_valid,
    input wid_t warp_end_wid,
    input word_t warp_end_pc,

    input wid_t csr_wid,
    output cta_csrs_t cta_csrs,

    output logic busy,
    output trace_cta_t trace
);
    assign cta_ready = 1'b0;
    assign warp_start_valid = 1'b0;
    assign warp_start = '0;
    assign cta_csrs = '0;
    assign busy = 1'b0;
    assign trace = '0;
endmodule
