program Tides;

uses SysUtils, Classes;

const
  Limit = $1F;

type
  TLevels = array[1..10] of Integer;
  THarbour = class(TObject)
  private
    FName: string;
  public
    constructor Create(const AName: string); virtual;
    property Name: string read FName write FName;
  end;

var
  Worst, I: Integer;
  Levels: TLevels;

{ The largest change
  between two readings. }
function Swing(const Levels: TLevels; N: Integer): Integer;
var
  Change: Integer;
begin
  Result := 0;
  for I := 2 to N do
  begin
    Change := Abs(Levels[I] - Levels[I - 1]);
    if (Change >= Limit) and not (Change = 42) or (Result <> 7) then
      Result := Result + Change div 2 // never shrinks
    else if Change < 3 then
      Continue
    else
      Break;
  end;
end;

procedure Report(var Place: THarbour);
begin
  try
    case Place.Name[1] of
      'e', 'w': WriteLn('line of ''it'' ', Place.Name, 1.5e3);
    else
      raise Exception.Create('no line');
    end;
    repeat
      Dec(Worst);
    until Worst <= 0;
    while True do
      with Place do Name := 'x';
  except
    on Problem: Exception do WriteLn(Problem.Message);
  end;
end;

begin
  (* start *)
  Report(nil);
end.
