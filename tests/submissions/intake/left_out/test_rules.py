"""What is left out of an upload: rules, patterns that mean what they mean to git, and their properties."""

import re
import shutil
import subprocess
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from timeit import repeat

import pytest
from hypothesis import assume, given, strategies as st
from pathspec import GitIgnoreSpec

from submissions.intake.left_out.listing import NO_CODE
from submissions.intake.left_out.patterns import (
    MAX_CHARACTERS,
    MAX_PATTERNS,
    MAX_STARS,
    BadGlob,
    BadPatterns,
    FilePatterns,
    Globs,
    parse_glob,
    parse_patterns,
)
from submissions.intake.left_out.rules import OUTPUT, REASONS, RULES, matches
from tests.support.left_out import CODE, left_out
from tests.support.regex_ambiguity import pumped_word

JAVA = "public class Main { public static void main(String[] a) { System.out.println(a.length); } }\n"


PYTHON = "def total(values):\n    return sum(values)\n"


SCRIPT = "const total = values => values.reduce((a, b) => a + b, 0)\n"


POM = "<project><modelVersion>4.0.0</modelVersion></project>"

# By rule: files of which every one but the second group is left out, and files of a student that all stay.
FOLDERS = {
    "environment": (
        {"env/pyvenv.cfg": "home = /usr", "env/bin/tool.py": PYTHON, "env/lib/site-packages/a.py": PYTHON},
        {"env/environment.py": PYTHON, "env/agent.py": PYTHON},
    ),
    "vendor": (
        {"composer.json": "{}", "vendor/monolog/Logger.php": "<?php echo 1;"},
        {"vendor/Vendor.java": JAVA, "vendors/list.py": PYTHON},
    ),
    "pods": ({"Podfile": "pod 'A'", "Pods/A/a.m": "int a;"}, {"pods/pod.py": PYTHON}),
    "nuget": (
        {"packages/A.1.0/A.1.0.nuspec": "<p/>", "packages/A.1.0/a.cs": "class A {}"},
        {"packages/p.py": PYTHON},
    ),
    "target": (
        {"pom.xml": POM, "target/generated-sources/A.java": JAVA, "target/classes/app.properties": "a=1"},
        {"target/Target.java": JAVA, "src/target/Aim.java": JAVA},
    ),
    "build": (
        {"build.gradle": "apply plugin: 'java'", "build/tmp/A.java": JAVA},
        {"build/builder.py": PYTHON, "build/walls.py": PYTHON},
    ),
    "dotnet-build": (
        {"bin/Debug/net8.0/app.json": "{}", "obj/project.assets.json": "{}", "obj/x.cs": "class X {}"},
        {"bin/run.py": PYTHON, "obj/Sphere.java": JAVA},
    ),
    "idea-build": ({"out/production/app/A.java": JAVA}, {"out/Printer.java": JAVA}),
    "cpp-build": ({"Debug/subdir.mk": "A += 1", "Debug/x.c": "int x;"}, {"debug/log.c": "int log;"}),
    "bundle": (
        {"tsconfig.json": "{}", "dist/main.js": SCRIPT, "src/main.ts": "let a = 1"},
        {"dist/distance.js": SCRIPT},
    ),
    "unity": (
        {"ProjectSettings/ProjectVersion.txt": "6", "Library/a.cs": "class A {}"},
        {"library/Book.java": JAVA, "temp/celsius.py": PYTHON},
    ),
    "javadoc": (
        {"doc/element-list": "app", "doc/Main.html": "<p>", "doc/search.js": SCRIPT},
        {"doc/index.html": "<p>", "doc/plan.md": "plan"},
    ),
    "doxygen": (
        {"html/doxygen.css": "a{}", "html/index.html": "<p>"},
        {"html/index.html": "<p>", "html/a.css": "a{}"},
    ),
    "sphinx": ({"_out/searchindex.js": SCRIPT, "_out/a.html": "<p>"}, {"site/search.js": SCRIPT}),
    "coverage": ({"coverage/lcov.info": "TN:", "coverage/a.html": "<p>"}, {"coverage/Area.java": JAVA}),
}


SOURCES_BESIDE = {"composer.json", "Podfile", "pom.xml", "build.gradle", "tsconfig.json", "src/main.ts"}


@pytest.mark.parametrize("rule", FOLDERS)
def test_a_folder_is_left_out_when_its_content_shows_who_wrote_it_and_a_students_own_stays(rule: str) -> None:
    files, written_by_hand = FOLDERS[rule]
    reasons = left_out(files)
    assert REASONS[rule] in reasons.values()
    assert {path for path in files if not path.startswith(tuple(reasons))} <= SOURCES_BESIDE
    assert left_out(written_by_hand) == {}


NAMES = {
    "macos": ("__MACOSX/._a", "macos/a.c"),
    "windows": ("Thumbs.db", "thumbs.c"),
    "hidden": (".idea/a.xml", "idea/a.xml"),
    "environment": (".venv/a.py", "venv/a.py"),
    "ide": ("nbproject/build-impl.xml", "project/a.c"),
    "packages": ("web/bower_components/a/a.js", "components/a.js"),
    "package-metadata": ("app.egg-info/SOURCES.txt", "egg/info.txt"),
    "lock-file": ("package-lock.json", "lock.c"),
    "compiled": ("Main.class", "class.c"),
    "xcode-build": ("DerivedData/a.c", "data/a.c"),
    "cmake-build": ("cmake-build-debug/a.c", "cmake/a.cmake"),
    "wrapper": ("gradlew", "gradle.py"),
    "autotools": ("config.guess", "config.c"),
    "coverage": ("htmlcov/index.html", "coverage.py"),
    "minified": ("app.min.js", "min.js"),
    "designer": ("Form1.Designer.cs", "Designer.cs"),
}


@pytest.mark.parametrize("rule", NAMES)
def test_some_names_are_only_written_by_tools(rule: str) -> None:
    written, written_by_hand = NAMES[rule]
    assert [*left_out({written: SCRIPT, written_by_hand: SCRIPT}).values()] == [REASONS[rule]]


SAYS = {
    "web-library": ("jquery.js", "/*! jQuery v3 | (c) authors */\n" + SCRIPT, SCRIPT),
    "c-library": ("stb_image.h", "/* stb_image - public domain image loader */\nint x;\n", "int x;\n"),
    "unity": ("Cube.prefab", "%YAML 1.1\n%TAG !u! tag\n", "cube\n"),
    "startproject": ("manage.py", '"""Django\'s command-line utility for administrative tasks."""\n', PYTHON),
    "scaffold": ("rakefile", "require_relative 'app'\nRails.application.load_tasks\n", "task :level\n"),
    "documentation": (
        "Main.html",
        "<!DOCTYPE HTML>\n<html><head>\n<!-- Generated by javadoc (17) -->\n",
        "<html><head>\n",
    ),
    "build-description": ("go.mod", "module example.org/tide\n\ngo 1.21\n", "MODULE Tide;\nEND Tide.\n"),
    "drracket": ("tide.rkt", '#reader(lib"read.ss""wxme")WXME0109 ## \n#|', "(define tide 3)\n"),
    "test-report": ("TEST-Main.xml", "<testsuite name='a'></testsuite>", "<tests></tests>"),
    "minified": ("app.js", "var a=1;" * 100, "var a=1;\n" * 100),
    "compiled-script": ("main.js", SCRIPT + "//# sourceMappingURL=main.js.map\n", SCRIPT),
    "assembly-info": ("AssemblyInfo.cs", '[assembly: AssemblyTitle("a")]\n', "class AssemblyInfo { }\n"),
    "resource": (
        "resource.h",
        "// Microsoft Visual C++ generated include file.\n#define A 1\n",
        "#define A 1\n",
    ),
    "android": (
        "R.java",
        "/* AUTO-GENERATED FILE. */\npublic final class R { }\n",
        "class R { double ratio; }\n",
    ),
    "protobuf": (
        "a_pb2.py",
        "# Generated by the protocol buffer compiler.  DO NOT EDIT!\nA = 1\n",
        "A = 1\n",
    ),
    "parser": (
        "CalcParser.java",
        "// Generated from Calc.g4 by ANTLR 4.13.1\n" + JAVA,
        "// Generated from my notes\n" + JAVA,
    ),
    "user-interface": (
        "ui_main.py",
        "# -*- coding: utf-8 -*-\n\n# Form implementation generated from reading ui file 'main.ui'\n",
        PYTHON,
    ),
    "app-inventor": ("Screen1.scm", '#|\n$JSON\n{"Source":"Form"}\n|#', "#| as $JSON |# (define a 1)\n"),
    "interface-code": (
        "Order.java",
        "//\n// This file was generated by the Eclipse Implementation of JAXB, v3.0\n//\n" + JAVA,
        JAVA,
    ),
    "migration": (
        "shop/migrations/0001_initial.py",
        "# Generated by Django 5.2\n\nclass Migration(migrations.Migration):\n    operations = []\n",
        "# Generated by Django 5.2\n\ndef fill(apps, editor):\n    pass\n\nclass Migration:\n    pass\n",
    ),
    "generated": (
        "lib.go",
        "// Code generated by stringer. DO NOT EDIT.\npackage lib\n",
        "// Do not edit my file please\npackage lib\n",
    ),
}


@pytest.mark.parametrize("rule", SAYS)
def test_a_file_is_left_out_when_it_says_who_wrote_it_and_stays_when_it_does_not(rule: str) -> None:
    name, written, written_by_hand = SAYS[rule]
    assert left_out({name: written}) == {name: REASONS[rule]}
    assert left_out({name: written_by_hand}) == {}


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("calc.tab.c", "/* A Bison parser, made by GNU Bison 3.8.2.  */\n"),
        (
            "lex.yy.c",
            '\n#line 1 "lex.yy.c"\n\n#define YY_INT short int\n\n/* A lexical scanner generated by flex */\n',
        ),
        ("Lexer.java", "/* The following code was generated by JFlex 1.4.3 on 1/1/26 */\n"),
        ("Calc.java", "/* Calc.java */\n/* Generated By:JavaCC: Do not edit this line. Calc.java */\n"),
        ("calc.js", "/* parser generated by jison 0.4.18 */\n"),
        ("parsetab.py", "\n# parsetab.py\n# This file is automatically generated. Do not edit.\n"),
        ("ui_main.h", "/****\n** Form generated from reading UI file 'main.ui'\n**\n"),
        ("moc_main.cpp", "/****\n** Meta object code from reading C++ file 'main.h'\n"),
        ("qrc_main.cpp", "/****\n** Resource object code\n"),
        (
            "main_wrap.c",
            "/* ----\n * This file was automatically generated by SWIG (https://www.swig.org).\n",
        ),
        ("fast.c", "/* Generated by Cython 3.0.8 */\n"),
        (
            "types.py",
            "#\n# Autogenerated by Thrift Compiler (0.19.0)\n#\n# DO NOT EDIT UNLESS YOU ARE SURE\n",
        ),
        ("Pet.java", "/*\n * Pets\n *\n * NOTE: This class is auto generated by OpenAPI Generator.\n */\n"),
        ("Main_h.h", "/* DO NOT EDIT THIS FILE - it is machine generated */\n#include <jni.h>\n"),
        ("Ref.cs", "\ufeff//-----\n// <auto-generated>\n//     This code was generated by a tool.\n"),
        ("schema.rb", "# This file is auto-generated from the database.\n# Please do not modify it.\n"),
    ],
)
def test_generators_are_known_by_the_comment_that_they_write(name: str, start: str) -> None:
    assert [*left_out({name: start + "int x;\n"})] == [name]


@pytest.mark.parametrize(
    ("name", "description", "written_by_hand"),
    [
        ("build.gradle.kts", "plugins {\n    java\n}\n", "fun level(t: Int) = t + 1\n"),
        ("Package.swift", "// swift-tools-version:5.9\nimport PackageDescription\n", "let level = 3\n"),
        ("build.sbt", 'scalaVersion := "3.4.0"\n', "val level = 3\n"),
        ("mix.exs", "defmodule Tide do\n  use Mix.Project\nend\n", "defmodule Tide do\nend\n"),
        ("setup.py", "from setuptools import setup\nsetup(name='tide')\n", PYTHON),
        ("webpack.config.js", "module.exports = { entry: './a.js' }\n", SCRIPT),
        ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\n", "a list of what CMake does\n"),
        ("vite.config.ts", "export default defineConfig({ plugins: [] })\n", "const level = 3;\n"),
        ("jest.config.ts", "const config: Config = {};\nexport default config;\n", "const level = 3;\n"),
        ("eslint.config.js", "export default [{ ignores: ['dist'] }]\n", SCRIPT),
        ("karma.conf.js", "module.exports = function (config) {\n};\n", SCRIPT),
        ("Gemfile", 'source "https://rubygems.org"\ngem "rails"\n', "level = 3\n"),
        ("module-info.java", "module org.example.tide {\n    requires javafx.controls;\n}\n", JAVA),
        ("Setup.hs", "import Distribution.Simple\nmain = defaultMain\n", "main = print 3\n"),
        ("meson.build", "project('tide', 'c')\n", "level = 3\n"),
        ("conanfile.py", "class Tide(ConanFile):\n    settings = 'os'\n", PYTHON),
        ("xmake.lua", 'add_rules("mode.debug")\n', "print(3)\n"),
    ],
)
def test_what_describes_a_build_is_no_work(name: str, description: str, written_by_hand: str) -> None:
    assert left_out({name: description}) == {name: REASONS["build-description"]}
    assert left_out({name: written_by_hand}) == {}


SPRING = (
    "@SpringBootApplication\npublic class TideApplication {\n\n\tpublic static void main(String[] args) {\n"
    "\t\tSpringApplication.run(TideApplication.class, args);\n\t}\n%s}\n"
)

KOTLIN = (
    "@SpringBootApplication\nclass TideApplication\n\nfun main(args: Array<String>) {\n"
    "\trunApplication<TideApplication>(*args)\n}\n"
)
SUM = "@Test\nfun sum() {\n    assertEquals(4, 2 + 2)\n}\n"
COUNTER = "testWidgets('Counter increments smoke test', (t) async {});\n"
RAKE = "Rails.application.load_tasks\n"


@pytest.mark.parametrize(
    ("name", "written", "written_by_hand"),
    [
        ("schema.rb", "# This file is auto-generated from the current state of the database.\n", "level = 3\n"),
        ("application.rb", "class Application < Rails::Application\nend\n", "class Application\nend\n"),
        ("development.rb", "Rails.application.configure do\nend\n", "level = 3\n"),
        ("puma.rb", 'threads ENV.fetch("RAILS_MAX_THREADS")\n', "class Puma\nend\n"),
        ("artisan", "#!/usr/bin/env php\n<?php\ndefine('LARAVEL_START', microtime(true));\n", "<?php\necho 3;\n"),
        ("config.exs", "import Config\n\nconfig :tide, level: 3\n", "defmodule Tide do\nend\n"),
        ("test_helper.exs", "ExUnit.start()\n", "ExUnit.start()\ndefmodule Tide do\nend\n"),
        ("reportWebVitals.js", "import('web-vitals').then(() => {});\n", SCRIPT),
        ("ExampleUnitTest.kt", SUM, SUM + "@Test\nfun level() {\n    assertEquals(3, level(2))\n}\n"),
        ("ExampleInstrumentedTest.kt", "@Test\nassertEquals('tide', appContext.packageName)\n", "fun level() = 3\n"),
        ("widget_test.dart", COUNTER, COUNTER + "test('level', () => expect(level(2), 3));\n"),
        ("Rakefile", "# Tasks\nrequire_relative 'app'\nRails.application.load_tasks\n", RAKE + "task :level\n"),
        ("Rakefile", RAKE, "def level(tide)\n  tide + 1\nend\n" + RAKE),
        ("TideApplication.java", SPRING % "", SPRING % "\tint level() {\n\t\treturn 3;\n\t}\n"),
        ("TideApplication.java", f"package tide;\n\nimport org.a.B;\n\n{SPRING % ''}", f"{JAVA}\n{SPRING % ''}"),
        ("TideApplication.kt", f"package tide\n\n{KOTLIN}", f"fun level() = 3\n{KOTLIN}"),
    ],
)
def test_what_a_framework_writes_at_the_start_is_no_work(name: str, written: str, written_by_hand: str) -> None:
    assert left_out({name: written}) == {name: REASONS["scaffold"]}
    assert left_out({name: written_by_hand}) == {}


def test_settings_that_django_wrote_are_no_work() -> None:
    assert left_out({"settings.py": "# Generated by 'django-admin startproject' using Django 5.\n"})
    assert left_out({"settings.py": PYTHON}) == {}


@pytest.mark.parametrize(
    "written_by_hand",
    [
        "// TODO Auto-generated method stub\n" + JAVA,
        "/* To change this generated comment edit the template variable. */\n" + JAVA,
        "# This file was generated by Alex and Marie, group 4.\n" + PYTHON,
        "// Generated by ChatGPT, then changed by me\n" + JAVA,
        JAVA + "// Code generated by a tool. DO NOT EDIT.\n",
        'HEAD = "# Generated by the protocol buffer compiler.  DO NOT EDIT!"\n' + PYTHON,
        "# Numbers generated by a random generator; edit at will.\n" + PYTHON,
        "// @author Ada; the grid is generated by the constructor\n" + JAVA,
    ],
)
def test_a_student_may_write_about_generated_code(written_by_hand: str) -> None:
    assert left_out({"main.txt": written_by_hand, "Main.java": written_by_hand, "main.py": written_by_hand}) == {}


@pytest.mark.parametrize("folder", ["bin", "build", "out", "target", "dist", "obj"])
def test_copies_in_a_folder_of_build_output_are_left_out_and_other_sources_there_stay(folder: str) -> None:
    files = {"src/app/Main.java": JAVA, f"{folder}/app/Main.java": JAVA, f"{folder}/tool.py": PYTHON}
    assert left_out(files) == {f"{folder}/app/Main.java": REASONS["copy"]}


def test_copies_outside_such_folders_and_all_that_a_student_has_stay() -> None:
    assert left_out({"old/own.c": CODE, "new/own.c": CODE, "bin/a.py": PYTHON, "out/a.py": PYTHON}) == {}
    marked = "// Code generated by protoc. DO NOT EDIT.\nint main() { return 0; }\n"
    assert left_out({"own.c": marked, "README.md": "my work"}) == {}
    documented = {"element-list": "app", "index.html": "<p>", "Main.java": JAVA}
    assert left_out(documented).keys() == {"element-list", "index.html"}


def test_every_rule_has_its_tests_and_rows_of_one_name_have_one_reason() -> None:
    assert {*FOLDERS, *NAMES, *SAYS, "copy"} == {*REASONS}
    assert len({(rule.name, rule.reason) for rule in RULES}) == len(REASONS) == len({*REASONS.values()})


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("0001_initial.py", "# Generated by Django\n" + "  \n" * 50_000),
        ("a.js", "a;" * 60 + "\n" * 100_000),
        ("a.c", "/* " + "generated from " * 50_000),
    ],
)
def test_no_file_takes_long(name: str, data: str) -> None:
    left_out({name: data})


PATTERNS = sorted(
    {pattern for rule in RULES for pattern in f"{rule.files} {rule.folders} {rule.proof}".split()}
    | set(f"{OUTPUT} {NO_CODE}".split())
)


@given(
    st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3),
    st.lists(st.sampled_from(PATTERNS) | st.text(".abz-_09*?[]", max_size=4), max_size=3),
)
def test_names_match_patterns_as_fnmatch_says(patterns: list[str], parts: list[str]) -> None:
    name = "".join(part.replace("*", "a") for part in parts).lower()
    assert matches(" ".join(patterns), name) == any(fnmatchcase(name, pattern) for pattern in patterns)


GIT = shutil.which("git")


needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")

# Patterns of one list, and the paths that it matches and that it does not.
CASES = [
    ("*.c", "a.c lib/a.c", "a.h a.cc lib/c"),
    ("a", "a a/b x/a x/a/b", "ab ba"),
    ("a/", "a/b x/a/b", "a x/a"),
    ("/a", "a a/b", "x/a"),
    ("/a/", "a/b", "a x/a/b"),
    ("a/b", "a/b a/b/c", "x/a/b a/bb"),
    ("a/*", "a/b a/b/c", "a b/a"),
    ("a/*/c", "a/b/c", "a/c a/b/b/c"),
    ("a/**", "a/b a/b/c", "a x/a/b"),
    ("**/a", "a x/a x/y/a a/b", "ab"),
    ("**/a/b", "a/b x/a/b x/y/a/b", "a b a/x/b"),
    ("a/**/b", "a/b a/x/b a/x/y/b a/b/c", "b a/bb xa/b"),
    ("a/**/**/b", "a/b a/x/b", "ab"),
    ("**", "a a/b", ""),
    ("/**", "a a/b", ""),
    ("**/", "a/b", "a"),
    ("*", "a a/b .a", ""),
    ("/*", "a a/b", ""),
    ("*/", "a/b", "a"),
    ("*/b", "a/b", "b a/c/b"),
    ("a**b", "ab axb x/axxb", "a/b"),
    ("x/a***b", "x/ab x/acb", "x/a/b ab"),
    ("*a*a*b", "aab xaxaxb aaab", "ab aa b/aa"),
    ("*ab*ab", "abab xabxab aabab", "ab aab abba"),
    ("a?c", "abc", "ac a/c abbc"),
    ("[ab]c", "ac bc", "cc c [ab]c"),
    ("[!ab]c", "cc xc", "ac bc c"),
    ("[^ab]c", "cc", "ac"),
    ("a[!x]b", "acb", "a/b axb"),
    ("a[x/]b", "axb", "a/b a[x/]b"),
    ("[a-c]1", "a1 b1 c1", "d1 -1"),
    ("[a-]1", "a1 -1", "b1"),
    ("[-a]1", "a1 -1", "b1"),
    ("[]a]1", "]1 a1", "b1"),
    ("[!]a]1", "b1", "]1 a1"),
    ("[a\\]b]1", "a1 ]1 b1", "\\1"),
    ("[c-a]1", "c1", "a1 b1"),
    ("[a-c-e]1", "a1 c1 -1 e1", "d1"),
    ("[[:digit:]]x", "1x", "ax"),
    ("[[:upper:][:digit:]_]x", "1x Ax _x", "ax"),
    ("[![:space:]]x", "ax", "x"),
    ("[a[:alpha]x", "ax [x", "bx"),
    ("\\*.c", "*.c", "a.c"),
    ("\\!a", "!a", "a"),
    ("\\#a", "#a", "a"),
    ("a\\b", "ab", "a\\b"),
    ("a//b", "", "a/b ab"),
    ("é*", "é éa x/éb", "e"),
    ("*.c !a.c", "b.c x/b.c", "a.c x/a.c"),
    ("!a.c *.c", "a.c", "a.h"),
    ("a/ !a/b", "a/b", "b"),
    ("a/* !a/b", "a/c", "a/b a/b/c"),
    ("* !*/ !*.c", "a.h", "a.c x/a.c"),
    ("*.c !x/", "x/a.c a.c", "x/a.h"),
    ("/x/* !/x/y/ /x/y/* !/x/y/z.c", "x/a x/y/a", "x/y/z.c"),
]


@pytest.mark.parametrize(("lines", "matched", "others"), CASES)
def test_a_pattern_matches_what_git_matches(lines: str, matched: str, others: str) -> None:
    globs = Globs(lines.split())
    assert [path for path in matched.split() if not globs.match(path)] == []
    assert [path for path in others.split() if globs.match(path)] == []


@needs_git
def test_the_table_of_cases_says_what_git_says(tmp_path: Path) -> None:
    for lines, matched, others in CASES:
        paths = [*matched.split(), *others.split()]
        assert _ignored(tmp_path, lines.split(), paths) == set(matched.split()), lines


TEXTS = st.lists(st.sampled_from("ab*?") | st.sampled_from(["[ab]", "**", "/", "**/", "/**", "\\a"]), max_size=7)


PATHS = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@given(line=TEXTS.map("".join), paths=st.lists(PATHS, max_size=8))
def test_a_pattern_matches_what_pathspec_matches(line: str, paths: list[str]) -> None:
    # pathspec takes `***` for two stars and one, and what `**/` and `**` at an end match for folders.
    assume(line and "***" not in line and not line.endswith("**/"))
    try:
        spec = GitIgnoreSpec.from_lines([line])
    except ValueError:
        assume(condition=False)
    globs = Globs([line])
    assert {path for path in paths if globs.match(path)} == {path for path in paths if spec.match_file(path)}


PARTS = ["a", "b", "*", "?", "/", "**/", "/**", "[ab]", "[!a]", "[a-b]", "!", "\\a", "[", "]", "-", "^"]


@needs_git
@given(data=st.data())
def test_patterns_match_as_git_does(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    pattern = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join)
    lines = data.draw(st.lists(pattern, min_size=1, max_size=3))
    # git compares the text before the first wildcard by itself, and then takes `a**/` for `a` and `**/`.
    assume(not any(re.search(r"[^/*]\*\*", line) for line in lines))
    paths = data.draw(st.lists(PATHS, min_size=1, max_size=10))
    globs = Globs(lines)
    folder = tmp_path_factory.getbasetemp() / "patterns"
    assert {path for path in paths if globs.match(path)} == _ignored(folder, lines, paths)


def _ignored(folder: Path, lines: list[str], paths: list[str]) -> set[str]:
    """Return which of some paths git ignores with these lines."""
    assert GIT
    if not (folder / ".git").exists():
        subprocess.run([GIT, "init", "-q", str(folder)], check=True)
    (folder / ".gitignore").write_text("".join(f"{line}\n" for line in lines))
    asking = f"-C {folder} -c core.excludesFile=/dev/null check-ignore --no-index --stdin -z".split()
    asked = "".join(f"{path}\0" for path in paths)
    answer = subprocess.run([GIT, *asking], input=asked, capture_output=True, text=True, check=False)
    assert answer.returncode in {0, 1}, answer.stderr
    return set(answer.stdout.split("\0")) - {""}


@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=12))
def test_the_expression_of_every_pattern_is_proved_to_be_linear(parts: list[str]) -> None:
    try:
        glob = parse_glob("".join(parts))
    except BadGlob:
        assume(condition=False)
    assert pumped_word(glob.expression, "match") is None


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("*a*a*a*a*a*a*a*b", "a{n}"),
        ("**/a/**/a/**/a/**/b", "a/{n}"),
        ("*ab*ab*ab*abb", "ab{n}"),
        ("x/**/*a*a*a*/**/*b", "x/aa/{n}"),
    ],
)
def test_a_longer_path_takes_only_as_much_longer(line: str, path: str) -> None:
    word = path.removesuffix("{n}")
    texts = [word * (size // len(word)) + "c" for size in (2_000, 4_000, 8_000)]
    seconds = [_seconds(line, text) for text in texts]
    assert all(longer < 3.5 * shorter for shorter, longer in pairwise(seconds))


def _seconds(line: str, path: str) -> float:
    glob = parse_glob(line)
    return min(repeat(lambda: glob.fits(path, folder=False), number=5, repeat=5))


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["a" * (MAX_CHARACTERS + 1)], f"'{'a' * 60}...' has 201 characters; the limit is 200."),
        (["*a" * (MAX_STARS + 1)], "has 13 stars; the limit is 12."),
        (["[ab"], "'[ab' is no pattern of the kind that .gitignore takes: it has a [ without its ]."),
        (["[[:wrong:]]"], "it has [:wrong:], which is no class of characters."),
        (["a\\"], "it ends with a backslash."),
        (["!"], "it names no file."),
        (["/"], "it names no file."),
        (["a"] * MAX_PATTERNS, "These are 101 patterns; at most 100 are taken"),
    ],
)
def test_patterns_are_refused_with_the_reason_and_the_limit(lines: list[str], reason: str) -> None:
    assert len(parse_patterns(["*.c"] * MAX_PATTERNS)) == MAX_PATTERNS
    with pytest.raises(BadPatterns, match=re.escape(reason)):
        parse_patterns(["*.c", *lines])


def test_a_pattern_that_was_stored_before_there_were_limits_is_matched_as_git_does() -> None:
    patterns = FilePatterns(exclude=("*a" * 50, "[ab", "*.c"))
    assert patterns.excludes("x.c")
    assert patterns.excludes("a" * 50)
    assert not patterns.excludes("[ab")


def test_a_path_of_very_many_folders_is_not_searched_from_each_of_them() -> None:
    patterns = FilePatterns(include=("/own.c",))
    assert patterns.left_out_by_name("x/node_modules/own.c") is None or patterns.includes("own.c")
    deep = "a/" * 100 + "node_modules/own.c"
    assert patterns.left_out_by_name(deep) == ("a/" * 100 + "node_modules/", "downloaded packages")
