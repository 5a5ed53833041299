import sys
from pathlib import Path

import numpy as np
import pytest

from bench import papers
from bench.experiments import acceptance, corpus, density, frequency, growth, hamming

pytestmark = pytest.mark.slow

WORDS = np.array([f"word{i}" for i in range(400)])


def _prose(seed: int, words: int = 300) -> list[str]:
    return list(map(str, np.random.default_rng(seed).choice(WORDS, words)))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    for number in range(6):
        words = _prose(number // 2)
        words[10 * number] = "another"
        (folder / f"{number}.txt").write_text(" ".join(words))
    (folder / "page.html").write_text(f"<html><body><p>{' '.join(_prose(9))}</p></body></html>")
    (folder / "code.py").write_text("\n".join(f"x{i} = {i} * {i}" for i in range(99)))
    (folder / "image.png").write_bytes(b"\x89PNG" * 99)
    (folder / "latin.txt").write_bytes("é ".encode("latin-1") * 300)
    (folder / "link.txt").symlink_to(folder / "0.txt")
    return folder


def test_text_files_are_read_once_and_tags_of_html_are_removed(packages: Path) -> None:
    documents, counts = corpus.collect([packages, packages], 10**9)
    assert {kind: count.documents for kind, count in counts.items()} == {"HTML": 1, "prose": 6, "code": 1}
    (page,) = (document for document in documents if document.kind == "HTML")
    assert page.text.split() == _prose(9)


def test_reading_stops_at_the_requested_amount_of_text(packages: Path) -> None:
    documents, counts = corpus.collect([packages], 1)
    assert len(documents) == 1
    assert sum(count.text_bytes for count in counts.values()) == len(corpus.symbols(documents[0].text))


def test_pieces_contain_all_text_in_order() -> None:
    texts = ["a b", "cé\n", "d"]
    cut = list(corpus.pieces(texts, size=3))
    assert [piece.tobytes().decode() for piece in cut] == ["abcé", "d"]


@pytest.mark.parametrize(("positions", "longest"), [([], 10), ([0], 9), ([9], 9), ([2, 3, 8], 4), (range(10), 0)])
def test_the_longest_run_counts_both_ends(positions: list[int], longest: int) -> None:
    assert density.longest_run(np.array(positions, dtype=np.int64), 10) == longest


def test_densities_of_random_text_are_as_expected_and_guarantees_hold() -> None:
    measured = density.measure([density.random_text(300_000), density.random_text(100)])
    for (name, selection), expected in zip(measured.items(), density.EXPECTED, strict=True):
        assert selection.density == pytest.approx(expected, rel=0.1), name
        assert (selection.longest < density.WINDOW) == (name != "0 mod 50")


def test_a_plateau_is_returned_as_its_two_ends() -> None:
    counts = frequency.frequencies(np.array([5, 7, 5, 9, 5, 8, 7, 6], dtype=np.uint64))
    assert sorted(counts) == [1, 1, 1, 2, 3]
    curve = frequency.plateaus(counts)
    assert curve.ranks.tolist() == [1, 1, 2, 2, 3, 5]
    assert curve.frequencies.tolist() == [3, 3, 2, 2, 1, 1]


def test_the_slope_of_a_power_law_is_its_exponent() -> None:
    ranks = np.array([1, 10, 100, 1000])
    assert frequency.RankCurve(ranks, 1000 // ranks).slope == pytest.approx(-1)


def test_copies_of_a_text_count_once_in_the_cleaned_curve() -> None:
    curves = frequency.measure([" ".join(_prose(1))] * 3, 10**6)
    assert curves["hashes, all"].frequencies.max() == 3
    assert curves["hashes, each text once"].frequencies.max() == 1


def test_trials_agree_with_the_formula() -> None:
    points = {point.resemblance: point for point in acceptance.measure(60)}
    assert points[0.5].accepted == 0
    assert points[0.99].accepted == 60
    assert points[0.91].share == pytest.approx(0.506, abs=points[0.91].error)


def test_precision_and_recall_are_shares_of_the_reported_and_of_the_true_pairs() -> None:
    pairs = hamming.NearPairs(np.array([0.9, 0.9, 0.2, 0.9]), np.array([1, 3, 2, 20]))
    assert hamming.quality(pairs, 3, 0.5) == (2 / 3, 2 / 3)
    assert hamming.quality(pairs, 1, 0.5) == (1, 1 / 3)
    assert np.isnan(hamming.quality(pairs, 0, 0.5).precision)


def test_all_near_pairs_are_found_with_their_resemblance() -> None:
    same, other = _prose(1), _prose(2)
    texts = [" ".join(words) for words in (same, [*same, "end"], other, same, same[:50])]
    measured = hamming.measure(texts, limit=10)
    assert measured.documents == 3  # one is a copy, one too short
    assert hamming.quality(measured.pairs, 10, 0.9) == (1, 1)
    assert measured.pairs.resemblance.tolist() == pytest.approx([291 / 292])


def test_close_documents_are_those_that_brute_force_finds() -> None:
    values = np.random.default_rng(3).integers(0, 2**12, 60, dtype=np.uint64)
    near = {(left, int(right)) for left, others in hamming.near_documents(values, 2) for right in others}
    words = values.tolist()
    expected = {(i, j) for j in range(60) for i in range(j) if (words[i] ^ words[j]).bit_count() <= 2}
    assert near == expected
    assert expected


def test_leading_bits_and_buckets_are_placed_exactly() -> None:
    values = np.array([0, 1, 2**63 + 5, 2**64 - 1], dtype=np.uint64)
    leading = hamming.leading_bits(values)
    assert {int(bit): leading[bit] for bit in np.flatnonzero(leading)} == {0: 1 / 3, 62: 1 / 3, 63: 1 / 3}
    spread = hamming.buckets(values)
    assert {int(bucket): spread[bucket] for bucket in np.flatnonzero(spread)} == {0: 0.5, 64: 0.25, 127: 0.25}


def test_growth_is_the_power_of_the_number_of_documents() -> None:
    small = growth.ClusteringRun(10, 1, [1.0, 2.0, 0.0], 1)
    large = growth.ClusteringRun(100, 1, [10.0, 200.0, 1.0], 1)
    powers = growth.exponents(small, large)
    assert powers[:2] == pytest.approx([1, 2])
    assert np.isnan(powers[2])


@pytest.mark.long
@pytest.mark.slow
def test_a_small_run_writes_every_section_and_figure(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "QUICK", papers.ExperimentSizes(20_000, 20_000, 3, 10, (10, 20)))
    monkeypatch.setattr(sys, "argv", ["papers", str(packages), "--quick", f"--output={tmp_path}"])
    papers.main()
    text = (tmp_path / "experiments.md").read_text()
    assert text.count("\n## ") == 7
    images = {line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")}
    assert images == {f"experiments/{path.name}" for path in (tmp_path / "experiments").iterdir()}
    assert len(images) == 4
    assert str(tmp_path) not in text


def test_folders_without_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no HTML, text or code"):
        papers.report([tmp_path], 1, papers.ExperimentSizes(archives=(2, 4)), tmp_path)
