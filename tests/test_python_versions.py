"""The product uses nothing of the standard library that differs from one version of Python to another."""

import ast

from tests.support.product_regexes import ROOT, listed

# Names of attributes, and what to use instead.
DIFFERING = {
    "extractall": "members one by one: the filters came in Python 3.11.4, and are the default since 3.14",
    "data_filter": "members one by one: it came in Python 3.11.4",
    "is_global": "moss.outgoing.is_public: the lists of ipaddress change",
    "is_private": "moss.outgoing.is_public: the lists of ipaddress change",
    "is_reserved": "moss.outgoing.is_public: the lists of ipaddress change",
    "utcnow": "datetime.now(UTC): deprecated since Python 3.12",
    "utcfromtimestamp": "datetime.fromtimestamp(..., UTC): deprecated since Python 3.12",
    "getdefaultlocale": "locale.getlocale: deprecated since Python 3.11",
}
# Functions of modules whose names others have too; those of mimetypes read tables of the machine.
FUNCTIONS = {
    "shutil.unpack_archive",
    "mimetypes.guess_type",
    "mimetypes.guess_extension",
    "mimetypes.guess_all_extensions",
}


def test_no_module_uses_what_differs_between_versions_of_python() -> None:
    assert {
        f"{file.relative_to(ROOT)}:{node.lineno} {name}"
        for file, nodes in listed().nodes.items()
        for node in nodes
        if isinstance(node, ast.Attribute | ast.ImportFrom) and (name := _differing(node))
    } == set()


def test_uses_are_seen() -> None:
    source = "import mimetypes\na.extractall(b)\nmimetypes.guess_extension(c)\nfrom shutil import unpack_archive"
    names = [_differing(node) for node in ast.walk(ast.parse(source))]
    assert sorted(filter(None, names)) == ["extractall", "guess_extension", "unpack_archive"]


def _differing(node: ast.AST) -> str:
    """Return the name that a node uses of those that differ; empty if none."""
    if isinstance(node, ast.ImportFrom):
        names = [(f"{node.module}.{one.name}", one.name) for one in node.names]
    elif isinstance(node, ast.Attribute):
        names = [(ast.unparse(node), node.attr)]
    else:
        names = []
    return next((name for full, name in names if full in FUNCTIONS or name in DIFFERING), "")
