"""Measurements. A module is one command: `python -m bench.accuracy`, `python -m bench.speed` and so on."""
