"""The files of one student that are left out, found as an upload finds it."""

import io
from collections.abc import Mapping

from submissions.intake.choices import Choices
from submissions.intake.grouping import ListingBuilder, group_files
from submissions.intake.left_out.listing import Listing, described
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.limits import Limits
from submissions.intake.unpacking import unpack
from tests.support.archives import zipped

CODE = b"int own(int x) { return x + 1; }\n"


def left_out(files: Mapping[str, str | bytes], patterns: FilePatterns | None = None) -> dict[str, str]:
    """Return the reason for each entry that is left out of the files that Ada hands in, beside `own.c`."""
    patterns = patterns or FilePatterns()
    contents = {path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()}
    upload = {"own.c": CODE} | contents
    archive = zipped({f"class/ada/{path}": data for path, data in upload.items()} | {"class/ben/b.c": b"x;"})
    listing, names, reasons = Listing(patterns), ListingBuilder(), {}
    for entry in unpack("class.zip", io.BytesIO(archive), Limits(), patterns):
        listing.add(described(entry, patterns))
        names.add(entry)
        if entry.data is None:
            reasons[entry.name] = entry.reason
    places = group_files(names.listing(), Choices("folders")).places
    reasons |= {entry.name: entry.reason for entry in listing.left_out(places).entries}
    return {name.removeprefix("class/ada/"): reason for name, reason in reasons.items()}
