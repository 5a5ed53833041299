"""Aliases: made-up names of submissions, drawn once per assignment and stored."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from django.conf import settings

from submissions.models import Alias, Decision, Share, Submission

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from submissions.models import Assignment

_FIRST_WORDS = """
    Amber Apricot Azure Birch Breezy Bright Brisk Calm Cedar Cheerful Clear Clever Cloudy Clover Coastal
    Cobalt Copper Cosmic Crystal Curious Dapper Early Eastern Emerald Evening Fabled Festive Floral Flying
    Forest Fresh Garden Gentle Glowing Golden Granite Grassy Harbour Highland Honey Icy Indigo Island
    Jolly Jovial Kindly Lagoon Lilac Lively Lucky Lunar Magic Maple Marble Meadow Mellow Merry Midnight
    Minty Misty Morning Mossy Mountain Noble Northern Ocean Opal Orchard Peaceful Pearly Pebble Playful
    Polar Prairie Quiet Radiant River Rosy Royal Saffron Sandy Sapphire Scarlet Serene Silver Snowy Solar
    Southern Spring Starry Sunny Swift Teal Topaz Tranquil Tropical Velvet Verdant Violet Walnut Western
    Windy Winter
"""
_SECOND_WORDS = """
    Acorn Albatross Antelope Aspen Badger Beaver Beetle Bison Bluebell Bobcat Bumblebee Butterfly Buttercup
    Canary Caribou Cedar Chickadee Chipmunk Cormorant Crane Cricket Curlew Cypress Daffodil Dolphin Dormouse
    Dragonfly Eagle Egret Falcon Ferret Finch Firefly Flamingo Gannet Gazelle Gecko Giraffe Goldfinch Grouse
    Gull Hare Hawthorn Hedgehog Heron Hornbill Hummingbird Ibex Iguana Jackdaw Jaguar Juniper Kestrel
    Kingfisher Kiwi Koala Lark Lemur Leopard Linnet Lynx Mallard Manatee Marmot Marten Moose Moth Narwhal
    Newt Nightingale Ocelot Octopus Oriole Osprey Otter Owl Panda Panther Pelican Penguin Petrel Plover
    Porpoise Puffin Quail Rabbit Reindeer Sandpiper Seahorse Sparrow Squirrel Starling Stork Swallow Swan
    Swift Tern Thistle Thrush Tortoise Toucan Turtle Walrus Warbler Wombat Woodpecker Wren Zebra
"""
FIRST_WORDS, SECOND_WORDS = _FIRST_WORDS.split(), _SECOND_WORDS.split()
# Number of attempts with two words only; later attempts add a number.
PLAIN_ATTEMPTS = 8


def ensure_aliases(assignment: Assignment) -> dict[str, str]:
    """Return the alias of every name in an assignment; draw and store those that are missing."""
    known = dict(assignment.aliases.values_list("name", "alias"))
    while missing := [name for name in _names(assignment) if name not in known]:
        _store_aliases(assignment, missing, known)
        known = dict(assignment.aliases.values_list("name", "alias"))
    return known


def _names(assignment: Assignment) -> Iterable[str]:
    """Return all names of submissions, also of deleted ones with a decision or a share link."""
    submissions = Submission.objects.filter(batch__assignment=assignment).order_by().values_list("name")
    pairs = (model.objects.filter(assignment=assignment).order_by() for model in (Decision, Share))
    sides = [rows.values_list(side) for rows in pairs for side in ("left", "right")]
    return (name for (name,) in submissions.union(*sides) if name)


def _store_aliases(assignment: Assignment, names: list[str], known: dict[str, str]) -> None:
    """Draw and store an alias for each name; where a concurrent request stored one, that one stays."""
    taken = set(known.values())
    real_words = {word for name in (*names, *known) for word in name.casefold().replace("_", "-").split("-")}
    rows = []
    for name in names:
        alias = draw_alias(assignment.pk, name, taken, real_words)
        taken.add(alias)
        rows.append(Alias(assignment=assignment, name=name, alias=alias))
    Alias.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)


def draw_alias(assignment_id: int, name: str, taken: Container[str], real_words: Container[str] = ()) -> str:
    """Return an alias that is not in `taken` and, if possible, without any of the `real_words`.

    It is derived from the assignment, the name and the server's secret key, so that it reveals neither the
    order nor the spelling of the names.
    """
    attempt = 0
    while True:
        text = f"{assignment_id}:{attempt}:{name}"
        number = int.from_bytes(hmac.digest(settings.SECRET_KEY.encode(), text.encode(), "sha256"))
        rest, first = divmod(number, len(FIRST_WORDS))
        rest, second = divmod(rest, len(SECOND_WORDS))
        words = [FIRST_WORDS[first], SECOND_WORDS[second]]
        alias = " ".join(words if attempt < PLAIN_ATTEMPTS else [*words, str(rest % 900 + 100)])
        misleading = attempt < PLAIN_ATTEMPTS and any(word.casefold() in real_words for word in words)
        if alias not in taken and not misleading and words[0] != words[1]:
            return alias
        attempt += 1
