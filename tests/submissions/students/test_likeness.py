"""Names and ids that resemble those of one student."""

import pytest

from submissions.students.finding import Likeness

ASKED = Likeness(frozenset({"Zoë Müller-Quartz"}), frozenset({"00771234", "zmq@example.edu"}))


@pytest.mark.parametrize(
    "name",
    [
        "ZOE MUELLER QUARTZ", "zoe_muller_quartz", "Müller-Quartz, Zoë", "quartz.zoe.mueller",
        "quartzzoemuller", "Zoe Muller Quartz 2", "Zoe\u0308 Mu\u0308ller-Quartz",
    ],
)  # fmt: skip
def test_case_accents_order_and_separators_make_no_other_name(name: str) -> None:
    assert ASKED.is_same_words(name)
    assert ASKED.is_near(name, "")


@pytest.mark.parametrize(
    "name",
    [
        "hw1_zoe_muller_quartz.py", "Zoe Anna Muller Quartz", "Z. Müller-Quartz", "quartz_calculator",
        "Zoe.zip", "771234", "hw 771234", "zmq", "task1_zmq",
    ],
)  # fmt: skip
def test_names_with_more_or_less_are_near_and_not_the_same(name: str) -> None:
    assert ASKED.is_near(name, "")
    assert not ASKED.is_same_words(name)


def test_an_id_is_near_with_other_zeros_and_case() -> None:
    assert ASKED.is_near("Somebody Else", "771234")
    assert ASKED.is_near("Somebody Else", "ZMQ@EXAMPLE.EDU")
    assert not ASKED.is_near("Somebody Else", "7712345")


@pytest.mark.parametrize(
    "name", ["Zoë Schmidt", "Anna Müller", "Ada Quartz", "calculator.py", "Submission 3", "z", "", "12"]
)
def test_names_of_others_are_not_near(name: str) -> None:
    assert not ASKED.is_near(name, "")


def test_the_login_of_a_name_is_near() -> None:
    asked = Likeness(frozenset({"Zebulon Quartzovsky"}), frozenset())
    for login in ("zquartzovsky", "quartzovskyz", "hw1-zquartzovsky"):
        assert asked.is_near(login, "")
    assert not asked.is_near("aquartzovsky", "")


def test_the_first_letter_before_an_accent_is_no_initial() -> None:
    asked = Likeness(frozenset({"Zoë Müller"}), frozenset())
    assert asked.is_near("Zoë M.", "")
    assert not asked.is_near("Zoë Möhring", "")


def test_every_near_name_without_accents_has_a_fragment() -> None:
    for name in ("zoe_muller_quartz", "quartzzoemueller", "Z. Muller-Quartz", "771234", "task1_zmq"):
        assert any(one in name.lower() for one in ASKED.fragments)
