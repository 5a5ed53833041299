"""Printing in a separate process, which may take too long, crash, or find no fonts."""

import io
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore

import pytest
from fontTools.ttLib import TTFont
from pypdf import PdfReader

from submissions.matches import file_formats as pdf, printing
from submissions.matches.differences import LinePair
from submissions.matches.file_formats import PrintingFailed, print_pdf
from submissions.matches.source_html import Layers
from submissions.pages.paper import ROW_CHARACTERS, PassageSide, PrintedSource, passage_rows, style
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

NO_FONTS = '<?xml version="1.0"?><fontconfig><dir>/nowhere</dir></fontconfig>'


def pdf_text(pdf_bytes: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf_bytes)).pages)


def test_a_page_is_printed_with_text_that_can_be_selected() -> None:
    pdf_bytes = print_pdf("<!doctype html><title>Two &amp; two</title><p>total = größte → ‹U+202E›</p>")
    assert pdf_bytes.startswith(b"%PDF-")
    assert "total = größte → ‹U+202E›" in pdf_text(pdf_bytes)
    metadata = PdfReader(io.BytesIO(pdf_bytes)).metadata
    assert metadata is not None
    assert metadata.title == "Two & two"


# A name, and the font that prints it as text and as code.
NAMES = {
    "Łucja Ştefan": ("NotoSans", "RobotoMono"),
    "Δήμητρα": ("NotoSans", "RobotoMono"),
    "Светлана": ("NotoSans", "RobotoMono"),
    "مريم": ("NotoSansArabic", "NotoSansArabic"),
    "רחל": ("NotoSansHebrew", "NotoSansHebrew"),
    "王芳 さくら 김민서": ("NotoSansCJKjp", "NotoSansCJKjp"),
}


@pytest.mark.parametrize(("name", "fonts"), NAMES.items())
def test_names_are_printed_without_a_font_of_the_system(
    name: str, fonts: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "fonts.conf").write_text(NO_FONTS)
    monkeypatch.setenv("FONTCONFIG_PATH", str(tmp_path))
    for element, font in zip(("p", "pre"), fonts, strict=True):
        names = fonts_of(print_pdf(f"<{element}>{name}</{element}>"))
        assert any(one.startswith(font) for one in names), (element, names)


def fonts_of(pdf_bytes: bytes) -> set[str]:
    """Return the names of the fonts of a PDF's first page, without the mark of a part of a font."""
    resources = PdfReader(io.BytesIO(pdf_bytes)).pages[0]["/Resources"]
    fonts = resources["/Font"].get_object().values()  # type: ignore[index]
    return {str(one.get_object()["/BaseFont"]).lstrip("/").partition("+")[2] for one in fonts}


def test_every_character_of_our_own_texts_is_in_a_font_of_the_packages() -> None:
    folders = [spec.submodule_search_locations for name in printing.FONT_PACKAGES if (spec := find_spec(name))]
    fonts = [path for (folder,) in filter(None, folders) for path in Path(folder).rglob("*.[ot]tf")]
    printable = {chr(code) for path in fonts for code in TTFont(path).getBestCmap()}
    sources = [
        *(ROOT / "templates").rglob("*.html"),
        *(ROOT / "moss" / "locale").rglob("*.po"),
        *(ROOT / "submissions").rglob("*.py"),
    ]
    unprintable = {char for path in sources for char in path.read_text() if not char.isascii()} - printable
    assert len(sources) > 200
    assert unprintable == set()


def test_the_packages_of_fonts_come_with_the_printer() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = {re.split("[<>=]", one)[0].replace("-", "_") for one in project["optional-dependencies"]["pdf"]}
    assert set(printing.FONT_PACKAGES) <= required


def test_nothing_is_fetched_from_disk_or_from_a_host(tmp_path: Path) -> None:
    secret = tmp_path / "secret.css"
    secret.write_text("p::after { content: 'read it' }")
    page = f'<link rel="stylesheet" href="{secret.as_uri()}"><p>plain</p><img src="http://127.0.0.1:9/x.png">'
    assert pdf_text(print_pdf(page)).split() == ["plain"]


def test_a_printer_that_takes_too_long_is_stopped() -> None:
    endless = "<p style='overflow-wrap: break-word'>" + "x" * 2_000_000
    with pytest.raises(PrintingFailed, match="longer than 1 second"):
        print_pdf(endless, seconds=1)


def test_a_printer_that_takes_too_much_memory_ends_alone() -> None:
    with pytest.raises(PrintingFailed, match="broke"):
        print_pdf("<table>" + "<tr><td>x</td></tr>" * 1_000_000, memory=300 * 1024**2)


def test_a_user_who_would_wait_too_long_for_a_printer_gets_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "PRINTERS", BoundedSemaphore(1))
    monkeypatch.setattr(pdf, "WAIT_SECONDS", 0)
    with pdf.PRINTERS, pytest.raises(PrintingFailed, match="printing other documents"):
        print_pdf("<p>late")
    assert pdf_text(print_pdf("<p>early")) == "early"


def test_a_server_without_fonts_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configuration = tmp_path / "fonts.conf"
    configuration.write_text(NO_FONTS)
    monkeypatch.setenv("FONTCONFIG_FILE", str(configuration))
    with pytest.raises(PrintingFailed, match="fonts are missing"):
        print_pdf("<p>Hello</p>")


def test_a_row_of_characters_that_are_all_spelt_out_fits_a_page() -> None:
    text = "\U000e0041" * ROW_CHARACTERS
    side = PassageSide(PrintedSource(text, [0, len(text)], Layers()), range(1, 2))
    rows = "".join(passage_rows(side, side, [LinePair(1, 1)]))
    columns = '<colgroup><col class="no"><col><col class="no"><col></colgroup>'
    table = f'<table class="lines beside">{columns}{rows}</table>'
    page = f'<style>{style()}</style><body class="paper">{table}'
    assert len(PdfReader(io.BytesIO(print_pdf(page))).pages) == 1


def test_secrets_of_the_server_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    environments: list[dict[str, str]] = []
    real_run = subprocess.run

    def recording_run(*args: object, env: dict[str, str], **kwargs: object) -> object:
        environments.append(env)
        return real_run(*args, env=env, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setenv("SECRET_KEY", "very")
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere")
    monkeypatch.setattr(subprocess, "run", recording_run)
    print_pdf("<p>Hello</p>")
    (environment,) = environments
    assert not {"SECRET_KEY", "DATABASE_URL", "REDIS_URL"} & environment.keys()


def test_both_processes_use_the_same_message_for_missing_fonts() -> None:
    assert pdf.NO_FONTS == printing.NO_FONTS


def test_the_server_itself_does_not_load_the_printer() -> None:
    program = "import submissions.matches.file_formats, sys; print('plutoprint' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
