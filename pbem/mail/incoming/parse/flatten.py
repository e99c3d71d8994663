"""Converts HTML to lines of text, for letters that have no plain text. The result is never shown.

Each quote leaves a line ">" behind, so that one rule reads text and HTML.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

QUOTE, RULER = ">", "--"
BLOCKS = re.compile(
    r"address|article|aside|body|center|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|html"
    r"|li|main|nav|ol|pre|section|table|tbody|tr|ul"
)
WITHOUT_END = re.compile(
    r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
)
# Struck-out text counts as withdrawn.
UNSEEN = re.compile(
    r"button|del|head|iframe|noscript|object|option|s|script|select|strike|style|svg|template"
    r"|textarea|title"
)
QUOTES = re.compile(
    r"(?:^|\s)(?:x_)*(?:gmail_quote(?:_container)?|yahoo_quoted|moz-cite-prefix|protonmail_quote"
    r"|zmail_extra|zmail_extra_hr|ms-outlook-mobile-reference-message)(?:\s|$)"
)
# From here on everything is the quoted letter.
BEHIND = re.compile(r"(?:x_)*(?:divrplyfwdmsg|mail-editor-reference-message-container|replysplit)")
SIGNATURES = re.compile(
    r"gmail_signature|moz-signature|ms-outlook-mobile-signature|composer_signature"
    r"|protonmail_signature|^signature$"
)
HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|font-size:0(?:[a-z%]*)(?:;|!|$)|opacity:0(?:;|!|$)"
    r"|max-height:0"
)
TIGHT = re.compile(r"margin(?:-top)?:0")
TIGHT_PARAGRAPHS = re.compile(
    r"(?<![\w.#-])p(?:\.mso\w+)?\s{0,9}\{[^{}]{0,200}?margin(?:-top)?\s{0,9}:\s{0,9}0",
    re.IGNORECASE,
)
# the library's parser raises for these
ENDLESS_NUMBER = re.compile(r"&#x?[0-9a-f]{9,}", re.IGNORECASE)
DECLARATION = re.compile(r"<(?:!--|[!?])")


def flattened(html: str) -> str:
    """Return the text that a reader sees as the writer's own."""
    reader = _Reader(tight=bool(TIGHT_PARAGRAPHS.search(html)))
    reader.feed(without_declarations(ENDLESS_NUMBER.sub(" ", html)))
    reader.close()
    return "".join(reader.said)


def without_declarations(html: str) -> str:
    """Remove comments, declarations, and a tag that does not end.

    Each unclosed one would make the library's parser scan the whole rest.
    """
    kept, place = [], 0
    while found := DECLARATION.search(html, place):
        kept.append(html[place : found.start()])
        end = "-->" if found[0] == "<!--" else ">"
        place = html.find(end, found.end())
        if place < 0:
            return whole_tags("".join(kept))
        place += len(end)
    return whole_tags("".join([*kept, html[place:]]))


def whole_tags(html: str) -> str:
    last = html.rfind(">") + 1
    return html[:last] + html[last:].partition("<")[0]


class _Reader(HTMLParser):
    """Collects text. `_skipped` is the tag whose content is left out, and its nesting depth."""

    def __init__(self, *, tight: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self._tight = tight
        self._skipped = ""
        self._depth = 0
        self._over = False
        self._literal = 0
        self._open_paragraph = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._over:
            return
        if self._skipped:
            self._depth += tag == self._skipped
            return
        named = {name: (value or "").lower() for name, value in attrs}
        if BEHIND.fullmatch(named.get("id", "").strip()):
            self._line(QUOTE)
            self._over = True
        elif tag == "blockquote" or QUOTES.search(named.get("class", "")):
            self._line(QUOTE)
            self._skip(tag)
        elif UNSEEN.fullmatch(tag) or is_hidden(named) or is_signature(named):
            self._skip(tag)
        else:
            self._begin(tag, named)

    def handle_endtag(self, tag: str) -> None:
        if self._over:
            return
        if self._skipped:
            self._depth -= tag == self._skipped
            if self._depth == 0:
                self._skipped = ""
        elif tag == "p":
            self._end_paragraph()
        elif BLOCKS.fullmatch(tag):
            self._literal -= tag == "pre" and self._literal > 0
            self._fresh()

    def handle_data(self, data: str) -> None:
        if self._over or self._skipped:
            return
        if self._literal:
            self._write(data)
            return
        text = re.sub(r"[ \t\r\n\f\v]+", " ", data)
        if self._at_start():
            text = text.lstrip(" ")
        if text:
            self._write(text)

    def _begin(self, tag: str, named: dict[str, str]) -> None:
        if tag == "br":
            self._write("\n")
        elif tag == "hr":
            self._line(RULER)
        elif tag == "p":
            self._end_paragraph()
            self._fresh()
            self._open_paragraph = not self._tight and not is_tight(named)
            if self._open_paragraph:
                self._gap()
        elif tag in ("td", "th"):
            self._write(" ")
        elif BLOCKS.fullmatch(tag):
            self._literal += tag == "pre"
            self._fresh()

    def _end_paragraph(self) -> None:
        self._fresh()
        if self._open_paragraph:
            self._gap()
        self._open_paragraph = False

    def _skip(self, tag: str) -> None:
        if not WITHOUT_END.fullmatch(tag):
            self._skipped, self._depth = tag, 1

    def _line(self, text: str) -> None:
        self._fresh()
        self._write(f"{text}\n")

    def _gap(self) -> None:
        if self.said and self.said[-1] != "\n\n":
            self._write("\n\n")

    def _fresh(self) -> None:
        if not self._at_start():
            self._write("\n")

    def _at_start(self) -> bool:
        return not self.said or self.said[-1].endswith("\n")

    def _write(self, text: str) -> None:
        self.said.append(text)


def is_hidden(named: dict[str, str]) -> bool:
    """Return whether the element is hidden. Text that nobody saw is no order."""
    style = "".join(named.get("style", "").split())
    return "hidden" in named or bool(HIDDEN.search(style))


def is_signature(named: dict[str, str]) -> bool:
    return any(SIGNATURES.search(named.get(name, "")) for name in ("id", "class"))


def is_tight(named: dict[str, str]) -> bool:
    """Return whether a paragraph directly follows the one before, as Outlook writes lines."""
    style = "".join(named.get("style", "").split())
    return "msonormal" in named.get("class", "") or bool(TIGHT.search(style))
