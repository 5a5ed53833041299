"""A function, and the same function rewritten: names, a message and an import are equal, and no passage."""

ORIGINAL = """import shipping_register

def find_overdue_boats(harbour, register):
    overdue = {}
    for boat in harbour:
        if register.get(boat, 0) > 14:
            overdue[boat] = "boat has overstayed its berth"
    return overdue
"""
REWRITTEN = """import shipping_register

find_overdue_boats = lambda harbour, register: dict(
    map(lambda boat: (boat, "boat has overstayed its berth"), filter(lambda b: register[b] > 14, harbour)))
"""
