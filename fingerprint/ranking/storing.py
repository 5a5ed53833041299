"""Make the marks of literals when the library of kernels is built: `python -m` this, and a folder."""

import sys
from pathlib import Path

from fingerprint.ranking.weights import STORED_MARKS, literal_marks

if __name__ == "__main__":
    (Path(sys.argv[1]) / f"{STORED_MARKS}.data").write_bytes(b"".join(part.tobytes() for part in literal_marks()))
