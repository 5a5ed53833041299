"""Made-up names of submissions: drawn once an assignment, then kept."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from django.conf import settings

from submissions.models import Alias, Decision, Share, Submission

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from submissions.models import Assignment

_FIRST = """
    Amber Apricot Azure Birch Breezy Bright Brisk Calm Cedar Cheerful Clear Clever Cloudy Clover Coastal
    Cobalt Copper Cosmic Crystal Curious Dapper Early Eastern Emerald Evening Fabled Festive Floral Flying
    Forest Fresh Garden Gentle Glowing Golden Granite Grassy Harbour Highland Honey Icy Indigo Island
    Jolly Jovial Kindly Lagoon Lilac Lively Lucky Lunar Magic Maple Marble Meadow Mellow Merry Midnight
    Minty Misty Morning Mossy Mountain Noble Northern Ocean Opal Orchard Peaceful Pearly Pebble Playful
    Polar Prairie Quiet Radiant River Rosy Royal Saffron Sandy Sapphire Scarlet Serene Silver Snowy Solar
    Southern Spring Starry Sunny Swift Teal Topaz Tranquil Tropical Velvet Verdant Violet Walnut Western
    Windy Winter
"""
_SECOND = """
    Acorn Albatross Antelope Aspen Badger Beaver Beetle Bison Bluebell Bobcat Bumblebee Butterfly Buttercup
    Canary Caribou Cedar Chickadee Chipmunk Cormorant Crane Cricket Curlew Cypress Daffodil Dolphin Dormouse
    Dragonfly Eagle Egret Falcon Ferret Finch Firefly Flamingo Gannet Gazelle Gecko Giraffe Goldfinch Grouse
    Gull Hare Hawthorn Hedgehog Heron Hornbill Hummingbird Ibex Iguana Jackdaw Jaguar Juniper Kestrel
    Kingfisher Kiwi Koala Lark Lemur Leopard Linnet Lynx Mallard Manatee Marmot Marten Moose Moth Narwhal
    Newt Nightingale Ocelot Octopus Oriole Osprey Otter Owl Panda Panther Pelican Penguin Petrel Plover
    Porpoise Puffin Quail Rabbit Reindeer Sandpiper Seahorse Sparrow Squirrel Starling Stork Swallow Swan
    Swift Tern Thistle Thrush Tortoise Toucan Turtle Walrus Warbler Wombat Woodpecker Wren Zebra
"""
FIRST, SECOND = _FIRST.split(), _SECOND.split()
# Draws of two words before a number is added.
PLAIN_DRAWS = 8


def aliases(of: Assignment) -> dict[str, str]:
    """Give the made-up name of every name in an assignment, making those that are missing."""
    known = dict(of.aliases.values_list("name", "alias"))
    while missing := [name for name in _names(of) if name not in known]:
        _add(of, missing, known)
        known = dict(of.aliases.values_list("name", "alias"))
    return known


def _names(of: Assignment) -> Iterable[str]:
    """Read everybody's name: of what was handed in, and of what was decided or shared before it went."""
    handed_in = Submission.objects.filter(batch__assignment=of).order_by().values_list("name")
    pairs = (model.objects.filter(assignment=of).order_by() for model in (Decision, Share))
    sides = [rows.values_list(side) for rows in pairs for side in ("left", "right")]
    return (name for (name,) in handed_in.union(*sides) if name)


def _add(of: Assignment, names: list[str], known: dict[str, str]) -> None:
    """Keep an alias for each name, unless somebody else does at the same moment."""
    taken = set(known.values())
    real = {word for name in (*names, *known) for word in name.casefold().replace("_", "-").split("-")}
    made = []
    for name in names:
        alias = draw(of.pk, name, taken, real)
        taken.add(alias)
        made.append(Alias(assignment=of, name=name, alias=alias))
    Alias.objects.bulk_create(made, batch_size=500, ignore_conflicts=True)


def draw(assignment: int, name: str, taken: Container[str], real: Container[str] = ()) -> str:
    """Draw a made-up name that is not `taken`, of which no word is a `real` one.

    It is told by the name and the server's secret alone, so that neither order nor spelling shows in it.
    """
    attempt = 0
    while True:
        text = f"{assignment}:{attempt}:{name}"
        drawn = int.from_bytes(hmac.digest(settings.SECRET_KEY.encode(), text.encode(), "sha256"))
        rest, first = divmod(drawn, len(FIRST))
        rest, second = divmod(rest, len(SECOND))
        words = [FIRST[first], SECOND[second]]
        alias = " ".join(words if attempt < PLAIN_DRAWS else [*words, str(rest % 900 + 100)])
        misleads = attempt < PLAIN_DRAWS and any(word.casefold() in real for word in words)
        if alias not in taken and not misleads and words[0] != words[1]:
            return alias
        attempt += 1
