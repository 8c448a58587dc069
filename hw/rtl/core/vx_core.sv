// One core: NUM_WARPS warps of NUM_THREADS lanes, CTA dispatcher, local memory, fetch, execution and LSU.
//
// Port list and trace wires are those of docs/architecture.md; the pipeline is drawn in README.md of this folder.
module vx_core
    import vx_pkg::*;
    import vx_trace_pkg::*;
#(
    parameter int CORE_ID = 0
) (
    input wire clk,
    input wire reset,

    input wire launch,
    input wire [4:0] rewind,
    input wire cta_valid,
    output logic cta_ready,
    input cta_desc_t cta,

    output logic icache_req_valid,
    input wire icache_req_ready,
    output icache_req_t icache_req,
    input wire icache_rsp_valid,
    input icache_rsp_t icache_rsp,

    output logic dcache_req_valid,
    input wire dcache_req_ready,
    output dcache_req_t dcache_req,
    input wire dcache_rsp_valid,
    output logic dcache_rsp_ready,
    input dcache_rsp_t dcache_rsp,

    output logic dcache_flush_valid,
    input wire dcache_flush_done,

    input wire [5:0] mpm_index,
    output logic [31:0] mpm_value,

    output logic busy,
    output logic fault_valid,
    output fault_kind_t fault_kind,
    output logic [63:0] fault_addr,
    output logic [63:0] fault_pc,
    output logic [31:0] fault_info
);
    // Skeleton: ports only, the pipeline follows.
endmodule
