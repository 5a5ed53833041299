"""The bundled sample class: thirty programs with planted copies, and the starter code."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent


def sample_zip() -> bytes:
    """Return the sample class as a zip archive with one folder for each submission."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        folder = SAMPLE / "submissions"
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            archive.writestr(str(file.relative_to(folder)), file.read_bytes())
    return output.getvalue()
