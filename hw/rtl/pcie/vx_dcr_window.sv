// The DCR bus: accesses of the host (DCR_* registers) and of the launch unit, and whose answer an answer is.
//
// Contract
// * `command` for one cycle with address and data: 01 write, 10 read. Refused (`refused`, same cycle): both, anything while a
//   read is pending, a launch register while `launch_busy`, a read that nobody answers.
// * A host write is on the bus soon (`settled` until then low); a read is `pending` until its answer. `hold`: the core is in
//   reset or just was, nothing is sent; a read that the reset swallowed is sent again.
// * Launch side: `ln_valid` until `ln_ready`; a read also until `ln_answer`, with one read on the bus at a time.
module vx_dcr_window
    import vx_pkg::*;
(
    input wire clk,
    input wire reset,
    input wire soft_reset,
    input wire hold,
    input wire launch_busy,

    input wire [1:0] command,
    input wire [11:0] addr,
    input wire [31:0] data,
    output logic refused,
    output logic pending,
    output logic answered,
    output logic response_valid,
    output logic [31:0] response,
    output logic settled,

    input wire ln_valid,
    output logic ln_ready,
    input wire ln_write,
    input wire [11:0] ln_addr,
    input wire [31:0] ln_data,
    output logic ln_answer,

    output logic dcr_req_valid,
    output logic dcr_req_rw,
    output logic [11:0] dcr_req_addr,
    output logic [31:0] dcr_req_data,
    input wire dcr_rsp_valid,
    input wire [31:0] dcr_rsp_data
);
    logic is_kmu, answerable, accepted;
    assign is_kmu = (addr >= DCR_KMU_BASE && addr < DCR_KMU_END) || addr == DCR_REWIND;
    assign answerable = (addr == DCR_CACHE_FLUSH || addr == DCR_MPM_VALUE) && 32'(data[15:0]) < 32'(TOTAL_CORES);
    assign refused = command != 2'b00 &&
        (pending || command == 2'b11 || (launch_busy && is_kmu) || (command == 2'b10 && !answerable));
    assign accepted = command != 2'b00 && !refused;

    logic write_waits_q, read_waits_q, host_reads_q, launch_reads_q, gap_q;
    logic [11:0] addr_q;
    logic [31:0] data_q;

    logic reading, send_host, send_launch;
    assign reading = host_reads_q || launch_reads_q;
    assign send_host = !hold && !gap_q && (write_waits_q || (read_waits_q && !reading));
    assign ln_ready = ln_valid && !hold && !gap_q && !send_host && (ln_write || !reading);
    assign send_launch = ln_ready;

    always_ff @(posedge clk) begin
        dcr_req_valid <= send_host || send_launch;
        gap_q <= send_host || send_launch;  // one idle cycle between requests
        dcr_req_rw <= send_host ? write_waits_q : ln_write;
        dcr_req_addr <= send_host ? addr_q : ln_addr;
        dcr_req_data <= send_host ? data_q : ln_data;

        if (accepted) begin
            addr_q <= addr;
            data_q <= data;
            write_waits_q <= command[0];
            read_waits_q <= command[1];
            if (command[1]) response_valid <= 1'b0;
        end
        if (send_host) begin
            write_waits_q <= 1'b0;
            read_waits_q <= 1'b0;
            if (!write_waits_q) host_reads_q <= 1'b1;
        end
        if (send_launch && !ln_write) launch_reads_q <= 1'b1;
        if (dcr_rsp_valid) begin
            host_reads_q <= 1'b0;
            launch_reads_q <= 1'b0;
        end
        if (answered) begin
            response <= dcr_rsp_data;
            response_valid <= 1'b1;
        end
        if (hold) begin
            launch_reads_q <= 1'b0;
            host_reads_q <= 1'b0;
            if (host_reads_q && !answered) read_waits_q <= 1'b1;
        end
        if (reset || soft_reset) begin
            dcr_req_valid <= 1'b0;
            gap_q <= 1'b0;
            write_waits_q <= 1'b0;
            read_waits_q <= 1'b0;
            host_reads_q <= 1'b0;
            launch_reads_q <= 1'b0;
            response_valid <= 1'b0;
            response <= '0;
        end
    end

    assign pending = read_waits_q || host_reads_q;
    assign answered = dcr_rsp_valid && host_reads_q;
    assign ln_answer = dcr_rsp_valid && launch_reads_q;
    assign settled = !write_waits_q;
endmodule
