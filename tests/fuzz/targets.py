"""Targets of the fuzzer with their seeds: functions of bytes, with the errors that they may raise."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from contextlib import suppress
from functools import cache
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple

from submissions.intake.choices import Choices
from submissions.intake.entries import Entry
from submissions.intake.limits import BadArchive, Limits
from submissions.intake.preview import ListedUpload, group_upload, preview_listed
from submissions.intake.rosters import RosterRefused, parse_roster
from submissions.intake.unpacking import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Separates the parts of an input: names of files, and what is in them.
PART = b"\n--\n"
SMALL = Limits(entries=200, file_bytes=100_000, total_bytes=1_000_000)
NAMES = ("class.zip", "class.tar", "class.tar.gz", "class.tar.bz2", "class.tar.xz", "Main.java")
PLATFORM, CLIENT = "https://platform.example.org", "client"


class Target(NamedTuple):
    run: Callable[[bytes], object]
    seeds: Callable[[], Iterator[bytes]]


def archive(data: bytes) -> None:
    """Unpack an upload; its first byte chooses its name."""
    name = NAMES[data[0] % len(NAMES)] if data else NAMES[0]
    with suppress(BadArchive):
        for entry in unpack(name, io.BytesIO(data[1:]), SMALL):
            assert entry.data is None or ".." not in entry.name.strip("/").split("/"), entry.name
            assert entry.data is None or not entry.name.startswith("/"), entry.name


def archive_seeds() -> Iterator[bytes]:
    import tarfile  # noqa: PLC0415 - for the seeds alone

    files = {"ada/Main.java": b"class Main {}", "ben/été.c": b"int main;", "ben/a/../b.c": b""}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    yield b"\0" + zipped.getvalue()
    for number, mode in enumerate(("w:", "w:gz", "w:bz2", "w:xz"), 1):
        target = io.BytesIO()
        with tarfile.open(fileobj=target, mode=mode) as tar:  # type: ignore[call-overload] # one of four
            for name, content in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            tar.addfile(_link())
        yield bytes([number]) + target.getvalue()


def _link() -> Any:
    import tarfile  # noqa: PLC0415 - for the seeds alone

    link = tarfile.TarInfo("ada/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return link


def layout(data: bytes) -> None:
    """Group an upload and preview it: its name, the chosen layout, and then names and contents in turn."""
    name, key, *parts = [*data.split(PART, 200), b""][:202]
    files = {_text(path): content for path, content in zip(parts[::2], parts[1::2], strict=False) if path}
    rows = [Entry(path, len(content), digest=b"1") for path, content in files.items()]
    with suppress(BadArchive, ValueError):
        choices = Choices(_text(key))
        upload = ListedUpload(rows, files, _text(name) or "class", choices)
        _group(upload)


def _group(upload: ListedUpload) -> None:
    with suppress(BadArchive):
        group_upload(upload)
        preview_listed(upload).to_json()


def layout_seeds() -> Iterator[bytes]:
    from tests.submissions.intake.layouts.samples import SAMPLES, VARIANTS  # noqa: PLC0415 - not shipped

    for sample, files in SAMPLES.items():
        parts = [part for path, text in files.items() for part in (path, text)]
        for key in ("", VARIANTS.get(sample, sample)):
            yield PART.join(part.encode() for part in ("class", key, *parts))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")[:400]


def roster(data: bytes) -> None:
    """Read a roster."""
    with suppress(RosterRefused):
        parse_roster(data)


def roster_seeds() -> Iterator[bytes]:
    text = 'Name;Id;Login;E-Mail;Role\n"Byron, Adé";="0042";abyron;a@example.org;Student\n;;;;\n'
    for encoding in ("utf-8", "utf-16", "cp1252"):
        yield text.encode(encoding)
    yield b'"Last name","First name","ID number"\n"O""Hara","Tara",7\n"broken,"x\n'


def protocol(data: bytes) -> None:
    """Take the session of a MOSS client."""
    asyncio.run(_session(data))


async def _session(data: bytes) -> None:
    from tests.fuzz.session import serve  # noqa: PLC0415 - starts Django

    await serve(data)


def protocol_seeds() -> Iterator[bytes]:
    begin = b"moss 1\ndirectory 1\nX 0\nmaxmatches 10\nshow 250\nlanguage c\n"
    yield begin + b"file 0 c 4 base.c\nint;file 1 c 5 a b/Main.c\nint a" + b"query 0 a comment\nend\n"
    yield b"moss 1\r\nlanguage java\r\nfile 1 java 3 ../a.java\r\nabcend\r\n"
    yield b"GET / HTTP/1.1\r\n\r\n"


def token(data: bytes) -> None:
    """Read a token of a learning platform: as it came, or its claims signed by the platform."""
    from tests.fuzz.tokens import read  # noqa: PLC0415 - starts Django

    read(data)


def token_seeds() -> Iterator[bytes]:
    claim = "https://purl.imsglobal.org/spec/lti/claim/"
    now = int(time())
    claims = {
        "iss": PLATFORM, "aud": CLIENT, "exp": now + 10**8, "iat": now, "nonce": "n", "sub": "7",
        f"{claim}version": "1.3.0", f"{claim}deployment_id": "1",
        f"{claim}message_type": "LtiResourceLinkRequest", f"{claim}roles": ["Instructor"],
        f"{claim}context": {"id": "c", "title": "t"},
    }  # fmt: skip
    yield b"{" + json.dumps(claims).encode()[1:]
    yield json.dumps({**claims, "aud": [CLIENT, "b"], "azp": CLIENT}).encode()
    yield b"eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.e30.AA"


@cache
def targets() -> dict[str, Target]:
    return {
        "archives": Target(archive, archive_seeds),
        "layouts": Target(layout, layout_seeds),
        "rosters": Target(roster, roster_seeds),
        "protocol": Target(protocol, protocol_seeds),
        "tokens": Target(token, token_seeds),
    }
