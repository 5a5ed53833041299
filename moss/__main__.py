"""Run the `moss` command: `python -m moss`."""

from moss.cli import main

main(prog_name="moss")
