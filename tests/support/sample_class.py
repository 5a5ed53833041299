"""Small programs and uploads that tests hand in."""

import io
import time
import zipfile
from collections.abc import Mapping

from django.core.files.uploadedfile import SimpleUploadedFile

STARTER = """import sys

def read_numbers(path):
    with open(path) as file:
        return [int(line) for line in file if line.strip()]
"""
COPIED = """
def spread(values):
    best = values[0]
    worst = values[0]
    for value in values:
        if value > best:
            best = value
        elif value < worst:
            worst = value
    return best - worst

def average(values):
    total = 0
    for value in values:
        total += value
    return total / len(values) if values else None
"""
RENAMED = COPIED.replace("value", "item").replace("best", "top").replace("total", "acc")
HONEST = """
class Histogram:
    def __init__(self):
        self.bins = {}

    def add(self, number):
        self.bins[number] = self.bins.get(number, 0) + 1

    def mode(self):
        return max(self.bins.items(), key=lambda pair: pair[1])[0]

while True:
    histogram = Histogram()
    try:
        histogram.add(int(input()))
    except EOFError:
        break
"""
CLASS = {"ada/main.py": STARTER + COPIED, "ben/main.py": STARTER + RENAMED, "cleo/main.py": STARTER + HONEST}


# Of all files, so that the same files make the same archive whenever it is made.
TIME = time.localtime()[:6]


def zipped(files: Mapping[str, str | bytes], name: str = "class.zip") -> SimpleUploadedFile:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, TIME), content)
    return SimpleUploadedFile(name, packed.getvalue(), "application/zip")


def loose(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
