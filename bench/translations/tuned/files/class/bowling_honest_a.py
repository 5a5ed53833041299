import argparse
import random


def frames(rolls):
    """Split the rolls into ten frames."""
    rolls = iter(rolls)
    result = []
    while len(result) < 9:
        first = next(rolls)
        result.append([10] if first == 10 else [first, next(rolls)])
    result.append(list(rolls))
    return result


def points(all_frames):
    flat = [pins for frame in all_frames for pins in frame]
    position, running, table = 0, 0, []
    for frame in all_frames[:9]:
        needed = 3 if sum(frame) == 10 else 2
        running += sum(flat[position : position + needed])
        position += len(frame)
        table.append(running)
    table.append(running + sum(all_frames[-1]))
    return table


def symbol(frame):
    if frame[0] == 10:
        return " X"
    return f"{frame[0]}/" if sum(frame[:2]) == 10 else f"{frame[0]}{frame[1]}"


def random_rolls(generator):
    rolls = []
    for _ in range(9):
        first = generator.randint(0, 10)
        rolls.append(first)
        if first < 10:
            rolls.append(generator.randint(0, 10 - first))
    first = generator.randint(0, 10)
    second = generator.randint(0, 10 if first == 10 else 10 - first)
    rolls += [first, second]
    if first + second >= 10:
        rolls.append(generator.randint(0, 10))
    return rolls


def main():
    parser = argparse.ArgumentParser(description="Simulate games of bowling")
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    generator = random.Random(options.seed)
    for number in range(options.games):
        game = frames(random_rolls(generator))
        print("game", number + 1)
        print(" | ".join(symbol(frame).ljust(3) for frame in game))
        print(" | ".join(str(total).ljust(3) for total in points(game)))


if __name__ == "__main__":
    main()
