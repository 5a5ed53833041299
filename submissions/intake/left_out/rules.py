"""The table of files that are left out, and the rule that a path, a content or a folder matches.

To add a rule, add a row to RULES and its two tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set as AbstractSet
from fnmatch import translate
from functools import cache, lru_cache
from typing import NamedTuple

# The folders that build tools write to.
OUTPUT = "bin build out obj target dist classes output debug release"
PAGES = "*.html *.htm *.js *.css *.json *.svg *.map *.xml *.txt *.md *.info *.inv *-list"
SCRIPTS = "*.js *.mjs *.cjs *.css"

# A tool says in the first bytes of a file that it wrote it, and some in the last.
HEAD_BYTES, TAIL_BYTES, COMMENT_BYTES = 16_384, 300, 4_096
COMMENT_STARTS = (
    b"//", b"/*", b"*", b"#", b"--", b";", b"%", b"<!", b"<?", b'"', b"'", b"(*", b"{-", b"@", b"!", b"rem ",
    b"=begin", b"\\",
)  # fmt: skip
BLOCKS = {b"/*": b"*/", b"<!--": b"-->", b'"""': b'"""', b"'''": b"'''", b"(*": b"*)", b"{-": b"-}"}
# Names whose rules are kept, because most names in a class occur often.
CACHED_NAMES = 10_000
# What stands for other characters in a pattern.
SPECIAL = re.compile(r"[*?\[]")


class Rule(NamedTuple):
    """Files of one origin, and the reason that the instructor reads.

    `folders` and `files` are patterns of names in lower case, separated by spaces. What else must be true:

    - `proof`, for a folder whose name students use for their own work: one of these patterns matches a path
      inside the folder or, after `../`, a name beside it. With `files`, only these in it are left out.
    - `says`, for a file: this regular expression, without regard to case, is found in the file. Without
      `files`, it is searched only in the comment at the start of the file, which is where tools write it.
    - `copies`: the same bytes are in a file of the submission outside all such folders.

    A rule with a name alone is certain; such files are not even unpacked.
    """

    name: str
    reason: str
    folders: str = ""
    files: str = ""
    proof: str = ""
    says: bytes = b""
    copies: bool = False

    @property
    def by_name(self) -> bool:
        """True if the name of a file or a folder decides."""
        return not (self.proof or self.says or self.copies)


RULES = (
    # Left by operating systems, editors and version control
    Rule("macos", "left by macOS", "__macosx", "icon\ufffd"),
    Rule("windows", "left by Windows", files="thumbs.db desktop.ini"),
    Rule("environment", "a Python environment", ".venv .virtualenv"),
    Rule("hidden", "hidden", ".*", ".*"),
    Rule(
        "ide", "project files of an IDE", "nbproject *.xcodeproj *.xcworkspace",
        "*.iml *.ipr *.iws *.sln *.suo *.vcxproj *.vcxproj.filters *.vcxproj.user *.vcproj *.csproj *.vbproj"
        " *.fsproj *.csproj.user *.cbp *.pbxproj *.xcuserstate *.xcworkspacedata *.pro.user *.code-workspace"
        " *.sublime-project *.sublime-workspace package.bluej *.greenfoot *.ctxt",
    ),
    # Downloaded
    Rule("packages", "downloaded packages", "node_modules site-packages bower_components jspm_packages"),
    Rule("package-metadata", "written by Python's package tools", "*.egg-info *.dist-info"),
    Rule(
        "environment", "a Python environment", "env venv virtualenv *env *venv",
        proof="pyvenv.cfg *site-packages/* bin/activate* scripts/activate* conda-meta/*",
    ),
    Rule(
        "vendor", "downloaded packages in vendor/", "vendor vendors",
        proof="autoload.php composer/* modules.txt github.com/* golang.org/* bundle/* cache/*.gem"
        " ../composer.json ../go.mod ../gemfile",
    ),
    Rule("pods", "packages downloaded by CocoaPods", "pods", proof="manifest.lock headers/* ../podfile"),
    Rule("nuget", "packages downloaded by NuGet", "packages", proof="*.nupkg *.nuspec repositories.config"),
    Rule(
        "lock-file", "a lock file of a package manager",
        files="package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock"
        " poetry.lock pdm.lock pipfile.lock uv.lock cargo.lock gemfile.lock composer.lock go.sum mix.lock"
        " podfile.lock pubspec.lock packages.lock.json gradle.lockfile package.resolved gopkg.lock"
        " glide.lock",
    ),
    Rule(
        "web-library", "a published JavaScript or CSS library",
        files="jquery.js jquery-[0-9]* jquery.*.js jquery-ui*.js jquery-ui*.css bootstrap.js bootstrap.css"
        " bootstrap.bundle.js bootstrap-*.css react.*.js react-dom*.js vue.js vue.*.js angular.js"
        " angular-*.js d3.js d3.v[0-9]*.js three.js three.module.js p5.js p5.*.js lodash*.js underscore.js"
        " moment*.js chart.js normalize.css font-awesome*.css animate.css modernizr*.js backbone.js"
        " knockout*.js phaser*.js leaflet.js leaflet.css matter.js howler.js handlebars*.js popper.js"
        " socket.io.js",
        says=rb"copyright|\(c\)|licen[sc]e|/\*!",
    ),
    Rule(
        "c-library", "a published C or C++ library",
        files="stb_*.h catch.hpp catch_amalgamated.* doctest.h json.hpp glad.* khrplatform.h miniaudio.h"
        " sqlite3.c sqlite3.h httplib.h lodepng.* tinyxml2.* pugixml.* rapidxml*.hpp cjson.* unity.[ch]"
        " uthash.h gtest*.h gtest-all.cc",
        says=rb"public domain|copyright|\(c\)|licen[sc]e|generated by glad|author disclaims",
    ),
    # Compiled, and the folders that builds write to
    Rule(
        "compiled", "compiled output", "__pycache__",
        "*.class *.jar *.war *.ear *.o *.obj *.a *.lib *.so *.dylib *.dll *.exe *.pdb *.ilk *.pyc *.pyo *.hi"
        " *.cmi *.cmo *.cmx *.beam *.rlib *.rmeta *.wasm *.gcda *.gcno *.gcov",
    ),
    Rule("xcode-build", "Xcode's build output", "deriveddata *.xcassets"),
    Rule(
        "cmake-build", "CMake's build output", "cmake-build-* cmakefiles",
        "cmakecache.txt cmake_install.cmake",
    ),
    Rule(
        "target", "build output of Maven, sbt or Cargo", "target",
        proof="../pom.xml ../build.sbt ../cargo.toml classes/* test-classes/* maven-status/*"
        " maven-archiver/* surefire-reports/* generated-sources/* cachedir.tag scala-* streams/*"
        " debug/deps/* release/deps/*",
    ),
    Rule(
        "build", "build output of Gradle, CMake or setuptools", "build _build",
        proof="../build.gradle* ../settings.gradle* ../setup.py ../nbproject ../pubspec.yaml cmakecache.txt"
        " cmakefiles/* classes/* bdist* lib/*/*.py intermediates/* asset-manifest.json static/js/*"
        " doctrees/* meson-info/* build.ninja build/intermediates* flutter_assets/*",
    ),
    Rule(
        "dotnet-build", "build output of .NET", "bin obj",
        proof="../*.csproj ../*.vbproj ../*.fsproj ../*.vcxproj debug/* release/* project.assets.json"
        " *.nuget.* *.assemblyinfo.cs",
    ),
    Rule("idea-build", "build output of IntelliJ", "out", proof="production/* artifacts/*"),
    Rule(
        "cpp-build", "build output of Visual Studio or Eclipse", "debug release x64 x86 win32",
        proof="*.tlog *.tlog/* *.obj *.pdb subdir.mk */subdir.mk objects.mk",
    ),
    Rule(
        "bundle", "JavaScript built by a bundler or a compiler", "dist",
        proof="*.js.map *.bundle.js assets/index-* ../tsconfig.json ../webpack.config.* ../angular.json",
    ),
    Rule("copy", "a copy of another file, in a folder of build output", OUTPUT, copies=True),
    Rule(
        "unity", "written by Unity", "library temp logs projectsettings usersettings",
        proof="../projectsettings scriptassemblies/* artifactdb packagecache/* projectversion.txt",
    ),
    Rule(
        "unity", "written by Unity", files="*.meta *.unity *.prefab *.asset *.mat *.anim *.controller",
        says=rb"\A(?:fileFormatVersion:|%YAML)",
    ),
    # Scripts of build tools
    Rule(
        "wrapper", "the wrapper script of a build tool",
        files="gradlew gradlew.bat gradle-wrapper.properties mvnw mvnw.cmd maven-wrapper.properties"
        " mavenwrapperdownloader.java",
    ),
    Rule(
        "build-description", "a build tool's description of a project",
        files="go.mod go.work build.gradle build.gradle.kts settings.gradle settings.gradle.kts gemfile meson.build"
        " package.swift build.sbt mix.exs setup.py cmakelists.txt conanfile.py xmake.lua setup.hs module-info.java"
        " webpack.config.* vite.config.* rollup.config.* vitest.config.* jest.config.* babel.config.* eslint.config.*"
        " tailwind.config.* postcss.config.* next.config.* nuxt.config.* svelte.config.* astro.config.* vue.config.*"
        " playwright.config.* karma.conf.* metro.config.*",
        says=rb"^module[ \t]+[\w./-]+[ \t\r]*$|^go \d|^plugins[ \t]*\{|^dependencies[ \t]*\{|^apply plugin"
        rb"|rootProject\.name|swift-tools-version|\bscalaVersion\b|\blibraryDependencies\b"
        rb"|\buse Mix\.Project\b|\b(?:setuptools|distutils)\b"
        rb"|\bmodule\.exports\b|\bdefineConfig\b|^export default\b"
        rb"|^[ \t]*(?:cmake_minimum_required|add_executable)\b|\bdefaultMain\b|\bConanFile\b|\badd_rules\("
        rb"|^source[ \t]+[\"']https://rubygems|^(?:open )?module [\w.]+\s*\{|^project\([ \t]*'",
    ),
    Rule(
        "drracket", "a DrRacket file with pictures, which only DrRacket reads: save it as text",
        files="*.rkt *.scm *.ss *.lsp", says=rb"\A#reader\s*\(lib\s*\"read\.ss\"\s*\"wxme\"\)WXME",
    ),
    Rule(
        "autotools", "written by the Autotools", "autom4te.cache",
        "config.guess config.sub config.status config.log install-sh ltmain.sh depcomp aclocal.m4",
    ),
    Rule(
        "startproject", "written by Django's startproject", files="manage.py wsgi.py asgi.py settings.py",
        says=rb"Django's command-line utility for|[AW]SGI config for|Generated by 'django-admin startproject'",
    ),
    Rule(
        "scaffold", "written by the generator of a framework",
        files="schema.rb application.rb development.rb production.rb test.rb puma.rb rakefile artisan config.exs"
        " test_helper.exs reportwebvitals.* setuptests.* exampleunittest.* exampleinstrumentedtest.*"
        " widget_test.dart",
        says=rb"auto-generated from the current state of the database|Rails\.application\.configure\b"
        rb"|\A(?>(?:\s|(?:#|require)[^\n]*+)*)Rails\.application\.load_tasks\s*\Z"
        rb"|< Rails::Application|\bRAILS_MAX_THREADS\b|\bLARAVEL_START\b|^import Config$|\AExUnit\.start\(\)\s*\Z"
        rb"|import\('web-vitals'\)|@testing-library/jest-dom"
        rb"|\A(?>.*?(?:@Test\b|\btest(?:Widgets)?\())(?!.*(?:@Test\b|\btest(?:Widgets)?\())"
        rb".*(?:\(4, 2 \+ 2\)|appContext\.(?:get)?PackageName|Counter increments smoke test)",
    ),
    Rule(
        "scaffold", "written by the generator of a framework", files="*application.java *application.kt",
        says=rb"\A(?>(?:\s|(?:package|import) [\w.]++;?)*)@SpringBootApplication\s+(?:public class \w+ \{\s+"
        rb"public static void main\(String\[\] args\) \{\s+SpringApplication\.run\(\w+\.class, args\);\s+\}\s+\}"
        rb"|class \w+\s+fun main\(args: Array<String>\) \{\s+runApplication<\w+>\(\*args\)\s+\})\s*\Z",
    ),
    # Documentation and reports
    Rule("javadoc", "documentation written by Javadoc", "*", PAGES, proof="element-list package-list"),
    Rule("doxygen", "documentation written by Doxygen", "*", PAGES, proof="doxygen.css doxygen.svg"),
    Rule("sphinx", "documentation written by Sphinx", "*", PAGES, proof="searchindex.js objects.inv"),
    Rule(
        "documentation", "says that it is generated documentation", files="*.html *.htm *.xhtml *.rd *.texi",
        says=rb"generated by (?:javadoc|doxygen|jsdoc|pkgdown|roxygen2|mandoc|makeinfo|latex2html|pydoc"
        rb"|sphinx|yard)|documentation generated (?:by|using)|Generated using TypeDoc"
        rb"|<meta name=[\"']?generator[\"']? content=[\"'](?:javadoc|doxygen|docutils|groff|rustdoc|typedoc)",
    ),
    Rule("coverage", "a report of test coverage", "htmlcov lcov-report"),
    Rule(
        "coverage", "a report of test coverage", "coverage jacoco* coverage-report", PAGES,
        proof="lcov.info lcov-report/* coverage-final.json clover.xml jacoco-* */jacoco-* gcov.css"
        " coverage_html*.js",
    ),
    Rule("test-report", "a report of a test run", files="test-*.xml", says=rb"<testsuites?\b"),
    # Files that say by name or in their first comment that a tool wrote them
    Rule(
        "minified", "minified code",
        files="*.min.js *.min.mjs *.min.css *-min.js *-min.css *.js.map *.css.map",
    ),
    Rule("minified", "minified code", files=SCRIPTS, says=rb"\A(?:[^\n]*\n){0,30}?(?:[^\n;]*;){80}"),
    Rule(
        "compiled-script", "JavaScript or CSS compiled from another file", files=SCRIPTS,
        says=rb"^/[/*][#@] sourceMappingURL=|webpackBootstrap",
    ),
    Rule(
        "designer", "written by the designer of Visual Studio",
        files="*.designer.cs *.designer.vb *.g.cs *.g.i.cs *.feature.cs *.assemblyinfo.cs"
        " *.assemblyattributes.cs",
    ),
    Rule(
        "assembly-info", "written by Visual Studio", files="assemblyinfo.cs assemblyinfo.vb",
        says=rb"assembly: ?Assembly(?:Title|Product|Company|Version)",
    ),
    Rule(
        "resource", "written by Visual Studio's resource editor", files="resource.h *.rc",
        says=rb"generated include file|generated resource script",
    ),
    Rule(
        "android", "written by Android's build tools",
        files="r.java buildconfig.java generatedpluginregistrant.*",
        says=rb"auto-?generated|automatically generated|final class R\b|generated file",
    ),
    Rule(
        "protobuf", "says that it was generated by protoc or gRPC",
        files="*_pb2.py *_pb2_grpc.py *_pb2.pyi *.pb.go *.pb.h *.pb.cc *.pb.swift *_pb.js *_pb.d.ts"
        " *grpc.java *outerclass.java *.grpc.pb.h *.grpc.pb.cc",
        says=rb"generated by|do not edit|code generated",
    ),
    Rule(
        "parser", "says that it was generated by a parser generator",
        says=rb"generated from .{1,200} by ANTLR|made by GNU Bison|scanner generated by flex"
        rb"|#define FLEX_SCANNER|generated by:? ?(?:JavaCC|JJTree|Coco/R)|^# (?:parse|lex)tab\.py"
        rb"|(?:produced|generated) by (?:JFlex|CUP|Racc|PEG\.js|Peggy|Ragel|re2c|SableCC|jison(?:-lex)?|Lark"
        rb"|Happy)[, ]+(?:version )?v?[0-9]",
    ),
    Rule(
        "user-interface", "says that it was generated by a designer of user interfaces",
        says=rb"form (?:implementation )?generated from reading ui file|created by: (?:the )?(?:Qt|PyQt)"
        rb"|Meta object code from reading C\+\+ file|Resource object code|generated by Fast Light User"
        rb"|generated (?:by|with) wx(?:Glade|FormBuilder|Crafter)|GIMP .{1,60}image (?:dump|file format)",
    ),
    Rule(
        "app-inventor", "the design of a screen, saved by App Inventor", files="*.scm",
        says=rb"\A#\|\s*\n\$JSON\s",
    ),
    Rule(
        "interface-code", "says that it was generated from the description of an interface",
        says=rb"generated by the protocol buffer compiler|generated by the gRPC|autogenerated by Thrift"
        rb"|auto[- ]?generated by (?:the )?(?:swagger|open ?api)|Architecture for XML Binding"
        rb"|generated by (?:the )?(?:Eclipse Implementation of )?(?:JAXB|JAX-WS)|it is machine generated"
        rb"|generated by (?:Apache )?(?:Axis2?|CXF|Avro|jOOQ|SWIG|Cython|Haxe|f2py|sqlc|CoffeeScript|glad)\b"
        rb"|jsonschema2pojo",
    ),
    Rule(
        "migration", "a migration that Django wrote", files="[0-9][0-9][0-9][0-9]_*.py",
        says=rb"\A# Generated by Django(?!.*^[ \t]*(?:def |class (?!Migration\b)))",
    ),
    Rule(
        "generated", "says that it is generated and not to be edited",
        says=rb"<auto-?generated|@generated\b|code generated .{0,200}do not edit"
        rb"|generated\b.{0,160}\b(?:do not|don't|not intended for|should not be) (?:be )?(?:manual(?:ly)? )?"
        rb"(?:edit|modif|chang|touch)|\bdo not (?:edit|modify|change|touch).{0,160}\bgenerated\b",
    ),
)  # fmt: skip
# Rows of one name have one reason, and are taken back in together.
REASONS = {rule.name: rule.reason for rule in RULES}

OF_FOLDERS = [rule for rule in RULES if rule.folders]
OF_FILES = [rule for rule in RULES if not rule.proof and (rule.files or rule.says)]
OF_ANY_FILE = [rule for rule in OF_FILES if not rule.files]
# All patterns of names: most names match none of them.
FOLDERS = " ".join(rule.folders for rule in OF_FOLDERS)
FILES = " ".join(rule.files for rule in OF_FILES)


def rule_of_name(path: str, taken_in: AbstractSet[str]) -> tuple[str, Rule] | None:
    """Return (path up to its first folder or file that is left out by name, rule), or None.

    The rules named in `taken_in` do not apply.
    """
    parts = path.split("/")
    for i, part in enumerate(parts):
        is_file = i == len(parts) - 1
        for rule in _rules_by_name(part, is_file=is_file):
            if rule.name not in taken_in:
                return "/".join(parts[: i + 1]) + ("" if is_file else "/"), rule
    return None


def rule_of_content(name: str, data: bytes, taken_in: AbstractSet[str]) -> Rule | None:
    """Return the first rule that a file named `name` matches by what it says, except those in `taken_in`."""
    sample = data[:HEAD_BYTES] + (b"\n" + data[-TAIL_BYTES:] if len(data) > HEAD_BYTES else b"")
    comment = first_comment(data)
    for rule in _rules_of_file(name.rsplit("/", 1)[-1]):
        searched = sample if rule.files else comment
        if searched and rule.says and rule.name not in taken_in and _expression(rule.says).search(searched):
            return rule
    return None


@lru_cache(CACHED_NAMES)
def _rules_by_name(name: str, *, is_file: bool) -> list[Rule]:
    rules = _rules_of_file(name) if is_file else _rules_of_folder(name)
    return [rule for rule in rules if rule.by_name]


@lru_cache(CACHED_NAMES)
def _rules_of_folder(name: str) -> list[Rule]:
    lower = name.lower()
    named = matches(FOLDERS, lower)
    return [rule for rule in OF_FOLDERS if matches(rule.folders, lower)] if named else []


@lru_cache(CACHED_NAMES)
def _rules_of_file(name: str) -> list[Rule]:
    lower = name.lower()
    rules = OF_FILES if matches(FILES, lower) else OF_ANY_FILE
    return [rule for rule in rules if not rule.files or matches(rule.files, lower)]


@lru_cache(CACHED_NAMES)
def is_output(folder: str) -> bool:
    """Return whether build tools write to folders of this name."""
    return matches(OUTPUT, folder.lower())


class Folder(NamedTuple):
    """A folder: its name, the paths of all files in it, and the names of what is directly in or beside it.

    `names` and `beside` are in lower case.
    """

    name: str
    paths: Sequence[str]
    names: AbstractSet[str]
    beside: AbstractSet[str]


def rules_of_folder(folder: Folder, taken_in: AbstractSet[str]) -> Iterator[Rule]:
    """Yield the rules that a folder matches by its name and by a proof, except those in `taken_in`."""
    for rule in _rules_of_folder(folder.name):
        if rule.proof and rule.name not in taken_in and _is_proved(rule, folder):
            yield rule


def _is_proved(rule: Rule, folder: Folder) -> bool:
    names, patterns, beside = _proofs(rule.proof)
    return (
        not names.isdisjoint(folder.names)
        or (beside != "" and any(matches(beside, name) for name in folder.beside))
        or (patterns != "" and any(matches(patterns, path.lower()) for path in folder.paths))
    )


@cache
def _proofs(proof: str) -> tuple[frozenset[str], str, str]:
    """Return the names directly in a folder, the patterns of paths in it, and of names beside the folder."""
    inside = [part for part in proof.split() if not part.startswith("../")]
    patterns = [part for part in inside if SPECIAL.search(part) or "/" in part]
    beside = [part[3:] for part in proof.split() if part.startswith("../")]
    return frozenset(inside) - frozenset(patterns), " ".join(patterns), " ".join(beside)


def first_comment(data: bytes) -> bytes:
    """Return the lines at the start of a file that are empty, a comment or a directive."""
    head = data[:COMMENT_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head[:10].lower().startswith(COMMENT_STARTS):
        return b""
    lines, closing = [], b""
    for line in data[:COMMENT_BYTES].removeprefix(b"\xef\xbb\xbf").splitlines():
        text = line.strip().lower()
        if closing:
            closing = b"" if closing in text else closing
        elif text and not text.startswith(COMMENT_STARTS):
            break
        else:
            closing = _open_block(text)
        lines.append(line)
    return b"\n".join(lines)


def _open_block(text: bytes) -> bytes:
    """Return what closes the comment that a line opens and does not close itself, or nothing."""
    for opening, closing in BLOCKS.items():
        if text.startswith(opening) and closing not in text[len(opening) :]:
            return closing
    return b""


class _Names(NamedTuple):
    """Patterns of names by what they ask for: the whole name, its start, its end, or an expression."""

    whole: frozenset[str]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    others: re.Pattern[str] | None


def matches(patterns: str, name: str) -> bool:
    """Return whether one of some patterns, separated by spaces, matches a name in lower case."""
    names = _names(patterns)
    return (
        name in names.whole
        or name.startswith(names.starts)
        or name.endswith(names.ends)
        or (names.others is not None and names.others.match(name) is not None)
    )


@cache
def _names(patterns: str) -> _Names:
    """Return patterns as they are looked for: few ask for more than a whole name, its start or its end."""
    rest = set(patterns.split())
    whole = {pattern for pattern in rest if not SPECIAL.search(pattern)}
    starts = {pattern for pattern in rest if pattern[-1] == "*" and not SPECIAL.search(pattern[:-1])}
    ends = {pattern for pattern in rest if pattern[0] == "*" and not SPECIAL.search(pattern[1:])}
    rest -= whole | starts | ends
    others = re.compile("|".join(map(translate, sorted(rest)))) if rest else None
    start, end = tuple(pattern[:-1] for pattern in starts), tuple(pattern[1:] for pattern in ends)
    return _Names(frozenset(whole), start, end, others)


@cache
def _expression(says: bytes) -> re.Pattern[bytes]:
    return re.compile(says, re.IGNORECASE | re.DOTALL | re.MULTILINE)
