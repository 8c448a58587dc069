// Merges lanes that fall into one cache line into one request. Combinational.
//
// Contract
// * The group is the lowest lane of `mask` and every other lane of `mask` in its line.
// * Store bytes that several lanes write come from the highest of them. As all lanes of a line are in one group, that
//   holds for the whole instruction.
// * `byteen` of a read is the bytes that the lanes want. Accesses are naturally aligned, so none crosses a line.
module vx_lsu_coalescer
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire valid,
    input wire is_store,
    input wire [1:0] log_size,
    input tmask_t mask,
    input lanes_t addr,
    input lanes_t data,

    output tmask_t group,
    output word_t first_addr,  // of the lowest lane in the group
    output logic io,
    output logic [LINE_ADDR_WIDTH-1:0] line_addr,
    output logic [LINE_BYTES-1:0] line_byteen,
    output logic [LINE_BITS-1:0] line_data
);
    localparam int WORD_BYTES = XLEN / 8;
    localparam int WORD_OFFSET_BITS = $clog2(WORD_BYTES);
    localparam int LINE_WORDS = LINE_BYTES / WORD_BYTES;

    logic [LINE_WORDS-1:0][XLEN-1:0] words;
    logic [LINE_WORDS-1:0][WORD_BYTES-1:0] enables;

    assign line_data = words;
    assign line_byteen = enables;

    function automatic logic [WORD_BYTES-1:0] byte_mask(input logic [1:0] size);
        case (size)
            2'd0: return WORD_BYTES'(1);
            2'd1: return WORD_BYTES'(3);
            2'd2: return WORD_BYTES'(15);
            default: return '1;
        endcase
    endfunction

    always_comb begin
        group = '0;
        first_addr = '0;
        io = 1'b0;
        line_addr = '0;
        words = '0;
        enables = '0;
        if (valid) begin
            first_addr = addr[first_lane(mask)];
            line_addr = first_addr[MEM_ADDR_WIDTH-1:LINE_OFFSET_BITS];
            io = first_addr >= IO_BASE && first_addr < IO_END;
            for (int i = 0; i < NUM_THREADS; ++i) begin
                if (mask[i] && addr[i][XLEN-1:LINE_OFFSET_BITS] == first_addr[XLEN-1:LINE_OFFSET_BITS]) begin
                    automatic logic [$clog2(LINE_WORDS)-1:0] word;
                    automatic logic [WORD_OFFSET_BITS-1:0] offset;
                    automatic logic [WORD_BYTES-1:0] enable;
                    word = addr[i][LINE_OFFSET_BITS-1:WORD_OFFSET_BITS];
                    offset = addr[i][WORD_OFFSET_BITS-1:0];
                    enable = byte_mask(log_size) << offset;
                    group[i] = 1'b1;
                    enables[word] = enables[word] | enable;
                    if (is_store) begin
                        if (enable == '1) begin
                            words[word] = data[i];
                        end else begin
                            automatic word_t shifted;
                            shifted = data[i] << {offset, 3'b000};
                            for (int b = 0; b < WORD_BYTES; ++b) begin
                                if (enable[b]) words[word][8*b+:8] = shifted[8*b+:8];
                            end
                        end
                    end
                end
            end
        end
    end
endmodule
