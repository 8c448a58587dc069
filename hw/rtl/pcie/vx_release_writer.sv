// Release on completion: the timestamp, then the payload, in VRAM or host memory, any alignment.
//
// Contract: `start` with a stable `request`; `done` for one cycle at its end, with `error` if it did not fit (nothing is
// written) or was answered with an error (nothing more is written). `abort`: nothing new begins, `idle` follows, no `done`.
module vx_release_writer
    import vx_pcie_pkg::*;
#(
    parameter longint VRAM_SIZE = 64'h400_0000
) (
    input wire clk,
    input wire reset,
    input wire abort,
    output logic idle,

    input wire start,
    /* verilator lint_off UNUSEDSIGNAL */  // whoever starts has looked at `enable`
    input release_t request,
    /* verilator lint_on UNUSEDSIGNAL */
    input wire [63:0] cycles,  // device time
    output logic done,
    output logic error,

    output logic host_valid,
    output logic [63:0] host_addr,
    input wire host_rsp,
    input wire host_err,
    output logic vram_valid,
    output vram_block_t vram_block,
    input wire vram_rsp,
    input wire vram_err,
    output block_t data,
    output strobe_t strb
);
    typedef enum logic [1:0] {
        IDLE,
        CHECK,
        WRITE
    } state_t;

    state_t state_q;
    logic stamping_q, second_q;  // which of the two values, which of its two blocks
    logic [63:0] time_q, addr_q;

    logic [64:0] limit, last;
    logic fits;
    assign limit = request.host ? 65'h1_0000_0000_0000_0000 : 65'(VRAM_SIZE);
    assign last = {1'b0, request.addr} + (request.timestamp ? 65'd16 : request.wide ? 65'd8 : 65'd4);
    assign fits = last <= limit;

    lane_t lane;
    length_t length, first;
    logic split;
    always_comb begin
        lane = addr_q[BLOCK_SHIFT-1:0];
        length = stamping_q || request.wide ? 7'd8 : 7'd4;
        first = length_t'(BLOCK_BYTES) - length_t'(lane);
        split = length > first;
        if (!split) first = length;
        data = '0;
        if (state_q == WRITE) data = rotate_bytes(BLOCK_BITS'(stamping_q ? time_q : request.payload), lane);
        strb = second_q ? byte_mask('0, length - first) : byte_mask(lane, first);
    end

    assign host_valid = state_q == WRITE && request.host;
    assign host_addr = second_q ? {addr_q[63:BLOCK_SHIFT] + 58'd1, BLOCK_SHIFT'(0)} : addr_q;
    assign vram_valid = state_q == WRITE && !request.host;
    assign vram_block = addr_q[VRAM_ADDR_WIDTH-1:BLOCK_SHIFT] + vram_block_t'(second_q);

    logic answered, failed, written;
    assign answered = state_q == WRITE && (request.host ? host_rsp : vram_rsp);
    assign failed = answered && (request.host ? host_err : vram_err);
    assign written = answered && !failed && (second_q || !split);

    always_ff @(posedge clk) begin
        case (state_q)
            IDLE: begin
                if (start && !abort) state_q <= CHECK;
                time_q <= (cycles << 1) + (cycles >> 1);
            end
            CHECK: begin
                state_q <= fits && !abort ? WRITE : IDLE;
                stamping_q <= request.timestamp;
                second_q <= 1'b0;
                addr_q <= request.timestamp ? request.addr + 64'd8 : request.addr;
            end
            default: begin
                if (answered) second_q <= 1'b1;
                if (written) begin
                    second_q <= 1'b0;
                    stamping_q <= 1'b0;
                    addr_q <= request.addr;
                    if (!stamping_q) state_q <= IDLE;
                end
                if (answered && (failed || abort)) state_q <= IDLE;
            end
        endcase
        if (reset) state_q <= IDLE;
    end

    assign idle = state_q == IDLE;
    assign error = failed || (state_q == CHECK && !fits);
    assign done = !abort && (error || (written && !stamping_q));
endmodule
