// What a core shows of itself: plain structs on internal wires named `trace_*` in vx_core. The design drives them,
// nothing in it reads them; a probe is bound to vx_core and samples them at the clock edge at which `valid` is high.
package vx_trace_pkg;

    import vx_pkg::*;

    // An instruction entered the instruction buffer of its warp (it will issue).
    typedef struct packed {
        logic valid;
        wid_t wid;
    } trace_decode_t;

    // An instruction left for an execution unit; issue order is program order per warp, uid counts up by one.
    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        word_t pc;
        logic [31:0] instr;
        tmask_t tmask;
        wid_t slot;
    } trace_issue_t;

    // A packet of results was committed (the register file is written on the same edge).
    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        logic first;
        logic last;
        logic write;  // a register is written
        logic [REG_WIDTH-1:0] rd;
        tmask_t wmask;  // lanes of this packet that are written
        lanes_t data;
        logic [4:0] fflags;
    } trace_commit_t;

    // A branch, jump, trap or warp-control instruction decided where its warp goes. Not later than its last commit.
    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        word_t next_pc;
        tmask_t next_mask;
    } trace_control_t;

    // The LSU accepted a memory instruction, or some lanes of an atomic have been performed (all its events together have
    // every lane once, those in one event in ascending order; of an SC only lanes that stored). Not later than its last
    // commit; order is that of the LSU.
    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        logic [1:0] op;  // 0 load, 1 store, 2 fence, 3 atomic
        logic [1:0] space;  // 0 global, 1 LMEM, 2 I/O
        logic [3:0] size;  // bytes
        tmask_t mask;
        lanes_t addr;
        lanes_t data;  // of stores and atomics, in the low bytes
    } trace_memory_t;

    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        logic [1:0] op;  // 0 sync, 1 arrive, 2 wait, 3 expect-tx
        logic [31:0] id;
        logic [31:0] count;  // of wait the token, of expect-tx the transactions
        logic phase;  // before the operation
        logic [NUM_WARPS-1:0] released;  // warps that this operation lets go, the arriving one included
    } trace_barrier_t;

    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        logic [1:0] op;  // 0 push, 1 flip, 2 pop
        logic [IPDOM_WIDTH-1:0] sp;  // stack pointer before the operation
        tmask_t mask;  // original mask of the entry
        word_t pc;  // saved PC of the entry
    } trace_ipdom_t;

    // The warp was stopped. Instructions of it with a higher uid may still commit.
    typedef struct packed {
        logic valid;
        wid_t wid;
        uid_t uid;
        fault_kind_t kind;
        word_t pc;
        word_t addr;
        tmask_t tmask;
    } trace_fault_t;

    // Dispatcher events; several can happen in one cycle, so each has its own valid.
    typedef struct packed {
        logic accept_valid;
        logic [2:0][31:0] accept_block_idx;
        wid_t accept_slot;
        word_t accept_lmem_addr;
        logic accept_first_of_cluster;
        logic [NW_WIDTH:0] accept_num_warps;

        logic start_valid;
        warp_start_t start;
        wid_t start_rank;

        logic end_valid;
        wid_t end_wid;
        wid_t end_slot;

        logic retire_valid;
        wid_t retire_slot;
    } trace_cta_t;

    // A WSPAWN started these warps, for no CTA; each begins at `pc` with lane 0.
    typedef struct packed {
        logic valid;
        logic [NUM_WARPS-1:0] warps;
        word_t pc;
    } trace_spawn_t;

endpackage
