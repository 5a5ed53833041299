# ruff: noqa: RUF001 - names in all alphabets
import unicodedata
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from submissions.intake.entry_names import PRIORS, detect_encoding, likeliest_code_page

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


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "names"), CASES)
def test_the_names_of_five_students_are_read_in_each_code_page_that_can_write_them(
    encoding: str, names: list[str]
) -> None:
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
