from random import randrange

PICTURES = ["", "|", "|-", "|-o", "|-o-", "|-o-<", "|-o-< x", "|-o-< xx"]


def read_letter(old):
    letter = ""
    while not letter:
        letter = input("Next letter please: ").strip().lower()
        if len(letter) > 1 or not letter.isalpha() or letter in old:
            print("This is not possible.")
            letter = ""
    return letter


def positions(word, letter):
    return [i for i in range(len(word)) if word[i] == letter]


def one_game(word):
    state = {}
    wrong = 0
    old = ""
    while True:
        line = ""
        for i in range(len(word)):
            line += state.get(i, ".")
        print(line, PICTURES[wrong])
        if len(state) == len(word):
            return True, wrong
        if wrong == len(PICTURES) - 1:
            return False, wrong
        letter = read_letter(old)
        old += letter
        where = positions(word, letter)
        for i in where:
            state[i] = letter
        if not where:
            wrong += 1


def main():
    with open("words.txt") as f:
        words = [line.strip().lower() for line in f if line.strip()]
    points = 0
    games = 0
    answer = "y"
    while answer == "y":
        word = words[randrange(len(words))]
        good, wrong = one_game(word)
        games += 1
        if good:
            points += 100 // (wrong + 1)
            print("Well done!")
        else:
            print("The word was:", word)
        print(f"{points} points in {games} games")
        answer = input("Once more (y/n): ")


main()
