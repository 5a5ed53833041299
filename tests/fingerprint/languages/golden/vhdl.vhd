-- A harbour and its readings.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity harbour is
    generic (WIDTH : integer := 8);
    port (
        clk     : in  std_logic;
        reset_n : in  std_logic;
        level   : in  unsigned(WIDTH - 1 downto 0);
        worst   : out unsigned(WIDTH - 1 downto 0)
    );
end entity harbour;

architecture rtl of harbour is
    constant LIMIT : unsigned(7 downto 0) := x"1F";
    type state_t is (calm, rough);
    signal state : state_t := calm;
    signal before, change : unsigned(WIDTH - 1 downto 0);
begin
    change <= level - before when level > before else before - level;

    process (clk, reset_n)
        variable count : integer range 0 to 15 := 0;
    begin
        if reset_n = '0' then
            worst <= (others => '0');
        elsif rising_edge(clk) then
            if change >= LIMIT and not (change = 42) or count /= 7 then
                worst <= shift_left(change, 2); -- never shrinks
            else
                case state is
                    when calm => before <= level;
                    when rough => count := count + 1;
                    when others => null;
                end case;
            end if;
            for i in 0 to 9 loop
                exit when i = 5;
            end loop;
            while count > 0 loop
                count := count - 1;
            end loop;
            assert false report "no line" severity warning;
        end if;
    end process;

    gauge : entity work.gauge port map (clk => clk, d => level);
end architecture rtl;
