include "tides.dfy"

// A harbour and its readings.
datatype Reading = Reading(level: int, place: string)

/* The largest
   change. */
method swing(levels: array<int>) returns (worst: int)
  requires levels.Length > 0
  ensures forall i :: 0 < i < levels.Length ==> worst >= levels[i] - levels[i - 1]
{
  worst := 0;
  var i := 1;
  while i < levels.Length
    invariant 1 <= i <= levels.Length // never shrinks
    decreases levels.Length - i
  {
    var change := levels[i] - levels[i - 1];
    if change > worst && change != 0x1F {
      worst := change;
    } else if !(change == 7) || change < 0 {
      worst := if worst < 0 then -worst else worst;
    }
    i := i + 1;
  }
}

function doubled(s: seq<int>): int
{
  if |s| == 0 then 0 else 2 * s[0] + doubled(s[1..])
}

lemma {:induction s} Harbour(s: seq<int>, problem: bool)
  requires problem
{
  assert doubled([]) == 0;
}

class Harbour {
  var readings: set<char>
  constructor(place: char)
    modifies this
  {
    readings := {place, 'c', '\n'};
    new;
  }
}

method Main() {
  print "levels \"of\" 1\n", @"C:\tides";
  match doubled([1, 2]) { case 6 => print 1.5; case _ => return; }
}
