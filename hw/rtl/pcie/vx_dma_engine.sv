// Host DMA: moves bytes between host memory and VRAM, any alignment, one piece after the other.
//
// Contract
// * Checks at `start`: a bad transfer is never busy and fails at once. Pieces end at multiples of 64 of the host address, in
//   ascending order; each is read as a whole before it is written. The first bus error ends the transfer.
// * `abort` (RESET): nothing new begins, and no event of the transfer any more; `idle` when the last transaction is over.
module vx_dma_engine
    import vx_pcie_pkg::*;
#(
    parameter longint VRAM_SIZE = 64'h400_0000
) (
    input wire clk,
    input wire reset,
    input wire soft_reset,
    input wire abort,
    output logic idle,

    input wire start,
    input dma_regs_t regs,
    output logic busy,
    output logic [2:0] status,  // ERROR, COMPLETE, BUSY
    output logic event_piece,
    output logic event_end,
    output logic event_done,  // the transfer wants DMA_DONE
    output logic event_error,

    output logic host_valid,
    output logic host_write,
    output logic [63:0] host_addr,
    output block_t host_data,
    output strobe_t host_strb,
    input wire host_rsp,
    input block_t host_rsp_data,
    input wire host_err,

    output logic vram_valid,
    output logic vram_write,
    output vram_block_t vram_block,
    output block_t vram_data,
    output strobe_t vram_strb,
    input wire vram_rsp,
    input block_t vram_rsp_data,
    input wire vram_err
);
    typedef enum logic [2:0] {
        IDLE,
        PIECE,
        HOST_READ,
        VRAM_WRITE,
        VRAM_READ,
        HOST_WRITE
    } state_t;

    state_t state_q;
    logic to_host_q, interrupt_q, second_q, complete_q, error_q;
    logic [63:0] host_q;
    logic [VRAM_ADDR_WIDTH-1:0] vram_q;
    logic [31:0] left_q;
    block_t data_q;

    // ---------------------------------------------------------------- checks

    logic [63:0] host, vram;
    logic [64:0] host_end, vram_end;
    logic bad;
    assign host = regs.to_host ? regs.target : regs.source;
    assign vram = regs.to_host ? regs.source : regs.target;
    assign host_end = {1'b0, host} + 65'(regs.size);
    assign vram_end = {1'b0, vram} + 65'(regs.size);
    assign bad = regs.size == '0 || vram_end > 65'(VRAM_SIZE) || (host_end[64] && host_end[63:0] != '0);

    // ---------------------------------------------------------------- the piece at hand

    lane_t host_lane, vram_lane;
    length_t length, first;  // bytes of the piece, bytes in its first block of VRAM
    logic split;
    always_comb begin
        host_lane = host_q[BLOCK_SHIFT-1:0];
        vram_lane = vram_q[BLOCK_SHIFT-1:0];
        length = length_t'(BLOCK_BYTES) - length_t'(host_lane);
        if (left_q < 32'(length)) length = length_t'(left_q);
        first = length_t'(BLOCK_BYTES) - length_t'(vram_lane);
        split = length > first;
        if (!split) first = length;
    end

    strobe_t host_mask;
    assign host_mask = second_q ? byte_mask(host_lane + lane_t'(first), length - first) : byte_mask(host_lane, first);

    assign host_valid = state_q == HOST_READ || state_q == HOST_WRITE;
    assign host_write = state_q == HOST_WRITE;
    assign host_addr = host_q;
    assign host_data = data_q;
    assign host_strb = byte_mask(host_lane, length);

    assign vram_valid = state_q == VRAM_READ || state_q == VRAM_WRITE;
    assign vram_write = state_q == VRAM_WRITE;
    assign vram_block = vram_q[VRAM_ADDR_WIDTH-1:BLOCK_SHIFT] + vram_block_t'(second_q);
    assign vram_strb = second_q ? byte_mask('0, length - first) : byte_mask(vram_lane, first);
    always_comb begin
        vram_data = '0;
        if (vram_write) vram_data = rotate_bytes(data_q, vram_lane - host_lane);
    end

    logic moved, failed, last_piece;
    assign moved = (state_q == HOST_WRITE && host_rsp && !host_err) ||
        (state_q == VRAM_WRITE && vram_rsp && !vram_err && (second_q || !split));
    assign failed = (host_valid && host_rsp && host_err) || (vram_valid && vram_rsp && vram_err);
    assign last_piece = left_q == 32'(length);

    always_ff @(posedge clk) begin
        case (state_q)
            IDLE: begin
                if (start && !abort) begin
                    complete_q <= 1'b0;
                    error_q <= bad;
                    if (!bad) state_q <= PIECE;
                    to_host_q <= regs.to_host;
                    interrupt_q <= regs.wants_irq;
                    host_q <= host;
                    vram_q <= VRAM_ADDR_WIDTH'(vram);
                    left_q <= regs.size;
                end
            end
            PIECE: begin
                second_q <= 1'b0;
                state_q <= abort ? IDLE : to_host_q ? VRAM_READ : HOST_READ;
            end
            HOST_READ: begin
                if (host_rsp) begin
                    data_q <= host_rsp_data;
                    state_q <= abort ? IDLE : VRAM_WRITE;
                end
            end
            VRAM_READ: begin
                if (vram_rsp) begin
                    data_q <= (second_q ? data_q : '0) |
                        (rotate_bytes(vram_rsp_data, host_lane - vram_lane) & bit_mask(host_mask));
                    second_q <= 1'b1;
                    if (second_q || !split) state_q <= abort ? IDLE : HOST_WRITE;
                end
            end
            VRAM_WRITE: if (vram_rsp) second_q <= 1'b1;
            default: ;
        endcase
        if (moved) begin
            host_q <= host_q + 64'(length);
            vram_q <= vram_q + VRAM_ADDR_WIDTH'(length);
            left_q <= left_q - 32'(length);
            state_q <= last_piece ? IDLE : PIECE;
            if (last_piece) complete_q <= 1'b1;
        end
        if (failed) begin
            state_q <= IDLE;
            error_q <= 1'b1;
        end
        if (soft_reset) begin
            complete_q <= 1'b0;
            error_q <= 1'b0;
        end
        if (reset) begin
            state_q <= IDLE;
            complete_q <= 1'b0;
            error_q <= 1'b0;
        end
    end

    assign idle = state_q == IDLE;
    assign busy = state_q != IDLE;
    assign status = {error_q && !busy, complete_q && !busy, busy};
    assign event_piece = moved;
    assign event_end = !abort && ((moved && last_piece) || failed);
    assign event_done = !abort && moved && last_piece && interrupt_q;
    assign event_error = !abort && (failed || (start && state_q == IDLE && bad));
endmodule
