// Front end: warp table, fetch, decode and instruction buffers.
//
// Contract: vx_scheduler's and vx_ibuffer's; this module only connects them. `trace_decode` is valid for a word that enters
// its warp's buffer.
module vx_frontend
    import vx_pkg::*;
    import vx_core_pkg::*;
    import vx_trace_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire start_valid,
    input warp_start_t start,
    output logic end_valid,
    output wid_t end_wid,
    output word_t end_pc,

    output logic icache_req_valid,
    input wire icache_req_ready,
    output icache_req_t icache_req,
    input wire icache_rsp_valid,
    input icache_rsp_t icache_rsp,

    output logic [NUM_WARPS-1:0] head_valid,
    output hazard_t head[NUM_WARPS],
    input wire issue_valid,
    input wid_t issue_wid,
    output ibuf_entry_t entry,

    input wire branch_valid,
    input wid_t branch_wid,
    input word_t branch_pc,
    input wire resolve_valid,
    input wire resolve_resume,
    input wid_t resolve_wid,
    input word_t resolve_pc,
    input tmask_t resolve_mask,
    input wire [NUM_WARPS-1:0] released,
    input wire [NUM_WARPS-1:0] spawned,
    input word_t spawn_pc,

    input wire stop_valid,
    input wid_t stop_wid,
    input word_t stop_pc,
    input wire [NUM_WARPS-1:0] idle,
    output logic fetch_fault_valid,
    output wid_t fetch_fault_wid,
    output word_t fetch_fault_pc,
    output fault_kind_t fetch_fault_kind,

    output logic [NUM_WARPS-1:0] active,
    output logic [NUM_WARPS-1:0] stopping,
    output logic [NUM_WARPS-1:0] stalled,
    output logic [NUM_WARPS-1:0] fetching,
    output logic fetch_valid,
    output logic [NUM_WARPS-1:0] quiet,
    output tmask_t tmask[NUM_WARPS],
    output wid_t slot[NUM_WARPS],
    output trace_decode_t trace_decode
);
    logic fetch_ready;
    wid_t fetch_wid;
    word_t fetch_pc;
    epoch_t fetch_epoch;
    logic [NUM_WARPS-1:0] room;
    wid_t rsp_wid;
    epoch_t rsp_epoch;
    logic rsp_live;
    word_t rsp_pc;
    logic push_valid;
    decoded_t dec;
    logic decode_stall, decode_jump;
    word_t decode_target;
    ibuf_entry_t push_entry;

    assign {rsp_epoch, rsp_wid} = icache_rsp.tag;
    assign push_valid = rsp_live && !icache_rsp.err;
    assign decode_target = align_pc(rsp_pc + word_t'(signed'(dec.imm)));
    assign trace_decode = '{valid: push_valid, wid: rsp_wid};

    always_comb begin
        push_entry = '0;
        if (push_valid) push_entry = '{dec: dec, pc: rsp_pc, instr: icache_rsp.data};
    end

    vx_scheduler scheduler (
        .rsp_valid(icache_rsp_valid),
        .rsp_err(icache_rsp.err),
        .*
    );

    vx_fetch fetch (
        .req_valid(icache_req_valid),
        .req_ready(icache_req_ready),
        .req(icache_req),
        .*
    );

    vx_decode decode (
        .valid(push_valid),
        .instr(icache_rsp.data),
        .dec,
        .stall(decode_stall),
        .jump(decode_jump)
    );

    vx_ibuffer ibuffer (
        .reserve_valid(fetch_valid),
        .reserve_wid(fetch_wid),
        .drop_valid(icache_rsp_valid && !push_valid),
        .drop_wid(rsp_wid),
        .push_wid(rsp_wid),
        .flush_valid(stop_valid),
        .flush_wid(stop_wid),
        .pop_valid(issue_valid),
        .read_wid(issue_wid),
        .read_entry(entry),
        .*
    );
endmodule
