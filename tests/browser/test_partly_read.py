"""The pages with a submission of which not all was read, as they look."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from submissions.models import Document, Submission
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.sample_class import CLASS, zipped
from tests.support.tabs import tab
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

UNCLOSED = CLASS["ben/main.py"] + 'title = "never closed\n'


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_pages_that_say_what_was_not_read_have_no_fault(
    hand_in: HandIn, alice: User, sign_in: SignIn, shoot: Shoot
) -> None:
    batch = hand_in(zipped({**CLASS, "ben/main.py": UNCLOSED}))
    ben = Submission.objects.get(name="ben")
    Document.objects.filter(files__submission=ben).update(read_share=0.31)
    page = sign_in(alice)
    addresses = {
        "upload": reverse("batch", args=[batch.pk]),
        "students": tab(batch.assignment, "students"),
        "pairs": tab(batch.assignment, "pairs"),
        "submission": reverse("submission", args=[batch.assignment_id, ben.pk]),
    }
    for name, address in addresses.items():
        page.goto(address)
        check_every_layout(page, shoot, f"partly-read-{name}")
