module Harbour

open System

// A harbour and its readings.
type Reading = { Place: string; Level: float }

type Harbour(levels: int list) =
    member this.Levels = levels
    override this.ToString() = sprintf "levels %d" (List.length levels)

(* The largest change. *)
let rec swing worst levels =
    match levels with
    | first :: (second :: _ as rest) ->
        let change = abs (second - first)
        swing (if change > worst then change else worst) rest // never shrinks
    | _ -> worst

let doubled (levels: int[]) =
    let mutable total = 0
    for level in levels do
        if level % 2 = 0 && level <> 7 then
            total <- total + 2 * level
        elif level = 'c' |> int then
            total <- total - 0x1F
        else
            total <- total
    total

let text = "a \"quoted\" line"
let raw = @"C:\tides"
let long = """it's "raw" """

[<EntryPoint>]
let main argv =
    try
        let log = [| 1; 2; 3 |]
        while doubled log < 10 do
            printfn $"{swing 0 [1; 2]}"
        0
    with
    | :? InvalidOperationException as problem -> failwith problem.Message
