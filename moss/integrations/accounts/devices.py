"""Say in words with what a browser identifies itself."""

from __future__ import annotations

# The first part that a user agent contains decides: most of them name several browsers.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def device_name(user_agent: str) -> str:
    """Return the browser and the system that a User-Agent header names, such as "Firefox on Linux"."""
    browser, system = (_first(user_agent, table) for table in (BROWSERS, SYSTEMS))
    return f"{browser or 'An unknown program'}{f' on {system}' if system else ''}"


def _first(user_agent: str, table: tuple[tuple[str, str], ...]) -> str:
    return next((name for part, name in table if part in user_agent), "")
