"""Decodes bytes to text, whatever a mail program calls the encoding, and guesses if it must."""

from __future__ import annotations

import binascii
import codecs
import re

# Names that Python does not know, and names that understate the encoding in use.
ALIASES = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "windows-874": "cp874",
    "cp-850": "cp850",
    "cp-1250": "cp1250",
    "cp-1251": "cp1251",
    "win-1251": "cp1251",
    "windows1250": "cp1250",
    "windows1251": "cp1251",
    "windows1252": "cp1252",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "koi8": "koi8-r",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "utf8mb4": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    "unknown-8bit": "utf-8",
    "x-unknown": "utf-8",
    "default": "utf-8",
}
# Python also has codecs that are not text encodings. Some are slow enough for an attack.
TEXT = re.compile(
    r"(utf|iso|windows|cp|koi8|mac|gb|big5|euc|shift|tis|hz|johab|ptcp|kz1048|latin)[a-z0-9_-]*"
)
ENCODED_WORDS = re.compile(r"=\?([^?\s]{1,40})\?([bBqQ])\?([^?\s]*)\?=(\s+(?==\?))?")


def decoded(raw: bytes, charset: str) -> str:
    """Decode with the declared encoding, else UTF-8, else Latin-1, which accepts all bytes."""
    for name in (known(charset), "utf-8"):
        if name is not None:
            try:
                return raw.decode(name)
            except (UnicodeError, LookupError):
                continue
    return raw.decode("latin-1")


def known(charset: str) -> str | None:
    """Return the Python name of a text encoding, or None if it is unknown."""
    name = charset.strip(" '\"").lower().partition("*")[0]
    name = ALIASES.get(name, name)
    if not TEXT.fullmatch(name):
        return None
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None


def header_text(value: str) -> str:
    """Decode the encoded words of a header (RFC 2047). Invalid ones stay as they are."""
    return ENCODED_WORDS.sub(_word, value)


def _word(found: re.Match[str]) -> str:
    text = found[3].encode("utf-8", "replace")
    try:
        raw = (
            binascii.a2b_base64(text + b"=" * (-len(text) % 4))
            if found[2] in "bB"
            else binascii.a2b_qp(text, header=True)
        )
    except binascii.Error:
        return found[0]
    return decoded(raw, found[1])
