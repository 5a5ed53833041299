"""Bank simulation: accounts are stored in a dictionary, every movement is a tuple."""
import sys
from collections import defaultdict

balances = {}
movements = defaultdict(list)


class NotEnoughMoney(Exception):
    pass


def create(name):
    if name in balances:
        raise KeyError(f"there is an account for {name} already")
    balances[name] = 0


def book(name, amount, text):
    new = balances[name] + amount
    if new < 0:
        raise NotEnoughMoney(name)
    balances[name] = new
    movements[name].append((text, amount))


def transfer(sender, receiver, amount):
    book(sender, -amount, f"to {receiver}")
    book(receiver, amount, f"from {sender}")


def statement(name):
    lines = [f"Statement of {name}"]
    total = 0
    for text, amount in movements[name]:
        total += amount
        lines.append(f"{text:<20}{amount:>10.2f}{total:>10.2f}")
    return "\n".join(lines)


def run(commands):
    for command in commands:
        word, *rest = command.split()
        try:
            if word == "new":
                create(rest[0])
            elif word == "pay":
                book(rest[0], float(rest[1]), "cash")
            elif word == "move":
                transfer(rest[0], rest[1], float(rest[2]))
            elif word == "show":
                print(statement(rest[0]))
            else:
                print("what is", word, file=sys.stderr)
        except (KeyError, NotEnoughMoney) as problem:
            print("failed:", problem)


if __name__ == "__main__":
    run(["new Anna", "new Bob", "pay Anna 120", "move Anna Bob 50", "move Bob Anna 80", "show Anna"])
