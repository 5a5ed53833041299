#!/usr/bin/env python
"""Run Django's command line; start private services where the environment names none."""

import sys

from moss.embedded.client import EmbeddedError
from moss.installation import run

if __name__ == "__main__":
    try:
        run(sys.argv)
    except EmbeddedError as error:
        sys.exit(str(error))
