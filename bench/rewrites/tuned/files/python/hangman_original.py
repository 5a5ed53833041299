import random

WORDS = ["python", "variable", "function", "keyboard", "integer", "recursion"]
MAX_ERRORS = 7


class Hangman:
    def __init__(self, word):
        self.word = word
        self.guessed = set()
        self.errors = 0

    def masked(self):
        result = ""
        for letter in self.word:
            if letter in self.guessed:
                result += letter + " "
            else:
                result += "_ "
        return result.strip()

    def guess(self, letter):
        if len(letter) != 1 or not letter.isalpha():
            return "Please enter one letter"
        if letter in self.guessed:
            return "You already tried this letter"
        self.guessed.add(letter)
        if letter in self.word:
            return "Good guess"
        self.errors += 1
        return "Wrong, %d tries left" % (MAX_ERRORS - self.errors)

    def won(self):
        for letter in self.word:
            if letter not in self.guessed:
                return False
        return True

    def lost(self):
        return self.errors >= MAX_ERRORS

    def points(self):
        score = 10 * len(self.word) - 5 * self.errors
        if score < 0:
            score = 0
        return score


def play():
    game = Hangman(random.choice(WORDS))
    while not game.won() and not game.lost():
        print(game.masked())
        letter = input("Letter: ").lower()
        print(game.guess(letter))
    if game.won():
        print("You won with", game.points(), "points")
    else:
        print("You lost, the word was", game.word)
    return game.points() if game.won() else 0


def main():
    total = 0
    again = "y"
    while again == "y":
        total += play()
        print("Total:", total)
        again = input("Play again (y/n)? ").lower()


main()
