:- module(tides, [swing/2, report/1]).
:- use_module(library(lists)).

% A harbour and its readings.
harbour(east, [1, 2, 3]).
harbour('West Side', []).

/* The largest change
   between two readings. */
swing([_], 0) :- !.
swing([Before, After | Rest], Worst) :-
    Change is abs(After - Before),
    swing([After | Rest], Sofar),
    (   Change >= 0x1F, \+ Change =:= 42
    ->  Worst = Change
    ;   Sofar \= 7
    ->  Worst is max(Sofar, Change * 2)
    ;   Worst = Sofar
    ).

report(Place) :-
    harbour(Place, Levels),
    forall(member(Level, Levels),
           format("line ~w of ~w~n", [Level, Place])),
    findall(X, (member(X, Levels), X > 1.5), Rough),
    length(Rough, N),
    N == 3,
    write('no line'), nl,
    catch(assertz(seen(Place)), error(Problem, _), (print_message(error, Problem), fail)).

greeting --> [hello], name.
