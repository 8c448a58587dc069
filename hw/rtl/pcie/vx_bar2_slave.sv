// BAR2: AXI4 slave in front of VRAM, bursts of any kind and size, one burst at a time.
//
// Contract
// * A beat lies in one 64-byte block and is one access to VRAM. Blocks past VRAM_SIZE read 0 and swallow writes; a burst that
//   reads there, or has a strobe there, raises `fault` once. Answers are OKAY except when device memory itself fails.
// * A write burst is answered after the last access has been.
module vx_bar2_slave
    import vx_pcie_pkg::*;
#(
    parameter int ID_WIDTH = 8,
    parameter longint VRAM_SIZE = 64'h400_0000
) (
    input wire clk,
    input wire reset,
    output logic fault,

    input wire awvalid,
    output logic awready,
    input wire [VRAM_ADDR_WIDTH-1:0] awaddr,
    input wire [ID_WIDTH-1:0] awid,
    input wire [7:0] awlen,
    input wire [2:0] awsize,
    input wire [1:0] awburst,
    input wire wvalid,
    output logic wready,
    input block_t wdata,
    input strobe_t wstrb,
    input wire wlast,
    output logic bvalid,
    input wire bready,
    output logic [ID_WIDTH-1:0] bid,
    output logic [1:0] bresp,
    input wire arvalid,
    output logic arready,
    input wire [VRAM_ADDR_WIDTH-1:0] araddr,
    input wire [ID_WIDTH-1:0] arid,
    input wire [7:0] arlen,
    input wire [2:0] arsize,
    input wire [1:0] arburst,
    output logic rvalid,
    input wire rready,
    output block_t rdata,
    output logic [ID_WIDTH-1:0] rid,
    output logic [1:0] rresp,
    output logic rlast,

    output logic cl_valid,
    output logic cl_write,
    output vram_block_t cl_block,
    output block_t cl_data,
    output strobe_t cl_strb,
    input wire rsp_valid,
    input block_t rsp_data,
    input wire rsp_err
);
    typedef enum logic [2:0] {
        IDLE,
        READ_BEAT,
        READ_SHOW,
        WRITE_BEAT,
        WRITE_DONE
    } state_t;
    typedef logic [VRAM_ADDR_WIDTH-1:0] addr_t;

    state_t state_q;
    logic prefer_write_q, outside_q, error_q;
    addr_t addr_q;
    logic [ID_WIDTH-1:0] id_q;
    logic [7:0] left_q, length_q;
    logic [2:0] size_q;
    logic [1:0] burst_q;
    block_t data_q;

    logic take_write, take_read;
    assign take_write = state_q == IDLE && awvalid && (prefer_write_q || !arvalid);
    assign take_read = state_q == IDLE && arvalid && !take_write;
    assign awready = take_write;
    assign arready = take_read;

    // ---------------------------------------------------------------- address of the next beat

    addr_t step, aligned_next, wrap_mask, next;
    always_comb begin
        step = addr_t'(1) << size_q;
        aligned_next = (addr_q & ~(step - addr_t'(1))) + step;
        wrap_mask = ((addr_t'(length_q) + addr_t'(1)) << size_q) - addr_t'(1);
        case (burst_q)
            2'b00: next = addr_q;
            2'b10: next = (addr_q & ~wrap_mask) | (aligned_next & wrap_mask);
            default: next = aligned_next;
        endcase
    end

    logic in_vram;
    assign in_vram = 64'(addr_q) < 64'(VRAM_SIZE);

    // ---------------------------------------------------------------- beats

    logic beat_done, last_beat;
    assign cl_write = state_q == WRITE_BEAT;
    assign cl_valid = in_vram && (state_q == READ_BEAT || (state_q == WRITE_BEAT && wvalid && wstrb != '0));
    assign cl_block = addr_q[VRAM_ADDR_WIDTH-1:BLOCK_SHIFT];
    assign cl_strb = wstrb;
    always_comb begin
        cl_data = '0;
        if (cl_valid && cl_write) cl_data = wdata;
    end
    assign last_beat = left_q == '0;
    assign beat_done = cl_valid ? rsp_valid : state_q == READ_BEAT || wvalid;
    assign wready = state_q == WRITE_BEAT && beat_done;

    assign rvalid = state_q == READ_SHOW;
    assign rlast = last_beat;
    assign rdata = data_q;
    assign rid = id_q;
    assign rresp = {error_q, 1'b0};
    assign bvalid = state_q == WRITE_DONE;
    assign bid = id_q;
    assign bresp = {error_q, 1'b0};

    logic write_outside, read_outside;
    assign write_outside = state_q == WRITE_BEAT && beat_done && !in_vram && wstrb != '0;
    assign read_outside = state_q == READ_BEAT && !in_vram;
    // Once a burst, with its last beat.
    assign fault = beat_done && last_beat && (state_q == READ_BEAT || state_q == WRITE_BEAT) &&
        (outside_q || write_outside || read_outside);

    always_ff @(posedge clk) begin
        if (take_write || take_read) begin
            state_q <= take_write ? WRITE_BEAT : READ_BEAT;
            prefer_write_q <= !take_write;
            addr_q <= take_write ? awaddr : araddr;
            id_q <= take_write ? awid : arid;
            left_q <= take_write ? awlen : arlen;
            length_q <= take_write ? awlen : arlen;
            size_q <= take_write ? awsize : arsize;
            burst_q <= take_write ? awburst : arburst;
            outside_q <= 1'b0;
            error_q <= 1'b0;
        end
        if (state_q == READ_BEAT && beat_done) begin
            state_q <= READ_SHOW;
            data_q <= in_vram ? rsp_data : '0;
            error_q <= in_vram && rsp_err;
            if (!in_vram) outside_q <= 1'b1;
        end
        if (state_q == READ_SHOW && rready) begin
            state_q <= last_beat ? IDLE : READ_BEAT;
            addr_q <= next;
            left_q <= left_q - 8'd1;
        end
        if (state_q == WRITE_BEAT && beat_done) begin
            if (last_beat) state_q <= WRITE_DONE;
            addr_q <= next;
            left_q <= left_q - 8'd1;
            if (write_outside) outside_q <= 1'b1;
            if (cl_valid && rsp_err) error_q <= 1'b1;
        end
        if (state_q == WRITE_DONE && bready) state_q <= IDLE;
        if (reset) begin
            state_q <= IDLE;
            prefer_write_q <= 1'b0;
        end
    end

`ifdef SYNTHESIS
    wire unused_wlast = wlast;
`else
    always_ff @(posedge clk) begin
        if (!reset && wvalid && wready)
            assert (wlast == last_beat) else $error("vx_bar2_slave: WLAST is not at the burst's last beat");
    end
`endif
endmodule
