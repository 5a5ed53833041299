"""Scripts of similar statements are equal by kinds of tokens without being copies; programs are not."""

from itertools import count
from random import Random

import pytest

from fingerprint import engine
from fingerprint.ranking.rank import Exclusions, RankingInput
from fingerprint.ranking.score_constants import LEAST_REWORDED
from fingerprint.winnowing import Params
from tests.fingerprint.ranking.test_score_order import file

K = Params().k
SCHEMA = """\
CREATE TABLE authors (
  id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, born DATE, country VARCHAR(40)
);
CREATE TABLE books (
  id INTEGER PRIMARY KEY, title VARCHAR(200) NOT NULL, author INTEGER REFERENCES authors(id), price NUMERIC(8, 2)
);
CREATE TABLE loans (
  book INTEGER REFERENCES books(id), reader VARCHAR(80) NOT NULL, since DATE, PRIMARY KEY (book, since)
);
"""
# Every `%s` is a word of each author's own.
MIPS = """\
.data
%s: .asciiz "%s how many: "
%s: .asciiz "%s best: "
.text
.globl %s
%s:
    li $v0, 4
    la $a0, %s
    syscall
    li $v0, 5
    syscall
    move $s0, $v0
    la $t0, %s
    li $t1, 0
%s:
    beq $t1, $s0, %s
    sll $t3, $t1, 2
    add $t3, $t3, $t0
    lw $t4, 0($t3)
    blt $t4, $t2, %s
    move $t2, $t4
%s:
    addi $t1, $t1, 1
    j %s
%s:
    li $v0, 1
    move $a0, $t2
    syscall
    jal %s
    li $v0, 10
    syscall
%s:
    addiu $sp, $sp, -8
    sw $ra, 4($sp)
    sw $s0, 0($sp)
    bgtz $s0, %s
    li $v0, 1
    addiu $sp, $sp, 8
    jr $ra
%s:
    addi $s0, $s0, -1
    lw $s0, 0($sp)
    mul $v0, $s0, $v0
    lw $ra, 4($sp)
    jr $ra
"""
NSIS = """\
!include "MUI2.nsh"
!define %s "%s"
Name "%s"
OutFile "%s.exe"
InstallDir "$PROGRAMFILES\\%s"
RequestExecutionLevel admin
Var %s
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
Section "%s" %s
  SetOutPath "$INSTDIR"
  File "%s.exe"
  StrCpy $R0 "%s"
  ReadRegStr $R1 HKLM "%s" "%s"
  StrCmp $R1 "" %s
  MessageBox MB_YESNO "%s" IDNO %s
  DeleteRegKey HKLM "%s"
  %s:
  WriteRegStr HKLM "%s" "%s" "%s"
  WriteRegDWORD HKLM "%s" "%s" 1
  CreateDirectory "$SMPROGRAMS\\%s"
  CreateShortCut "$SMPROGRAMS\\%s.lnk" "$INSTDIR\\%s.exe"
  WriteUninstaller "$INSTDIR\\%s.exe"
SectionEnd
Section "Uninstall"
  SetShellVarContext all
  Delete "$INSTDIR\\%s.exe"
  RMDir /r "$INSTDIR"
  IfFileExists "%s" 0 +2
  Rename "%s" "%s"
  DeleteRegKey HKLM "%s"
SectionEnd
Function %s
  Push $0
  IntOp $0 $0 + 1
  IntCmp $0 9 %s %s %s
  DetailPrint "%s"
  Goto %s
  SetRebootFlag true
  Pop $0
FunctionEnd
"""


def similarities(texts: list[str], language: str) -> list[float]:
    files = [file(at, text, language) for at, text in enumerate(texts)]
    inputs = RankingInput.from_files(files, len(files), K, Exclusions([], [], "default"))
    _, scores, *_ = engine.rank(inputs)
    found: list[float] = scores.similarity.tolist()
    return found


def inserts(random: Random, rows: int) -> str:
    def value() -> int:
        return random.randrange(10**6)

    return "".join(
        f"INSERT INTO books VALUES ({value()}, 'title {value()}', {value()}, {value()});\n" for _ in range(rows)
    )


def assignments(random: Random, lines: int) -> str:
    return "".join(f"name_{random.randrange(10**6)} = {random.randrange(10**6)}\n" for _ in range(lines))


def own_words(text: str, who: str) -> str:
    numbers = count()
    return "".join(part + f"{who}{next(numbers)}" for part in text.split("%s"))


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        ([SCHEMA + inserts(Random(seed), 20) for seed in range(2)], "sql"),
        ([SCHEMA + inserts(Random(seed), 60) for seed in range(2)], "sql"),
        ([inserts(Random(seed), 10) for seed in range(12)], "sql"),
        ([assignments(Random(seed), 40) for seed in range(2)], "python"),
        ([assignments(Random(seed), 400) for seed in range(2)], "python"),
    ],
)
def test_honest_scripts_of_similar_statements_are_no_copies(texts: list[str], language: str) -> None:
    assert len({tuple(file(0, text, language).kinds.tolist()) for text in texts}) == 1
    assert max(similarities(texts, language)) < 0.7


@pytest.mark.parametrize(("program", "language"), [(MIPS, "mips"), (NSIS, "nsis")])
def test_a_program_with_other_names_and_strings_throughout_is_a_copy(program: str, language: str) -> None:
    texts = [own_words(program, who) for who in ("amber", "birch")]
    assert similarities(texts, language) == [LEAST_REWORDED]
