// The image table QXBV: reads it from VRAM, judges it, and holds the map of the running launch.
//
// Contract
// * `start` (or `start_raw`) for one cycle with stable addresses; `done` for one cycle with the verdict `bad`. Raw mode has no
//   table: VRAM is mapped at 0.
// * `busy` from the cycle after a start until `done`; whoever arbitrates VRAM lets nobody else in meanwhile.
// * The map is what was last accepted; it is shown while `show` is high and empty otherwise.
// * `abort`: no `done` any more, `busy` falls when the access in flight is over.
module vx_table_reader
    import vx_pkg::*;
    import vx_pcie_pkg::*;
#(
    parameter int ENTRIES = 64,
    parameter longint VRAM_SIZE = 64'h400_0000,
    localparam int COUNT_WIDTH = $clog2(ENTRIES + 1)
) (
    input wire clk,
    input wire reset,
    input wire abort,
    input wire start,
    input wire start_raw,
    input wire [63:0] kernel,
    input wire [63:0] startup,
    input wire [63:0] args,
    output logic busy,
    output logic done,
    output logic bad,

    output logic cl_valid,
    output vram_block_t cl_block,
    input wire rsp_valid,
    input block_t rsp_data,
    input wire rsp_err,

    input wire show,
    output logic [COUNT_WIDTH-1:0] map_count,
    output word_t map_vma[ENTRIES],
    output word_t map_last[ENTRIES],
    output logic [VRAM_ADDR_WIDTH-1:0] map_offset[ENTRIES]
);
    localparam int INDEX_WIDTH = $clog2(ENTRIES);
    localparam int END_WIDTH = VRAM_ADDR_WIDTH + 1;
    localparam int MAX_ENTRIES = ENTRIES < TABLE_REGION_ENTRIES ? ENTRIES : TABLE_REGION_ENTRIES;

    if (ENTRIES < 64 || ENTRIES > 255) begin : g_check_entries
        $fatal(1, "vx_table_reader: ENTRIES=%0d must be 64 to 255", ENTRIES);
    end
    if (VRAM_SIZE < 4096 || VRAM_SIZE > (1 << VRAM_ADDR_WIDTH) || VRAM_SIZE % 4096 != 0) begin : g_check_vram
        $fatal(1, "vx_table_reader: VRAM_SIZE=%0d must be a multiple of 4096 up to 64 MiB", VRAM_SIZE);
    end

    typedef logic [INDEX_WIDTH-1:0] index_t;
    typedef logic [COUNT_WIDTH-1:0] count_t;

    typedef enum logic [2:0] {
        IDLE,
        READ,
        WORD,
        COVER,
        RAW
    } state_t;
    state_t state_q;

    logic bad_q;
    logic [9:0] word_q;  // 64-bit word of the table
    logic [1:0] field_q;  // of an entry
    count_t wanted_q, loaded_q;
    block_t block_q;
    logic [63:0] vma_q, offset_q;
    logic kernel_in_q, startup_in_q, args_in_q;
    logic [END_WIDTH-1:0] end_q[ENTRIES];

    localparam int TABLE_BLOCK = int'(TABLE_BASE >> BLOCK_SHIFT);
    assign cl_valid = state_q == READ;
    assign cl_block = vram_block_t'(TABLE_BLOCK) + vram_block_t'(word_q[9:3]);

    logic [63:0] word;
    assign word = block_q[{word_q[2:0], 6'd0}+:64];

    // ---------------------------------------------------------------- header

    logic [31:0] count;
    logic [63:0] table_end, table_end_of_count;
    logic header_bad;
    assign count = word[31:0];
    assign table_end = TABLE_BASE + 64'd16 + 64'(wanted_q) * 64'd24;
    assign table_end_of_count = TABLE_BASE + 64'd16 + 64'(count) * 64'd24;
    always_comb begin
        header_bad = 1'b0;
        if (word_q == 10'd0) header_bad = word != {32'd1, 32'h5642_5851};
        if (word_q == 10'd1) header_bad = count > 32'(MAX_ENTRIES) || table_end_of_count > 64'(VRAM_SIZE);
    end

    // ---------------------------------------------------------------- an entry, judged with its last word

    logic [64:0] vram_end, vma_last;
    index_t previous;
    logic entry_bad, overlaps;
    always_comb begin
        vram_end = {1'b0, offset_q} + {1'b0, word};
        vma_last = {1'b0, vma_q} + {1'b0, word} - 65'd1;
        previous = index_t'(loaded_q - count_t'(1));
        overlaps = 1'b0;
        entry_bad = 1'b0;
        if (state_q == WORD && field_q == 2'd2 && word_q > 10'd1) begin
            for (int i = 0; i < ENTRIES; ++i) begin
                if (count_t'(i) < loaded_q && offset_q[END_WIDTH-1:0] < end_q[i] &&
                    END_WIDTH'(map_offset[i]) < vram_end[END_WIDTH-1:0])
                    overlaps = 1'b1;
            end
            entry_bad = word == '0 || vram_end > 65'(VRAM_SIZE) || (vma_last >> XLEN) != '0 ||
                ({1'b0, offset_q} < {1'b0, table_end} && vram_end > {1'b0, TABLE_BASE}) ||
                (loaded_q != '0 && vma_q <= 64'(map_last[previous])) || overlaps;
        end
    end

    function automatic logic covers(input logic [63:0] addr);
        return addr >= vma_q && {1'b0, addr} <= vma_last;
    endfunction

    logic last_word;
    assign last_word = word_q > 10'd1 ? field_q == 2'd2 && loaded_q + count_t'(1) == wanted_q : word_q == 10'd1 && count == '0;

    always_ff @(posedge clk) begin
        done <= 1'b0;
        case (state_q)
            IDLE: begin
                word_q <= '0;
                field_q <= '0;
                kernel_in_q <= 1'b0;
                startup_in_q <= 1'b0;
                args_in_q <= args == '0;
                bad_q <= 64'(VRAM_SIZE) < TABLE_BASE + 64'd16;
                if (start && !abort) begin
                    loaded_q <= '0;
                    state_q <= 64'(VRAM_SIZE) < TABLE_BASE + 64'd16 ? COVER : READ;
                end
                if (start_raw && !abort) state_q <= RAW;
            end
            READ: begin
                if (rsp_valid) begin
                    block_q <= rsp_data;
                    state_q <= WORD;
                    if (abort) state_q <= IDLE;
                    if (rsp_err) begin
                        bad_q <= 1'b1;
                        state_q <= abort ? IDLE : COVER;
                    end
                end
            end
            WORD: begin
                word_q <= word_q + 10'd1;
                if (word_q[2:0] == 3'd7) state_q <= READ;
                if (word_q == 10'd1) wanted_q <= count_t'(count);
                if (word_q > 10'd1) begin
                    field_q <= field_q == 2'd2 ? 2'd0 : field_q + 2'd1;
                    case (field_q)
                        2'd0: vma_q <= word;
                        2'd1: offset_q <= word;
                        default: begin
                            if (!entry_bad) begin
                                loaded_q <= loaded_q + count_t'(1);
                                map_vma[index_t'(loaded_q)] <= word_t'(vma_q);
                                map_last[index_t'(loaded_q)] <= word_t'(vma_last);
                                map_offset[index_t'(loaded_q)] <= VRAM_ADDR_WIDTH'(offset_q);
                                end_q[index_t'(loaded_q)] <= END_WIDTH'(vram_end);
                            end
                            if (covers(kernel)) kernel_in_q <= 1'b1;
                            if (covers(startup)) startup_in_q <= 1'b1;
                            if (covers(args)) args_in_q <= 1'b1;
                        end
                    endcase
                end
                if (last_word) state_q <= COVER;
                if (header_bad || entry_bad) begin
                    bad_q <= 1'b1;
                    state_q <= COVER;
                end
                if (abort) state_q <= IDLE;
            end
            COVER: begin
                state_q <= IDLE;
                done <= !abort;
                bad <= bad_q || !kernel_in_q || !startup_in_q || !args_in_q;
            end
            default: begin  // RAW
                state_q <= IDLE;
                done <= !abort;
                bad <= 1'b0;
                loaded_q <= count_t'(1);
                map_vma[0] <= '0;
                map_last[0] <= word_t'(VRAM_SIZE - 64'd1);
                map_offset[0] <= '0;
            end
        endcase
        if (reset) begin
            state_q <= IDLE;
            done <= 1'b0;
            loaded_q <= '0;
        end
    end

    assign busy = state_q != IDLE;
    assign map_count = show ? loaded_q : '0;
endmodule
