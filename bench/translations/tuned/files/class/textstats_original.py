import sys

VOWELS = "aeiou"
STOPWORDS = ["the", "and", "of", "to", "in", "that", "was"]


def clean(word):
    result = ""
    for ch in word.lower():
        if ch.isalpha():
            result += ch
    return result


def count_words(text):
    counts = {}
    for raw in text.split():
        word = clean(raw)
        if word == "" or word in STOPWORDS:
            continue
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def syllables(word):
    number = 0
    previous = False
    for ch in word:
        is_vowel = ch in VOWELS
        if is_vowel and not previous:
            number += 1
        previous = is_vowel
    if word.endswith("e") and number > 1:
        number -= 1
    return number


def sentences(text):
    number = 0
    for ch in text:
        if ch == "." or ch == "!" or ch == "?":
            number += 1
    return max(number, 1)


def reading_ease(text):
    words = text.split()
    total = 0
    for word in words:
        total += syllables(clean(word))
    return 206.835 - 1.015 * len(words) / sentences(text) - 84.6 * total / len(words)


def top_words(counts, limit):
    pairs = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return pairs[:limit]


def longest_word(counts):
    longest = ""
    for word in counts:
        if len(word) > len(longest):
            longest = word
    return longest


def report(text):
    counts = count_words(text)
    print("Different words:", len(counts))
    print("Sentences:", sentences(text))
    print("Longest word:", longest_word(counts))
    print("Reading ease: %.1f" % reading_ease(text))
    for word, number in top_words(counts, 5):
        print(f"{word:>15} {'*' * number}")


report("It was the best of times, it was the worst of times. What a piece of work is a man! Is it so?")
