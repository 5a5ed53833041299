"""The shipped settings, with a home of their own that is deleted after the tests."""

import os
import tempfile

# Test processes inherit the home of the process that started them, so that they share one pair of servers.
if "MOSS_TEST_HOME" not in os.environ:
    os.environ["MOSS_TEST_HOME"] = tempfile.mkdtemp(prefix="moss-test-")
os.environ["MOSS_HOME"] = os.environ["MOSS_TEST_HOME"]
os.environ["SECRET_KEY"] = "only-for-tests"
# Without a cache, every test reads its files; the tests of the cache set a folder of their own.
os.environ["MOSS_CACHE"] = "off"
# Tests upload often to one assignment; those of the limit have their own.
os.environ.setdefault("MOSS_RANKINGS_A_MINUTE", "1000")
# Enough for every ordinary test file, even on a busy machine.
os.environ["MOSS_FILE_SECONDS"] = "3"
# One number of loopback, so that the others are as private as any.
os.environ["MOSS_WEBHOOK_NETWORKS"] = os.environ["MOSS_GIT_NETWORKS"] = "127.0.0.1"
# A test that starts a worker for itself names queues that no other worker serves.
os.environ["MOSS_QUEUE_PREFIX"] = (
    os.environ.get("MOSS_TEST_QUEUES") or f"test-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}:"
)
# Playwright's event loop runs in the thread of the tests.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

from moss.settings import *  # noqa: F403 - the environment comes first

# The tests make databases, and bring rows back past every trigger; their workers connect as the service does.
DATABASE_URL = DATABASE_OWNER_URL or DATABASE_URL  # noqa: F405
DATABASES["default"]["USER"] = (DATABASE_OWNER or DATABASE)["USER"]  # noqa: F405

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    **STORAGES,  # noqa: F405
    # Tests need no collected files.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
