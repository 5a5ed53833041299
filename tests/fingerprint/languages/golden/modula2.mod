MODULE Tides;

FROM InOut IMPORT WriteString, WriteInt, WriteLn;
IMPORT Storage;

CONST
  limit = 31;

TYPE
  Harbour = RECORD
    name: ARRAY [0..19] OF CHAR;
    level: REAL;
  END;

VAR
  readings: ARRAY [1..10] OF INTEGER;
  calm: BOOLEAN;

(* A harbour and
   its readings. *)
PROCEDURE Swing(VAR levels: ARRAY OF INTEGER; n: CARDINAL): INTEGER;
VAR
  worst, change: INTEGER;
  i: CARDINAL;
BEGIN
  worst := 0;
  FOR i := 1 TO n - 1 DO
    change := ABS(levels[i] - levels[i - 1]);
    IF (change >= limit) AND NOT (change = 42) OR (worst # 7) THEN
      worst := worst + change DIV 2; (* never shrinks *)
    ELSIF change < 3 THEN
      WriteString("line of 'it'");
    ELSE
      EXIT;
    END;
  END;
  RETURN worst;
END Swing;

PROCEDURE Report(place: Harbour);
BEGIN
  CASE place.name[0] OF
    'e', 'w': WriteInt(readings[1], 4); WriteLn;
  | 'n': calm := TRUE;
  ELSE
    HALT;
  END;
  WHILE calm DO
    REPEAT
      place.level := place.level * 1.5;
    UNTIL place.level > 100.0;
  END;
END Report;

BEGIN
  calm := Swing(readings, 10) <= 0;
END Tides.
