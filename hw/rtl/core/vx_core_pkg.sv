// Types that only the core pipeline uses: the decoded instruction, what an execution unit receives and what it commits.
package vx_core_pkg;

    import vx_pkg::*;

    localparam int IBUF_SIZE = 4;  // instructions buffered per warp, words on their way from the cache included
    localparam int INFLIGHT_WIDTH = 6;  // issued and not committed instructions of one warp
    localparam int EPOCH_WIDTH = ITAG_WIDTH - NW_WIDTH;

    typedef logic [REG_WIDTH-1:0] reg_t;  // {file, number}
    typedef logic [EPOCH_WIDTH-1:0] epoch_t;
    typedef logic [INFLIGHT_WIDTH-1:0] inflight_t;

    typedef enum logic [2:0] {
        UNIT_ALU,
        UNIT_MUL,
        UNIT_DIV,
        UNIT_LSU,
        UNIT_SFU,
        UNIT_FPU,  // float but division and square root
        UNIT_FDIV
    } unit_t;
    localparam int NUM_UNITS = 7;

    // `op` of an instruction; its meaning depends on the unit.
    localparam int OP_WIDTH = 7;
    typedef logic [OP_WIDTH-1:0] op_t;

    typedef enum op_t {
        ALU_ADD,
        ALU_SUB,
        ALU_SLL,
        ALU_SLT,
        ALU_SLTU,
        ALU_XOR,
        ALU_SRL,
        ALU_SRA,
        ALU_OR,
        ALU_AND,
        ALU_CZERO_EQZ,
        ALU_CZERO_NEZ,
        ALU_LUI,
        ALU_JAL,
        ALU_JALR,
        ALU_BEQ,
        ALU_BNE,
        ALU_BLT,
        ALU_BGE,
        ALU_BLTU,
        ALU_BGEU
    } alu_op_t;

    // Multiplier and divider: op[1:0] is the low half of funct3. Float units: vx_fpu_pkg::fpu_op_t.

    // LSU: {pieces, atomic, fence, store, unsigned, log2 size}. Of an atomic imm[3:0] is the amo_op_t, and the offset is 0.
    // A packed load has `pieces`: 32 bits per lane, put together from pieces of the given size that lie rs2 apart.
    typedef struct packed {
        logic pieces;
        logic atomic;
        logic fence;
        logic store;
        logic is_unsigned;
        logic [1:0] log_size;
    } lsu_op_t;

    typedef enum op_t {
        SFU_TMC,
        SFU_SPLIT,
        SFU_JOIN,
        SFU_PRED,
        SFU_BAR,
        SFU_WSYNC,
        SFU_CSRRW,
        SFU_CSRRS,
        SFU_CSRRC,
        SFU_ILLEGAL,
        SFU_WSPAWN,
        SFU_BAR_ARRIVE,
        SFU_BAR_WAIT,
        SFU_TRAP,  // imm is the cause
        SFU_RETURN,
        SFU_VOTE,  // imm[1:0]: all, any, uni, ballot
        SFU_SHUFFLE,  // imm[1:0]: up, down, butterfly, index
        SFU_WGATHER  // imm[1:0] is the source lane of each group of four
    } sfu_op_t;

    // Operations of the barrier unit, as the trace shows them.
    typedef enum logic [1:0] {
        BARRIER_SYNC,
        BARRIER_ARRIVE,
        BARRIER_WAIT,
        BARRIER_EXPECT
    } barrier_op_t;

    // Immediates fit into 32 bits for every XLEN and are sign-extended where they are used. For CSR instructions imm is
    // {zimm, number}; for SPLIT and PRED bit 0 says "negated"; for float instructions imm is the rounding mode.
    typedef struct packed {
        unit_t unit;
        op_t op;
        logic is_word;  // the 32-bit form of RV64
        logic use_pc;  // first operand is the PC
        logic use_imm;  // second operand is the immediate
        logic [31:0] imm;
        reg_t rd;
        reg_t rs1;
        reg_t rs2;
        reg_t rs3;
        logic use_rd;  // rd is written and is not x0
        logic use_rs1;
        logic use_rs2;
        logic use_rs3;
        logic drain;  // alone of its warp in flight: waits for all older ones, and younger ones wait for it
        logic alone;  // issues only when no other warp of the core is active
    } decoded_t;

    // What the scoreboard looks at.
    typedef struct packed {
        unit_t unit;
        logic drain;
        logic alone;
        reg_t rd;
        reg_t rs1;
        reg_t rs2;
        reg_t rs3;
        logic use_rd;
        logic use_rs1;
        logic use_rs2;
        logic use_rs3;
    } hazard_t;

    typedef struct packed {
        decoded_t dec;
        word_t pc;
        logic [31:0] instr;
    } ibuf_entry_t;

    // Issue -> execution unit.
    typedef struct packed {
        wid_t wid;
        uid_t uid;
        word_t pc;
        tmask_t tmask;
        decoded_t dec;
        lanes_t rs1;
        lanes_t rs2;
        lanes_t rs3;
    } exec_t;

    localparam int PIECES = EXT_PACKED ? 4 : 1;  // accesses of one lane that one instruction can make
    typedef logic [1:0] piece_t;

    // Number of the last access of a lane.
    /* verilator lint_off UNUSEDSIGNAL */  // only the size matters, and whether it is a packed load
    function automatic piece_t last_piece(input lsu_op_t op);
        if (!EXT_PACKED || !op.pieces) return '0;
        return op.log_size[0] ? piece_t'(1) : piece_t'(3);
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    // What a unit keeps of an instruction until it commits.
    typedef struct packed {
        wid_t wid;
        uid_t uid;
        word_t pc;
        tmask_t tmask;
        logic use_rd;  // rd was reserved in the scoreboard
        reg_t rd;
    } exec_info_t;

    /* verilator lint_off UNUSEDSIGNAL */  // drops the operands
    function automatic exec_info_t info_of(input exec_t exec);
        return '{
            wid: exec.wid,
            uid: exec.uid,
            pc: exec.pc,
            tmask: exec.tmask,
            use_rd: exec.dec.use_rd,
            rd: exec.dec.rd
        };
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    // Execution unit -> commit: all lanes of one instruction at once.
    typedef struct packed {
        exec_info_t info;
        lanes_t data;
        fault_kind_t fault;  // not FAULT_NONE: nothing is written and the warp stops
        word_t fault_addr;
    } commit_t;

    // ---------------------------------------------------------------- beats
    // A unit with SIMD_WIDTH lanes executes a warp in beats: lanes [b * SIMD_WIDTH +: SIMD_WIDTH] in beat b, beats in
    // ascending order, those without an active lane left out. vx_beat_split makes beats of an instruction,
    // vx_beat_gather one commit of their results. With all lanes there is one beat and nothing to do.

    localparam int SIMD_BITS = $clog2(SIMD_WIDTH);
    localparam int PLACE_WIDTH = SIMD_BITS > 0 ? SIMD_BITS : 1;
    typedef logic [BEATS-1:0] beats_t;
    typedef logic [SIMD_WIDTH-1:0][XLEN-1:0] slice_t;

    // exec_t of one beat; the thread mask is still that of the warp.
    typedef struct packed {
        wid_t wid;
        uid_t uid;
        word_t pc;
        tmask_t tmask;
        decoded_t dec;
        slice_t rs1;
        slice_t rs2;
        slice_t rs3;
    } beat_t;

    // Result of one beat.
    typedef struct packed {
        exec_info_t info;
        slice_t data;
    } beat_result_t;

    /* verilator lint_off UNUSEDSIGNAL */  // drops the operands
    function automatic exec_info_t info_of_beat(input beat_t beat);
        return '{
            wid: beat.wid,
            uid: beat.uid,
            pc: beat.pc,
            tmask: beat.tmask,
            use_rd: beat.dec.use_rd,
            rd: beat.dec.rd
        };
    endfunction
    /* verilator lint_on UNUSEDSIGNAL */

    // Beats that an instruction takes: those with an active lane, or only the last of them.
    function automatic beats_t beats_of(input tmask_t mask, input logic only_last);
        beats_of = '0;
        for (int b = 0; b < BEATS; ++b) begin
            if (mask[b*SIMD_WIDTH+:SIMD_WIDTH] != '0) begin
                if (only_last) beats_of = '0;
                beats_of[b] = 1'b1;
            end
        end
    endfunction

    // Place of the highest active lane in its beat, which is the last one.
    function automatic logic [PLACE_WIDTH-1:0] last_in_beat(input tmask_t mask);
        return PLACE_WIDTH'(32'(last_lane(mask)) % SIMD_WIDTH);
    endfunction

    // Highest active lane: it supplies every operand that is one per warp.
    function automatic logic [NT_WIDTH-1:0] last_lane(input tmask_t mask);
        last_lane = '0;
        for (int i = 1; i < NUM_THREADS; ++i) if (mask[i]) last_lane = NT_WIDTH'(i);
    endfunction

    function automatic logic [NT_WIDTH-1:0] first_lane(input tmask_t mask);
        first_lane = '0;
        for (int i = NUM_THREADS - 1; i >= 0; --i) if (mask[i]) first_lane = NT_WIDTH'(i);
    endfunction

    // Where an access goes: the LMEM aperture, the I/O window, or global memory.
    function automatic logic is_lmem(input word_t addr);
        return (addr >> LMEM_LOG_SIZE) == (LMEM_BASE >> LMEM_LOG_SIZE);
    endfunction

    function automatic logic is_io(input word_t addr);
        return addr >= IO_BASE && addr < IO_END;
    endfunction

    // Round robin: the first set bit after `last`, wrapping around. `requests` must not be empty.
    function automatic wid_t next_warp(input logic [NUM_WARPS-1:0] requests, input wid_t last);
        logic [NUM_WARPS-1:0] above;
        logic [NUM_WARPS-1:0] candidates;
        above = requests & ~((NUM_WARPS'(2) << last) - NUM_WARPS'(1));
        candidates = (above != '0) ? above : requests;
        next_warp = '0;
        for (int w = NUM_WARPS - 1; w >= 0; --w) if (candidates[w]) next_warp = wid_t'(w);
    endfunction

    // The processor has 4-byte instructions only: an address that an instruction computes loses its low two bits.
    function automatic word_t align_pc(input word_t target);
        return target & ~word_t'(3);
    endfunction

endpackage
