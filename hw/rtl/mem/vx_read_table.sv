// Outstanding reads of one AXI bank: the AXI id of a read is the number of its entry, which remembers whose read it is.
//
// Contract
// * `conflict[s]`: a read of the block that source s asks for is unanswered (a write must wait: AXI orders no channels, so
//   it could overtake the read).
// * `enter` (only while `any_free`) enters address, source and tag under `free_id` on the clock edge; `release_valid` frees
//   `lookup_id`. `lookup_*` is combinational; `lookup_used` is low for an id that no read has (reset in mid-transfer).
module vx_read_table
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int ENTRIES = 16,
    localparam int ID_WIDTH = ENTRIES > 1 ? $clog2(ENTRIES) : 1
) (
    input wire clk,
    input wire reset,

    input wire [NUM_SOURCES-1:0] valid,
    input line_addr_t addr[NUM_SOURCES],
    output logic [NUM_SOURCES-1:0] conflict,

    output logic any_free,
    output logic [ID_WIDTH-1:0] free_id,
    input wire enter,
    input source_t enter_source,
    input mem_tag_t enter_tag,

    input wire [ID_WIDTH-1:0] lookup_id,
    output logic lookup_used,
    output source_t lookup_source,
    output mem_tag_t lookup_tag,
    input wire release_valid,

    output logic idle
);
    logic [ENTRIES-1:0] used_q;
    line_addr_t addr_q[ENTRIES];
    source_t source_q[ENTRIES];
    mem_tag_t tag_q[ENTRIES];

    vx_priority_encoder #(
        .N(ENTRIES)
    ) free_select (
        .bits(~used_q),
        .valid(any_free),
        .index(free_id)
    );

    always_comb begin
        conflict = '0;
        for (int s = 0; s < NUM_SOURCES; ++s) begin
            if (valid[s]) begin
                for (int e = 0; e < ENTRIES; ++e) if (used_q[e] && addr_q[e] == addr[s]) conflict[s] = 1'b1;
            end
        end
    end

    assign lookup_used = used_q[lookup_id];
    assign lookup_source = source_q[lookup_id];
    assign lookup_tag = tag_q[lookup_id];
    assign idle = used_q == '0;

    always_ff @(posedge clk) begin
        if (release_valid) used_q[lookup_id] <= 1'b0;
        if (enter) begin
            used_q[free_id] <= 1'b1;
            addr_q[free_id] <= addr[enter_source];
            source_q[free_id] <= enter_source;
            tag_q[free_id] <= enter_tag;
        end
        if (reset) used_q <= '0;
    end
endmodule
