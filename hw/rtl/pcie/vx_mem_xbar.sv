// Pieces of several sources to the memory banks, answers back to their source.
//
// Contract
// * A piece goes to the bank of its low block-address bits. Address bit ADDR_WIDTH of the ports is `vram`. Ids are
//   {source, tag}. Requests of one source and bank keep their order per direction; AW and W are independent.
// * Each source gets at most one read answer and one write answer a cycle; write answers are always taken.
module vx_mem_xbar
    import vx_pcie_pkg::*;
#(
    parameter int SOURCES = 2,
    parameter int NUM_BANKS = 1,
    parameter int ADDR_WIDTH = 32,
    parameter int TID_WIDTH = 8,
    localparam int BLOCK_WIDTH = ADDR_WIDTH - BLOCK_SHIFT,
    localparam int BANK_BITS = $clog2(NUM_BANKS),
    localparam int BANK_WIDTH = BANK_BITS > 0 ? BANK_BITS : 1
) (
    input wire clk,
    input wire reset,

    input wire [SOURCES-1:0] req_valid,
    output logic [SOURCES-1:0] req_ready,
    input wire [SOURCES-1:0] req_write,
    input wire [SOURCES-1:0] req_vram,
    input wire [BLOCK_WIDTH-1:0] req_block[SOURCES],
    input wire [TAG_WIDTH-1:0] req_tag[SOURCES],
    input block_t req_data[SOURCES],
    input strobe_t req_strb[SOURCES],

    output logic [SOURCES-1:0] rd_valid,
    input wire [SOURCES-1:0] rd_ready,
    output logic [TAG_WIDTH-1:0] rd_tag[SOURCES],
    output block_t rd_data[SOURCES],
    output logic [SOURCES-1:0] rd_err,
    output logic [SOURCES-1:0] wr_valid,
    output logic [BANK_WIDTH-1:0] wr_bank[SOURCES],
    output logic [TAG_WIDTH-1:0] wr_tag[SOURCES],
    output logic [SOURCES-1:0] wr_err,

    output logic awvalid[NUM_BANKS],
    input wire awready[NUM_BANKS],
    output logic [ADDR_WIDTH:0] awaddr[NUM_BANKS],
    output logic [TID_WIDTH-1:0] awid[NUM_BANKS],
    output logic wvalid[NUM_BANKS],
    input wire wready[NUM_BANKS],
    output block_t wdata[NUM_BANKS],
    output strobe_t wstrb[NUM_BANKS],
    input wire bvalid[NUM_BANKS],
    output logic bready[NUM_BANKS],
    input wire [TID_WIDTH-1:0] bid[NUM_BANKS],
    input wire [1:0] bresp[NUM_BANKS],
    output logic arvalid[NUM_BANKS],
    input wire arready[NUM_BANKS],
    output logic [ADDR_WIDTH:0] araddr[NUM_BANKS],
    output logic [TID_WIDTH-1:0] arid[NUM_BANKS],
    input wire rvalid[NUM_BANKS],
    output logic rready[NUM_BANKS],
    input block_t rdata[NUM_BANKS],
    input wire [TID_WIDTH-1:0] rid[NUM_BANKS],
    input wire [1:0] rresp[NUM_BANKS]
);
    localparam int SOURCE_WIDTH = SOURCES > 1 ? $clog2(SOURCES) : 1;
    localparam int ID_WIDTH = SOURCE_WIDTH + TAG_WIDTH;

    if (TID_WIDTH < ID_WIDTH) begin : g_check_tid
        $fatal(1, "vx_mem_xbar: TID_WIDTH=%0d must be at least %0d for %0d sources", TID_WIDTH, ID_WIDTH, SOURCES);
    end

    typedef logic [SOURCE_WIDTH-1:0] source_index_t;
    typedef logic [BANK_WIDTH-1:0] bank_index_t;
    typedef logic [ADDR_WIDTH-BLOCK_SHIFT:0] port_block_t;

    // ---------------------------------------------------------------- requests

    logic [SOURCES-1:0] bank_ready[NUM_BANKS];

    for (genvar b = 0; b < NUM_BANKS; ++b) begin : g_bank
        logic aw_ready, w_ready, ar_ready, grant;
        logic [SOURCES-1:0] wanted;
        source_index_t winner;
        always_comb begin
            for (int s = 0; s < SOURCES; ++s) begin
                wanted[s] = req_valid[s] && (NUM_BANKS == 1 || bank_index_t'(req_block[s]) == bank_index_t'(b)) &&
                    (req_write[s] ? aw_ready && w_ready : ar_ready);
            end
            bank_ready[b] = '0;
            if (grant) bank_ready[b][winner] = 1'b1;
        end
        vx_rr_arbiter #(
            .N(SOURCES)
        ) arbiter (
            .clk,
            .reset,
            .request(wanted),
            .advance(1'b1),
            .valid(grant),
            .index(winner)
        );

        logic [ID_WIDTH-1:0] id, aw_id, ar_id;
        port_block_t block, aw_block, ar_block;
        logic write_enter, read_enter;
        assign id = {winner, req_tag[winner]};
        assign block = {req_vram[winner], req_block[winner]};
        assign write_enter = grant && req_write[winner];
        assign read_enter = grant && !req_write[winner];

        vx_fifo #(
            .WIDTH(ID_WIDTH + ADDR_WIDTH - BLOCK_SHIFT + 1),
            .DEPTH(2)
        ) aw_fifo (
            .clk,
            .reset,
            .in_valid(write_enter),
            .in_ready(aw_ready),
            .in_data({id, block}),
            .out_valid(awvalid[b]),
            .out_ready(awready[b]),
            .out_data({aw_id, aw_block})
        );
        logic [BLOCK_BITS+BLOCK_BYTES-1:0] w_in;
        always_comb begin
            w_in = '0;
            if (write_enter) w_in = {req_data[winner], req_strb[winner]};
        end
        vx_fifo #(
            .WIDTH(BLOCK_BITS + BLOCK_BYTES),
            .DEPTH(2)
        ) w_fifo (
            .clk,
            .reset,
            .in_valid(write_enter),
            .in_ready(w_ready),
            .in_data(w_in),
            .out_valid(wvalid[b]),
            .out_ready(wready[b]),
            .out_data({wdata[b], wstrb[b]})
        );
        vx_fifo #(
            .WIDTH(ID_WIDTH + ADDR_WIDTH - BLOCK_SHIFT + 1),
            .DEPTH(2)
        ) ar_fifo (
            .clk,
            .reset,
            .in_valid(read_enter),
            .in_ready(ar_ready),
            .in_data({id, block}),
            .out_valid(arvalid[b]),
            .out_ready(arready[b]),
            .out_data({ar_id, ar_block})
        );
        assign awaddr[b] = {aw_block, BLOCK_SHIFT'(0)};
        assign awid[b] = TID_WIDTH'(aw_id);
        assign araddr[b] = {ar_block, BLOCK_SHIFT'(0)};
        assign arid[b] = TID_WIDTH'(ar_id);

        if (TID_WIDTH > ID_WIDTH) begin : g_wide_ids
            /* verilator lint_off UNUSEDSIGNAL */  // the upper id bits are always zero
            wire unused = &{1'b0, bid[b][TID_WIDTH-1:ID_WIDTH], rid[b][TID_WIDTH-1:ID_WIDTH]};
            /* verilator lint_on UNUSEDSIGNAL */
        end
    end

    always_comb begin
        req_ready = '0;
        for (int b = 0; b < NUM_BANKS; ++b) req_ready |= bank_ready[b];
    end

    // ---------------------------------------------------------------- answers

    logic [SOURCES-1:0] read_grant[NUM_BANKS], write_grant[NUM_BANKS];

    for (genvar s = 0; s < SOURCES; ++s) begin : g_source
        logic [NUM_BANKS-1:0] read_wanted, write_wanted;
        bank_index_t read_bank;
        always_comb begin
            for (int b = 0; b < NUM_BANKS; ++b) begin
                read_wanted[b] = rvalid[b] && rid[b][TAG_WIDTH+:SOURCE_WIDTH] == source_index_t'(s);
                write_wanted[b] = bvalid[b] && bid[b][TAG_WIDTH+:SOURCE_WIDTH] == source_index_t'(s);
                read_grant[b][s] = rd_valid[s] && rd_ready[s] && read_bank == bank_index_t'(b);
                write_grant[b][s] = wr_valid[s] && wr_bank[s] == bank_index_t'(b);
            end
        end
        vx_rr_arbiter #(
            .N(NUM_BANKS)
        ) read_arbiter (
            .clk,
            .reset,
            .request(read_wanted),
            .advance(rd_ready[s]),
            .valid(rd_valid[s]),
            .index(read_bank)
        );
        vx_rr_arbiter #(
            .N(NUM_BANKS)
        ) write_arbiter (
            .clk,
            .reset,
            .request(write_wanted),
            .advance(1'b1),
            .valid(wr_valid[s]),
            .index(wr_bank[s])
        );
        always_comb begin
            rd_tag[s] = '0;
            rd_data[s] = '0;
            rd_err[s] = 1'b0;
            if (rd_valid[s]) begin
                rd_tag[s] = rid[read_bank][TAG_WIDTH-1:0];
                rd_data[s] = rdata[read_bank];
                rd_err[s] = rresp[read_bank] != 2'b00;
            end
            wr_tag[s] = '0;
            wr_err[s] = 1'b0;
            if (wr_valid[s]) begin
                wr_tag[s] = bid[wr_bank[s]][TAG_WIDTH-1:0];
                wr_err[s] = bresp[wr_bank[s]] != 2'b00;
            end
        end
    end

    always_comb begin
        for (int b = 0; b < NUM_BANKS; ++b) begin
            rready[b] = |read_grant[b];
            bready[b] = |write_grant[b];
        end
    end
endmodule
