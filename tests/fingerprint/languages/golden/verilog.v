`timescale 1ns / 1ps
`include "tides.vh"

// A harbour and its readings.
module harbour #(parameter WIDTH = 8) (
    input wire clk,
    input wire reset_n,
    input wire [WIDTH-1:0] level,
    output reg [WIDTH-1:0] worst
);
    localparam LIMIT = 8'h1F;
    reg [WIDTH-1:0] before;
    wire [WIDTH-1:0] change;
    integer i;

    assign change = (level > before) ? level - before : before - level;

    /* The largest change
       between two readings. */
    always @(posedge clk or negedge reset_n) begin
        if (!reset_n) begin
            worst <= 0;
            before <= {WIDTH{1'b0}};
        end else if (change >= LIMIT && ~(change == 42) || worst != 7) begin
            worst <= change << 2; // never shrinks
        end else begin
            case (state)
                2'b00: before <= level;
                2'b01, 2'b10: before <= before + 1;
                default: $display("no line %d", level);
            endcase
        end
    end

    initial begin
        for (i = 0; i < 10; i = i + 1) #5 before = i;
        while (change) @(posedge clk);
        $finish;
    end

    function [7:0] doubled;
        input [7:0] x;
        doubled = x * 2;
    endfunction

    and gate (out, a, b);
endmodule
