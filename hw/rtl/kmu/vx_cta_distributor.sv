// Hands the CTAs of the grid walk to the cores: round robin over the cores that can take one, but all members of a CTA
// cluster go to one core (reference section 5.2): the route stays locked until the last member has been accepted.
//
// Contract
// * The descriptor itself is wired to every core, which answers in `core_ready` without looking at `core_valid`; so
//   `core_valid` of one core rises only when that core accepts in this very cycle.
// * `launch` forgets the route and starts again with core 0.
module vx_cta_distributor #(
    parameter int CORES = 1
) (
    input wire clk,
    input wire reset,
    input wire launch,

    input wire cta_valid,
    output logic cta_ready,
    input wire cta_last_of_cluster,

    output logic [CORES-1:0] core_valid,
    input wire [CORES-1:0] core_ready
);
    localparam int INDEX_WIDTH = CORES > 1 ? $clog2(CORES) : 1;

    logic locked_q;
    logic [INDEX_WIDTH-1:0] route_q;

    logic any_ready;
    logic [INDEX_WIDTH-1:0] choice;
    logic [INDEX_WIDTH-1:0] target;

    vx_rr_arbiter #(
        .N(CORES)
    ) arbiter (
        .clk,
        .reset(reset || launch),
        .request(core_ready),
        .advance(cta_valid && !locked_q),
        .valid(any_ready),
        .index(choice)
    );

    assign target = locked_q ? route_q : choice;
    assign cta_ready = locked_q ? core_ready[route_q] : any_ready;

    always_comb begin
        core_valid = '0;
        core_valid[target] = cta_valid && cta_ready;
    end

    always_ff @(posedge clk) begin
        if (cta_valid && cta_ready) begin
            locked_q <= !cta_last_of_cluster;
            route_q <= target;
        end
        if (reset || launch) locked_q <= 1'b0;
    end
endmodule
