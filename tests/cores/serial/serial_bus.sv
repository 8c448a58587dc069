// One line request at a time on the AXI bank that its address selects.
//
// Contract: `valid` and the request are held until `done`, one cycle high. A write is done with its B.
module serial_bus #(
    parameter int ADDR_WIDTH = 32,
    parameter int DATA_WIDTH = 512,
    parameter int BANKS = 1
) (
    input wire clk,
    input wire reset,
    input wire valid,
    input wire write,
    input wire [25:0] addr,
    output logic done,
    output logic [DATA_WIDTH-1:0] result,
    output logic error,

    output wire awvalid[BANKS],
    input wire awready[BANKS],
    output wire wvalid[BANKS],
    input wire wready[BANKS],
    input wire bvalid[BANKS],
    input wire [1:0] bresp[BANKS],
    output wire arvalid[BANKS],
    input wire arready[BANKS],
    output wire [ADDR_WIDTH-1:0] address,
    input wire rvalid[BANKS],
    input wire [DATA_WIDTH-1:0] rdata[BANKS],
    input wire [1:0] rresp[BANKS]
);
    wire [31:0] bank = 32'(addr) % BANKS;
    logic address_sent_q, data_sent_q;

    assign address = ADDR_WIDTH'({addr, 6'd0});
    for (genvar b = 0; b < BANKS; ++b) begin : g_bank
        wire mine = valid && bank == b;
        assign awvalid[b] = mine && write && !address_sent_q;
        assign wvalid[b] = mine && write && !data_sent_q;
        assign arvalid[b] = mine && !write && !address_sent_q;
    end

    always_comb begin
        done = valid && (write ? bvalid[bank] : rvalid[bank]);
        result = rdata[bank];
        error = write ? bresp[bank] != 0 : rresp[bank] != 0;
    end

    always_ff @(posedge clk) begin
        if (valid && (write ? awready[bank] : arready[bank])) address_sent_q <= 1'b1;
        if (valid && write && wready[bank]) data_sent_q <= 1'b1;
        if (reset || done) {address_sent_q, data_sent_q} <= '0;
    end
endmodule
