from fnmatch import fnmatchcase

import pytest
from hypothesis import given, strategies as st

from submissions.intake.left_out.listing import NO_CODE
from submissions.intake.left_out.rules import OUTPUT, REASONS, RULES, matches
from tests.support.left_out import CODE, left_out

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
def test_a_folder_is_left_out_when_its_content_shows_who_wrote_it(rule: str) -> None:
    files, _ = FOLDERS[rule]
    reasons = left_out(files)
    assert REASONS[rule] in reasons.values()
    left = [path for path in files if not any(path.startswith(name) for name in reasons)]
    assert {*left} <= SOURCES_BESIDE


@pytest.mark.parametrize("rule", FOLDERS)
def test_a_folder_of_that_name_with_a_students_own_files_stays(rule: str) -> None:
    _, written_by_hand = FOLDERS[rule]
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
def test_a_file_is_left_out_when_it_says_who_wrote_it(rule: str) -> None:
    name, written, _ = SAYS[rule]
    assert left_out({name: written}) == {name: REASONS[rule]}


@pytest.mark.parametrize("rule", SAYS)
def test_a_file_of_that_name_that_does_not_say_so_stays(rule: str) -> None:
    name, _, written_by_hand = SAYS[rule]
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
    ],
)
def test_a_description_for_a_build_tool_is_no_work_of_a_student(
    name: str, description: str, written_by_hand: str
) -> None:
    assert left_out({name: description}) == {name: REASONS["build-description"]}
    assert left_out({name: written_by_hand}) == {}


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
    assert (
        left_out({"main.txt": written_by_hand, "Main.java": written_by_hand, "main.py": written_by_hand})
        == {}
    )


@pytest.mark.parametrize("folder", ["bin", "build", "out", "target", "dist", "obj"])
def test_copies_in_a_folder_of_build_output_are_left_out_and_other_sources_there_stay(folder: str) -> None:
    files = {"src/app/Main.java": JAVA, f"{folder}/app/Main.java": JAVA, f"{folder}/tool.py": PYTHON}
    assert left_out(files) == {f"{folder}/app/Main.java": REASONS["copy"]}


def test_copies_outside_such_folders_and_copies_of_nothing_stay() -> None:
    assert left_out({"old/own.c": CODE, "new/own.c": CODE, "bin/a.py": PYTHON, "out/a.py": PYTHON}) == {}


def test_one_line_does_not_make_a_student_disappear() -> None:
    marked = "// Code generated by protoc. DO NOT EDIT.\nint main() { return 0; }\n"
    assert left_out({"own.c": marked, "README.md": "my work"}) == {}


def test_javadoc_written_into_the_folder_of_the_sources_leaves_the_sources() -> None:
    files = {"element-list": "app", "index.html": "<p>", "Main.java": JAVA}
    assert left_out(files).keys() == {"element-list", "index.html"}


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
