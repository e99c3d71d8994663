"""Letters for hypothesis: any bytes, damaged real ones, and built ones of which all is known."""

from __future__ import annotations

from base64 import encodebytes
from binascii import b2a_qp
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pbem.mail.incoming.parse.read import read
from pbem.mail.incoming.parse.reading import (
    Envelope,
    Mail,
    Ours,
    Reading,
    Report,
    Robot,
    Unreadable,
)
from tests.support import mail_programs
from tests.support.mail_programs import CLIENTS, LANGUAGES, reply, with_crlf

OURS = Ours("reply.play.example", "play.example", "mx.play.example")
TO = "turn+k7q2v5m4x3t6w5z6b2c7d4f3h7@reply.play.example"
BOUNCE = TO.replace("turn", "bounce")
KEPT = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "letters").glob("*.eml"))]
WRITTEN = [reply(client, language, ["bid 5"], to=TO, below="Ana")
           for client in CLIENTS for language in LANGUAGES]  # fmt: skip

# What parsers trip over, thrown into the middle of letters.
STONES = [
    b"\r\n", b"\n\n", b"\r", b"--", b"--=_b1", b"\0", b"\xff", b"=", b"=?utf-8?b?", b"?=", b";",
    b'"', b"<", b">", b"(", b"&#", b"<!--", b"<blockquote>", b"</div>", b"\xe2\x80\xa8", b"+AD4-",
    b"Content-Type: multipart/mixed; boundary=", b"Content-Type: text/html\r\n",
    b"Content-Transfer-Encoding: base64\r\n", b"charset=utf-16", b"From: ", b"Auto-Submitted: ",
    b"multipart/report", b"message/delivery-status", b"-----BEGIN PGP", b"format=flowed",
]  # fmt: skip
RECIPIENTS = st.sampled_from([TO, BOUNCE, TO.replace("turn", "words"), "", "x@mail.example"])


# ---- any letter ---------------------------------------------------------------------------------


@st.composite
def damaged(draw: Any, letters: list[bytes] | None = None) -> bytes:
    """A real letter with pieces lost, doubled, moved, and put in."""
    raw = draw(st.sampled_from(letters or [*KEPT, *WRITTEN]))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(len(raw), start + 200)))
        piece = raw[start:end]
        new = draw(st.sampled_from(["lost", "doubled", "moved", "stone", "bytes"]))
        if new == "doubled":
            raw = raw[:end] + piece * draw(st.integers(1, 3)) + raw[end:]
        elif new == "moved":
            rest = raw[:start] + raw[end:]
            to = draw(st.integers(0, len(rest)))
            raw = rest[:to] + piece + rest[to:]
        else:
            stones = st.sampled_from(STONES)
            put_in = {"lost": st.just(b""), "stone": stones, "bytes": st.binary(max_size=20)}[new]
            raw = raw[:start] + draw(put_in) + raw[end:]
    return bytes(raw)


ANY = st.one_of(
    st.binary(max_size=2_000),
    st.builds(b"".join, st.lists(st.one_of(st.sampled_from(STONES), st.binary(max_size=8)))),
    damaged(),
)


def checked(raw: bytes, recipient: str = TO, sender: str = "ana@players.example") -> Reading:
    """Read a letter; what every reading keeps to is asserted."""
    found = read(raw, Envelope(sender, recipient, "smtp"), OURS)
    assert isinstance(found, Mail | Robot | Report | Unreadable)
    if isinstance(found, Mail):
        assert len(found.lines) <= 20
        for line in found.lines:
            assert line
            assert line == " ".join(line.split())
            assert len(line) <= 2_000
            assert all(character.isprintable() or character in "\u200c\u200d" for character in line)
            assert not line.startswith((">", "--", "##-"))
    return found


# ---- letters of which all is known --------------------------------------------------------------

OWN = ("bid 5", "place 8 recruiting", "harvest ginger@1 2", "give up", "merchant natal>9a",
       "bid 6; later: up to 4 for lot 4", "Ana", "licit 5", "ставлю 5")  # fmt: skip
OTHERS = ("bid 9", "pass", "place 22 projects", "You can send:", "done", "resign yes")
MARKERS = ("##- type your move above this line -##", "##- type your move above\nthis line -##",
           "**##- írja ide -##**", "# #- type", "##— type")  # fmt: skip
INTRODUCED = [
    line.format(name="Carreira", address=address)
    for table in (mail_programs.GMAIL, mail_programs.THUNDERBIRD, mail_programs.APPLE,
                  mail_programs.MUTT, mail_programs.K9,
                  mail_programs.YAHOO)
    for line in table.values()
    for address in ("table@play.example", TO)
]  # fmt: skip
HEADED = [text.format(name="Carreira", address=TO) for text in mail_programs.HEADERS.values()]
SIGNED = [*mail_programs.IPHONE.values(), *mail_programs.GALAXY.values(),
          *mail_programs.K9_SIGNATURE.values(),
          *mail_programs.OUTLOOK_APP.values()]  # fmt: skip
BLANK = st.sampled_from(["", " ", "\u00a0", "\u200b", "\t"])


@dataclass(frozen=True)
class Built:
    """A text, what its writer typed, and what he quotes; nothing is in both."""

    text: str
    own: tuple[str, ...]


@st.composite
def built(
    draw: Any, own: tuple[str, ...] = OWN, others: tuple[str, ...] = OTHERS
) -> Built:
    """An answer above or below what it quotes, as some program would write it."""
    typed = draw(st.lists(st.sampled_from(own), max_size=4))
    quote = draw(st.lists(st.one_of(st.sampled_from(others), BLANK), min_size=1, max_size=8))
    sign = draw(st.sampled_from(["> ", ">", " > ", "＞ ", "| "]))
    marked = [f"{sign}{line}" if line.strip() else draw(st.sampled_from([sign, ""]))
              for line in quote]  # fmt: skip
    marked[0] = f"{sign}{quote[0]}"
    gap = draw(st.lists(BLANK, max_size=2))
    ways = ["marked", "introduced", "bare", "headed", "marker", "signed", "below"]
    way = draw(st.sampled_from(ways))
    if way == "below":
        lines = [draw(st.sampled_from(INTRODUCED)), *gap, *marked, "", *gap, *typed]
    else:
        under = {
            "marked": marked,
            "introduced": [draw(st.sampled_from(INTRODUCED)), *gap, *marked],
            "bare": [draw(st.sampled_from(INTRODUCED)), "", *quote],
            "headed": [draw(st.sampled_from(HEADED)), *gap, *quote],
            "marker": [draw(st.sampled_from(MARKERS)), *gap, *quote],
            "signed": [draw(st.sampled_from(SIGNED)), *quote],
        }[way]
        lines = [*draw(st.lists(BLANK, max_size=2)), *typed, *gap, *under]
    return Built("\n".join(lines), tuple(typed))


CHARSETS = ("utf-8", "us-ascii", "windows-1250", "windows-1251", "koi8-r", "utf-16", "x-none")


def has(charset: str, text: str) -> bool:
    """Whether a charset has all characters of a text."""
    try:
        text.encode("utf-8" if charset == "x-none" else charset)
    except UnicodeEncodeError:
        return False
    return True


@st.composite
def sent(draw: Any, text: str, to: str, sender: str, message_id: str = "<1@x.example>") -> bytes:
    """The text as a whole letter, in some encoding and a charset that has its characters."""
    charset = draw(st.sampled_from([name for name in CHARSETS if has(name, text)]))
    content = text.encode("utf-8" if charset == "x-none" else charset)
    encodings = ["base64"] if charset == "utf-16" else ["8bit", "quoted-printable", "base64"]
    encoding = draw(st.sampled_from(encodings))
    body = {"8bit": content, "quoted-printable": b2a_qp(content), "base64": encodebytes(content)}
    head = (
        f"From: {sender}\nTo: {to}\nSubject: Re: x\nMessage-ID: {message_id}\n"
        f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n\n"
    )
    return with_crlf(head.encode() + body[encoding]) if encoding != "8bit" else (
        head.replace("\n", "\r\n").encode() + content
    )
