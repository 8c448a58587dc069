// Exchange between the lanes of a warp: votes, shuffles and WGATHER (reference sections 2.9 to 2.11).
//
// Contract
// * SIMD_WIDTH lanes are put together in a cycle. `ready` says that `result` and `mask` are complete: at once with one beat
//   and for votes, which are one word for all lanes, else in the cycle of the last beat; they stay until `taken`.
// * `mask` has the lanes that are written: the active ones, except that WGATHER writes every lane that is no source lane,
//   active or not.
// * A shuffle whose source lane is outside its segment or inactive gives the lane's own value. It looks at as many low bits
//   of each field of the second operand as a lane number has.
module vx_lane_ops
    import vx_pkg::*;
    import vx_core_pkg::*;
(
    input wire clk,
    input wire reset,

    input wire valid,
    input op_t op,
    input wire [1:0] kind,  // of vote or shuffle, or the source lane of WGATHER
    input tmask_t tmask,
    input tmask_t predicate,  // bit 0 of each lane's rs1
    input lanes_t rs1,
    /* verilator lint_off UNUSEDSIGNAL */  // a shuffle needs 18 bits of the second operand
    input lanes_t rs2,
    /* verilator lint_on UNUSEDSIGNAL */
    input lanes_t rs3,

    output logic ready,
    input wire taken,
    output lanes_t result,
    output tmask_t mask
);
    typedef logic [NT_WIDTH-1:0] lane_t;
    typedef logic signed [NT_WIDTH+1:0] source_t;  // a lane number, one step beyond both ends

    localparam lane_t LANE_BITS = lane_t'(NUM_THREADS - 1);

    function automatic lane_t shuffle_source(input logic [1:0] how, input lane_t lane, input lane_t b, input lane_t c,
                                             input lane_t m, input tmask_t active);
        lane_t low, high;
        source_t source;
        low = lane & m;
        high = low | (c & ~m);
        unique case (how)
            2'd0: source = source_t'({2'b0, lane}) - source_t'({2'b0, b});
            2'd1: source = source_t'({2'b0, lane}) + source_t'({2'b0, b});
            2'd2: source = source_t'({2'b0, lane ^ b});
            default: source = source_t'({2'b0, low | (b & ~m)});
        endcase
        shuffle_source = lane;
        if (how == 2'd0 ? source >= source_t'({2'b0, low}) : source <= source_t'({2'b0, high})) begin
            if (active[lane_t'(source)]) shuffle_source = lane_t'(source);
        end
    endfunction

    // ---------------------------------------------------------------- one beat

    lane_t base;  // first lane of the beat
    slice_t part;
    word_t vote;

    always_comb begin
        automatic tmask_t ones;
        automatic lane_t last;
        automatic lane_t lane;
        automatic lane_t source;
        automatic logic [1:0] place;
        part = '0;
        mask = '0;
        ones = '0;
        vote = '0;
        last = '0;
        lane = '0;
        source = '0;
        place = '0;
        if (valid) begin
            mask = tmask;
            case (op)
                SFU_VOTE: begin
                    ones = tmask & predicate;
                    unique case (kind)
                        2'd0: vote = word_t'(ones == tmask);
                        2'd1: vote = word_t'(ones != '0);
                        2'd2: vote = word_t'(ones == tmask || ones == '0);
                        default: vote = word_t'(ones);
                    endcase
                    part = {SIMD_WIDTH{vote}};
                end

                SFU_SHUFFLE: begin
                    for (int i = 0; i < SIMD_WIDTH; ++i) begin
                        lane = base + lane_t'(i);
                        part[i] = rs1[shuffle_source(
                            kind,
                            lane,
                            rs2[lane][NT_WIDTH-1:0] & LANE_BITS,
                            rs2[lane][6+:NT_WIDTH] & LANE_BITS,
                            rs2[lane][12+:NT_WIDTH] & LANE_BITS,
                            tmask
                        )];
                    end
                end

                SFU_WGATHER: begin
                    last = last_lane(tmask);
                    for (int i = 0; i < NUM_THREADS; ++i) mask[i] = 2'(i) != kind;
                    for (int i = 0; i < SIMD_WIDTH; ++i) begin
                        // Lane `kind` of the group hands its operands to the three lanes after it, cyclically.
                        lane = base + lane_t'(i);
                        source = last;
                        if ((32'(lane) & ~32'd3) + 32'(kind) < NUM_THREADS) begin
                            if (tmask[lane_t'((32'(lane) & ~32'd3) + 32'(kind))])
                                source = lane_t'((32'(lane) & ~32'd3) + 32'(kind));
                        end
                        place = 2'(lane) - kind;
                        unique case (place)
                            2'd1: part[i] = rs1[source];
                            2'd2: part[i] = rs2[source];
                            2'd3: part[i] = rs3[source];
                            default: ;
                        endcase
                    end
                    if (NUM_THREADS == 1) begin
                        mask = '1;
                        part[0] = rs1[0];
                    end
                end

                default: ;
            endcase
        end
    end

    // ---------------------------------------------------------------- all beats

    if (BEATS == 1) begin : g_whole
        assign base = '0;
        assign ready = 1'b1;
        assign result = part;

        logic unused;
        assign unused = &{1'b0, clk, reset, taken};
    end else begin : g_beats
        logic [$clog2(BEATS)-1:0] beat_q;
        lanes_t kept_q;

        assign base = lane_t'(32'(beat_q) * SIMD_WIDTH);
        assign ready = !valid || op == SFU_VOTE || beat_q == '1;

        always_comb begin
            result = '0;
            if (valid) begin
                result = kept_q;
                result[NUM_THREADS-SIMD_WIDTH+:SIMD_WIDTH] = part;
                if (op == SFU_VOTE) result = {NUM_THREADS{vote}};
            end
        end

        always_ff @(posedge clk) begin
            if (!ready) begin
                for (int b = 0; b < BEATS; ++b) if (32'(beat_q) == b) kept_q[b*SIMD_WIDTH+:SIMD_WIDTH] <= part;
                beat_q <= beat_q + 1'b1;
            end
            if (taken) beat_q <= '0;
            if (reset) beat_q <= '0;
        end
    end
endmodule
