# ruff: noqa: RUF001 - names in all alphabets
import io
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from submissions.intake.entries import PRIORS, detect_encoding, likeliest_code_page
from submissions.intake.limits import Limits
from submissions.intake.zip_and_tar import UNREAD_NAME_FIELD, _RepairedReads
from tests.support.archives import (
    ARCHIVE_WRITERS,
    entries,
    reasons,
    taken,
    tarred,
    zip_by_hand,
    zipped,
    zipped_twice,
)

# Names of students by language, and the code pages in which its users' archivers write them.
NAMES = {
    "German": ("cp437 cp850 cp1252", "Günther Bäcker Strauß Schröder Jäger Böhm Krüger"),
    "French": ("cp437 cp850 cp1252", "Chloé Léa Inès Jérôme Aurélie Françoise Hervé"),
    "Spanish": ("cp437 cp850 cp1252", "Sofía Adrián Ibáñez Rubén Lucía Óscar Nuño"),
    "Portuguese": ("cp850 cp1252", "Inês Magalhães Patrícia Falcão Brandão Mónica Lourenço"),
    "Danish": ("cp850 cp1252", "Mørk Brøndum Håkon Ærø Lærke Jørn Kåre"),
    "Swedish": ("cp437 cp850 cp1252", "Söderberg Åkesson Märta Nyström Ängström Örjan"),
    "Polish": ("cp852 cp1250", "Szymański Woźniak Kozłowska Paweł Michał Łoś Święch"),
    "Czech": ("cp852 cp1250", "Svoboďák Horáková Pospíšil Křížek Ondřej Bartoš Šárka"),
    "Hungarian": ("cp852 cp1250", "Németh Balázs Gergő Őri Zsófia Fülöp Jenő"),
    "Croatian": ("cp852 cp1250", "Horvatić Babić Križanić Šunjić Čačić Đurić"),
    "Turkish": ("cp857 cp1254", "Yılmaz Çetin Gündoğdu Kılıç Aydın Şimşek İnce"),
    "Lithuanian": ("cp775 cp1257", "Stankevičius Petrauskaitė Jurgaitytė Žilinskas Mažeikis"),
    "Latvian": ("cp775 cp1257", "Liepiņš Pētersons Zariņa Āboliņš Kārkliņš"),
    "Russian": ("cp866 cp1251 koi8_u", "Смирнов Васильева Дмитрий Григорьев Фёдорова Наталья"),
    "Ukrainian": ("cp1251", "Бондаренко Ткаченко Олексій Юрій Марія Гриценко"),
    "Greek": ("cp737 cp1253", "Δημήτρης Κωνσταντίνου Μαρία Αθανασίου Γεωργία"),
    "Hebrew": ("cp862 cp1255", "פרידמן יעקב שרה גולדברג משה רחל"),
    "Arabic": ("cp1256", "عبدالله حسن مريم إبراهيم عمر سارة"),
    "Thai": ("cp874", "กิตติ ณัฐพงษ์ วรรณา ปรีชา อรทัย"),
    "Chinese": ("gbk", "黄磊 吴娟 徐浩然 马超 朱丹 林静怡"),
    "Taiwanese": ("cp950", "吳志豪 李佳穎 蔡宗翰 劉美玲 鄭文彬"),
    "Japanese": ("cp932", "鈴木一郎 中村美咲 小林健 加藤 山本ゆい"),
    "Korean": ("cp949", "정하늘 강민준 조서연 윤도현 한지민 임수빈"),
}
CASES = [
    pytest.param(encoding, names.split(), id=f"{language}-{encoding}")
    for language, (encodings, names) in NAMES.items()
    for encoding in encodings.split()
]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, "leads out") for name in ("../evil.py", "a/../../evil.py", "..\\evil.py", "a/..")),
        *((name, "absolute") for name in ("/etc/passwd", "C:\\e.py", "c:e.py", "\\\\host\\share", "\\evil")),
    ],
)
@pytest.mark.parametrize("archive", ["class.zip", "class.tar"])
def test_a_path_that_leads_out_or_is_absolute_is_refused(archive: str, name: str, reason: str) -> None:
    unpacked = entries(archive, ARCHIVE_WRITERS[archive]({name: b"x", "bob.py": b"b"}))
    assert taken(unpacked) == {"bob.py": b"b"}
    assert reason in unpacked[0].reason


def test_back_slashes_separate_folders_and_entries_of_one_name_are_all_kept_and_numbered() -> None:
    unpacked = entries("c.zip", zipped({"alice\\src\\A.cs": b"class A;"}))
    assert taken(unpacked) == {"alice/src/A.cs": b"class A;"}
    assert taken(entries("c.zip", zipped_twice("A.java", b"1", b"2"))) == {"A.java": b"1", "A (2).java": b"2"}
    unpacked = entries("c.zip", zipped({"Zoe\u0308.py": b"1", "Zo\u00eb.py": b"2", "zo\u00eb.py": b"3"}))
    assert taken(unpacked) == {"Zo\u00eb.py": b"1", "Zo\u00eb (2).py": b"2", "zo\u00eb.py": b"3"}


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (["Jörg Müller/Übung.java", "Zoë/Lösung.java"], "utf-8"),
        (["Jörg Müller/Übung.java", "Zoë/Lösung.java"], "cp1252"),
        (["Müller.java"], "cp437"),
        (["課題/山田太郎.py", "課題/佐藤花子.py"], "cp932"),
        (["作业/张伟.py", "作业/李娜.py"], "gbk"),
        (["Иванов/задача.py", "Петров/задача.py"], "cp866"),
    ],
)
def test_names_in_legacy_encodings_are_read(names: list[str], encoding: str) -> None:
    data = zip_by_hand([(name.encode(encoding), b"x") for name in names])
    assert list(taken(entries("c.zip", data))) == names


# Bit 11 of an entry's flags: its name is UTF-8.
UTF_8 = 0x800


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [("Müller.java".encode("cp1252"), "Müller.java"), ("課題.py".encode("cp932"), None), (b"\xff\xfe", None)],
)
def test_a_name_wrongly_marked_as_utf_8_is_repaired_alone(wrong: bytes, expected: str | None) -> None:
    others = ["Zoë/Lösung.java", "課題/山田.py", "plain.py"]
    data = zip_by_hand([(name, b"x") for name in (wrong, *(name.encode() for name in others))], flags=UTF_8)
    files = taken(entries("c.zip", data))
    assert [*files][1:] == others
    assert len(files) == 4
    assert expected in {None, next(iter(files))}


def test_a_wrongly_marked_name_does_not_change_how_unmarked_ones_are_read() -> None:
    right, wrong = "Zoë/Lösung.java".encode(), "Müller.java".encode("cp1252")
    data = bytearray(zip_by_hand([(right, b"x"), (wrong, b"x")]))
    for start, flags_at in ((data.rindex(b"PK\x03\x04"), 6), (data.rindex(b"PK\x01\x02"), 8)):
        struct.pack_into("<H", data, start + flags_at, UTF_8)
    assert list(taken(entries("c.zip", bytes(data)))) == ["Zoë/Lösung.java", "Müller.java"]


def test_a_file_that_looks_like_the_directory_of_a_zip_keeps_its_bytes() -> None:
    inside = zip_by_hand([(b"M\xfcller.java", b"x")], flags=UTF_8)
    directory = inside[inside.index(b"PK\x01\x02") : inside.index(b"PK\x05\x06")]
    data = zip_by_hand([(b"a.bin", directory)], method=zipfile.ZIP_STORED)
    assert taken(entries("c.zip", data)) == {"a.bin": directory}


def test_names_in_a_legacy_encoding_inside_a_tar_are_read() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="cp1252") as archive:
        info = tarfile.TarInfo("Müller.java")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    assert list(taken(entries("c.tar", out.getvalue()))) == ["Müller.java"]


def test_control_characters_in_names_are_made_visible_and_a_very_long_one_is_refused_and_cut() -> None:
    names = [b"a\x00b.py", b"c\nd.py", "e\u202eyp.exe.py".encode()]
    files = taken(entries("c.zip", zip_by_hand([(name, b"x") for name in names])))
    assert list(files) == ["a\ufffdb.py", "c\ufffdd.py", "e\ufffdyp.exe.py"]
    unpacked = entries("c.tar", tarred({"a" * 3000 + ".py": b"x"}))
    assert unpacked[0].reason == "its path has 3003 characters; the limit is 400"
    assert len(unpacked[0].name) == 400


def test_junk_is_listed_once_per_folder_with_its_reason() -> None:
    files = {
        "__MACOSX/alice/._A.java": b"x", "__MACOSX/b": b"x",
        "alice/.git/config": b"x", "alice/.git/HEAD": b"x",
        "alice/node_modules/p/i.js": b"x", "alice/.DS_Store": b"x", "alice/Thumbs.db": b"x",
        "alice/target/A.class": b"x", "alice/bin/run.py": b"x", "alice/__pycache__/a.pyc": b"x",
    }  # fmt: skip
    unpacked = entries("c.zip", zipped(files))
    assert taken(unpacked) == {"alice/bin/run.py": b"x"}
    assert reasons(unpacked) == {
        "__MACOSX/": "left by macOS",
        "alice/.git/": "hidden",
        "alice/node_modules/": "downloaded packages",
        "alice/.DS_Store": "hidden",
        "alice/Thumbs.db": "left by Windows",
        "alice/target/A.class": "compiled output",
        "alice/__pycache__/": "compiled output",
    }


@pytest.mark.parametrize(
    "name",
    ["a" * 397 + ".py", "a" * 400, "a." + "p" * 398, "a/" * 199 + "mm", "f" * 395 + "/m.py"],
    ids=["suffix", "no suffix", "long suffix", "folders", "long folder"],
)
def test_numbered_names_are_no_longer_than_the_limit(name: str) -> None:
    files = taken(entries("class.zip", zip_by_hand([(name.encode(), b"%d" % n) for n in range(12)])))
    assert sorted(files.values(), key=int) == [b"%d" % n for n in range(12)]
    assert max(map(len, files)) <= Limits().path_length


def test_a_refused_path_says_which_inner_archive_it_is_in() -> None:
    inner = zip_by_hand([(b"../evil.py", b"x"), (b"/etc/passwd", b"x"), (b"x" * 500, b"x"), (b"main.py", b"x")])
    refused = reasons(entries("class.zip", zipped({"ada.zip": inner})))
    assert refused.keys() == {"ada/../evil.py", "ada//etc/passwd", f"ada/{'x' * 395}…"}


EXTRA_FIELDS = {
    "unicode name, cut off": struct.pack("<HH", 0x7075, 2) + b"\x01\x02",
    "unicode name that is not UTF-8": struct.pack("<HHBL", 0x7075, 7, 1, zlib.crc32(b"ada.py")) + b"\xff\xfe",
    "unicode name that is empty": struct.pack("<HHBL", 0x7075, 5, 1, zlib.crc32(b"ada.py")),
    "longer than its record": struct.pack("<HH", 0xCAFE, 60_000) + b"x",
    "zip64 without its sizes": struct.pack("<HH", 1, 0),
    "zip64 longer than its record": struct.pack("<HHQ", 1, 24, 1),
    "three bytes": b"\x01\x00\x08",
}


@pytest.mark.parametrize("extra", EXTRA_FIELDS.values(), ids=EXTRA_FIELDS.keys())
def test_a_damaged_extra_field_of_a_zip_costs_no_entry(extra: bytes) -> None:
    """Whatever the version of Python: newer ones refuse the whole zip for more kinds of fields."""
    packed = zip_by_hand([(b"ada.py", b"a"), (b"ben.py", b"b")])
    at = packed.index(b"PK\x01\x02")
    record, rest = bytearray(packed[at : at + 46 + 6]), packed[at + 46 + 6 :]
    struct.pack_into("<H", record, 30, len(extra))
    end = bytearray(rest[-22:])
    struct.pack_into("<L", end, 12, struct.unpack_from("<L", end, 12)[0] + len(extra))
    damaged = packed[:at] + bytes(record) + extra + rest[:-22] + bytes(end)
    assert taken(entries("class.zip", damaged)) == {"ada.py": b"a", "ben.py": b"b"}
    assert kept_identifiers(damaged) <= {0, 1, UNREAD_NAME_FIELD}


def kept_identifiers(data: bytes) -> set[int]:
    """Return the identifiers of the extra fields that zipfile gets to see."""
    with zipfile.ZipFile(_RepairedReads(io.BytesIO(data), len(data))) as archive:
        extras = [info.extra for info in archive.infolist()]
    return {struct.unpack("<H", extra[:2])[0] for extra in extras if len(extra) > 3}


@pytest.mark.parametrize(("checked", "expected"), [(b"Wei\xe1.py", "Ünlü.py"), (b"another.py", "Weiß.py")])
def test_the_name_in_utf_8_beside_another_is_used_if_it_fits(checked: bytes, expected: str) -> None:
    added = b"\x01" + struct.pack("<I", zlib.crc32(checked)) + "Ünlü.py".encode()
    extra = struct.pack("<HH", 0x9999, 3) + b"abc" + struct.pack("<HH", 0x7075, len(added)) + added
    data = zip_by_hand([(b"Wei\xe1.py", b"x")], extra=extra)
    assert list(taken(entries("c.zip", data))) == [expected]


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "names"), CASES)
def test_names_of_five_students_are_read_in_each_code_page(encoding: str, names: list[str]) -> None:
    writable = [name for name in names if name.encode(encoding, "ignore").decode(encoding) == name]
    assert len(writable) >= 5
    for chosen in combinations(writable, 5):
        raw = [f"{name}/Main.java".encode(encoding) for name in chosen]
        code_page = detect_encoding(raw)
        assert [name.decode(code_page) for name in raw] == [f"{name}/Main.java" for name in chosen]


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_any_bytes_have_a_code_page_whatever_they_are(names: list[bytes]) -> None:
    assert likeliest_code_page(names) in PRIORS


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=8))
def test_names_in_utf_8_are_never_read_in_another_code_page(names: list[str]) -> None:
    raw = [unicodedata.normalize("NFC", name).encode() for name in names]
    assert detect_encoding(raw) == "utf-8"
