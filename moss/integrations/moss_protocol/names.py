"""Names of files as clients send them: relative paths without blanks, and one folder for each directory."""

from __future__ import annotations

from dataclasses import dataclass, field

from submissions.intake.names import UniqueNames, replace_invisible

# Characters that a path may have in an upload.
PATH_CHARACTERS = 400
# A folder of directory mode holds the name of a file, too.
FOLDER_CHARACTERS = 200
NO_NAME = "file"


def sent_text(raw: bytes) -> str:
    """Return text that a client sends in UTF-8 or in the encoding of an old Windows machine."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def shown_name(raw: bytes) -> str:
    """Return a name as text without white space and invisible characters, as pages show it."""
    text = sent_text(raw)
    return replace_invisible("_".join(text.split())).replace("\\", "/")


def relative_path(name: str) -> str:
    """Return a name as a relative path without `.` and `..`, which clients send for files elsewhere."""
    parts = [part for part in name.split("/") if part not in {"", ".", ".."}]
    return "/".join(parts)[-PATH_CHARACTERS:].strip("/") or NO_NAME


@dataclass
class SentNames:
    """The paths of one upload in its archive, and the names that the client knows them by.

    In directory mode, each directory is one folder at the top of the archive. `sent` has the client's name of
    each file or folder at the top that has another one here.
    """

    directory: bool
    sent: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    _paths: UniqueNames = field(default_factory=lambda: UniqueNames(PATH_CHARACTERS))
    _tops: UniqueNames = field(default_factory=lambda: UniqueNames(FOLDER_CHARACTERS))

    def path(self, raw: bytes) -> str:
        """Return the path for the next file of the client in the archive."""
        name = shown_name(raw)
        return self._in_folder(name) if self.directory else self._single(name)

    def _single(self, name: str) -> str:
        path = self._paths.unique(relative_path(name))
        if path != name:
            self.sent[path] = name[:PATH_CHARACTERS]
        return path

    def _in_folder(self, name: str) -> str:
        directory, _, base = name.rpartition("/")
        if directory not in self.folders:
            plain = relative_path(directory).replace("/", "-")[-FOLDER_CHARACTERS:]
            self.folders[directory] = self._tops.unique(plain)
            self.sent[self.folders[directory]] = f"{directory or '.'}/"[-PATH_CHARACTERS:]
        room = PATH_CHARACTERS - FOLDER_CHARACTERS - 1
        return self._paths.unique(f"{self.folders[directory]}/{relative_path(base)[-room:]}")
