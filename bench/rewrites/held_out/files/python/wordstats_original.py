"""Statistics of the words of a text, with groups of anagrams."""

import sys

PUNCTUATION = ".,;:!?\"'()[]-"


def read_words(path):
    words = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            for word in line.split():
                word = word.strip(PUNCTUATION).lower()
                if word != "":
                    words.append(word)
    return words


def count_words(words):
    counts = {}
    for word in words:
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def most_frequent(counts, limit):
    pairs = list(counts.items())
    pairs.sort(key=lambda pair: (-pair[1], pair[0]))
    return pairs[:limit]


def anagram_groups(counts):
    groups = {}
    for word in counts:
        key = "".join(sorted(word))
        if key not in groups:
            groups[key] = []
        groups[key].append(word)
    result = []
    for key in groups:
        if len(groups[key]) > 1:
            result.append(sorted(groups[key]))
    result.sort()
    return result


def average_length(words):
    if len(words) == 0:
        return 0
    total = 0
    for word in words:
        total += len(word)
    return total / len(words)


def histogram(words):
    lengths = {}
    for word in words:
        lengths[len(word)] = lengths.get(len(word), 0) + 1
    biggest = max(lengths.values())
    for length in sorted(lengths):
        bar = "#" * (40 * lengths[length] // biggest)
        print("%3d %5d %s" % (length, lengths[length], bar))


def main():
    words = read_words(sys.argv[1])
    counts = count_words(words)
    print("Words:", len(words))
    print("Different words:", len(counts))
    print("Average length: %.2f" % average_length(words))
    for word, count in most_frequent(counts, 10):
        print("%-15s %d" % (word, count))
    for group in anagram_groups(counts):
        print("Anagrams:", ", ".join(group))
    histogram(words)


if __name__ == "__main__":
    main()
