{-# LANGUAGE ScopedTypeVariables #-}
module Tides.Harbour (swing, report) where

import qualified Data.Map as Map
import Data.List (sort, nub)

{- A harbour
   and its readings. -}
data Harbour a = Harbour { name :: String, readings :: Map.Map String [Int] }
  | Closed
  deriving (Show, Eq)

class Place p where
  label :: p -> String

instance Place (Harbour a) where
  label (Harbour n _) = "harbour " ++ n
  label Closed = "clo\"sed"

limit :: Int
limit = 0x1F

-- | The largest change.
swing :: (Ord a, Num a) => [a] -> a
swing levels = foldr max 0 (zipWith change levels (tail levels))
  where
    change before after
      | after >= before && not (after == 42) || before /= 7 = after - before
      | otherwise = negate 1

report :: [String] -> IO ()
report places = do
  let doubled = [x * 2 | x <- [1 .. 10], even x]
  line <- getLine
  case line of
    "" -> return ()
    ('c' : rest) -> mapM_ putStrLn $ map (\p -> p ++ rest) places
    _ -> if null places then print 1.5e3 else putStrLn `mapM_` places
  print $ sort doubled
