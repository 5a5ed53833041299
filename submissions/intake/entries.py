"""Entries of an upload: one shape from the child that unpacks them to the list on the page; and their names.

The encoding of the names of an archive is detected, and their paths are cleaned. An encoding is chosen by
costs: that of a character is about the logarithm of how often it is in names. Bytes of one code page read in
another one give signs, frames, letters of two alphabets in a word, or capitals within it, which cost most.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from submissions.intake import sentences as reasons

# ruff: noqa: RUF001 - letters of all alphabets

DRIVE = re.compile(r"[A-Za-z]:")
# Folders inside each other that are looked at; deeper ones are only made to take long.
MAX_DEPTH = 12
# Characters that are normalised at once.
NORMALISED_AT_ONCE = 1_000


class CommitTimes(NamedTuple):
    """The first and the last commit in seconds since 1970, and the number of commits, at least one."""

    first: int
    last: int
    number: int


class Entry(NamedTuple):
    """One entry of an upload, from the child that unpacks it to the list on its page.

    name : clean relative POSIX path, only for display if the entry was refused; a folder of junk is one entry
        whose name ends in a slash
    size : bytes, the declared ones where the entry was not read
    reason : why it does not count, for the uploader; empty where it counts
    data : its bytes, where it was unpacked and they are at hand; `digest` stands for them where they are not
    modified : time of an unpacked entry, from the innermost archive that stores one; naive if local time
    left_out : why its content leaves it out
    incomplete : it is an archive whose rest was not read
    commits : the times in a log of Git, which is not accepted
    submission : name of the submission that it belongs to, empty if not known
    """

    name: str
    size: int
    reason: str = ""
    data: bytes | None = None
    modified: datetime | None = None
    digest: bytes = b""
    left_out: str = ""
    incomplete: bool = False
    commits: CommitTimes | None = None
    submission: str = ""


def detect_encoding(names: Iterable[bytes]) -> str:
    """Return the encoding of the names of one archive.

    UTF-8 if all names are valid UTF-8; else the code page in which they are the likeliest.
    """
    non_ascii = [name for name in names if not name.isascii()]
    try:
        b"\n".join(non_ascii).decode()
    except UnicodeDecodeError:
        return likeliest_code_page(non_ascii)
    return "utf-8"


def redecode(name: str) -> str:
    """Decode a name from a tar or a disk again, where surrogates stand for bytes that are not UTF-8."""
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name  # other surrogates; `replace_invisible` replaces them
    return raw.decode(detect_encoding([raw]), "replace")


def normalised(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return the normal form of a text from outside, a part at a time.

    The time that Python takes grows with the square of a run of combining marks.
    """
    parts = range(0, len(text), NORMALISED_AT_ONCE)
    return "".join(unicodedata.normalize(form, text[at : at + NORMALISED_AT_ONCE]) for at in parts)


def without_accents(text: str) -> str:
    """Return a text with its letters, ligatures and widths as plain as Unicode decomposes them."""
    return "".join(char for char in normalised("NFKD", text) if not unicodedata.combining(char))


def replace_invisible(name: str) -> str:
    """Replace control characters, direction overrides and lone surrogates by U+FFFD; normalise to NFC."""
    if name.isprintable():  # None of these are.
        return normalised("NFC", name)
    visible = "".join("\ufffd" if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else c for c in name)
    return normalised("NFC", visible)


def clean_path(name: str, max_length: int) -> tuple[str, str]:
    """Return the relative POSIX path of an entry, and why it is refused (empty when it is not).

    Backslashes separate folders, as in zips from older Windows programs. The path of a refused entry is only
    for display: without invisible characters, and cut to `max_length` characters.
    """
    path = replace_invisible(name).replace("\\", "/")
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if path.startswith("/") or DRIVE.match(path):
        return path[:max_length], reasons.ABSOLUTE_PATH
    if ".." in parts:
        return path[:max_length], reasons.LEADS_OUT
    if not parts:
        return path[:max_length] or "(no name)", reasons.NO_NAME
    joined = "/".join(parts)
    if len(joined) > max_length:
        reason = reasons.LONG_PATH.format(n=len(joined), limit=max_length)
        return shorten(joined, max_length), reason
    return joined, ""


def shorten(path: str, max_length: int) -> str:
    """Return a path for display, cut to `max_length` characters."""
    return path if len(path) <= max_length else path[: max_length - 1] + "…"


def folders_around(path: str) -> Iterator[str]:
    """Yield the outer folders around a path with a slash at their end, from the root, which is empty."""
    end = 0
    for _ in range(MAX_DEPTH):
        yield path[:end]
        end = path.find("/", end) + 1
        if not end or end == len(path):
            return


def numbered(path: str, number: int, max_length: int) -> str:
    """Return a path with a number before its suffix, `Main (2).java`, cut so that it is not too long."""
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".") if "." in name else (name, "", "")
    end = f" ({number}){dot}{suffix}"
    room = max_length - len(folder + slash) - len(end)
    if room > 0:
        return f"{folder}{slash}{stem[:room]}{end}"
    # No room beside such a suffix, or in such a folder: the path is cut as a whole.
    return f"{path[: max_length - len(f' ({number})')].rstrip('/')} ({number})"


class UniqueNames:
    """The names of one upload, so that later ones of the same name are numbered."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Return `name`, numbered if an earlier entry has the same name: `Main (2).java`."""
        unique = name
        while unique in self._used:
            self._counts[name] = self._counts.get(name, 1) + 1
            unique = numbered(name, self._counts[name], self._max_length)
        self._used.add(unique)
        return unique


# The letters of names beside a to z, by language, the more frequent first.
LATIN = (
    "üöäß", "éèçëêôâîàûùïœ", "áíéóñúü", "ãáéçíóôâúêõà", "àòèùìé", "öåäé", "øæåöä", "óáíðúéþöýæ", "ëéèöï",
    "łńśąęóćżźś", "áíěřčýšžéůúťďňóôľöäĺŕü", "őáéóöíüúű", "ćčšžđ", "ăîțţșşâ", "ıçşüöğİâ", "āšņņīčžķēļūģ",
    "šėžūčįąęų", "äüöõšž", "ëç", "èéàòíóçúüï", "ħżġċà",
)  # fmt: skip
# The letters of each other alphabet, the more frequent first.
RANKED = (
    "аоиенвркслтмдуйяпгбчьзыжюхшэцфёщъіїєґјљњћђџўќѓѕ", "ασιοτεηνρπςλκυμδγωχθφόίάέβήύώξζψϊϋΐΰ",
    "יוהלאמרתבנשדקחעפסגטזצכםןךףץ", "اليمنردبعسحهتفكوقشخطصذجغضزثةأءىإآئؤظ",
)  # fmt: skip
VOWELS = frozenset("aeiouyøæœıаоиеуяыюэёіїєαιοεηυωόίάέήύώ")
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆"
    "張劉陳楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭葉蘇呂盧鍾譚陸簡賴莊詹游江邱洪廖顏柯翁"
    "佐藤鈴木高橋田中伊渡辺山本中村小加吉井松清林斎池前岡長川石上原野大金青近後坂三武"
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류진지엄채원천방공현"
)
# Signs that are in names of files.
TYPOGRAPHIC = frozenset("’‘“”–—«»…ºª°·¿¡№´、。・（）「」『』《》〈〉【】～")
# The standard that has the Korean syllables in use as one character each.
SYLLABLES_IN_USE = "euc_kr"
# Where each standard has the characters that are used most: the first and the last lead byte.
FREQUENT_HAN = {"gbk": ("gb2312", 0xB0, 0xD7), "cp950": ("big5", 0xA4, 0xC6), "cp932": ("cp932", 0x88, 0x97)}

# The code pages that archivers write names in, with what each costs beforehand: how seldom it is.
PRIORS = {
    "cp437": 0, "cp1252": 1, "cp850": 1, "gbk": 1, "cp866": 2, "cp932": 2, "cp852": 2, "cp1251": 3,
    "cp1250": 2, "cp949": 3, "cp950": 3, "cp857": 4, "cp1254": 4, "cp1253": 4, "cp737": 5, "cp1255": 5,
    "cp862": 5, "cp1256": 5, "cp874": 5, "cp1257": 5, "cp775": 6, "cp1258": 8, "koi8_u": 7,
}  # fmt: skip
# What a character costs, in bits. Every ASCII character costs the same, for it may be half of another one.
ASCII, STRANGE_LETTER, SYLLABLE, HAN, RARE_HAN, KANA, SURNAME = 5, 14, 8.5, 10.5, 15, 7, 6
# Of the most frequent letter of an alphabet, and the step to the next one.
LATIN_LETTER, LATIN_STEP, LETTER, LETTER_STEP = 5.5, 0.25, 3.5, 0.125
TYPOGRAPHY, SIGN, MIXED, CAPITAL_WITHIN, CAPITAL, NO_VOWEL, BESIDE, REPLACED = 10, 18, 12, 9, 1, 5, 3, 30
# Bytes of names that are looked at.
_SAMPLED = 4000
ALPHABETS = {
    "HIRAGANA": KANA, "KATAKANA": KANA, "THAI": 5.5, "COMBINING": LATIN_LETTER,
    "CYRILLIC": STRANGE_LETTER, "GREEK": STRANGE_LETTER, "HEBREW": STRANGE_LETTER, "ARABIC": STRANGE_LETTER,
}  # fmt: skip
TOGETHER = ({"CJK", "HIRAGANA", "KATAKANA"}, {"LATIN", "COMBINING"}, {"THAI", "COMBINING"})
SHORTEST_WITH_VOWEL = 3
DOUBLE = 2  # bytes of a Korean syllable in use; the others are spelt out in more


def likeliest_code_page(names: Iterable[bytes]) -> str:
    """Return the code page in which all names together are the likeliest; the work grows with their bytes."""
    taken: list[bytes] = []
    size = 0
    for name in names:
        size += len(name)
        if taken and size > _SAMPLED:
            break
        taken.append(name[:_SAMPLED])
    sample = b"\n".join(taken)
    return min(PRIORS, key=lambda encoding: PRIORS[encoding] + _cost(sample.decode(encoding, "replace"), encoding))


def _cost(text: str, encoding: str) -> float:
    """Return the bits that a text costs: its characters, and what is odd about its words."""
    counts = Counter(text)
    latin = {letter: count for letter, count in counts.items() if _alphabet(letter) == "LATIN"}
    others = sum(_character_cost(letter, encoding) * count for letter, count in counts.items() if letter not in latin)
    return others + _latin_cost(latin) + sum(map(_word_cost, _words(text)))


def _latin_cost(counts: dict[str, int]) -> float:
    """Return what the accented Latin letters cost in the language that they fit best."""
    return min(sum(count * _letter_cost(letter, language) for letter, count in counts.items()) for language in LATIN)


def _letter_cost(letter: str, language: str) -> float:
    rank = language.find(letter if letter in language else letter.lower())
    return STRANGE_LETTER if rank < 0 else LATIN_LETTER + rank * LATIN_STEP


@lru_cache(1 << 16)
def _character_cost(letter: str, encoding: str) -> float:
    if letter.isascii():
        return ASCII if letter.isprintable() or letter == "\n" else REPLACED
    if letter in SURNAMES:
        return SURNAME
    if letter in TYPOGRAPHIC:
        return TYPOGRAPHY
    if letter == "\ufffd" or unicodedata.category(letter) in {"Cc", "Cn", "Co"}:
        return REPLACED
    for alphabet in RANKED:
        if (rank := alphabet.find(letter.lower())) >= 0:
            return LETTER + rank * LETTER_STEP
    return _cost_by_alphabet(letter, encoding)


def _cost_by_alphabet(letter: str, encoding: str) -> float:
    alphabet = _alphabet(letter)
    if alphabet == "HANGUL":
        used = len(letter.encode(SYLLABLES_IN_USE, "replace")) == DOUBLE
        return SYLLABLE if used else RARE_HAN
    if alphabet == "CJK":
        return HAN if _is_frequent_han(letter, encoding) else RARE_HAN
    return ALPHABETS.get(alphabet, SIGN)


@lru_cache(1 << 16)
def _alphabet(letter: str) -> str:
    """Return the first word of a letter's name, such as LATIN; empty for ASCII and what is no letter."""
    if letter.isascii() or unicodedata.category(letter)[0] not in "LM" or letter in "ªº":
        return ""
    return unicodedata.name(letter, "").replace("-", " ").partition(" ")[0]


def _is_frequent_han(letter: str, encoding: str) -> bool:
    """Return whether a character is among those that the standard lists first, by frequency of use."""
    standard, first, last = FREQUENT_HAN.get(encoding, ("ascii", 0, 0))
    return _is_in(letter, standard) and first <= letter.encode(standard)[0] <= last


def _is_in(letter: str, encoding: str) -> bool:
    try:
        letter.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalpha() or _alphabet(letter) else " " for letter in text).split()


def _word_cost(word: str) -> float:
    """Return what is odd in a word that is not ASCII: two alphabets, capitals within it, no vowel."""
    if word.isascii():
        return 0
    alphabets = [_alphabet(letter) or "LATIN" for letter in word]
    cost: float = MIXED * (alphabets[0] == "COMBINING")
    cost += MIXED * sum(a != b for a, b in pairwise(alphabets) if _mix(a, b))
    cost += sum(_letters_cost(left, right) for left, right in pairwise(word))
    has_case = word[0].lower() != word[0].upper()
    return cost + NO_VOWEL * (has_case and len(word) >= SHORTEST_WITH_VOWEL and not _has_vowel(word))


def _letters_cost(left: str, right: str) -> float:
    """Return what is odd in two letters side by side."""
    cost = CAPITAL_WITHIN * (left.islower() and right.isupper() and not (left + right).isascii())
    cost += CAPITAL * (right.isupper() and not right.isascii())
    return cost + BESIDE * (_alphabet(left) == _alphabet(right) == "LATIN")


def _mix(first: str, second: str) -> bool:
    """Return whether letters of two alphabets make an odd word; those of Japan are written together."""
    return not any({first, second} <= together for together in TOGETHER)


def _has_vowel(word: str) -> bool:
    return any(normalised("NFD", letter)[0] in VOWELS or letter in VOWELS for letter in word.lower())
