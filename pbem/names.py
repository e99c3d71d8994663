"""Validates names, titles and phrases that people enter, and finds names that look alike."""

from __future__ import annotations

import unicodedata

NAME_LENGTH = 40
TITLE_LENGTH = 60
PHRASE_LENGTH = 200
MOST_COMPOSED = 4  # characters that can compose into one

# Letters of other scripts, and digits, that look like a Latin letter in common fonts.
_DRAWN_LIKE = str.maketrans(
    "авекмнорстухіѕјһԁԛԝ" + "αβεκνορτυχι" + "0135i|!",
    "abekmhopctyxlsjhdqw" + "abekvoptuxl" + "oleslll",
)


class BadText(ValueError):
    """Raised for an invalid text.

    `reason` is "empty", "long" or "signs"; `limit` is in characters.
    """

    def __init__(self, reason: str, *, limit: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.limit = limit


def clean_name(raw: str) -> str:
    """Return a valid name: 1 to 40 characters with a letter or digit. Raises BadText."""
    name = clean_line(raw, limit=NAME_LENGTH)
    if not any(character.isalnum() for character in name):
        raise BadText("empty", limit=NAME_LENGTH)
    return name


def clean_line(raw: str, *, limit: int) -> str:
    """Return one line in NFC with single spaces and no invisible or direction characters.

    Raises BadText.
    """
    spaced = " ".join(raw.split())
    if len(spaced) > MOST_COMPOSED * limit:  # composing takes quadratic time in a letter's accents
        raise BadText("long", limit=limit)
    line = unicodedata.normalize("NFC", spaced)
    if any(_is_hidden(character) for character in line):
        raise BadText("signs", limit=limit)
    if len(line) > limit:
        raise BadText("long", limit=limit)
    return line


def _is_hidden(character: str) -> bool:
    """Return whether a character is invisible or changes the reading direction.

    These are control, format (bidi, zero width), private and unassigned characters.
    """
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def skeleton(name: str) -> str:
    """Return the name's visual form.

    Names with the same skeleton are easily confused at one table.
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    letters = "".join(character for character in plain if character.isalnum() or character in "|!")
    return letters.translate(_DRAWN_LIKE)
