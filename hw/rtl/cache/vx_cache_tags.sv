// Tags, valid bits and replacement of a set-associative cache; ways are replaced first in, first out.
//
// Contract
// * The set of a line is its number modulo the sets, XOR the next bits of the number: arrays whose rows are a power of two
//   apart, of a matrix or one for each thread, spread over the sets.
// * `hit` and `hit_index` answer `lookup_addr` in the same cycle while `lookup_valid`; an index is {set, way} and
//   addresses the caller's data array.
// * `fill_valid` enters `fill_addr` at `fill_index` (combinational) on the clock edge; the caller never fills a line that is
//   already present. `fill_evicts` says that a valid line is lost.
// * `drop_valid` invalidates the line that is looked up and hit on the clock edge (never together with a fill).
// * `clear` (and reset) invalidates every line on the clock edge.
module vx_cache_tags
    import vx_pkg::*;
#(
    parameter int SIZE = 16384,
    parameter int WAYS = 4,
    localparam int LINES = SIZE / LINE_BYTES,
    localparam int INDEX_WIDTH = $clog2(LINES)
) (
    input wire clk,
    input wire reset,
    input wire clear,

    input wire lookup_valid,
    input wire [LINE_ADDR_WIDTH-1:0] lookup_addr,
    output logic hit,
    output logic [INDEX_WIDTH-1:0] hit_index,
    input wire drop_valid,

    input wire fill_valid,
    input wire [LINE_ADDR_WIDTH-1:0] fill_addr,
    output logic [INDEX_WIDTH-1:0] fill_index,
    output logic fill_evicts
);
    localparam int SETS = LINES / WAYS;
    localparam int SET_WIDTH = $clog2(SETS);
    localparam int WAY_BITS = $clog2(WAYS);
    localparam int WAY_WIDTH = WAY_BITS > 0 ? WAY_BITS : 1;
    localparam int TAG_WIDTH = LINE_ADDR_WIDTH - SET_WIDTH;

    if (SETS < 2 || 2 ** SET_WIDTH != SETS || 2 ** WAY_BITS != WAYS) begin : g_check
        $error("vx_cache_tags: SIZE=%0d and WAYS=%0d must give a power of two of at least 2 sets", SIZE, WAYS);
    end

    typedef logic [SET_WIDTH-1:0] set_t;
    typedef logic [WAY_WIDTH-1:0] way_t;

    logic [WAYS-1:0][TAG_WIDTH-1:0] tag_q[SETS];
    logic [WAYS-1:0] valid_q[SETS];
    way_t victim_q[SETS];

    function automatic set_t set_of(input logic [LINE_ADDR_WIDTH-1:0] number);
        return set_t'(number) ^ set_t'(number >> SET_WIDTH);
    endfunction

    function automatic logic [INDEX_WIDTH-1:0] index_of(input set_t set, input way_t way);
        return (INDEX_WIDTH'(set) << WAY_BITS) | (WAYS > 1 ? INDEX_WIDTH'(way) : '0);
    endfunction

    set_t lookup_set;
    assign lookup_set = set_of(lookup_addr);

    always_comb begin
        hit = 1'b0;
        hit_index = '0;
        if (lookup_valid) begin
            for (int w = 0; w < WAYS; ++w) begin
                if (valid_q[lookup_set][w] && tag_q[lookup_set][w] == lookup_addr[LINE_ADDR_WIDTH-1:SET_WIDTH]) begin
                    hit = 1'b1;
                    hit_index = index_of(lookup_set, way_t'(w));
                end
            end
        end
    end

    set_t fill_set;
    way_t victim;
    assign fill_set = set_of(fill_addr);
    assign victim = victim_q[fill_set];
    assign fill_index = index_of(fill_set, victim);
    assign fill_evicts = valid_q[fill_set][victim];

    always_ff @(posedge clk) begin
        if (fill_valid) begin
            tag_q[fill_set][victim] <= fill_addr[LINE_ADDR_WIDTH-1:SET_WIDTH];
            valid_q[fill_set][victim] <= 1'b1;
            victim_q[fill_set] <= (victim == way_t'(WAYS - 1)) ? '0 : victim + way_t'(1);
        end
        if (drop_valid) valid_q[lookup_set][WAYS > 1 ? way_t'(hit_index) : '0] <= 1'b0;
        if (reset || clear) begin
            for (int s = 0; s < SETS; ++s) begin
                valid_q[s] <= '0;
                victim_q[s] <= '0;
            end
        end
    end
endmodule
