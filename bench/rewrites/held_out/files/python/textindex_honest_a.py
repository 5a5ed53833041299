import argparse
import re
from collections import defaultdict


def get_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--ignore", default="the,a,an,and,or")
    return parser.parse_args()


def make_index(file, ignore):
    index = defaultdict(set)
    with open(file) as f:
        for n, line in enumerate(f, 1):
            for match in re.finditer(r"\w+", line):
                word = match.group().casefold()
                if word not in ignore:
                    index[word].add(n)
    return index


def compress(numbers):
    """1 2 3 7 -> 1-3, 7"""
    parts = []
    start = end = None
    for n in sorted(numbers):
        if end is not None and n == end + 1:
            end = n
            continue
        if start is not None:
            parts.append(f"{start}-{end}" if start < end else str(start))
        start = end = n
    parts.append(f"{start}-{end}" if start < end else str(start))
    return ", ".join(parts)


def main():
    arguments = get_arguments()
    index = make_index(arguments.file, set(arguments.ignore.split(",")))
    letter = ""
    for word in sorted(index):
        if word[0] != letter:
            letter = word[0]
            print(f"\n{letter.upper()}")
        print("  " + word, compress(index[word]))
    while True:
        try:
            word = input("word? ").casefold()
        except EOFError:
            break
        print(compress(index[word]) if word in index else "not in the text")


main()
