#!/usr/bin/env python
"""Django's command line, with the private services where none are given."""

import sys

from moss.embedded.paths import EmbeddedError
from moss.installation import run

if __name__ == "__main__":
    try:
        run(sys.argv)
    except EmbeddedError as error:
        sys.exit(str(error))
