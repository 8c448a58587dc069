// A design that never changes, to compare machines with: `cells` multiply-accumulate cells in a ring, each with a
// pseudo-random source, a small register file and a three-stage pipeline. It computes nothing useful; its checksum keeps
// every cell alive. It is about as large as a small core and has its mix of wide registers, memories and multiplexers.

module reference #(
    parameter int unsigned cells = 48
) (
    input logic clk,
    input logic reset,
    output logic [63:0] checksum
);

    logic [31:0] ring[cells];
    logic [63:0] sums[cells];

    for (genvar index = 0; index < cells; ++index) begin : gen_cell
        reference_cell #(
            .seed(32'h9e37_79b9 * (index + 1))
        ) cell_i (
            .clk,
            .reset,
            .from_neighbour(ring[(index+cells-1)%cells]),
            .to_neighbour(ring[index]),
            .sum(sums[index])
        );
    end

    always_comb begin
        checksum = '0;
        for (int index = 0; index < cells; ++index) checksum ^= sums[index];
    end

endmodule
