import heapq
import random


def arrivals(rate, end):
    t = 0.0
    while True:
        t += random.expovariate(rate)
        if t > end:
            return
        yield t


def run(counters=3, rate=0.6, end=240):
    free_at = [(0.0, i) for i in range(counters)]
    heapq.heapify(free_at)
    log = []
    for t in arrivals(rate, end):
        available, counter = heapq.heappop(free_at)
        begin = max(t, available)
        duration = random.uniform(2, 8)
        heapq.heappush(free_at, (begin + duration, counter))
        log.append((t, begin, begin + duration, counter))
    return log


def queue_length(log):
    events = []
    for arrival, begin, _, _ in log:
        events.append((arrival, 1))
        events.append((begin, -1))
    longest = length = 0
    for _, change in sorted(events):
        length += change
        longest = max(longest, length)
    return longest


if __name__ == "__main__":
    log = run()
    waits = [begin - arrival for arrival, begin, _, _ in log]
    print(f"{len(log)} customers")
    print(f"they waited {sum(waits) / len(waits):.1f} min. on average, {max(waits):.1f} at most")
    print(f"longest queue: {queue_length(log)}")
    for c in range(3):
        print(f"  counter {c}: {sum(1 for row in log if row[3] == c)} customers")
    print(f"end: {max(row[2] for row in log):.0f}")
