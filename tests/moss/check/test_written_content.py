"""Of pages, data and documents what people wrote is compared; the frame that a task asks for is not."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.read_classes import ranked, score, scores

SUGGESTED = 0.5
Text = list[str]
VOCABULARY = """
    harbour tide quay boat level north water evening stone rope captain market window yellow morning bread
    oven flour kilo rye wheat stove spoon warm cloth fox hedge town berry worm badger den autumn april young
    metre hole way
"""
WORDS = VOCABULARY.split()


def sentences(seed: int, count: int = 8) -> Text:
    """Return sentences that have hardly three words in a row in common with those of another seed."""
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS, k=12)).capitalize() + "." for _ in range(count)]


def page(texts: Text) -> str:
    sections = "".join(
        f'  <section class="part"><h2>{head}</h2>\n    <p>{body}</p></section>\n'
        for head, body in zip(texts[::2], texts[1::2], strict=True)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1.0">'
        f"<title>{texts[0]}</title></head>\n<body>\n<main>\n{sections}</main>\n</body>\n</html>\n"
    )


def table_page(texts: Text) -> str:
    rows = "".join(f"<tr><td><i>{text}</i><br></td></tr>\n" for text in texts)
    return f'<html><body><div id="top"><table border="1">\n{rows}</table></div></body></html>\n'


def markdown(texts: Text) -> str:
    return "\n\n".join(f"* **{text}**" for text in texts) + "\n"


def xml(texts: Text) -> str:
    rows = "".join(f'  <entry id="{n}"><text>{text}</text></entry>\n' for n, text in enumerate(texts))
    return f'<?xml version="1.0"?>\n<entries>\n{rows}</entries>\n'


def attributes(texts: Text) -> str:
    return "<list>\n" + "".join(f'  <item value="{text}"/>\n' for text in texts) + "</list>\n"


def json_rows(texts: Text) -> str:
    return json.dumps({"entries": [{"title": text, "kind": {"of": text[:5]}} for text in texts]}, indent=2)


def json_list(texts: Text) -> str:
    return json.dumps([{"text": text} for text in texts])


def yaml(texts: Text) -> str:
    return "entries:\n" + "".join(f"  - title: '{text}'\n    more:\n      of: {text[:5]}\n" for text in texts)


def data_values(texts: Text) -> str:
    return "".join(f"value{n}: {text}\n" for n, text in enumerate(texts))


def style(texts: Text) -> str:
    chosen = random.Random(texts[0])
    rules = (
        f".part{n} {{ margin: {chosen.randrange(90)}px {chosen.randrange(90)}px;"
        f" padding: {chosen.randrange(90)}px;"
        f" color: #{chosen.randrange(4096):03x}; width: {chosen.randrange(900)}px; }}\n"
        for n in range(8)
    )
    return "".join(rules)


# The frame, the name of a file in it, and another frame for the same text with its name.
Frame = tuple["Callable[[Text], str]", str]
FRAMES: Sequence[tuple[Frame, Frame]] = [
    ((page, "index.html"), (table_page, "index.html")),
    ((page, "index.html"), (markdown, "index.md")),
    ((page, "index.html"), (xml, "index.xml")),
    ((xml, "data.xml"), (attributes, "data.xml")),
    ((attributes, "data.svg"), (json_list, "data.json")),
    ((json_list, "data.json"), (data_values, "data.yml")),
    ((yaml, "data.yaml"), (json_rows, "data.json")),
    ((page, "page.vue"), (table_page, "page.erb")),
    ((page, "page.cshtml"), (table_page, "page.svelte")),
]
NAMES = [f"{one[0].__name__} {one[1]} {other[0].__name__} {other[1]}" for one, other in FRAMES]


@pytest.mark.long
@pytest.mark.parametrize(("frame", "other"), FRAMES, ids=NAMES)
def test_a_copied_text_in_another_frame_is_above_another_text_in_the_same_frame(
    tmp_path: Path, frame: Frame, other: Frame
) -> None:
    (build, name), (rebuild, other_name) = frame, other
    report = ranked(
        tmp_path,
        {
            f"ada/{name}": build(sentences(1)),
            f"ben/{other_name}": rebuild(sentences(1)),
            f"cleo/{name}": build(sentences(2)),
        },
    )
    assert score(report, "ada", "ben") > SUGGESTED
    assert score(report, "ada", "cleo") < SUGGESTED / 2
    assert score(report, "ben", "cleo") < SUGGESTED / 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("build", "name"),
    [
        *{frame[0].__name__ + frame[1]: frame for pair in FRAMES for frame in pair}.values(),
        (style, "page.css"),
    ],
)
def test_equal_files_are_first_and_frames_alone_below_the_threshold(
    tmp_path: Path, build: Callable[[Text], str], name: str
) -> None:
    seeds = {"ada": 1, "ben": 1, "cleo": 2, "dora": 3}
    report = ranked(tmp_path, {f"{who}/{name}": build(sentences(seed)) for who, seed in seeds.items()})
    similarities = scores(report)
    first = frozenset({"ada", "ben"})
    assert similarities.pop(first) > 0.95
    assert all(similarity < SUGGESTED / 2 for similarity in similarities.values())


SCRIPT = """function total(prices, discount) {
  let sum = 0;
  for (const price of prices) {
    if (price > 10 && !discount) { sum += price * 2; } else { sum -= price; }
  }
  return Math.round(sum / prices.length) + 1;
}
document.querySelector("#out").textContent = total([1, 2, 30], false);
"""


@pytest.mark.parametrize(
    ("name", "copy"),
    [
        ("index.html", "<body><script>{}</script></body>".replace("{}", "CODE")),
        ("main.js", "CODE"),
        ("App.vue", "<template><p>{{ sum }}</p></template>\n<script>CODE</script>"),
        ("App.svelte", "<script>CODE</script>\n<p>{sum}</p>"),
    ],
)
def test_an_inline_script_is_compared_as_a_program(tmp_path: Path, name: str, copy: str) -> None:
    renamed = SCRIPT.replace("price", "cost").replace("sum", "amount").replace("total", "whole")
    report = ranked(
        tmp_path,
        {
            "ada/index.html": page(sentences(1)).replace("</body>", f"<script>{SCRIPT}</script></body>"),
            f"ben/{name}": copy.replace("CODE", renamed),
            "cleo/index.html": page(sentences(2)),
        },
    )
    passages = {
        frozenset(report.submissions[end] for end in (pair.left, pair.right)): pair for pair in report.pairs()
    }
    assert passages[frozenset({"ada", "ben"})].longest > 50
    assert score(report, "ada", "cleo") < 0.2


CHUNK = """worst <- function(levels, limit) {
  total <- 0
  for (level in levels) {
    if (level > limit & total < 100) { total <- total + level * 2 } else { total <- total - 1 }
  }
  total / length(levels)
}
print(worst(c(1, 2, 30), 5))
"""


@pytest.mark.parametrize(
    ("name", "copy"),
    [
        ("report.Rmd", "---\ntitle: Mine\n---\n\nIt's my own text.\n\n```{r, echo=FALSE}\nCODE```\n"),
        ("report.qmd", "# Mine\n\n```{r}\n#| echo: false\nCODE```\n\nIt is my own text.\n"),
        ("report.R", "CODE"),
    ],
)
def test_a_chunk_of_a_document_is_compared_as_a_program(tmp_path: Path, name: str, copy: str) -> None:
    renamed = CHUNK.replace("level", "row").replace("total", "acc").replace("worst", "mean_of")
    report = ranked(
        tmp_path,
        {
            "ada/report.Rmd": f"---\ntitle: Tides\n---\n\n{sentences(1)[0]}\n\n```{{r}}\n{CHUNK}```\n",
            f"ben/{name}": copy.replace("CODE", renamed),
            "cleo/report.Rmd": f"---\ntitle: Tides\n---\n\n{sentences(2)[0]}\n\n```{{r}}\nmean(x)\n```\n",
        },
    )
    assert score(report, "ada", "ben") > 0.6
    assert score(report, "ada", "cleo") < 0.2
