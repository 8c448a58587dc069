// Interrupt sources and error bits: IRQ_STATUS, IRQ_ENABLE, ERROR_STATUS.
//
// Contract: events latch their bits whether or not the source is enabled; an event wins over a clear in the same cycle.
// `raise` names the vectors to raise in this cycle: every event of an enabled source, also if its bit was set before, and
// every set bit whose source becomes enabled.
module vx_irq_unit
    import vx_pcie_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire event_kernel,
    input wire event_dma,
    input wire event_doorbell,
    input errors_t event_error,

    input wire write_enable,
    input wire [3:0] enable_value,
    input wire [3:0] acknowledge,
    input errors_t clear_errors,

    output logic [3:0] status,
    output logic [3:0] enable,
    output errors_t errors,
    output logic [3:0] raise
);
    logic [3:0] occurs;
    assign occurs = {event_doorbell, event_error != '0, event_dma, event_kernel};

    always_comb begin
        raise = occurs & enable;
        if (write_enable) raise |= enable_value & ~enable & status;
    end

    always_ff @(posedge clk) begin
        status <= (status & ~acknowledge) | occurs;
        errors <= (errors & ~clear_errors) | event_error;
        if (write_enable) enable <= enable_value;
        if (reset) begin
            status <= '0;
            errors <= '0;
            enable <= '0;
        end
    end
endmodule
