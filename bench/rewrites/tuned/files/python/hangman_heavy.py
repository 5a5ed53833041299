from random import choice

VOCABULARY = ("python", "variable", "function", "keyboard", "integer", "recursion")
ALLOWED_MISSES = 7


def render(secret, tried):
    return " ".join(char if char in tried else "_" for char in secret)


def misses(secret, tried):
    return len(tried - set(secret))


def is_solved(secret, tried):
    return set(secret) <= tried


def reward(secret, tried):
    return max(0, len(secret) * 10 - misses(secret, tried) * 5)


def feedback(secret, tried, char):
    """Return the message for a new character, and the characters tried after it."""
    if not (char.isalpha() and len(char) == 1):
        return "A single character of the alphabet is needed.", tried
    if char in tried:
        return "That one is known already.", tried
    updated = tried | {char}
    if char in secret:
        return "Correct!", updated
    remaining = ALLOWED_MISSES - misses(secret, updated)
    return f"No. {remaining} misses remain.", updated


def single_round(secret):
    tried = frozenset()
    while misses(secret, tried) < ALLOWED_MISSES:
        if is_solved(secret, tried):
            gained = reward(secret, tried)
            print(f"Solved! {gained} points gained.")
            return gained
        print(render(secret, tried))
        message, tried = feedback(secret, tried, input("Your pick: ").lower())
        print(message)
    print(f"Out of misses. It was {secret!r}.")
    return 0


def session():
    points = single_round(choice(VOCABULARY))
    print(f"Score so far: {points}")
    while input("Another round [y/n]: ").lower() == "y":
        points += single_round(choice(VOCABULARY))
        print(f"Score so far: {points}")


if __name__ == "__main__":
    session()
