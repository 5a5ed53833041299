"""Repeat the experiments of the four papers and write the results to docs/work/experiments.md, with plots.

python -m bench.papers [FOLDER...] [--megabytes 100] [--quick] [--output docs/work]
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.experiments import acceptance, density, frequency, growth, hamming
from bench.experiments.corpus import collect, default_folders, pieces
from bench.tables import markdown
from fingerprint.winnowing import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.experiments.corpus import KindCounts

MEGABYTE = 1_000_000
KILOBYTES_PER_MEGABYTE = 1024


class ExperimentSizes(NamedTuple):
    """Sizes of the experiments, by default those of docs/work/experiments.md."""

    random_bytes: int = 8 * MEGABYTE
    frequency_bytes: int = 32 * MEGABYTE
    trials: int = 10_000
    sample: int = 10_000
    archives: tuple[int, ...] = (1_000, 10_000, 100_000)


QUICK = ExperimentSizes(200_000, MEGABYTE, 50, 300, (50, 100))


def machine() -> str:
    """Return a line about this run: the date, the machine, the versions."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "matplotlib"))
    load = f"load average {os.getloadavg()[0]:.1f} at the start"
    cores = f"{os.cpu_count()} cores ({platform.machine()}), of which one is used; {load}"
    python = f"Python {platform.python_version()}, {packages}, engine version {ENGINE_VERSION}"
    return f"{time.strftime('%Y-%m-%d')}; {cores}; {python}."


def corpus_section(counts: Mapping[str, KindCounts]) -> str:
    rows = [
        [
            kind,
            f"{count.documents:,}",
            f"{count.file_bytes / MEGABYTE:.1f}",
            f"{count.text_bytes / MEGABYTE:.1f}",
        ]
        for kind, count in counts.items()
    ]
    return f"""## The real text

Files of Python's library, of Python packages and of Debian packages (/usr/share), in random order, with
copies; of HTML the text without tags. The papers' corpora are web pages of 1996 to 2006.

{markdown(["", "documents", "MB of files", "MB without white space"], rows)}
"""


def report(folders: Sequence[Path], megabytes: float, sizes: ExperimentSizes, output: Path) -> str:
    """Run all experiments, draw their figures below `output` and return the report, as Markdown."""
    figures = output / "experiments"
    parts = ["# The papers' experiments, repeated", f"Written by `python -m bench.papers`. {machine()}"]
    phases = growth.section(growth.measure(sizes.archives))
    documents, counts = collect(folders, int(megabytes * MEGABYTE))
    if not documents:
        raise SystemExit("the folders have no HTML, text or code")
    texts = [document.text for document in documents]
    parts.append(corpus_section(counts))
    random = density.measure([density.random_text(sizes.random_bytes)])
    parts.append(density.section(random, density.measure(pieces(texts))))
    samples = [texts[start :: frequency.SAMPLES] for start in range(frequency.SAMPLES)]
    curves = [frequency.measure(sample, sizes.frequency_bytes) for sample in samples]
    parts.append(frequency.section(curves, figures / "frequency.png"))
    parts.append(acceptance.section(acceptance.measure(sizes.trials), figures / "acceptance.png"))
    parts.append(hamming.section(hamming.measure(texts, sizes.sample), figures))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KILOBYTES_PER_MEGABYTE
    return "\n\n".join(part.strip() for part in [*parts, phases, f"Memory at most {memory:,.0f} MB."]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="folders with the real text")
    parser.add_argument(
        "--megabytes", type=float, default=100, help="MB of text to use, without white space (default: 100)"
    )
    parser.add_argument("--quick", action="store_true", help="try it out: small sizes and 1 MB of text")
    parser.add_argument("--output", type=Path, default=Path("docs/work"), help="folder for experiments.md")
    arguments = parser.parse_args()
    megabytes, sizes = (1, QUICK) if arguments.quick else (arguments.megabytes, ExperimentSizes())
    text = report(arguments.folders or default_folders(), megabytes, sizes, arguments.output)
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "experiments.md").write_text(text)


if __name__ == "__main__":
    main()
