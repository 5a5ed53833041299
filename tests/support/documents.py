"""Documents with given lines, as word processors, MATLAB and printers of PDF write them."""

import base64
import io
import quopri
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable
from html import escape

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OPEN = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)


def packed(files: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


def word(body: str) -> bytes:
    document = f'<?xml version="1.0"?>\n<w:document {WORD}><w:body>{body}</w:body></w:document>'
    return packed({"[Content_Types].xml": "<Types/>", "word/document.xml": document})


def _runs(line: str) -> str:
    """Return a line in runs of a few letters, as spelling checks cut it, with tabs as elements."""
    parts = re.findall(r"\t|[^\t]{1,7}", line)
    texts = ("<w:tab/>" if part == "\t" else f"<w:t xml:space='preserve'>{escape(part)}</w:t>" for part in parts)
    return "".join(f"<w:r><w:rPr><w:b/></w:rPr>{text}</w:r>" for text in texts)


def docx(lines: Iterable[str]) -> bytes:
    return word("".join(f"<w:p><w:pPr><w:pStyle w:val='Code'/></w:pPr>{_runs(line)}</w:p>\n" for line in lines))


def docx_of_breaks(lines: Iterable[str]) -> bytes:
    """Return one paragraph in a table, with a break behind each line but the last."""
    inner = "<w:r><w:br/></w:r>".join(map(_runs, lines))
    return word(
        f"<w:tbl><w:tr><w:tc><w:p>{inner}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
        "</w:tc></w:tr></w:tbl>"
    )


def docx_of_boxes(lines: Iterable[str]) -> bytes:
    """Return a text box, which Word writes twice."""
    inner = "".join(f"<w:p>{_runs(line)}</w:p>" for line in lines)
    box = f"<w:txbxContent>{inner}</w:txbxContent>"
    return word(
        f'<w:p><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}'
        "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )


def odt(lines: Iterable[str]) -> bytes:
    def written(line: str) -> str:
        text = re.sub("  +", lambda blanks: f' <text:s text:c="{len(blanks[0]) - 1}"/>', escape(line))
        text = re.sub("^ ", "<text:s/>", text)
        return re.sub("\t", "<text:tab/>", text)

    inner = "\n".join(f"<text:p>\n<text:span>{written(line)}</text:span></text:p>" for line in lines)
    body = f"<office:body><office:text>{inner}</office:text></office:body>"
    return packed({"content.xml": f"<office:document-content {OPEN}>{body}</office:document-content>"})


def mlx(lines: Iterable[str], words: str = "A tide") -> bytes:
    code = "\n".join(lines)
    body = (
        f'<w:p><w:pPr><w:pStyle w:val="title"/></w:pPr><w:r><w:t>{escape(words)}</w:t></w:r></w:p>'
        f'<w:p><w:pPr><w:pStyle w:val="code"/></w:pPr><w:r><w:t><![CDATA[{code}]]></w:t></w:r></w:p>'
    )
    document = f"<w:document {WORD}><w:body>{body}</w:body></w:document>"
    return packed({"matlab/document.xml": document, "matlab/output.xml": "<embeddedOutputs/>"})


def pdf(lines: Iterable[str], *, per_page: int = 60) -> bytes:
    """Return pages with a line of Courier each, in deflated streams, without a table of what is where."""
    rows = ["(" + re.sub(r"([\\()])", r"\\\1", line) + ")" for line in lines]
    return _pdf(rows, per_page, b"3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier>>\nendobj\n")


def pdf_of_glyphs(lines: Iterable[str], *, per_page: int = 60) -> bytes:
    """Return the same by numbers of glyphs and a map of what they mean, as Word and browsers print."""
    rows = [f"<{line.encode('utf-16-be').hex()}>" for line in lines]
    glyphs = (
        b"begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange "
        b"1 beginbfrange <0020> <fffd> <0020> endbfrange endcmap"
    )
    font = (
        b"3 0 obj\n<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 5 0 R/DescendantFonts"
        b"[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>>>]>>\nendobj\n5 0 obj\n<</Length %d>>\nstream\n%b\nendstream\nendobj\n"
    )
    return _pdf(rows, per_page, font % (len(glyphs), glyphs))


def _pdf(rows: list[str], per_page: int, font: bytes) -> bytes:
    pages = [rows[at : at + per_page] for at in range(0, len(rows), per_page)]
    kids = " ".join(f"{10 + 2 * number} 0 R" for number in range(len(pages)))
    parts = [
        b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n",
        f"2 0 obj\n<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>\nendobj\n".encode(),
        font,
    ]
    for number, page in enumerate(pages):
        text = "BT /F 9 Tf 11 TL 40 800 Td " + " ".join(f"{row} Tj T*" for row in page) + " ET"
        stream = zlib.compress(text.encode("latin-1"))
        at = 10 + 2 * number
        parts.append(
            f"{at} 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {at + 1} 0 R"
            f"/Resources<</Font<</F 3 0 R>>>>>>\nendobj\n{at + 1} 0 obj\n"
            f"<</Filter/FlateDecode/Length {len(stream)}>>\nstream\n".encode()
            + stream
            + b"\nendstream\nendobj\n"
        )
    return b"".join((*parts, b"trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"))


def slx(parts: dict[str, str]) -> bytes:
    return packed({"[Content_Types].xml": "<Types/>", "metadata/thumbnail.xml": "<a/>", **parts})


def rtf(lines: Iterable[str]) -> bytes:
    """Return rich text as a word processor writes it: settings, signs by their numbers or bytes, one line."""
    signs = {**{sign: f"\\{sign}" for sign in "\\{}"}, "\t": "\\tab ", "\xe9": "\\'e9", "\u201c": "\\u8220\\'93"}
    inner = "".join("".join(signs.get(sign, sign) for sign in line) + "\\par\r\n" for line in lines)
    settings = "{\\fonttbl{\\f0\\fmodern Courier New;}}{\\*\\generator Riched20;}{\\colortbl;\\red0\\green0\\blue0;}"
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0{settings}\\uc1\\pard\\f0\\fs20 {{\\b {inner}}}}}".encode()


def rtf_of_mac(lines: Iterable[str]) -> bytes:
    inner = "".join(re.sub(r"([\\{}])", r"\\\1", line).replace("\xe9", "\\uc0\\u233 ") + "\\\n" for line in lines)
    return f"{{\\rtf1\\ansi\\ansicpg1252\\cocoartf2639\n{{\\fonttbl\\f0 Menlo;}}\n\\f0\\fs22 \\cf0 {inner}}}".encode()


def mail(lines: Iterable[str], form: str = "base64") -> bytes:
    """Return a mail with its text in one encoding, the same text as a page, and a picture."""
    text = "".join(f"{line}\n" for line in lines).encode()
    encoded = base64.encodebytes(text) if form == "base64" else quopri.encodestring(text)
    page = b"<p>" + escape(text.decode()).encode().replace(b"\n", b"<br>") + b"</p>"
    parts = [
        b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: %b\n\n%b" % (form.encode(), encoded),
        b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(page),
        b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"\x89PNG\0\0"),
    ]
    head = (
        b'From: Ada <ada@uni.example>\nSubject: Tide\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n'
    )
    return head + b"".join(b"\n--b\n" + part for part in parts) + b"\n--b--\n"


def quoted_mail(lines: Iterable[str]) -> bytes:
    return mail(lines, "quoted-printable")


# How a document with lines is written, by the ending of its name.
WRITERS: dict[str, list[Callable[[list[str]], bytes]]] = {
    ".docx": [docx, docx_of_breaks, docx_of_boxes],
    ".odt": [odt],
    ".pdf": [pdf, pdf_of_glyphs],
    ".rtf": [rtf, rtf_of_mac],
    ".eml": [mail, quoted_mail],
}
