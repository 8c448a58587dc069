// Types between the L1 caches and the AXI master; requests are `mem_req_t` of vx_pkg.
package vx_mem_pkg;

    import vx_pkg::*;

    // Every cache is one source of requests: core c has the I-cache 2c and the D-cache 2c + 1.
    localparam int NUM_SOURCES = 2 * TOTAL_CORES;
    localparam int SOURCE_WIDTH = $clog2(NUM_SOURCES);
    localparam int CORE_WIDTH = TOTAL_CORES > 1 ? $clog2(TOTAL_CORES) : 1;

    typedef logic [SOURCE_WIDTH-1:0] source_t;
    typedef logic [CORE_WIDTH-1:0] core_index_t;
    typedef logic [LINE_ADDR_WIDTH-1:0] line_addr_t;
    typedef logic [LINE_BITS-1:0] line_t;

    // A cache's own number of an outstanding read: its MSHR, MEM_TAG_IO, or MEM_TAG_AMO + number of an atomic.
    localparam int MEM_TAG_WIDTH = 4;
    localparam int MAX_MSHRS = 8;
    localparam int MAX_AMOS = 4;
    typedef logic [MEM_TAG_WIDTH-1:0] mem_tag_t;
    localparam mem_tag_t MEM_TAG_IO = mem_tag_t'(MAX_MSHRS);
    localparam mem_tag_t MEM_TAG_AMO = mem_tag_t'(12);

    typedef struct packed {
        line_t data;
        mem_tag_t tag;
        logic err;
    } mem_rsp_t;

    // Counters of one cache since reset, in the order of the DCACHE class of MPM (reference section 3.5).
    typedef struct packed {
        logic [PERF_WIDTH-1:0] reads;
        logic [PERF_WIDTH-1:0] writes;
        logic [PERF_WIDTH-1:0] read_misses;
        logic [PERF_WIDTH-1:0] write_misses;
        logic [PERF_WIDTH-1:0] evictions;
        logic [PERF_WIDTH-1:0] mshr_stalls;
    } cache_perf_t;

    // Counters of the memory requests of one core, in the order of the MEM class.
    typedef struct packed {
        logic [PERF_WIDTH-1:0] reads;
        logic [PERF_WIDTH-1:0] writes;
        logic [PERF_WIDTH-1:0] latency;  // sum over reads, atomics included
        logic [PERF_WIDTH-1:0] stalls;  // cycles in which a request waited
    } mem_perf_t;

endpackage
