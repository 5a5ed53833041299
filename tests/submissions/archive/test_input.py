"""Input of a corpus: unreadable documents, numbers out of range, and estimates over many documents."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fingerprint.engine import Unreadable
from submissions.archive.signatures import decode_document
from tests.moss.check.test_check import folder
from tests.submissions.archive.test_corpus import error_output, exact, prose, run_json


def test_unreadable_documents_are_named_with_the_reason_and_the_others_are_added(
    db: None, tmp_path: Path
) -> None:
    root = folder(
        tmp_path / "mixed",
        {
            "a.txt": prose(1),
            "b.bin": b"\0\1\2\xff" * 400,
            "deep.html": "<div>" * 6000 + "x",
            "empty.txt": b"",
        },
    )
    added = run_json("add", root)
    assert added["new"] == 1
    reasons = {entry["name"]: entry["reason"] for entry in added["skipped"]}
    assert reasons.keys() == {"b.bin", "deep.html", "empty.txt"}
    assert "5,000 deep" in reasons["deep.html"]
    assert all(reasons.values())


@pytest.mark.parametrize(
    "arguments",
    [("cluster", "--threshold", "0"), ("cluster", "--threshold", "1.5"), ("near", ".", "--distance", "7")],
)
def test_a_number_out_of_range_is_refused(db: None, arguments: Sequence[str]) -> None:
    assert arguments[-1].rstrip("0").rstrip(".") in error_output(*arguments)


@pytest.mark.long
def test_estimates_of_containment_are_unbiased_over_many_documents(db: None, tmp_path: Path) -> None:
    documents = {
        f"{n}.txt": f"{' '.join(prose(n).split()[: 40 * (n % 10)])} {prose(1000 + n)}" for n in range(60)
    }
    root = folder(tmp_path / "many", documents)
    run_json("add", root)
    new = folder(tmp_path / "new", {f"{n}.txt": prose(n) for n in range(60)})
    all_matches = run_json("query", new, "--least", "0.001")["matches"]
    matches = {match["new"]: match for match in all_matches if match["new"] == match["document"]}
    errors = [
        (matches[name]["containment"] if name in matches else 0.0) - exact(new / name, root / name)[1]
        for name in documents
    ]
    assert abs(np.mean(errors)) <= 3 * np.std(errors) / len(errors) ** 0.5


def test_an_error_that_no_reader_is_known_to_raise_fails_one_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def identify(*_: object) -> None:
        raise SystemError("unheard of")

    monkeypatch.setattr("submissions.archive.signatures.identify", identify)
    with pytest.raises(Unreadable, match=r"the lexer failed \(SystemError: unheard of\)"):
        decode_document("a.py", b"x = 1\n")
