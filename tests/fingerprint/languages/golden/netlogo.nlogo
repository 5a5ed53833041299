; A harbour and its readings
extensions [ table csv ]
globals [ worst floor-level ]
breed [ boats boat ]
boats-own [ levels change ]
patches-own [ place ]

to setup
  clear-all
  create-boats 20 [
    setxy random-xcor random-ycor
    set levels (list 1.5 2 -3e2)
    set change 0
  ]
  ask patches with [ pxcor > 0 and not any? boats-here ] [ set pcolor blue ]
  set worst 0
  reset-ticks
end

; The largest change between two readings
to-report swing [ harbour ]
  let top 0
  (foreach but-last harbour but-first harbour [ [ before after ] ->
    let problem abs (after - before)
    if problem >= floor-level [ set top max (list top problem) ] ; never shrinks
  ])
  report top
end

to go
  if not any? boats [ stop ]
  ask boats [
    ifelse change != 0
      [ rt random 50 fd 1 ]
      [ set change swing levels
        print (word "it's " change " \"high\"") ]
    while [ change > 10 ] [ set change change / 2 ]
  ]
  set worst max [ change ] of boats
  tick
end
@#$#@#$#@
GRAPHICS-WINDOW
210
10
647
448
-1
-1
13.0
BUTTON
20
20
90
53
NIL
setup
NIL
1
T
OBSERVER
@#$#@#$#@
## WHAT IS IT?

A harbour.
@#$#@#$#@
default
true
0
@#$#@#$#@
NetLogo 6.4.0
@#$#@#$#@
