// The device's own accesses to VRAM: several clients, one access at a time.
//
// Contract: a client holds its request until `rsp_valid` of it is high for one cycle, with data and error. While client
// LOCK has `lock` up, nobody else is served.
module vx_vram_arbiter
    import vx_pcie_pkg::*;
#(
    parameter int CLIENTS = 4,
    parameter int LOCK = 0
) (
    input wire clk,
    input wire reset,
    input wire lock,

    input wire [CLIENTS-1:0] cl_valid,
    input wire [CLIENTS-1:0] cl_write,
    input vram_block_t cl_block[CLIENTS],
    input block_t cl_data[CLIENTS],
    input strobe_t cl_strb[CLIENTS],
    output logic [CLIENTS-1:0] rsp_valid,
    output block_t rsp_data,
    output logic rsp_err,

    output logic req_valid,
    input wire req_ready,
    output logic req_write,
    output vram_block_t req_block,
    output block_t req_data,
    output strobe_t req_strb,
    input wire rd_valid,
    input block_t rd_data,
    input wire rd_err,
    input wire wr_valid,
    input wire wr_err
);
    localparam int INDEX_WIDTH = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
    typedef logic [INDEX_WIDTH-1:0] index_t;

    logic serving_q, sent_q;
    index_t client_q;

    logic [CLIENTS-1:0] wanted;
    always_comb begin
        wanted = cl_valid;
        if (lock) begin
            wanted = '0;
            wanted[LOCK] = cl_valid[LOCK];
        end
    end

    logic grant, answered;
    index_t winner;
    vx_rr_arbiter #(
        .N(CLIENTS)
    ) arbiter (
        .clk,
        .reset,
        .request(wanted),
        .advance(!serving_q),
        .valid(grant),
        .index(winner)
    );

    assign answered = rd_valid || wr_valid;
    always_ff @(posedge clk) begin
        if (!serving_q) begin
            serving_q <= grant;
            client_q <= winner;
            sent_q <= 1'b0;
        end else begin
            if (req_valid && req_ready) sent_q <= 1'b1;
            if (answered) serving_q <= 1'b0;
        end
        if (reset) serving_q <= 1'b0;
    end

    assign req_valid = serving_q && !sent_q;
    assign req_write = cl_write[client_q];
    assign req_block = cl_block[client_q];
    always_comb begin
        req_data = '0;
        req_strb = '0;
        if (req_valid && req_write) begin
            req_data = cl_data[client_q];
            req_strb = cl_strb[client_q];
        end
        rsp_valid = '0;
        if (answered) rsp_valid[client_q] = 1'b1;
    end
    assign rsp_data = rd_data;
    assign rsp_err = rd_valid ? rd_err : wr_err;
endmodule
