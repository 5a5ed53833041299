"""Simulate customers at the counters of a bank."""

import random

OPEN_MINUTES = 240
ARRIVAL_CHANCE = 0.6
COUNTERS = 3


class Customer:
    def __init__(self, arrived):
        self.arrived = arrived
        self.needs = random.randint(2, 8)


class Counter:
    def __init__(self):
        self.customer = None
        self.left = 0
        self.served = 0

    def is_free(self):
        return self.customer is None

    def start(self, customer):
        self.customer = customer
        self.left = customer.needs

    def tick(self):
        if self.customer is None:
            return
        self.left -= 1
        if self.left == 0:
            self.served += 1
            self.customer = None


class Bank:
    def __init__(self):
        self.queue = []
        self.counters = [Counter() for _ in range(COUNTERS)]
        self.waits = []
        self.longest_queue = 0

    def step(self, minute):
        if minute < OPEN_MINUTES and random.random() < ARRIVAL_CHANCE:
            self.queue.append(Customer(minute))
        if len(self.queue) > self.longest_queue:
            self.longest_queue = len(self.queue)
        for counter in self.counters:
            if counter.is_free() and len(self.queue) > 0:
                customer = self.queue.pop(0)
                self.waits.append(minute - customer.arrived)
                counter.start(customer)
        for counter in self.counters:
            counter.tick()

    def is_empty(self):
        return len(self.queue) == 0 and all(c.is_free() for c in self.counters)


def main():
    random.seed(42)
    bank = Bank()
    minute = 0
    while minute < OPEN_MINUTES or not bank.is_empty():
        bank.step(minute)
        minute += 1
    print("Customers:", len(bank.waits))
    print("Average wait: %.2f minutes" % (sum(bank.waits) / len(bank.waits)))
    print("Longest wait:", max(bank.waits))
    print("Longest queue:", bank.longest_queue)
    for number, counter in enumerate(bank.counters):
        print("Counter", number + 1, "served", counter.served)
    print("Closed after", minute, "minutes")


main()
