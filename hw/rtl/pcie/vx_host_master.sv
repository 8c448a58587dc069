// AXI4 master towards host memory: several clients, one single-beat transaction at a time.
//
// Contract: a client holds its request until `rsp_valid` of it is high for one cycle, with data and error. A read begins at
// `cl_addr` and ends with its 64-byte block; bytes stand in the lanes of their address. A write is that block with strobes.
module vx_host_master
    import vx_pcie_pkg::*;
#(
    parameter int CLIENTS = 2,
    parameter int ID_WIDTH = 4
) (
    input wire clk,
    input wire reset,

    input wire [CLIENTS-1:0] cl_valid,
    input wire [CLIENTS-1:0] cl_write,
    input wire [63:0] cl_addr[CLIENTS],
    input block_t cl_data[CLIENTS],
    input strobe_t cl_strb[CLIENTS],
    output logic [CLIENTS-1:0] rsp_valid,
    output block_t rsp_data,
    output logic rsp_err,

    output logic awvalid,
    input wire awready,
    output logic [63:0] awaddr,
    output logic [ID_WIDTH-1:0] awid,
    output logic [7:0] awlen,
    output logic [2:0] awsize,
    output logic [1:0] awburst,
    output logic wvalid,
    input wire wready,
    output block_t wdata,
    output strobe_t wstrb,
    output logic wlast,
    input wire bvalid,
    output logic bready,
    /* verilator lint_off UNUSEDSIGNAL */  // one transaction at a time: ids and RLAST tell nothing
    input wire [ID_WIDTH-1:0] bid,
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [1:0] bresp,
    output logic arvalid,
    input wire arready,
    output logic [63:0] araddr,
    output logic [ID_WIDTH-1:0] arid,
    output logic [7:0] arlen,
    output logic [2:0] arsize,
    output logic [1:0] arburst,
    input wire rvalid,
    output logic rready,
    input block_t rdata,
    /* verilator lint_off UNUSEDSIGNAL */
    input wire [ID_WIDTH-1:0] rid,
    input wire rlast,
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [1:0] rresp
);
    localparam int INDEX_WIDTH = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
    typedef logic [INDEX_WIDTH-1:0] index_t;

    logic serving_q, aw_sent_q, w_sent_q, ar_sent_q;
    index_t client_q;

    logic grant, write, answered;
    index_t winner;
    vx_rr_arbiter #(
        .N(CLIENTS)
    ) arbiter (
        .clk,
        .reset,
        .request(cl_valid),
        .advance(!serving_q),
        .valid(grant),
        .index(winner)
    );

    assign write = cl_write[client_q];
    assign answered = serving_q && ((bvalid && aw_sent_q && w_sent_q) || (rvalid && ar_sent_q));
    always_ff @(posedge clk) begin
        if (!serving_q) begin
            serving_q <= grant;
            client_q <= winner;
            aw_sent_q <= 1'b0;
            w_sent_q <= 1'b0;
            ar_sent_q <= 1'b0;
        end else begin
            if (awvalid && awready) aw_sent_q <= 1'b1;
            if (wvalid && wready) w_sent_q <= 1'b1;
            if (arvalid && arready) ar_sent_q <= 1'b1;
            if (answered) serving_q <= 1'b0;
        end
        if (reset) serving_q <= 1'b0;
    end

    always_comb begin
        rsp_valid = '0;
        if (answered) rsp_valid[client_q] = 1'b1;
        wdata = '0;
        if (wvalid) wdata = cl_data[client_q];
    end
    assign rsp_data = rdata;
    assign rsp_err = ar_sent_q ? rresp != 2'b00 : bresp != 2'b00;

    assign awvalid = serving_q && write && !aw_sent_q;
    assign awaddr = {cl_addr[client_q][63:BLOCK_SHIFT], BLOCK_SHIFT'(0)};
    assign awid = ID_WIDTH'(client_q);
    assign awlen = 8'd0;
    assign awsize = 3'd6;
    assign awburst = 2'b01;
    assign wvalid = serving_q && write && !w_sent_q;
    assign wstrb = cl_strb[client_q];
    assign wlast = 1'b1;
    assign bready = serving_q && aw_sent_q && w_sent_q;
    assign arvalid = serving_q && !write && !ar_sent_q;
    assign araddr = cl_addr[client_q];
    assign arid = ID_WIDTH'(client_q);
    assign arlen = 8'd0;
    assign arsize = 3'd6;
    assign arburst = 2'b01;
    assign rready = serving_q && ar_sent_q;
endmodule
