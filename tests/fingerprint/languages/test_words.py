"""Kinds of words from the table of the kernel are those of the front-end of prose."""

from hypothesis import given, strategies as st

from fingerprint.languages.prose import Prose, WordKinds

ASCII = st.text(alphabet="aBz09' -_.\n", max_size=60)
ANY = st.text(alphabet="aB'\u00e9\ufb01 -_1\u4e2d", max_size=40)
LONG = st.integers(28, 40).map(lambda length: "Ab'c" * 9 + "d" * length)


@given(st.lists(st.one_of(ASCII, ANY, LONG, st.text(max_size=20)), max_size=6), st.integers(1, 9))
def test_word_kinds_are_those_of_the_prose_front_end(texts: list[str], max_words: int) -> None:
    words = WordKinds(max_words)
    for text in [*texts, *texts]:
        assert words.word_kinds(text).tolist() == Prose().tokens(text).kinds.tolist()


def test_many_words_are_told_apart() -> None:
    words, text = WordKinds(), " ".join(f"w{n}" for n in range(20_000))
    for _ in range(2):
        assert words.word_kinds(text).tolist() == Prose().tokens(text).kinds.tolist()
