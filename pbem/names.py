"""Names that people give themselves, titles and phrases: what may be written, what looks alike."""

from __future__ import annotations

import unicodedata

NAME_LENGTH = 40
TITLE_LENGTH = 60
PHRASE_LENGTH = 200
MOST_COMPOSED = 4  # characters that can become one

# Letters of other scripts, and digits, that are drawn like a Latin letter in common fonts.
_DRAWN_LIKE = str.maketrans(
    "авекмнорстухіѕјһԁԛԝ" + "αβεκνορτυχι" + "0135i|!",
    "abekmhopctyxlsjhdqw" + "abekvoptuxl" + "oleslll",
)


class BadText(ValueError):
    """A text that cannot be used: `reason` is "empty", "long" or "signs"; `limit` in characters."""

    def __init__(self, reason: str, *, limit: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.limit = limit


def clean_name(raw: str) -> str:
    """A person's name: 1 to 40 characters, at least one of them a letter or digit."""
    name = clean_line(raw, limit=NAME_LENGTH)
    if not any(character.isalnum() for character in name):
        raise BadText("empty", limit=NAME_LENGTH)
    return name


def clean_line(raw: str, *, limit: int) -> str:
    """One line in NFC with single spaces, without characters that hide or turn others."""
    spaced = " ".join(raw.split())
    if len(spaced) > MOST_COMPOSED * limit:  # to compose takes the square of a letter's accents
        raise BadText("long", limit=limit)
    line = unicodedata.normalize("NFC", spaced)
    if any(_is_hidden(character) for character in line):
        raise BadText("signs", limit=limit)
    if len(line) > limit:
        raise BadText("long", limit=limit)
    return line


def _is_hidden(character: str) -> bool:
    """Control, format (bidi, zero width), private, unassigned: never seen, or turning the rest."""
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def skeleton(name: str) -> str:
    """The name as an eye takes it: names with one skeleton would be mixed up at one table."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = "".join(character for character in plain if character.isalnum() or character in "|!")
    return letters.translate(_DRAWN_LIKE)
