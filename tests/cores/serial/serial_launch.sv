// Launch registers, walk over the grid, block slots and the expansion of a block into warps, one step after the other.
//
// Contract: registers are written while nothing runs. `start` begins a walk; `busy` is high from the next cycle until
// the last warp has ended. A warp starts in a cycle with `start_valid` and `start_ready`.
module serial_launch
    import serial_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire write,
    input wire [11:0] write_addr,
    input wire [31:0] write_data,
    input wire start,
    output wire busy,

    output logic start_valid,
    input wire start_ready,
    output start_t start_warp,
    input wire [WARPS-1:0] active,
    input wire end_valid,
    input wid_t end_wid,
    input word_t end_pc,

    input wire csr_valid,
    input wid_t csr_wid,
    output cta_t csr_cta,
    output block_event_t events
);
    // Registers 0x010 to 0x023, by their low bits.
    word_t reg_q[32];
    logic [4:0] rewind_q;

    word_t stride, usable, cluster, num_warps;
    logic [2:0][31:0] grid, dim, cdim;
    logic empty;

    always_comb begin
        for (int a = 0; a < 3; ++a) begin
            dim[a] = reg_q[5'd6+5'(a)];
            grid[a] = reg_q[5'd9+5'(a)];
            cdim[a] = reg_q[5'd17+5'(a)] == 0 ? 32'd1 : reg_q[5'd17+5'(a)];
        end
        stride = (reg_q[12] + 63) / 64 * 64;
        usable = stride == 0 ? WARPS : LMEM_BYTES / stride;
        if (usable > WARPS) usable = WARPS;
        if (usable == 0) usable = 1;
        cluster = cdim[0] * cdim[1] * cdim[2];
        num_warps = (reg_q[13] + LANES - 1) / LANES;
        empty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || num_warps == 0;
    end

    // ---------------------------------------------------------------- blocks

    enum logic [1:0] {
        IDLE,
        ADMIT,
        EXPAND
    } state_q;
    logic [2:0][31:0] origin_q, inner_q, block;
    logic first;
    word_t tail_q, base, rank_q;
    wid_t slot_q;

    logic [WARPS-1:0] slot_used_q;
    word_t slot_live_q[WARPS];
    logic [2:0][31:0] slot_block_q[WARPS];

    logic [WARPS-1:0] owned_q, initialised_q;
    word_t end_pc_q[WARPS];
    wid_t warp_slot_q[WARPS], warp_rank_q[WARPS];

    logic room;

    always_comb begin
        word_t window;
        for (int a = 0; a < 3; ++a) block[a] = origin_q[a] + inner_q[a];
        first = inner_q == '0;
        base = tail_q >= usable ? 0 : tail_q;
        window = cluster > usable ? usable : cluster;
        if (!first) window = 1;
        else if (base + window > usable) base = 0;
        room = 1'b1;
        for (int s = 0; s < WARPS; ++s) if (s >= base && s < base + window && slot_used_q[s]) room = 1'b0;
    end

    always_comb begin
        start_warp = '0;
        start_valid = 1'b0;
        for (int w = WARPS - 1; w >= 0; --w) begin
            if (state_q == EXPAND && !active[w] && !owned_q[w]) begin
                start_valid = 1'b1;
                start_warp.wid = wid_t'(w);
            end
        end
        start_warp.pc = initialised_q[start_warp.wid] ? end_pc_q[start_warp.wid] - 32'(rewind_q) : reg_q[0];
        for (int i = 0; i < LANES; ++i) start_warp.mask[i] = rank_q * LANES + i < reg_q[13];
        start_warp.param = reg_q[4];
        start_warp.slot = slot_q;
        start_warp.rank = wid_t'(rank_q);
    end

    // The block after this one: inside the cluster, then the next cluster; x is the fastest axis.
    logic [2:0][31:0] next_inner, next_origin;
    logic more;
    always_comb begin
        next_inner = inner_q;
        next_origin = origin_q;
        more = 1'b0;
        for (int a = 0; a < 3; ++a) begin
            if (!more) begin
                next_inner[a] = inner_q[a] + 1;
                more = next_inner[a] < cdim[a];
                if (!more) next_inner[a] = 0;
            end
        end
        for (int a = 0; a < 3; ++a) begin
            if (!more) begin
                next_origin[a] = origin_q[a] + cdim[a];
                more = next_origin[a] < grid[a];
                if (!more) next_origin[a] = 0;
            end
        end
    end

    wire started = start_valid && start_ready;
    wire ended = end_valid && owned_q[end_wid];
    wire retired = ended && slot_live_q[warp_slot_q[end_wid]] == 1;
    wire accepted = state_q == ADMIT && room;

    always_ff @(posedge clk) begin
        if (write && write_addr[11:5] == 7'd0 && write_addr[4]) reg_q[{1'b0, write_addr[3:0]}] <= write_data;
        if (write && write_addr[11:4] == 8'h02) reg_q[{1'b1, write_addr[3:0]}] <= write_data;
        if (write && write_addr == 12'h030) rewind_q <= write_data[4:0];

        if (ended) begin
            owned_q[end_wid] <= 1'b0;
            end_pc_q[end_wid] <= end_pc;
            slot_live_q[warp_slot_q[end_wid]] <= slot_live_q[warp_slot_q[end_wid]] - 1;
            if (retired) slot_used_q[warp_slot_q[end_wid]] <= 1'b0;
        end

        case (state_q)
            ADMIT:
            if (room) begin
                slot_q <= wid_t'(base);
                slot_used_q[wid_t'(base)] <= 1'b1;
                slot_live_q[wid_t'(base)] <= num_warps;
                slot_block_q[wid_t'(base)] <= block;
                tail_q <= base + 1 >= usable ? 0 : base + 1;
                rank_q <= 0;
                state_q <= EXPAND;
            end
            EXPAND:
            if (started) begin
                owned_q[start_warp.wid] <= 1'b1;
                initialised_q[start_warp.wid] <= 1'b1;
                warp_slot_q[start_warp.wid] <= slot_q;
                warp_rank_q[start_warp.wid] <= wid_t'(rank_q);
                rank_q <= rank_q + 1;
                if (rank_q + 1 == num_warps) begin
                    state_q <= more ? ADMIT : IDLE;
                    inner_q <= next_inner;
                    origin_q <= next_origin;
                end
            end
            default: ;
        endcase

        if (start) begin
            state_q <= empty ? IDLE : ADMIT;
            origin_q <= '0;
            inner_q <= '0;
            tail_q <= 0;
            initialised_q <= '0;
        end
        if (reset) begin
            state_q <= IDLE;
            rewind_q <= 5'd20;
            slot_used_q <= '0;
            owned_q <= '0;
            initialised_q <= '0;
            for (int i = 0; i < 32; ++i) reg_q[i] <= 0;
        end
    end

    assign busy = state_q != IDLE || slot_used_q != '0;

    // ---------------------------------------------------------------- what warps and observers see

    always_comb begin
        word_t linear;
        csr_cta = '0;
        csr_cta.slot = warp_slot_q[csr_wid];
        csr_cta.rank = warp_rank_q[csr_wid];
        csr_cta.size = num_warps;
        for (int i = 0; i < LANES && csr_valid; ++i) begin
            linear = 32'(warp_rank_q[csr_wid]) * LANES + i;
            csr_cta.thread[0][i] = linear % dim[0];
            csr_cta.thread[1][i] = linear / dim[0] % dim[1];
            csr_cta.thread[2][i] = linear / dim[0] / dim[1] % dim[2];
        end
        csr_cta.block = slot_block_q[csr_cta.slot];
        csr_cta.block_dim = dim;
        csr_cta.grid_dim = grid;
        csr_cta.lmem = LMEM_BASE + stride * 32'(csr_cta.slot);
        csr_cta.cluster = cluster;
        csr_cta.entry = reg_q[2];

        events = '0;
        events.accepted = accepted;
        events.first = first;
        events.block = block;
        events.slot = wid_t'(base);
        events.lmem = LMEM_BASE + stride * base;
        events.warps = num_warps;
        events.started = started;
        events.start = start_warp;
        events.ended = ended;
        events.end_wid = end_wid;
        events.end_slot = warp_slot_q[end_wid];
        events.retired = retired;
    end
endmodule
