// The barrier units of all cores and the unit between them, as vx_sfu and Vortex_axi connect them; a bench plays the SFUs.
module barrier_cores
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire [TOTAL_CORES-1:0] valid,
    input wire [TOTAL_CORES-1:0] take,  // the operation takes effect if its unit is ready
    input wire [TOTAL_CORES-1:0][1:0] op,
    input wire [TOTAL_CORES-1:0][NW_WIDTH-1:0] wid,
    input wire [TOTAL_CORES-1:0][31:0] id,
    input wire [TOTAL_CORES-1:0][31:0] count,
    input wire [TOTAL_CORES-1:0][NUM_WARPS-1:0] active,
    input wire [TOTAL_CORES-1:0] warp_ended,

    output logic [TOTAL_CORES-1:0] ready,
    output logic [TOTAL_CORES-1:0] resume,
    output logic [TOTAL_CORES-1:0] phase,
    output logic [TOTAL_CORES-1:0][NUM_WARPS-1:0] released,
    output logic [TOTAL_CORES-1:0][NUM_WARPS-1:0] let_go
);
    gbar_req_t gbar_req[TOTAL_CORES];
    gbar_rsp_t gbar_rsp[TOTAL_CORES];
    logic [TOTAL_CORES-1:0] gbar_arrived, gbar_fire;

    vx_global_barrier across (
        .clk,
        .reset,
        .req(gbar_req),
        .rsp(gbar_rsp),
        .arrived(gbar_arrived),
        .fire(gbar_fire)
    );

    for (genvar c = 0; c < TOTAL_CORES; ++c) begin : g_core
        vx_barrier unit (
            .clk,
            .reset,
            .valid(valid[c]),
            .op(barrier_op_t'(op[c])),
            .fire(valid[c] && take[c] && ready[c]),
            .wid(wid[c]),
            .id(id[c]),
            .count(count[c]),
            .active(active[c]),
            .warp_ended(warp_ended[c]),
            .ready(ready[c]),
            .resume(resume[c]),
            .phase(phase[c]),
            .released(released[c]),
            .let_go(let_go[c]),
            .gbar_req(gbar_req[c]),
            .gbar_rsp(gbar_rsp[c]),
            .gbar_arrived(gbar_arrived[c]),
            .gbar_fire(gbar_fire[c])
        );
    end
endmodule
