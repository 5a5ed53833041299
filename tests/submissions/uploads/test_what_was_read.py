"""The page of an upload says in which languages its files are read, and what to look at."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.fingerprint.languages.test_every_language import program
from tests.support.html import get_page
from tests.support.previews import Upload
from tests.support.sample_class import zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.usefixtures("eager_tasks")

JAVA = program("java")
FILES = {
    "ada/Main.java": JAVA,
    "ben/Main.java.txt": JAVA,
    "cleo/solve.py": "def f(x):\n    return x\n",
    "dora/notes.txt": "The tide comes twice a day.\n",
    "eve/Main.java": "// Only a comment.\n",
}
LANGUAGES = "Languages of the files: 3 Java, 1 Python, 1 read as prose."
OTHERWISE = (
    "Read in another language than the class (Java): cleo/solve.py (Python), dora/notes.txt (Plain text)."
)


def test_the_preview_says_how_files_are_going_to_be_read(
    alice_client: Client, preview_upload: Upload
) -> None:
    batch = preview_upload(FILES)
    page = get_page(alice_client, batch.get_absolute_url())
    assert LANGUAGES in page.text("#preview")
    assert OTHERWISE in page.text("#preview")


@pytest.mark.long
def test_the_page_of_an_upload_says_how_its_files_were_read(alice_client: Client, hand_in: HandIn) -> None:
    batch = hand_in(zipped(FILES))
    text = get_page(alice_client, reverse("batch", args=[batch.pk])).text()
    assert LANGUAGES in text
    assert OTHERWISE in text
    assert "Without code: eve." in text
