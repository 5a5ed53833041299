"""Who calls the API in most tests of it, and where."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import Assignment, Course
from tests.support.api import api_client


@pytest.fixture
def caller(alice: User) -> Client:
    return api_client(alice)


@pytest.fixture
def course(alice: User) -> Course:
    return Course.objects.create(owner=alice, name="Algorithms")


@pytest.fixture
def path(assignment: Assignment) -> str:
    return f"/assignments/{assignment.pk}"
