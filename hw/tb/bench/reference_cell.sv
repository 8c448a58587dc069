// One cell of the ring of reference.sv.

module reference_cell #(
    parameter logic [31:0] seed = 32'h1
) (
    input logic clk,
    input logic reset,
    input logic [31:0] from_neighbour,
    output logic [31:0] to_neighbour,
    output logic [63:0] sum
);

    logic [31:0] random;
    logic [31:0] registers[32];
    logic [31:0] left, right;
    logic [63:0] product;
    logic [4:0] target[2];
    logic [1:0] valid;

    wire [31:0] shifted_left = random ^ (random << 13);
    wire [31:0] shifted_right = shifted_left ^ (shifted_left >> 17);
    wire [31:0] next_random = shifted_right ^ (shifted_right << 5);

    always_ff @(posedge clk) begin
        if (reset) begin
            random <= seed;
            valid <= '0;
            sum <= '0;
            to_neighbour <= '0;
            for (int index = 0; index < 32; ++index) registers[index] <= '0;
        end else begin
            random <= next_random;
            // A cell rests now and then, so that work is as uneven as in a real pipeline.
            valid <= {valid[0], random[3:0] != 4'd0};
            if (random[3:0] != 4'd0) begin
                left <= registers[random[8:4]] + random;
                right <= registers[random[13:9]] ^ from_neighbour;
                target[0] <= random[18:14];
            end
            if (valid[0]) begin
                product <= left * right;
                target[1] <= target[0];
            end
            if (valid[1]) begin
                case (target[1][1:0])
                    2'd0: sum <= sum + product;
                    2'd1: sum <= sum ^ {product[31:0], product[63:32]};
                    2'd2: sum <= {sum[62:0], sum[63]} + product;
                    default: sum <= sum - product;
                endcase
                registers[target[1]] <= product[47:16];
                to_neighbour <= product[31:0] ^ sum[31:0];
            end
        end
    end

endmodule
