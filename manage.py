#!/usr/bin/env python
"""Django's command line, with the private services where none are given."""

import os
import sys

from django.core.management import execute_from_command_line

from moss import embedded

# These look at the code only.
WITHOUT_SERVICES = frozenset({"help", "version", "check", "collectstatic", "diffsettings"})


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")
    command = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "help")
    if command not in WITHOUT_SERVICES and "--help" not in sys.argv:
        try:
            embedded.ensure()
        except embedded.EmbeddedError as error:
            sys.exit(str(error))
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
