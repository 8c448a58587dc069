// Constants and types that more than one block shares. Everything here follows from the configuration macros.
`include "vx_config.svh"

package vx_pkg;

    /* verilator lint_off UNUSEDPARAM */  // one top alone does not use every constant

    localparam int XLEN = `VX_CFG_XLEN;
    localparam int FLEN = `VX_CFG_FLEN;
    localparam bit EXT_M = `VX_CFG_EXT_M != 0;
    localparam bit EXT_F = `VX_CFG_EXT_F != 0;
    localparam bit EXT_A = `VX_CFG_EXT_A != 0;
    localparam bit EXT_ZICOND = `VX_CFG_EXT_ZICOND != 0;
    localparam bit EXT_SIMT_FULL = `VX_CFG_EXT_SIMT_FULL != 0;
    localparam bit EXT_PACKED = `VX_CFG_EXT_PACKED != 0 && EXT_SIMT_FULL && EXT_F;  // packed loads

    localparam int NUM_CLUSTERS = `VX_CFG_NUM_CLUSTERS;
    localparam int NUM_CORES = `VX_CFG_NUM_CORES;  // per cluster
    localparam int TOTAL_CORES = NUM_CLUSTERS * NUM_CORES;
    localparam int NUM_WARPS = `VX_CFG_NUM_WARPS;
    localparam int NUM_THREADS = `VX_CFG_NUM_THREADS;
    localparam int SIMD_WIDTH = `VX_CFG_SIMD_WIDTH;  // lanes that a unit has; a warp takes BEATS of them
    localparam int BEATS = NUM_THREADS / SIMD_WIDTH;
    localparam int NUM_BARRIERS = `VX_CFG_NUM_BARRIERS;

    localparam int NW_BITS = $clog2(NUM_WARPS);
    localparam int NW_WIDTH = NW_BITS > 0 ? NW_BITS : 1;
    localparam int NT_BITS = $clog2(NUM_THREADS);
    localparam int NT_WIDTH = NT_BITS > 0 ? NT_BITS : 1;
    localparam int NB_BITS = $clog2(NUM_BARRIERS);
    localparam int NB_WIDTH = NB_BITS > 0 ? NB_BITS : 1;
    localparam int CTA_TID_WIDTH = NW_BITS + NT_BITS > 0 ? NW_BITS + NT_BITS : 1;
    localparam int IPDOM_DEPTH = NUM_THREADS > 1 ? NUM_THREADS - 1 : 1;
    localparam int IPDOM_WIDTH = $clog2(IPDOM_DEPTH + 1);

    localparam int MEM_ADDR_WIDTH = `VX_CFG_AXI_ADDR_WIDTH;
    localparam int LINE_BYTES = `VX_CFG_L1_LINE_SIZE;
    localparam int LINE_BITS = 8 * LINE_BYTES;
    localparam int LINE_OFFSET_BITS = $clog2(LINE_BYTES);
    localparam int LINE_ADDR_WIDTH = MEM_ADDR_WIDTH - LINE_OFFSET_BITS;
    localparam int LMEM_LOG_SIZE = `VX_CFG_LMEM_LOG_SIZE;
    localparam logic [XLEN-1:0] LMEM_BASE = XLEN'(`VX_CFG_STACK_BASE_ADDR);
    localparam logic [XLEN-1:0] IO_BASE = XLEN'(32'h40);
    localparam logic [XLEN-1:0] IO_END = XLEN'(32'h10000);

    // Instructions are numbered per warp in program order. Nothing but the trace outputs reads the number, so a
    // netlist without probes does not contain it.
    localparam int UID_WIDTH = 32;

    localparam int PERF_WIDTH = 44;  // bits of a performance counter

    // Register file selector and number: {file, number}; file 0 integer, 1 float.
    localparam int REG_WIDTH = 6;

    typedef logic [XLEN-1:0] word_t;
    typedef logic [NUM_THREADS-1:0] tmask_t;
    typedef logic [NW_WIDTH-1:0] wid_t;
    typedef logic [UID_WIDTH-1:0] uid_t;
    typedef logic [NUM_THREADS-1:0][XLEN-1:0] lanes_t;

    // Values of the FAULT_KIND register.
    typedef enum logic [3:0] {
        FAULT_NONE = 4'd0,
        FAULT_BUS_READ = 4'd1,
        FAULT_BUS_WRITE = 4'd2,
        FAULT_ILLEGAL = 4'd3,
        FAULT_FETCH = 4'd4,
        FAULT_WATCHDOG = 4'd5,
        FAULT_MISALIGNED = 4'd6
    } fault_kind_t;

    // ---------------------------------------------------------------- DCR map (reference section 4)

    localparam logic [11:0] DCR_CACHE_FLUSH = 12'h000;
    localparam logic [11:0] DCR_MPM_VALUE = 12'h001;
    localparam logic [11:0] DCR_KMU_BASE = 12'h010;
    localparam logic [11:0] DCR_KMU_END = 12'h024;
    localparam logic [11:0] DCR_REWIND = 12'h030;  // private: 12, 16 or 20; 20 after reset

    // ---------------------------------------------------------------- KMU -> core

    localparam int CTA_DIM_WIDTH = CTA_TID_WIDTH + 1;
    localparam int CLUSTER_SIZE_WIDTH = NW_WIDTH + 1;

    typedef struct packed {
        word_t pc;
        word_t entry;
        word_t param;
        logic [2:0][31:0] block_idx;  // index 0 is x
        logic [2:0][CTA_DIM_WIDTH-1:0] block_dim;
        logic [2:0][31:0] grid_dim;
        logic [CTA_DIM_WIDTH-1:0] block_size;
        logic [2:0][CTA_TID_WIDTH-1:0] warp_step;
        logic [LMEM_LOG_SIZE:0] lmem_stride;  // LMEM_SIZE rounded up to 64 bytes
        logic [CLUSTER_SIZE_WIDTH-1:0] cluster_size;
        logic first_of_cluster;
        logic last_of_cluster;
    } cta_desc_t;

    // ---------------------------------------------------------------- CTA dispatch <-> core pipeline

    typedef struct packed {
        wid_t wid;
        word_t pc;
        tmask_t tmask;
        word_t param;  // becomes MSCRATCH
        wid_t slot;
    } warp_start_t;

    // Everything that the CTA CSRs of one warp read.
    typedef struct packed {
        wid_t slot;
        wid_t rank;
        logic [NW_WIDTH:0] num_warps;
        logic [NUM_THREADS-1:0][2:0][CTA_TID_WIDTH-1:0] thread_idx;  // [lane][axis]
        logic [2:0][31:0] block_idx;
        logic [2:0][CTA_DIM_WIDTH-1:0] block_dim;
        logic [2:0][31:0] grid_dim;
        word_t lmem_addr;
        logic [CLUSTER_SIZE_WIDTH-1:0] cluster_size;
        word_t entry;
    } cta_csrs_t;

    // ---------------------------------------------------------------- barrier unit <-> unit for barriers of all cores

    localparam int BARRIER_ENTRIES = NUM_WARPS * NUM_BARRIERS;
    localparam int BARRIER_WIDTH = BARRIER_ENTRIES > 1 ? $clog2(BARRIER_ENTRIES) : 1;
    localparam int CORE_COUNT_WIDTH = $clog2(TOTAL_CORES + 1);

    typedef struct packed {
        logic valid;
        logic recheck;  // no arrival: a warp has ended, so the core may have arrived
        logic [BARRIER_WIDTH-1:0] entry;
        logic [CORE_COUNT_WIDTH-1:0] cores;  // that take part
    } gbar_req_t;

    typedef struct packed {
        logic turn;  // the unit works on a request
        logic [BARRIER_WIDTH-1:0] entry;
        logic mine;  // ... for this core's request
        logic recheck;  // ... which is a recheck
        logic grant;  // this core's operation may take effect now
        logic complete;  // ... and ends the phase
        logic ending;  // another core's operation is about to end the phase
        logic release_phase;  // ... and does it now
    } gbar_rsp_t;

    // ---------------------------------------------------------------- core pipeline <-> caches and LMEM

    localparam int ITAG_WIDTH = NW_WIDTH + 2;  // the fetch unit's own use: warp and an epoch
    localparam int DTAG_WIDTH = 6;  // index into the LSU's table of outstanding loads

    typedef struct packed {
        logic [MEM_ADDR_WIDTH-1:0] addr;  // word aligned
        logic [ITAG_WIDTH-1:0] tag;
    } icache_req_t;

    typedef struct packed {
        logic [31:0] data;
        logic [ITAG_WIDTH-1:0] tag;
        logic err;  // bus error on the line
    } icache_rsp_t;

    // What an atomic does (reference section 2.14).
    typedef enum logic [3:0] {
        AMO_NONE,
        AMO_LR,
        AMO_SC,
        AMO_SWAP,
        AMO_ADD,
        AMO_XOR,
        AMO_OR,
        AMO_AND,
        AMO_MIN,
        AMO_MAX,
        AMO_MINU,
        AMO_MAXU
    } amo_op_t;

    // An atomic of several lanes on one line. Lane i is at place i modulo AMO_PLACES: its operand is that word of the
    // request's data, the number of the 4-byte word that it works on is in bits [4 * place +: 4] of the byte enables, and
    // its result is that word of the response. Lanes of one request lie in one run of AMO_PLACES lanes.
    localparam int AMO_PLACES = LINE_BYTES / (XLEN / 8);
    typedef struct packed {
        amo_op_t op;  // AMO_NONE: an ordinary read or write
        logic wide;  // 8 bytes instead of 4
        logic upper;  // lanes from AMO_PLACES on (only with more lanes than places)
        wid_t wid;  // for LR and SC: whose reservation
        logic [AMO_PLACES-1:0] mask;
    } amo_t;

    // One request is one cache line; the LSU has merged the lanes that fall into it.
    typedef struct packed {
        logic rw;  // 1 = write; writes get no response
        amo_t amo;  // an atomic is no write for the cache: rw is 0 and there is a response
        logic io;  // uncached window: exact byte enables, no line kept, order kept
        logic [LINE_ADDR_WIDTH-1:0] addr;
        logic [LINE_BYTES-1:0] byteen;  // of a read too: the bytes that are wanted
        logic [LINE_BITS-1:0] data;
        logic [DTAG_WIDTH-1:0] tag;
    } dcache_req_t;

    typedef struct packed {
        logic [LINE_BITS-1:0] data;
        logic [DTAG_WIDTH-1:0] tag;
        logic err;
    } dcache_rsp_t;

    // One request is one instruction's lanes; a conflict of banks is resolved inside, highest lane last.
    typedef struct packed {
        logic rw;  // 1 = write; writes get no response
        tmask_t mask;
        logic [NUM_THREADS-1:0][LMEM_LOG_SIZE-1:0] addr;  // byte offset in LMEM
        logic [NUM_THREADS-1:0][XLEN/8-1:0] byteen;
        lanes_t data;  // already shifted to its byte position
        logic [DTAG_WIDTH-1:0] tag;
    } lmem_req_t;

    typedef struct packed {
        lanes_t data;  // whole words; the LSU extracts and extends
        logic [DTAG_WIDTH-1:0] tag;
    } lmem_rsp_t;

    // ---------------------------------------------------------------- L1 caches <-> memory arbiter

    typedef struct packed {
        logic rw;
        amo_t amo;
        logic [LINE_ADDR_WIDTH-1:0] addr;
        logic [LINE_BYTES-1:0] byteen;
        logic [LINE_BITS-1:0] data;
    } mem_req_t;

endpackage
