"""Command line simulation of a snack dispenser."""

from collections import Counter
from dataclasses import dataclass

ACCEPTED = (200, 100, 50, 20, 10)


@dataclass
class Slot:
    label: str
    cents: int
    left: int


class NoChange(Exception):
    pass


def money(cents):
    return f"{cents / 100:.2f}"


def make_change(cash, amount):
    """Take the largest coins first; raise NoChange if something remains."""
    paid = Counter()
    for value in ACCEPTED:
        number = min(amount // value, cash[value])
        paid[value] = number
        amount -= number * value
    if amount:
        raise NoChange
    return +paid


def give_back(state, amount):
    paid = make_change(state["cash"], amount)
    state["cash"] -= paid
    state["paid_in"] = 0
    return "returned " + " ".join(map(money, paid.elements())) if paid else ""


def on_coin(state, argument):
    value = int(argument)
    if value in ACCEPTED:
        state["cash"][value] += 1
        state["paid_in"] += value
        return "paid in " + money(state["paid_in"])
    return "this coin is refused"


def on_buy(state, argument):
    slot = state["slots"].get(argument.upper())
    if slot is None:
        return "empty slot"
    if not slot.left:
        return slot.label + " has run out"
    missing = slot.cents - state["paid_in"]
    if missing > 0:
        return money(missing) + " is missing"
    try:
        text = give_back(state, -missing)
    except NoChange:
        return "change is not possible, take another one"
    slot.left -= 1
    return f"enjoy your {slot.label} {text}"


def on_cancel(state, _):
    return give_back(state, state["paid_in"])


COMMANDS = {"coin": on_coin, "buy": on_buy, "cancel": on_cancel}


def loop():
    state = {
        "slots": {"A1": Slot("Water", 120, 5), "A2": Slot("Cola", 180, 3),
                  "B1": Slot("Chocolate", 150, 4), "B2": Slot("Crisps", 220, 2)},
        "cash": Counter({200: 2, 100: 5, 50: 5, 20: 10, 10: 10}),
        "paid_in": 0,
    }
    for command, _, argument in iter(lambda: input("> ").partition(" "), ("quit", "", "")):
        if command in COMMANDS:
            print(COMMANDS[command](state, argument))


loop()
