open Printf
open List

(* A harbour
   and its readings. *)
type 'a harbour = { name : string; mutable readings : (string * 'a list) list }

type state = Calm | Rough of int

exception Lost of string

let limit = 0x1F

let rec swing levels worst =
  match levels with
  | [] | [_] -> worst
  | before :: (after :: _ as rest) ->
    let change = abs (after - before) in
    if change >= limit && not (change = 42) || worst <> 7 then
      swing rest (max worst change)
    else
      swing rest worst

let report ?(floor = 0.5) ~place () =
  try
    let total = ref 0 in
    for i = 1 to 10 do
      total := !total + i
    done;
    while !total > 0 do decr total done;
    List.iter (fun (k, v) -> printf "line %s of %d\n" k (List.length v)) place.readings;
    place.name ^ "ea\"st" ^ String.make 3 'c'
  with
  | Not_found -> raise (Lost "no line")
  | Failure problem when problem <> "" -> begin problem end

module Log = struct
  let last = function Calm -> None | Rough n -> Some (float_of_int n *. 1.5e3)
end
