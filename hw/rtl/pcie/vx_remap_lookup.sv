// Where one byte of the cores' address space is, and how many bytes from there on lie in the same range. Combinational.
//
// Contract: `vma` ascending, ranges [vma, last] disjoint, `count` of them in use. `run` is 1 to 64 bytes: up to the end of
// the range or, outside every range, up to the next one. Outside, `dest` is the address itself.
module vx_remap_lookup
    import vx_pkg::*;
    import vx_pcie_pkg::*;
#(
    parameter int ADDR_WIDTH = 32,
    parameter int ENTRIES = 64,
    localparam int COUNT_WIDTH = $clog2(ENTRIES + 1)
) (
    input wire valid,
    input wire [ADDR_WIDTH-1:0] addr,

    input wire [COUNT_WIDTH-1:0] count,
    input word_t vma[ENTRIES],
    input word_t last[ENTRIES],
    input wire [VRAM_ADDR_WIDTH-1:0] offset[ENTRIES],

    output logic hit,
    output logic [ADDR_WIDTH-1:0] dest,
    output length_t run
);
    localparam int INDEX_WIDTH = ENTRIES > 1 ? $clog2(ENTRIES) : 1;
    typedef logic [INDEX_WIDTH-1:0] index_t;

    function automatic length_t at_most_a_block(input word_t bytes);
        return bytes >= word_t'(BLOCK_BYTES) ? length_t'(BLOCK_BYTES) : length_t'(bytes);
    endfunction

    word_t wide;
    assign wide = word_t'(addr);

    index_t index, above;  // range that holds the byte, first range behind it
    logic any_above;
    always_comb begin
        hit = 1'b0;
        any_above = 1'b0;
        index = '0;
        above = '0;
        if (valid) begin
            for (int i = ENTRIES - 1; i >= 0; --i) begin
                if (COUNT_WIDTH'(i) < count) begin
                    if (vma[i] > wide) begin
                        any_above = 1'b1;
                        above = index_t'(i);
                    end else if (last[i] >= wide) begin
                        hit = 1'b1;
                        index = index_t'(i);
                    end
                end
            end
        end
    end

    word_t left, gap;
    logic [ADDR_WIDTH-1:0] into;
    assign into = ADDR_WIDTH'(wide - vma[index]);
    assign left = last[index] - wide;  // bytes behind this one
    assign gap = vma[above] - wide;

    always_comb begin
        dest = addr;
        run = length_t'(BLOCK_BYTES);
        if (hit) begin
            dest = ADDR_WIDTH'(offset[index]) + into;
            run = left >= word_t'(BLOCK_BYTES) ? length_t'(BLOCK_BYTES) : length_t'(left) + length_t'(1);
        end else if (any_above) begin
            run = at_most_a_block(gap);
        end
    end
endmodule
