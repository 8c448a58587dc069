// Loads and stores of one instruction: the lanes of one line of 64 bytes after those of another, local memory lane by
// lane. Higher lanes win.
//
// Contract: `begin_valid` starts an access whose effect stays until `done`; `done` is high for one cycle and comes when
// every write has been acknowledged. A line request is held until `line_done`.
module serial_memory
    import serial_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire begin_valid,
    input mask_t mask,
    /* verilator lint_off UNUSEDSIGNAL */  // parts of the effect that are no memory access
    input effect_t effect,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic done,
    output vector_t loaded,
    output fault_t fault,
    output word_t fault_addr,

    output wire line_valid,
    output wire line_write,
    output wire [25:0] line_addr,
    output logic [511:0] line_data,
    output logic [63:0] line_strobe,
    input wire line_done,
    input wire [511:0] line_result,
    input wire line_error
);
    word_t local_q[LMEM_BYTES/4];
    mask_t pending_q;
    logic running_q;
    vector_t raw_q;

    int lane;
    mask_t group;
    word_t addr;
    logic is_local;
    logic [3:0] bytes;  // enables of an access at offset 0

    always_comb begin
        lane = 0;
        for (int i = LANES - 1; i >= 0; --i) if (pending_q[i]) lane = i;
        addr = effect.addr[lane];
        is_local = addr >= LMEM_BASE && addr - LMEM_BASE < LMEM_BYTES;
        bytes = effect.log_size == 0 ? 4'h1 : effect.log_size == 1 ? 4'h3 : 4'hf;
        group = '0;
        line_data = '0;
        line_strobe = '0;
        for (int i = 0; i < LANES; ++i) begin
            if (pending_q[i] && effect.addr[i][31:6] == addr[31:6]) begin
                group[i] = 1'b1;
                for (int k = 0; k < 4; ++k) begin
                    if (bytes[k]) begin
                        line_data[8*(int'(effect.addr[i][5:0])+k)+:8] = effect.data[i][8*k+:8];
                        line_strobe[int'(effect.addr[i][5:0])+k] = 1'b1;
                    end
                end
            end
        end
    end

    wire active = running_q && pending_q != 0;
    assign line_valid = active && !is_local;
    assign line_write = effect.store;
    assign line_addr = addr[31:6];
    assign done = running_q && pending_q == 0;

    always_ff @(posedge clk) begin
        if (active && is_local) begin
            pending_q[lane] <= 1'b0;
            raw_q[lane] <= local_q[(addr-LMEM_BASE)/4] >> (8 * addr[1:0]);
            for (int k = 0; k < 4; ++k) begin
                if (effect.store && bytes[k])
                    local_q[(addr-LMEM_BASE)/4][8*(int'(addr[1:0])+k)+:8] <= effect.data[lane][8*k+:8];
            end
        end
        if (line_valid && line_done) begin
            pending_q <= pending_q & ~group;
            for (int i = 0; i < LANES; ++i) if (group[i]) raw_q[i] <= line_result[8*int'(effect.addr[i][5:0])+:32];
            // A write that fails is not the warp's fault: the bus reports it.
            if (line_error && !effect.store) begin
                fault <= READ_FAULT;
                fault_addr <= addr;
            end
        end
        if (done) running_q <= 1'b0;
        if (begin_valid) begin
            running_q <= 1'b1;
            pending_q <= mask;
            fault <= NO_FAULT;
        end
        if (reset) running_q <= 1'b0;
    end

    always_comb begin
        for (int i = 0; i < LANES; ++i) begin
            case (effect.log_size)
                2'd0: loaded[i] = {{24{effect.extend && raw_q[i][7]}}, raw_q[i][7:0]};
                2'd1: loaded[i] = {{16{effect.extend && raw_q[i][15]}}, raw_q[i][15:0]};
                default: loaded[i] = raw_q[i];
            endcase
        end
    end
endmodule
