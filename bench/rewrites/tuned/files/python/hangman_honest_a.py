import random
import string

words = "apple banana cherry orange lemon melon".split()


def hangman():
    secret = random.choice(words)
    hidden = ["_"] * len(secret)
    lives = 7
    used = []
    while lives > 0 and "_" in hidden:
        print("".join(hidden), "| lives:", lives, "| used:", ",".join(used))
        c = input("? ")
        if c not in string.ascii_lowercase or c == "":
            print("lower case letters only")
            continue
        if c in used:
            print("used before")
            continue
        used.append(c)
        hit = False
        for i, x in enumerate(secret):
            if x == c:
                hidden[i] = c
                hit = True
        if not hit:
            lives -= 1
    if lives:
        print("solved:", secret)
        return lives * 10
    print("dead. it was", secret)
    return 0


score = 0
while True:
    score += hangman()
    print("your score is", score)
    if input("more? ").strip().lower() not in ("y", "yes"):
        break
print("bye")
