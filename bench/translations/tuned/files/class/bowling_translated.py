class Game:
    def __init__(self, player):
        self.player = player
        self.rolls = []

    def roll(self, pins):
        if pins < 0 or pins > 10:
            raise ValueError(f"Invalid number of pins: {pins}")
        self.rolls.append(pins)

    def is_strike(self, index):
        return self.rolls[index] == 10

    def is_spare(self, index):
        return self.rolls[index] + self.rolls[index + 1] == 10

    def strike_bonus(self, index):
        return self.rolls[index + 1] + self.rolls[index + 2]

    def score(self):
        total = 0
        index = 0
        for frame in range(10):
            if self.is_strike(index):
                total += 10 + self.strike_bonus(index)
                index += 1
            elif self.is_spare(index):
                total += 10 + self.rolls[index + 2]
                index += 2
            else:
                total += self.rolls[index] + self.rolls[index + 1]
                index += 2
        return total

    def grade(self):
        total = self.score()
        if total == 300:
            return "perfect game"
        if total >= 180:
            return "professional"
        if total >= 110:
            return "good"
        return "beginner"


def parse_line(line):
    parts = line.split(":")
    game = Game(parts[0].strip())
    for symbol in parts[1].split():
        if symbol == "X":
            game.roll(10)
        elif symbol == "/":
            game.roll(10 - game.rolls[-1])
        elif symbol == "-":
            game.roll(0)
        else:
            game.roll(int(symbol))
    return game


def best(games):
    winner = games[0]
    for game in games:
        if game.score() > winner.score():
            winner = game
    return winner


games = [
    parse_line("Walter: X X X X X X X X X X X X"),
    parse_line("Donny: 9 - 8 / 7 / X 3 4 5 / X X 6 2 8 /  X"),
    parse_line("Smokey: 8 1 7 2 - - 3 3 4 5 9 - 2 2 1 / 6 1 X 5 4"),
]
for game in games:
    print(f"{game.player} scored {game.score()} ({game.grade()})")
print("The winner is " + best(games).player)
