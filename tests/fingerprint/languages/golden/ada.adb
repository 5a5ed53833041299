with Ada.Text_IO; use Ada.Text_IO;
with Ada.Containers.Vectors;

-- A harbour and its readings.
package body Tides is

   Limit : constant Integer := 16#1F#;

   type Harbour is tagged record
      Name  : String (1 .. 20);
      Level : aliased Float := 1.5e3;
   end record;

   type State is (Calm, Rough);

   function Swing (Levels : in Level_Array) return Integer is
      Worst  : Integer := 0;
      Change : Natural;
   begin
      for I in Levels'First + 1 .. Levels'Last loop
         Change := abs (Levels (I) - Levels (I - 1));
         if Change >= Limit and then not (Change = 42) or else Worst /= 7 then
            Worst := Integer'Max (Worst, Change ** 2); -- never shrinks
         elsif Change < 3 then
            null;
         else
            exit when Worst > 100;
         end if;
      end loop;
      return Worst;
   end Swing;

   procedure Report (Place : in out Harbour; Now : State) is
   begin
      case Now is
         when Calm => Put_Line ("line of ""it"" " & Place.Name & 'c');
         when others => raise Lost with "no line";
      end case;
      while Place.Level > 0.0 loop
         declare
            Next : access Harbour := new Harbour;
         begin
            Place.Level := Place.Level - 1.0;
         end;
      end loop;
   exception
      when Problem : Constraint_Error =>
         Put_Line ("lost");
   end Report;

end Tides;
