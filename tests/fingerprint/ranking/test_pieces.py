import heapq

import numpy as np
from hypothesis import given, strategies as st

from fingerprint.ranking.tiling import pop_piece, push_piece

# A piece to add, or None to remove the first one.
STEPS = st.lists(st.none() | st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=200)


@given(steps=STEPS)
def test_pieces_are_removed_by_length_then_by_place(steps: list[tuple[int, int] | None]) -> None:
    naive: list[tuple[int, int]] = []
    pieces = np.empty((len(steps), 2), dtype=np.int64)
    for step in steps:
        if step:
            push_piece(pieces, len(naive), *step)
            heapq.heappush(naive, (-step[0], step[1]))
        elif naive:
            length, place = heapq.heappop(naive)
            assert pieces[0].tolist() == [-length, place]
            assert pop_piece(pieces, len(naive) + 1) == place


def test_many_pieces_are_removed_by_length() -> None:
    pieces = np.empty((1000, 2), dtype=np.int64)
    for count in range(1000):
        push_piece(pieces, count, count % 7, count)
    lengths = []
    for count in range(1000, 0, -1):
        lengths.append(int(pieces[0, 0]))
        pop_piece(pieces, count)
    assert lengths == sorted(lengths, reverse=True)
