"""Replace what Postgres cannot store in a text: NUL and lone surrogates.

Every text of a query passes it, whichever way it came: a form, the API, a file, a learning platform, a campus
account, a MOSS client or the command line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from psycopg.types import json as json_types, string as string_types
from psycopg.types.json import Jsonb

from fingerprint.engine import storable

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

# How JSON text writes NUL, and what each surrogate, alone or in a pair, begins with.
_SUSPECTS: Final = (b"\\u0000", b"\\ud")


def storable_json(value: Any) -> Any:
    """Return a value of JSON with each text and each key in it as `storable` returns it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_json(one) for one in value]
    if isinstance(value, dict):
        return {storable(key): storable_json(one) for key, one in value.items()}
    return value


def replace_unstorable(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Have a new connection store what is storable; Django calls this for each one."""
    adapters = connection.connection.adapters
    for dumper in _TEXT_DUMPERS:
        adapters.register_dumper(str, dumper)
    for dumper in _JSON_DUMPERS:
        adapters.register_dumper(Jsonb, dumper)


def _text_dumper(base: Any) -> Any:
    def dump(self: Any, obj: str) -> Any:
        return base.dump(self, storable(obj))

    return type(f"Storable{base.__name__}", (base,), {"dump": dump})


def _json_dumper(base: Any) -> Any:
    def dump(self: Any, obj: Any) -> Any:
        data = bytes(base.dump(self, obj))
        if not any(suspect in data for suspect in _SUSPECTS):
            return data
        # The first byte of the binary form is a version.
        start = data.find(b"\x01") + 1
        return data[:start] + json.dumps(storable_json(json.loads(data[start:]))).encode()

    return type(f"Storable{base.__name__}", (base,), {"dump": dump})


# As psycopg registers them: the last one of a format is the one for a value whose type is not known.
_TEXT_DUMPERS = [
    _text_dumper(getattr(string_types, f"Str{name}"))
    for name in (
        "BinaryDumperName",
        "BinaryDumperVarchar",
        "BinaryDumper",
        "DumperName",
        "DumperVarchar",
        "Dumper",
        "DumperUnknown",
    )
]
_JSON_DUMPERS = [
    _json_dumper(json_types.JsonbBinaryDumper),
    _json_dumper(json_types.JsonbDumper),
]
