"""`tests.faults` kills workers during every kind of background work that there is."""

from django.conf import settings

from tests.faults.kinds import CAUSES
from tests.faults.work import BusyPerson


def test_a_person_causes_every_kind_of_the_registry() -> None:
    assert CAUSES.keys() == settings.WORK_KINDS.keys()
    assert [action for action in CAUSES.values() if not callable(getattr(BusyPerson, action, None))] == []
