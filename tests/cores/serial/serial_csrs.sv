// CSRs: storage of every warp, identity, blocks and counters. Reads are combinational.
module serial_csrs
    import serial_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire valid,  // otherwise `value` is 0
    input wire [11:0] number,
    input wid_t wid,
    input mask_t mask,
    input wire [WARPS-1:0] active,
    input cta_t cta,
    input wire write,
    input word_t write_value,
    input wire start_valid,
    input start_t start_warp,
    input wire [63:0] mcycle,
    input wire [63:0] minstret,
    output logic known,
    output logic writable,
    output vector_t value
);
    // MSTATUS, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL
    localparam int STORED = 6;
    word_t stored_q[WARPS*STORED];

    function automatic int storage(input logic [11:0] csr);
        case (csr)
            12'h300: return 0;
            12'h305: return 1;
            12'h340: return 2;
            12'h341: return 3;
            12'h342: return 4;
            12'h343: return 5;
            default: return -1;
        endcase
    endfunction

    always_ff @(posedge clk) begin
        if (write && storage(number) >= 0) stored_q[int'(wid)*STORED+storage(number)] <= write_value;
        if (start_valid) stored_q[int'(start_warp.wid)*STORED+2] <= start_warp.param;
        if (reset) for (int i = 0; i < WARPS * STORED; ++i) stored_q[i] <= 0;
    end

    always_comb begin
        word_t same;  // for CSRs that all lanes read alike
        known = 1'b1;
        writable = 1'b0;
        same = 0;
        value = '0;
        if (valid) case (number) inside
            12'h300, 12'h305, [12'h340 : 12'h343]: begin
                writable = 1'b1;
                same = stored_q[int'(wid)*STORED+storage(number)];
            end
            12'h180, [12'h302 : 12'h304], 12'h3a0, 12'h3b0, 12'h744: writable = 1'b1;
            12'h301: same = 32'h4090_1100;  // RV32IM and X
            [12'hf11 : 12'hf13]: ;
            12'hcc1: same = 32'(wid);
            12'hcc2: ;
            12'hcc3: same = 32'(active);
            12'hcc4: same = 32'(mask);
            12'hfc0: same = LANES;
            12'hfc1: same = WARPS;
            12'hfc2: same = 1;
            12'hfc3: same = LMEM_BASE;
            12'hfc4: same = BARRIERS;
            12'hcd0: same = 32'(cta.slot);
            12'hcd1: same = 32'(cta.rank);
            12'hcd2: same = cta.size;
            [12'hcd6 : 12'hcd8]: same = cta.block[2'(number-12'hcd6)];
            [12'hcd9 : 12'hcdb]: same = cta.block_dim[2'(number-12'hcd9)];
            [12'hcdc : 12'hcde]: same = cta.grid_dim[2'(number-12'hcdc)];
            12'hcdf: same = cta.lmem;
            12'hce0: same = cta.cluster;
            12'hce1: same = cta.entry;
            12'hb00: same = mcycle[31:0];
            12'hb80: same = mcycle[63:32];
            12'hb02: same = minstret[31:0];
            12'hb82: same = minstret[63:32];
            12'hb01, [12'hb03 : 12'hb1f], 12'hb81, [12'hb83 : 12'hb9f]: ;
            12'hf14, 12'hcc0, [12'hcd3 : 12'hcd5]: ;
            default: known = 1'b0;
        endcase
        for (int i = 0; i < LANES && valid; ++i) begin
            case (number)
                12'hf14: value[i] = 32'(wid) * LANES + i;
                12'hcc0: value[i] = i;
                12'hcd3, 12'hcd4, 12'hcd5: value[i] = cta.thread[2'(number-12'hcd3)][i];
                default: value[i] = same;
            endcase
        end
    end
endmodule
