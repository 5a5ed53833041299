"""Whatever somebody without the key changes in a backup, it is refused, or what was signed is unpacked."""

import io
import tarfile
import tempfile
from contextlib import nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given, strategies as st

from moss.operations import backups as restoring
from moss.operations.backups import DATABASE, FILES, MANIFEST, SIGNATURE, Manifest, _signature
from moss.operations.dumps import BackupError

PARTS = {DATABASE: b"rows", f"{FILES}a": b"an upload", f"{FILES}b/c": b"another"}
# The names, kinds and headers of members that are added.
ELSEWHERE = (f"{FILES}/tmp/x", f"{FILES}../x", "x/y", "/tmp/x", "decrypted.tar")
NAMES = (*PARTS, MANIFEST, SIGNATURE, f"{FILES}x", f"{FILES}a/x", f"{FILES}b", *ELSEWHERE)
KINDS = (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE)
HEADERS: list[dict[str, str]] = [
    {}, {"path": f"{FILES}x"}, {"path": f"{FILES}a\0x"}, {"path": f"{FILES}{'x' * 9999}"}, {"size": "-512"},
    {"size": "0x"}, {"GNU.sparse.map": "0,1", "GNU.sparse.size": "9000000"},
]  # fmt: skip
Member = tuple[str, bytes, bytes, dict[str, str]]


def signed(parts: dict[str, bytes], key: str, day: int) -> list[Member]:
    """Return the members of a backup as this version writes them, with that key."""
    sums = {name: sha256(content).hexdigest() for name, content in parts.items()}
    written = datetime(2026, 1, day, tzinfo=UTC).isoformat()
    manifest = Manifest(format=1, version="0", written=written, migrations=[], counts={}, checksums=sums)
    text = manifest.model_dump_json().encode()
    whole = {MANIFEST: text, SIGNATURE: _signature(text, key).encode(), **parts}
    return [(name, content, tarfile.REGTYPE, {}) for name, content in whole.items()]


NEWER = signed(PARTS, settings.SECRET_KEY, 2)
OLDER = signed({**PARTS, DATABASE: b"old rows", f"{FILES}old": b"old"}, settings.SECRET_KEY, 1)
# What the one who changes them has: an older backup, and a key of their own.
OTHERS = [*OLDER, *signed({**PARTS, f"{FILES}x": b"x"}, "another key", 3)]


def tar_of(members: list[Member]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content, kind, headers in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.pax_headers = kind, f"{FILES}a", headers
            member.size = len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def assert_harmless(content: bytes) -> bool:
    """Return whether a backup is taken."""
    whole = [{name: text for name, text, *_rest in one} for one in (NEWER, OLDER)]
    with tempfile.TemporaryDirectory() as name:
        source, folder = Path(name, "backup"), Path(name, "unpacked")
        source.write_bytes(content)
        folder.mkdir()
        try:
            restoring._unpack(source, folder, unsigned=False)
        except BackupError:
            is_taken = False
        else:
            is_taken = True
        found = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if not file.is_dir()}
        assert not any(file.is_symlink() for file in found.values())
        assert sum(file.stat().st_size for file in found.values()) <= len(content)
        assert not is_taken or {name: file.read_bytes() for name, file in found.items()} in whole
        assert {path.name for path in Path(name).iterdir()} == {"backup", "unpacked"}
    return is_taken


def test_a_member_that_was_added_is_refused_or_changes_nothing() -> None:
    assert assert_harmless(tar_of(NEWER))
    for name, kind, headers, place in product(NAMES, KINDS, HEADERS, (0, 3, len(NEWER))):
        assert_harmless(tar_of([*NEWER[:place], (name, b"x", kind, headers), *NEWER[place:]]))


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        ("moss-20260102T000000Z.moss", False),
        ("moss-20260101T000000Z.moss.gpg", False),  # it was written for a day
        ("moss-20260102T000001Z.moss", True),
        ("moss-20260103T000000Z.moss", True),
        ("moss-20251231T235959Z.moss.age", True),
        ("moss-20261330T020000Z.moss", False),
        ("before-upgrade.moss", False),
    ],
)
def test_a_backup_is_refused_under_the_name_of_another_time(name: str, *, is_refused: bool, tmp_path: Path) -> None:
    (tmp_path / "unpacked").mkdir()
    (tmp_path / name).write_bytes(tar_of(NEWER))
    manifest = restoring._unpack(tmp_path / name, tmp_path / "unpacked", unsigned=False)
    with pytest.raises(BackupError, match="not when its name says") if is_refused else nullcontext():
        restoring._refuse_other_name(tmp_path / name, manifest)
    assert restoring.delete_old(tmp_path, 1) == []


@st.composite
def changed_backups(draw: st.DrawFn) -> bytes:
    members = [*NEWER]
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(members) - 1))
        change = draw(st.sampled_from(["leave out", "swap", "replace", "add"]))
        if change == "add":
            members.insert(place, draw(st.sampled_from(OTHERS)))
        elif change == "replace":
            members[place] = next((one for one in OTHERS if one[0] == members[place][0]), members[place])
        elif change == "swap":
            members[place], members[0] = members[0], members[place]
        elif len(members) > 1:
            del members[place]
    content = bytearray(tar_of(members))
    if draw(st.booleans()):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
        content = content[: draw(st.integers(0, len(content)))]
    return bytes(content)


@given(changed_backups())
def test_a_changed_archive_is_refused_or_has_what_was_signed(content: bytes) -> None:
    assert_harmless(content)
