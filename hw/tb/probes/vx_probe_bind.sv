// Puts a probe into every core. Leaving this file out of the build gives a model without probes.
bind vx_core vx_probe #(
    .CORE_ID(CORE_ID)
) probe (
    .clk(clk),
    .reset(reset),
    .trace_decode(trace_decode),
    .trace_issue(trace_issue),
    .trace_commit(trace_commit),
    .trace_control(trace_control),
    .trace_memory(trace_memory),
    .trace_barrier(trace_barrier),
    .trace_ipdom(trace_ipdom),
    .trace_fault(trace_fault),
    .trace_cta(trace_cta),
    .trace_spawn(trace_spawn)
);
