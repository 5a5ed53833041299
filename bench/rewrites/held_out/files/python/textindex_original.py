"""Index of a text: on which lines each word is."""

import sys

STOP_WORDS = ["the", "a", "an", "and", "or", "of", "to", "in", "is"]


class Node:
    def __init__(self, word):
        self.word = word
        self.lines = []
        self.left = None
        self.right = None


class Index:
    def __init__(self):
        self.root = None
        self.size = 0

    def add(self, word, line):
        if self.root is None:
            self.root = Node(word)
            self.root.lines.append(line)
            self.size = 1
            return
        node = self.root
        while node.word != word:
            if word < node.word:
                if node.left is None:
                    node.left = Node(word)
                    self.size += 1
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(word)
                    self.size += 1
                node = node.right
        if len(node.lines) == 0 or node.lines[-1] != line:
            node.lines.append(line)

    def find(self, word):
        node = self.root
        while node is not None:
            if node.word == word:
                return node.lines
            if word < node.word:
                node = node.left
            else:
                node = node.right
        return []

    def show(self, node):
        if node is None:
            return
        self.show(node.left)
        print(node.word.ljust(20), ", ".join(str(n) for n in node.lines))
        self.show(node.right)


def clean(word):
    result = ""
    for char in word.lower():
        if char.isalnum():
            result += char
    return result


def main():
    index = Index()
    number = 0
    with open(sys.argv[1]) as file:
        for line in file:
            number += 1
            for word in line.split():
                word = clean(word)
                if len(word) > 1 and word not in STOP_WORDS:
                    index.add(word, number)
    index.show(index.root)
    print(index.size, "words on", number, "lines")
    query = input("Search: ")
    while query != "":
        print(query, "->", index.find(clean(query)))
        query = input("Search: ")


main()
