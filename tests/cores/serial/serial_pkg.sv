// Shape and types of the serial core. The shape comes from the macros that every core under test gets.
`ifndef VX_CFG_NUM_WARPS
`define VX_CFG_NUM_WARPS 4
`endif
`ifndef VX_CFG_NUM_THREADS
`define VX_CFG_NUM_THREADS 4
`endif
`ifndef VX_CFG_NUM_BARRIERS
`define VX_CFG_NUM_BARRIERS 8
`endif
`ifndef VX_CFG_LMEM_LOG_SIZE
`define VX_CFG_LMEM_LOG_SIZE 14
`endif
`ifndef VX_CFG_STACK_BASE_ADDR
`define VX_CFG_STACK_BASE_ADDR 32'hffff0000
`endif

package serial_pkg;
    localparam int WARPS = `VX_CFG_NUM_WARPS;
    localparam int LANES = `VX_CFG_NUM_THREADS;
    localparam int BARRIERS = `VX_CFG_NUM_BARRIERS;
    localparam int DEPTH = LANES > 1 ? LANES - 1 : 1;  // of a warp's divergence stack
    localparam int LMEM_BYTES = 1 << `VX_CFG_LMEM_LOG_SIZE;
    localparam logic [31:0] LMEM_BASE = `VX_CFG_STACK_BASE_ADDR;

    localparam int WID_BITS = WARPS > 1 ? $clog2(WARPS) : 1;
    typedef logic [31:0] word_t;
    typedef logic [WID_BITS-1:0] wid_t;
    typedef logic [LANES-1:0] mask_t;
    typedef logic [LANES-1:0][31:0] vector_t;  // one word a lane
    typedef logic [$clog2(DEPTH+1)-1:0] depth_t;

    typedef enum logic [3:0] {
        NO_FAULT = 4'd0,
        READ_FAULT = 4'd1,
        WRITE_FAULT = 4'd2,
        ILLEGAL = 4'd3,
        FETCH_FAULT = 4'd4,
        MISALIGNED = 4'd6
    } fault_t;

    // A warp that begins to run a block.
    typedef struct packed {
        wid_t wid;
        word_t pc;
        mask_t mask;
        word_t param;
        wid_t slot;
        wid_t rank;
    } start_t;

    // What the CTA CSRs of one warp show; index 0 is x.
    typedef struct packed {
        wid_t slot;
        wid_t rank;
        word_t size;
        logic [2:0][LANES-1:0][31:0] thread;
        logic [2:0][31:0] block;
        logic [2:0][31:0] block_dim;
        logic [2:0][31:0] grid_dim;
        word_t lmem;
        word_t cluster;
        word_t entry;
    } cta_t;

    typedef enum logic [1:0] {
        STACK_NONE,
        STACK_PUSH,
        STACK_FLIP,
        STACK_POP
    } stack_op_t;

    // What one instruction does, apart from the data of a load.
    typedef struct packed {
        logic writes;  // register rd of the active lanes
        vector_t result;
        logic control;  // decides where the warp goes
        word_t next_pc;
        mask_t next_mask;
        stack_op_t stack;
        logic load;
        logic store;
        logic fence;
        logic [1:0] log_size;
        logic extend;  // sign of a load
        vector_t addr;
        vector_t data;
        logic barrier;
        logic csr;
        logic csr_write;
        word_t csr_value;  // operand of a write
        fault_t fault;
        word_t fault_addr;
    } effect_t;

    // One instruction has been executed, completely.
    typedef struct packed {
        logic valid;
        wid_t wid;
        wid_t slot;
        word_t pc;
        word_t instr;
        mask_t mask;
        effect_t effect;
        word_t barrier_id;
        word_t barrier_count;
        logic barrier_phase;
        logic [WARPS-1:0] released;
        depth_t sp;
        mask_t top_mask;
        word_t top_pc;
        logic fetch_failed;  // there was no instruction
    } retired_t;

    // Blocks and warps that begin and end.
    typedef struct packed {
        logic accepted;
        logic first;  // of its cluster
        logic [2:0][31:0] block;
        wid_t slot;
        word_t lmem;
        word_t warps;
        logic started;
        start_t start;
        logic ended;
        wid_t end_wid;
        wid_t end_slot;
        logic retired;
    } block_event_t;

    // The highest active lane speaks for its warp.
    function automatic int last_lane(input mask_t mask);
        last_lane = 0;
        for (int i = 0; i < LANES; ++i) if (mask[i]) last_lane = i;
    endfunction
endpackage
