// Outstanding writes of one AXI bank. An entry counts the unacknowledged writes of one source to one block, and its number
// is the AXI id of those writes: writes of one block by one source keep their order because AXI keeps it per id, and other
// blocks are free to be reordered. Another source's write to that block waits until the entry is gone, so a block never
// has two entries.
//
// Contract
// * `conflict[s]`: an acknowledgement of a write to the block that source s asks for is outstanding (a read must wait).
// * `writable[s]`: a write of source s can be entered now; `write_id[s]` is its id.
// * `enter` enters the write of `enter_source` on the clock edge. `ack` with `ack_id` ends the oldest write of that id and
//   tells source and block of it; an acknowledgement of nothing (reset in mid-transfer) is ignored.
module vx_write_tracker
    import vx_pkg::*;
    import vx_mem_pkg::*;
#(
    parameter int ENTRIES = 16,
    parameter int MAX_COUNT = 15,  // writes of one entry
    localparam int ID_WIDTH = ENTRIES > 1 ? $clog2(ENTRIES) : 1
) (
    input wire clk,
    input wire reset,

    input wire [NUM_SOURCES-1:0] valid,
    input line_addr_t addr[NUM_SOURCES],
    output logic [NUM_SOURCES-1:0] conflict,
    output logic [NUM_SOURCES-1:0] writable,
    output logic [ID_WIDTH-1:0] write_id[NUM_SOURCES],

    input wire enter,
    input source_t enter_source,

    input wire ack,
    input wire [ID_WIDTH-1:0] ack_id,
    output logic ack_valid,
    output source_t ack_source,
    output line_addr_t ack_addr,

    output logic idle
);
    typedef logic [ID_WIDTH-1:0] id_t;
    typedef logic [$clog2(MAX_COUNT+1)-1:0] count_t;

    logic [ENTRIES-1:0] used_q;
    count_t count_q[ENTRIES];  // 1 .. MAX_COUNT while used
    line_addr_t addr_q[ENTRIES];
    source_t source_q[ENTRIES];

    id_t free_id;
    logic any_free;
    vx_priority_encoder #(
        .N(ENTRIES)
    ) free_select (
        .bits(~used_q),
        .valid(any_free),
        .index(free_id)
    );

    always_comb begin
        conflict = '0;
        writable = '0;
        for (int s = 0; s < NUM_SOURCES; ++s) begin
            write_id[s] = free_id;
            if (valid[s]) begin
                writable[s] = any_free;
                for (int e = 0; e < ENTRIES; ++e) begin
                    if (used_q[e] && addr_q[e] == addr[s]) begin
                        conflict[s] = 1'b1;
                        // Two ids would leave the order of two sources' writes to the slave, and which bytes stay with it.
                        writable[s] = source_q[e] == source_t'(s) && count_q[e] != count_t'(MAX_COUNT);
                        if (source_q[e] == source_t'(s)) write_id[s] = id_t'(e);
                    end
                end
            end
        end
    end

    id_t enter_id;
    assign enter_id = write_id[enter_source];

    assign ack_valid = ack && used_q[ack_id];
    assign ack_source = source_q[ack_id];
    assign ack_addr = addr_q[ack_id];
    assign idle = used_q == '0;

    always_ff @(posedge clk) begin
        if (ack_valid && !(enter && enter_id == ack_id)) begin
            count_q[ack_id] <= count_q[ack_id] - count_t'(1);
            if (count_q[ack_id] == count_t'(1)) used_q[ack_id] <= 1'b0;
        end
        if (enter) begin
            used_q[enter_id] <= 1'b1;
            if (!used_q[enter_id]) begin
                count_q[enter_id] <= count_t'(1);
                addr_q[enter_id] <= addr[enter_source];
                source_q[enter_id] <= enter_source;
            end else if (!(ack_valid && enter_id == ack_id)) begin
                count_q[enter_id] <= count_q[enter_id] + count_t'(1);
            end
        end
        if (reset) used_q <= '0;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (!reset && enter)
            assert (writable[enter_source]) else $error("vx_write_tracker: a write was entered without a place");
    end
`endif
endmodule
