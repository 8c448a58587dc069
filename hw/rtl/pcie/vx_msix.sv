// MSI-X: vector table, pending bits, messages.
//
// Contract
// * `raise` sets pending bits. While nothing holds a vector back (`enable`, not `function_mask`, not its own mask), its
//   message leaves once, with the table entry as it is then; of several vectors the lowest first.
// * `msix_*` is valid/ready; a message that is shown stays, also over `reset`.
// * `settled`: every message that may leave has been shown, or waits for a shell that is not ready.
// * `soft_reset`: table zero, vectors masked, nothing pending.
module vx_msix
    import vx_pcie_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire soft_reset,
    input wire enable,
    input wire function_mask,

    input wire write,
    input wire [3:0] write_vector,
    input wire [1:0] write_word,
    input wire [31:0] write_data,
    input wire [3:0] read_vector,
    input wire [1:0] read_word,
    output logic [31:0] read_data,
    output logic [MSIX_VECTORS-1:0] pending,

    input wire [MSIX_VECTORS-1:0] raise,
    output logic settled,

    output logic msix_valid,
    input wire msix_ready,
    output logic [3:0] msix_vector,
    output logic [63:0] msix_addr,
    output logic [31:0] msix_data
);
    logic [61:0] addr_q[MSIX_VECTORS];
    logic [31:0] data_q[MSIX_VECTORS];
    logic [MSIX_VECTORS-1:0] mask_q, pending_q, free;

    assign free = pending_q & ~mask_q & {MSIX_VECTORS{enable && !function_mask}};
    assign settled = free == '0 || (msix_valid && !msix_ready);
    assign pending = pending_q;

    logic any, load;
    logic [3:0] lowest;
    vx_priority_encoder #(
        .N(MSIX_VECTORS)
    ) select (
        .bits(free),
        .valid(any),
        .index(lowest)
    );
    assign load = any && (!msix_valid || msix_ready);

    always_ff @(posedge clk) begin
        if (msix_ready) msix_valid <= 1'b0;
        if (load) begin
            msix_valid <= 1'b1;
            msix_vector <= lowest;
            msix_addr <= {addr_q[lowest], 2'b00};
            msix_data <= data_q[lowest];
        end
        pending_q <= (pending_q & ~(load ? MSIX_VECTORS'(1) << lowest : '0)) | raise;
        if (soft_reset) begin
            pending_q <= '0;
            if (!msix_valid || msix_ready) msix_valid <= 1'b0;
        end
        if (reset) begin
            pending_q <= '0;
            msix_valid <= 1'b0;
        end
    end

    always_ff @(posedge clk) begin
        if (write) begin
            case (write_word)
                2'd0: addr_q[write_vector][29:0] <= write_data[31:2];
                2'd1: addr_q[write_vector][61:30] <= write_data;
                2'd2: data_q[write_vector] <= write_data;
                default: mask_q[write_vector] <= write_data[0];
            endcase
        end
        if (reset || soft_reset) begin
            mask_q <= '1;
            for (int v = 0; v < MSIX_VECTORS; ++v) begin
                addr_q[v] <= '0;
                data_q[v] <= '0;
            end
        end
    end

    always_comb begin
        case (read_word)
            2'd0: read_data = {addr_q[read_vector][29:0], 2'b00};
            2'd1: read_data = addr_q[read_vector][61:30];
            2'd2: read_data = data_q[read_vector];
            default: read_data = {31'd0, mask_q[read_vector]};
        endcase
    end

`ifndef SYNTHESIS
    logic waiting_q;
    logic [99:0] shown_q;
    always_ff @(posedge clk) begin
        waiting_q <= msix_valid && !msix_ready && !reset;
        shown_q <= {msix_vector, msix_addr, msix_data};
        if (!reset && waiting_q)
            assert (msix_valid && {msix_vector, msix_addr, msix_data} == shown_q)
            else $error("vx_msix: a message changed before it was accepted");
    end
`endif
endmodule
