import sys


class TextStatistics:
    def __init__(self):
        self.frequencies = {}
        self.letters = 0
        self.total = 0
        self.by_length = [0] * 40

    def feed(self, line):
        word = ""
        for c in line + " ":
            if c.isalpha():
                word += c.lower()
            elif word:
                self.add(word)
                word = ""

    def add(self, word):
        self.total += 1
        self.letters += len(word)
        self.by_length[min(len(word), 39)] += 1
        self.frequencies[word] = self.frequencies.get(word, 0) + 1

    def top(self, n):
        rest = dict(self.frequencies)
        out = []
        while rest and len(out) < n:
            best = max(rest, key=rest.get)
            out.append((best, rest.pop(best)))
        return out

    @staticmethod
    def are_anagrams(a, b):
        return len(a) == len(b) and a != b and sorted(a) == sorted(b)

    def anagrams(self):
        words = sorted(self.frequencies)
        for i, a in enumerate(words):
            for b in words[i + 1:]:
                if self.are_anagrams(a, b):
                    yield a, b


def main(name):
    statistics = TextStatistics()
    for line in open(name):
        statistics.feed(line)
    print("number of words", statistics.total)
    print("vocabulary", len(statistics.frequencies))
    print("mean length", statistics.letters / statistics.total)
    for word, n in statistics.top(10):
        print(n, word)
    for a, b in statistics.anagrams():
        print(a, "is an anagram of", b)
    for length, n in enumerate(statistics.by_length):
        if n:
            print(length, "=" * n)


main(sys.argv[1])
