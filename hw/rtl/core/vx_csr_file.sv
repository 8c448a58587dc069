// CSRs of one core (reference section 3): per-warp storage, identity, CTA values and the counters.
//
// Contract
// * `read_data` (per lane), `known` and `writable` follow `wid` and `number` combinationally while `valid`.
// * A write to a CSR of the "ignored" list is dropped: it is `writable`, but has no storage.
// * A trap puts PC, cause and thread mask aside; the mask has no number and is lost to reset only.
// * MCYCLE counts cycles in which the core is busy, MINSTRET committed warp instructions. Both are 64 bits, run on over
//   launches and are cleared by reset only. All other counters read zero.
module vx_csr_file
    import vx_pkg::*;
    import vx_core_pkg::*;
#(
    parameter int CORE_ID = 0
) (
    input wire clk,
    input wire reset,

    input wire valid,
    input wid_t wid,
    input wire [11:0] number,
    input tmask_t tmask,
    input wire [NUM_WARPS-1:0] active_warps,
    input cta_csrs_t cta,
    output lanes_t read_data,
    output logic known,
    output logic writable,

    input wire write_valid,
    input word_t write_data,

    input wire trap_valid,  // of `wid`
    input word_t trap_pc,
    input word_t trap_cause,
    output word_t mtvec,
    output word_t mepc,
    output tmask_t saved_mask,  // of the last trap

    input wire start_valid,
    input wid_t start_wid,
    input word_t start_param,
    input wire [NUM_WARPS-1:0] spawned,  // warps that get the MSCRATCH of `wid`

    output logic [2:0] frm[NUM_WARPS],
    input wire fflags_valid,
    input wid_t fflags_wid,
    input wire [4:0] fflags,  // raised: they add to those of the warp

    input wire core_busy,
    input wire commit_valid,
    input wire [5:0] mpm_index,
    output logic [31:0] mpm_value
);
    localparam logic [11:0] CSR_FFLAGS = 12'h001;
    localparam logic [11:0] CSR_FRM = 12'h002;
    localparam logic [11:0] CSR_FCSR = 12'h003;
    localparam logic [11:0] CSR_SATP = 12'h180;
    localparam logic [11:0] CSR_MSTATUS = 12'h300;
    localparam logic [11:0] CSR_MISA = 12'h301;
    localparam logic [11:0] CSR_MEDELEG = 12'h302;
    localparam logic [11:0] CSR_MIDELEG = 12'h303;
    localparam logic [11:0] CSR_MIE = 12'h304;
    localparam logic [11:0] CSR_MTVEC = 12'h305;
    localparam logic [11:0] CSR_MSCRATCH = 12'h340;
    localparam logic [11:0] CSR_MEPC = 12'h341;
    localparam logic [11:0] CSR_MCAUSE = 12'h342;
    localparam logic [11:0] CSR_MTVAL = 12'h343;
    localparam logic [11:0] CSR_PMPCFG0 = 12'h3a0;
    localparam logic [11:0] CSR_PMPADDR0 = 12'h3b0;
    localparam logic [11:0] CSR_MNSTATUS = 12'h744;
    localparam logic [11:0] CSR_MVENDORID = 12'hf11;
    localparam logic [11:0] CSR_MARCHID = 12'hf12;
    localparam logic [11:0] CSR_MIMPID = 12'hf13;
    localparam logic [11:0] CSR_MHARTID = 12'hf14;
    localparam logic [11:0] CSR_THREAD_ID = 12'hcc0;
    localparam logic [11:0] CSR_WARP_ID = 12'hcc1;
    localparam logic [11:0] CSR_CORE_ID = 12'hcc2;
    localparam logic [11:0] CSR_ACTIVE_WARPS = 12'hcc3;
    localparam logic [11:0] CSR_ACTIVE_THREADS = 12'hcc4;
    localparam logic [11:0] CSR_NUM_THREADS = 12'hfc0;
    localparam logic [11:0] CSR_NUM_WARPS = 12'hfc1;
    localparam logic [11:0] CSR_NUM_CORES = 12'hfc2;
    localparam logic [11:0] CSR_LOCAL_MEM_BASE = 12'hfc3;
    localparam logic [11:0] CSR_NUM_BARRIERS = 12'hfc4;
    localparam logic [11:0] CSR_CTA_ID = 12'hcd0;
    localparam logic [11:0] CSR_CTA_RANK = 12'hcd1;
    localparam logic [11:0] CSR_CTA_SIZE = 12'hcd2;
    localparam logic [11:0] CSR_CTA_THREAD_ID_X = 12'hcd3;
    localparam logic [11:0] CSR_CTA_BLOCK_ID_X = 12'hcd6;
    localparam logic [11:0] CSR_CTA_BLOCK_DIM_X = 12'hcd9;
    localparam logic [11:0] CSR_CTA_GRID_DIM_X = 12'hcdc;
    localparam logic [11:0] CSR_CTA_LMEM_ADDR = 12'hcdf;
    localparam logic [11:0] CSR_CTA_CLUSTER_SIZE = 12'hce0;
    localparam logic [11:0] CSR_CTA_ENTRY = 12'hce1;

    // Bits A0 D3 F5 I8 M12 U20 X23; the top two bits say log2(XLEN / 16).
    localparam word_t MISA = word_t'(32'h0090_0100) | (word_t'(EXT_M) << 12) | (word_t'(EXT_A) << 0) |
                             (word_t'(EXT_F) << 5) | (word_t'(EXT_F && FLEN == 64) << 3) |
                             (word_t'(XLEN == 32 ? 1 : 2) << (XLEN - 2));

    // ---------------------------------------------------------------- storage

    logic [7:0] fcsr_q[NUM_WARPS];  // {frm, fflags}
    word_t mstatus_q[NUM_WARPS];
    word_t mtvec_q[NUM_WARPS];
    word_t mscratch_q[NUM_WARPS];
    word_t mepc_q[NUM_WARPS];
    word_t mcause_q[NUM_WARPS];
    word_t mtval_q[NUM_WARPS];
    tmask_t saved_mask_q[NUM_WARPS];
    logic [63:0] mcycle_q;
    logic [63:0] minstret_q;

    always_ff @(posedge clk) begin
        if (fflags_valid) fcsr_q[fflags_wid][4:0] <= fcsr_q[fflags_wid][4:0] | fflags;
        if (write_valid) begin
            case (number)
                CSR_FFLAGS: fcsr_q[wid][4:0] <= write_data[4:0];
                CSR_FRM: fcsr_q[wid][7:5] <= write_data[2:0];
                CSR_FCSR: fcsr_q[wid] <= write_data[7:0];
                CSR_MSTATUS: mstatus_q[wid] <= write_data;
                CSR_MTVEC: mtvec_q[wid] <= write_data;
                CSR_MSCRATCH: mscratch_q[wid] <= write_data;
                CSR_MEPC: mepc_q[wid] <= write_data;
                CSR_MCAUSE: mcause_q[wid] <= write_data;
                CSR_MTVAL: mtval_q[wid] <= write_data;
                default: ;
            endcase
        end
        if (trap_valid) begin
            mepc_q[wid] <= trap_pc;
            mcause_q[wid] <= trap_cause;
            mtval_q[wid] <= '0;
            saved_mask_q[wid] <= tmask;
        end
        if (start_valid) mscratch_q[start_wid] <= start_param;
        if (spawned != '0) for (int w = 0; w < NUM_WARPS; ++w) if (spawned[w]) mscratch_q[w] <= mscratch_q[wid];
        if (core_busy) mcycle_q <= mcycle_q + 64'd1;
        if (commit_valid) minstret_q <= minstret_q + 64'd1;
        if (reset) begin
            for (int w = 0; w < NUM_WARPS; ++w) begin
                fcsr_q[w] <= '0;
                mstatus_q[w] <= '0;
                mtvec_q[w] <= '0;
                mscratch_q[w] <= '0;
                mepc_q[w] <= '0;
                mcause_q[w] <= '0;
                mtval_q[w] <= '0;
                saved_mask_q[w] <= '0;
            end
            mcycle_q <= '0;
            minstret_q <= '0;
        end
    end

    assign mtvec = mtvec_q[wid];
    assign mepc = mepc_q[wid];
    assign saved_mask = saved_mask_q[wid];
    always_comb for (int w = 0; w < NUM_WARPS; ++w) frm[w] = fcsr_q[w][7:5];

    // ---------------------------------------------------------------- reads by instructions

    always_comb begin
        word_t value;  // of CSRs that are the same for all lanes
        logic per_lane;
        value = '0;
        per_lane = 1'b0;
        read_data = '0;
        known = 1'b0;
        writable = 1'b0;
        if (valid) begin
            known = 1'b1;
            case (number)
                CSR_FFLAGS: {known, writable, value} = {EXT_F, 1'b1, word_t'(fcsr_q[wid][4:0])};
                CSR_FRM: {known, writable, value} = {EXT_F, 1'b1, word_t'(fcsr_q[wid][7:5])};
                CSR_FCSR: {known, writable, value} = {EXT_F, 1'b1, word_t'(fcsr_q[wid])};
                CSR_MSTATUS: {writable, value} = {1'b1, mstatus_q[wid]};
                CSR_MTVEC: {writable, value} = {1'b1, mtvec_q[wid]};
                CSR_MSCRATCH: {writable, value} = {1'b1, mscratch_q[wid]};
                CSR_MEPC: {writable, value} = {1'b1, mepc_q[wid]};
                CSR_MCAUSE: {writable, value} = {1'b1, mcause_q[wid]};
                CSR_MTVAL: {writable, value} = {1'b1, mtval_q[wid]};
                CSR_SATP, CSR_MEDELEG, CSR_MIDELEG, CSR_MIE, CSR_PMPCFG0, CSR_PMPADDR0, CSR_MNSTATUS: writable = 1'b1;
                CSR_MISA: value = MISA;
                CSR_MVENDORID, CSR_MARCHID, CSR_MIMPID: value = '0;

                CSR_MHARTID: begin
                    per_lane = 1'b1;
                    for (int i = 0; i < NUM_THREADS; ++i) begin
                        read_data[i] = (word_t'(CORE_ID * NUM_WARPS) + word_t'(wid)) * word_t'(NUM_THREADS) + word_t'(i);
                    end
                end
                CSR_THREAD_ID: begin
                    per_lane = 1'b1;
                    for (int i = 0; i < NUM_THREADS; ++i) read_data[i] = word_t'(i);
                end
                CSR_WARP_ID: value = word_t'(wid);
                CSR_CORE_ID: value = word_t'(CORE_ID);
                CSR_ACTIVE_WARPS: value = word_t'(active_warps);
                CSR_ACTIVE_THREADS: value = word_t'(tmask);
                CSR_NUM_THREADS: value = word_t'(NUM_THREADS);
                CSR_NUM_WARPS: value = word_t'(NUM_WARPS);
                CSR_NUM_CORES: value = word_t'(TOTAL_CORES);
                CSR_LOCAL_MEM_BASE: value = LMEM_BASE;
                CSR_NUM_BARRIERS: value = word_t'(NUM_BARRIERS);

                CSR_CTA_ID: value = word_t'(cta.slot);
                CSR_CTA_RANK: value = word_t'(cta.rank);
                CSR_CTA_SIZE: value = word_t'(cta.num_warps);
                CSR_CTA_THREAD_ID_X, CSR_CTA_THREAD_ID_X + 12'd1, CSR_CTA_THREAD_ID_X + 12'd2: begin
                    per_lane = 1'b1;
                    for (int i = 0; i < NUM_THREADS; ++i) begin
                        read_data[i] = word_t'(cta.thread_idx[i][2'(number-CSR_CTA_THREAD_ID_X)]);
                    end
                end
                CSR_CTA_BLOCK_ID_X, CSR_CTA_BLOCK_ID_X + 12'd1, CSR_CTA_BLOCK_ID_X + 12'd2:
                value = word_t'(cta.block_idx[2'(number-CSR_CTA_BLOCK_ID_X)]);
                CSR_CTA_BLOCK_DIM_X, CSR_CTA_BLOCK_DIM_X + 12'd1, CSR_CTA_BLOCK_DIM_X + 12'd2:
                value = word_t'(cta.block_dim[2'(number-CSR_CTA_BLOCK_DIM_X)]);
                CSR_CTA_GRID_DIM_X, CSR_CTA_GRID_DIM_X + 12'd1, CSR_CTA_GRID_DIM_X + 12'd2:
                value = word_t'(cta.grid_dim[2'(number-CSR_CTA_GRID_DIM_X)]);
                CSR_CTA_LMEM_ADDR: value = cta.lmem_addr;
                CSR_CTA_CLUSTER_SIZE: value = word_t'(cta.cluster_size);
                CSR_CTA_ENTRY: value = cta.entry;

                default: begin  // counters: 0xB00 to 0xB1F, high halves of RV32 0xB80 to 0xB9F
                    if (number[11:5] == 7'h58) value = word_t'(counter(number[4:0]));
                    else if (number[11:5] == 7'h5c && XLEN == 32) value = word_t'(counter(number[4:0]) >> 32);
                    else known = 1'b0;
                end
            endcase
            if (!per_lane) read_data = {NUM_THREADS{value}};
        end
    end

    function automatic logic [63:0] counter(input logic [4:0] index);
        case (index)
            5'd0: return mcycle_q;
            5'd2: return minstret_q;
            default: return '0;
        endcase
    endfunction

    // ---------------------------------------------------------------- read by the host (DCR 0x001)

    always_comb begin
        logic [63:0] value;
        value = counter(mpm_index[4:0]);
        mpm_value = mpm_index[5] ? value[63:32] : value[31:0];
    end
endmodule
