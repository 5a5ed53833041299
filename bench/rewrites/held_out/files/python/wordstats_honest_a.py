import re
import sys
from collections import Counter, defaultdict
from statistics import mean

text = sys.stdin.read().lower()
found = re.findall(r"[a-z]+", text)
if not found:
    raise SystemExit("There are no words.")

frequency = Counter(found)
print(f"{len(found)} words, {len(frequency)} of them different")
print(f"a word has {mean(len(w) for w in found):.1f} letters")

print("\nTop ten")
for place, (w, n) in enumerate(frequency.most_common(10), 1):
    print(f"{place:2}. {w} ({n})")

anagrams = defaultdict(set)
for w in frequency:
    anagrams[tuple(sorted(w))].add(w)
print("\nAnagrams")
for letters, group in anagrams.items():
    if len(group) > 1:
        print(" = ".join(sorted(group)))

print("\nLengths")
by_length = Counter(map(len, found))
for n in range(1, max(by_length) + 1):
    percent = 100 * by_length[n] / len(found)
    print(f"{n:2} {'*' * round(percent)} {percent:.1f}%")
