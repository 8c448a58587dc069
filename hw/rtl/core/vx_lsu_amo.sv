// Merges lanes of an atomic that work on one cache line into one request (amo_t of vx_pkg). Combinational.
//
// Contract
// * The group is the lowest lane of `mask` and every other lane of `mask` in its line and in its run of AMO_PLACES lanes.
// * `places` has the operands, `indices` the words of the line that they belong to, each at the place of its lane.
module vx_lsu_amo
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire valid,
    input amo_op_t op,
    input wire wide,
    input wid_t wid,
    input tmask_t mask,
    input lanes_t addr,
    input lanes_t data,

    output tmask_t group,
    output amo_t amo,
    output logic [LINE_BYTES-1:0] indices,
    output logic [LINE_BITS-1:0] places
);
    localparam int INDEX_WIDTH = LINE_OFFSET_BITS - 2;

    logic [AMO_PLACES-1:0][XLEN-1:0] words;
    logic [LINE_BYTES/4-1:0][3:0] index;

    if (INDEX_WIDTH > 4 || AMO_PLACES > LINE_BYTES / 4) begin : g_check
        $error("vx_lsu_amo: LINE_BYTES = %0d leaves no room for the numbers of the words", LINE_BYTES);
    end

    assign places = words;
    assign indices = index;

    always_comb begin
        group = '0;
        amo = '0;
        words = '0;
        index = '0;
        if (valid) begin
            automatic logic [NT_WIDTH-1:0] first;
            automatic word_t line;
            first = first_lane(mask);
            line = addr[first] >> LINE_OFFSET_BITS;
            amo.op = op;
            amo.wide = wide;
            amo.upper = 32'(first) >= AMO_PLACES;
            amo.wid = wid;
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (mask[i] && (addr[i] >> LINE_OFFSET_BITS) == line && amo.upper == (i >= AMO_PLACES)) begin
                    group[i] = 1'b1;
                    amo.mask[i%AMO_PLACES] = 1'b1;
                    words[i%AMO_PLACES] = data[i];
                    index[i%AMO_PLACES] = 4'(addr[i][LINE_OFFSET_BITS-1:2]);
                end
            end
        end
    end
endmodule
