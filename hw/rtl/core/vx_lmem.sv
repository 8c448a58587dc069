// Local memory of one core: as many banks as lanes, one word a bank and cycle, bank = low bits of the word address.
//
// Contract
// * One request carries the lanes of one instruction. Lanes that fall into one bank are served one after the other,
//   lowest lane first, so the highest lane's store is what remains; lanes that read one word share its access.
// * A request is finished before the next one is looked at: program order holds for all lanes. `req_ready` rises in the
//   request's last cycle; a request without conflicts takes one cycle.
// * A read has exactly one response, in order, one cycle after its `req_ready`; a write has none. Lanes outside the mask
//   read as zero. The content is not cleared by reset.
module vx_lmem
    import vx_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire req_valid,
    output logic req_ready,
    input lmem_req_t req,

    output logic rsp_valid,
    input wire rsp_ready,
    output lmem_rsp_t rsp
);
    assign req_ready = 1'b0;
    assign rsp_valid = 1'b0;
    assign rsp = '0;
endmodule
