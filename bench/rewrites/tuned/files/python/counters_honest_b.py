import random

n_counters = int(input("How many counters? "))
chance = float(input("Chance of a customer each minute? "))

queue = []
busy_until = []
served = []
for i in range(n_counters):
    busy_until.append(0)
    served.append(0)

total_wait = 0
max_wait = 0
max_queue = 0
customers = 0
t = 0
while True:
    if t < 240:
        if random.random() <= chance:
            queue.append(t)
    elif queue == [] and max(busy_until) <= t:
        break
    for i in range(n_counters):
        if queue != [] and busy_until[i] <= t:
            came = queue[0]
            del queue[0]
            wait = t - came
            total_wait = total_wait + wait
            if wait > max_wait:
                max_wait = wait
            busy_until[i] = t + random.choice([2, 3, 4, 5, 6, 7, 8])
            served[i] = served[i] + 1
            customers = customers + 1
    if len(queue) > max_queue:
        max_queue = len(queue)
    t = t + 1

print("customers", customers)
if customers > 0:
    print("average wait", round(total_wait / customers, 1))
print("maximum wait", max_wait)
print("maximum queue", max_queue)
for i in range(n_counters):
    print("counter", i, "had", served[i])
print("time", t)
