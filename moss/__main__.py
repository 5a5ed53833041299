"""`python -m moss` is the `moss` command."""

from moss.cli import main

main(prog_name="moss")
