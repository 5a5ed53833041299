"""Locks of different kinds never stand for one another."""

from __future__ import annotations

from submissions.work.locks import Work


def test_every_kind_of_lock_has_a_key_of_its_own() -> None:
    names = list(Work.__members__)
    assert [kind.name for kind in Work] == names, "two names of one value are one lock"
