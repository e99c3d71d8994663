"""Answers as mail programs write them: nine programs, four languages, any order, any charset.

    raw = reply("gmail", "hu", ["place 8 recruiting"], to="turn+...@reply.play.example")

`below` stands directly below the orders (a name), `later` behind an empty line.
"""

from __future__ import annotations

import html
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LANGUAGES = ("en", "hu", "ru", "pt")
CHARSETS = {
    "en": ("utf-8", "us-ascii", "iso-8859-1", "windows-1252", "utf-16"),
    "hu": ("utf-8", "windows-1250", "iso-8859-2", "utf-16"),
    "ru": ("utf-8", "windows-1251", "koi8-r", "iso-8859-5", "utf-16"),
    "pt": ("utf-8", "windows-1252", "iso-8859-1", "iso-8859-15"),
}
ASKED = """Ana offers 5 for lot 3. You are to bid.

Goa, game 42. You hold 9.
pass is always allowed.

##- type your move above this line -##

ANSWER WITH ONE LINE, above everything else. You can send:

    bid 9
    pass
    place 22 projects
"""
NAME, ADDRESS = "Carreira", "table@play.example"


@dataclass(frozen=True)
class Reply:
    """What somebody writes in answer to a letter of ours, and how it is sent."""

    orders: Sequence[str]
    language: str
    to: str
    sender: str = "Ana <ana@players.example>"
    below: str = ""
    later: str = ""
    asked: str = ASKED
    charset: str = "utf-8"
    only_html: bool = False
    message_id: str = "<1@players.example>"
    subject: str = "Re: [Carreira 42] Your turn"
    on_top: Sequence[str] = field(default=())  # further headers

    @property
    def own(self) -> list[str]:
        """What was typed, line by line."""
        directly = [*self.orders, *([self.below] if self.below else [])]
        return [*directly, *(["", self.later] if self.later else [])]

    def said(self, table: dict[str, str]) -> str:
        """A program's phrase in its user's language."""
        return table[self.language].format(name=NAME, address=self.to)


# ---- phrases ------------------------------------------------------------------------------------

GMAIL = {
    "en": "On Sun, Nov 29, 2026 at 10:12\u202fAM {name} <\n{address}>\nwrote:",
    "hu": "{name} <{address}> ezt írta (időpont: 2026.\nnov. 29., V, 10:12):",
    "ru": "вс, 29 нояб. 2026 г. в 10:12, {name} <\n{address}>:",
    "pt": "{name} <{address}> escreveu (domingo,\n29/11/2026 à(s) 10:12):",
}
THUNDERBIRD = {
    "en": "On 29/11/2026 10:12, {name} wrote:",
    "hu": "2026. 11. 29. 10:12 keltezéssel, {name} írta:",
    "ru": "29.11.2026 10:12, {name} пишет:",
    "pt": "Às 10:12 de 29/11/2026, {name} escreveu:",
}
APPLE = {
    "en": "On 29 Nov 2026, at 10:12, {name} <{address}> wrote:",
    "hu": "{name} <{address}> írta (2026. nov. 29. dátummal, 10:12):",
    "ru": "29 нояб. 2026 г., в 10:12, {name} <{address}> написал(а):",
    "pt": "No dia 29/11/2026, às 10:12, {name} <{address}> escreveu:",
}
IPHONE = {
    "en": "Sent from my iPhone",
    "hu": "Az iPhone készülékemről küldve",
    "ru": "Отправлено с iPhone",
    "pt": "Enviado do meu iPhone",
}
MUTT = {
    "en": "On Sun, Nov 29, 2026 at 10:12:33AM +0000, {name} wrote:",
    "hu": "2026. november 29., 10:12 keltezéssel {name} ezt írta:",
    "ru": "В воскресенье, 29 ноября 2026 г. в 10:12:33, {name} писал(а):",
    "pt": "Em 29 de novembro de 2026 às 10:12, {name} escreveu:",
}
K9 = {
    "en": "On 29 November 2026 10:12:33 WET, {name} <{address}> wrote:",
    "hu": "2026. november 29. 10:12:33 CET, {name} <{address}> írta:",
    "ru": "29 ноября 2026 г. 10:12:33 MSK, {name} <{address}> пишет:",
    "pt": "Em 29 de novembro de 2026 10:12:33 WET, {name} <{address}> escreveu:",
}
K9_SIGNATURE = {
    "en": "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
    "hu": "Android eszközömről küldve K-9 Mail alkalmazással. Elnézést a tömörségért.",
    "ru": "Отправлено из приложения K-9 Mail с Android. Извините за краткость.",
    "pt": "Enviado do meu dispositivo Android com o K-9 Mail. Desculpe a brevidade.",
}
YAHOO = {
    "en": "On Sunday, November 29, 2026 at 10:12:33 AM GMT, {name} <{address}> wrote:",
    "hu": "2026. november 29., vasárnap 10:12:33 CET, {name} <{address}> ezt írta:",
    "ru": "воскресенье, 29 ноября 2026 г. в 10:12:33 GMT+3, {name} <{address}> написал(а):",
    "pt": "Em domingo, 29 de novembro de 2026 às 10:12:33 WET, {name} <{address}> escreveu:",
}
GALAXY = {
    "en": "Sent from my Galaxy",
    "hu": "Elküldve a Galaxy készülékemről",
    "ru": "Отправлено с моего Galaxy",
    "pt": "Enviado do meu Galaxy",
}
ORIGINAL = {
    "en": "-------- Original message --------",
    "hu": "-------- Eredeti üzenet --------",
    "ru": "-------- Исходное сообщение --------",
    "pt": "-------- Mensagem original --------",
}
HEADERS = {
    "en": "From: {name} <{address}>\nSent: Sunday, November 29, 2026 10:12 AM\nTo: Ana\n"
    "Subject: [Carreira 42] Your turn",
    "hu": "Feladó: {name} <{address}>\nElküldve: 2026. november 29., vasárnap 10:12\n"
    "Címzett: Ana\nTárgy: [Carreira 42] Te következel",
    "ru": "От: {name} <{address}>\nОтправлено: 29 ноября 2026 г. 10:12\nКому: Ana\n"
    "Тема: [Carreira 42] Ваш ход",
    "pt": "De: {name} <{address}>\nEnviado: 29 de novembro de 2026 10:12\nPara: Ana\n"
    "Assunto: [Carreira 42] É a sua vez",
}
OUTLOOK_APP = {
    "en": "Get Outlook for iOS<https://aka.example/o0ukef>",
    "hu": "Az Outlook for iOS letöltése<https://aka.example/o0ukef>",
    "ru": "Скачайте Outlook для iOS<https://aka.example/o0ukef>",
    "pt": "Obter o Outlook para iOS<https://aka.example/o0ukef>",
}


# ---- pieces -------------------------------------------------------------------------------------


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def as_html(lines: Sequence[str], before: str = "<div>", after: str = "</div>") -> str:
    return "".join(f"{before}{html.escape(line) or '<br>'}{after}" for line in lines)


def in_html(text: str) -> str:
    return html.escape(text).replace("\n", "<br>\n")


@dataclass(frozen=True)
class Forms:
    """The forms of one letter; `flowed`: the plain one may be joined by its reader."""

    plain: str | None
    html: str | None = None
    flowed: bool = False


# ---- programs -----------------------------------------------------------------------------------


def gmail(reply: Reply) -> Forms:
    introduced = reply.said(GMAIL)
    plain = "\n".join([*reply.own, "", introduced, "", quoted(reply.asked), ""])
    rich = (
        f'<div dir="ltr">{as_html(reply.own)}</div><br><div class="gmail_quote gmail_quote_'
        f'container"><div dir="ltr" class="gmail_attr">{in_html(introduced)}<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">{in_html(reply.asked)}'
        "</blockquote></div>"
    )
    return Forms(plain, rich)


def outlook(reply: Reply) -> Forms:
    header = reply.said(HEADERS)
    plain = "\n".join([*reply.own, "", header, "", reply.asked])
    lines = as_html(reply.own, '<p class="MsoNormal">', "<o:p></o:p></p>")
    lines = lines.replace("<br>", "<o:p>&nbsp;</o:p>")
    rich = (
        "<html><head><style><!-- p.MsoNormal {margin:0cm;} --></style></head><body lang=EN-GB>"
        f'<div class="WordSection1">{lines}<p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        f'<p class="MsoNormal"><b>{in_html(header)}</b></p></div>'
        f'<p class="MsoNormal">{in_html(reply.asked)}</p></div></body></html>'
    )
    return Forms(plain, rich)


def outlook_web(reply: Reply) -> Forms:
    header, app = reply.said(HEADERS), reply.said(OUTLOOK_APP)
    plain = "\n".join([*reply.own, "", app, "_" * 32, header, "", reply.asked])
    rich = (
        '<html><head><style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:'
        f"0;}} </style></head><body>{as_html(reply.own, '<p>', '</p>')}<div><br></div>"
        f'<div id="ms-outlook-mobile-signature">{html.escape(app)}</div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%">'
        f'<div id="divRplyFwdMsg" dir="ltr">{in_html(header)}</div><div>{in_html(reply.asked)}'
        "</div></body></html>"
    )
    return Forms(plain, rich)


def apple(reply: Reply) -> Forms:
    introduced, signature = reply.said(APPLE), reply.said(IPHONE)
    plain = "\n".join(
        [*reply.own, "", signature, "", quoted(introduced), "> ", quoted(reply.asked), ""]
    )
    rich = (
        f'<html><body dir="auto">{as_html(reply.own)}<div><br></div><div dir="ltr">{signature}'
        f'</div><div dir="ltr"><br><blockquote type="cite">{in_html(introduced)}<br><br>'
        f"</blockquote></div><blockquote type='cite'>{in_html(reply.asked)}</blockquote>"
        "</body></html>"
    )
    return Forms(plain, rich)


def thunderbird(reply: Reply) -> Forms:
    introduced = reply.said(THUNDERBIRD)
    plain = "\n".join([*reply.own, "", introduced, quoted(reply.asked), ""])
    rich = (
        f"<html><body><p>{'<br>'.join(map(html.escape, reply.own))}</p>"
        f'<div class="moz-cite-prefix">{introduced}<br></div><blockquote type="cite" cite="mid:1">'
        f"<pre>{html.escape(reply.asked)}</pre></blockquote></body></html>"
    )
    return Forms(plain, rich, flowed=True)


def mutt(reply: Reply) -> Forms:
    """Answers below what it quotes, and signs."""
    return Forms(
        "\n".join(
            [reply.said(MUTT), quoted(reply.asked), "", *reply.own, "", "-- ", "Ana", "pass", ""]
        )
    )


def k9(reply: Reply) -> Forms:
    introduced, signature = reply.said(K9), reply.said(K9_SIGNATURE)
    plain = "\n".join([*reply.own, "", "-- ", signature, "", introduced, quoted(reply.asked), ""])
    rich = (
        f'<!DOCTYPE html><html><body>{as_html(reply.own)}<br><br><div class="k9mail-signature">-- '
        f'<br>{signature}</div><br><div class="gmail_quote"><div dir="auto">{in_html(introduced)}'
        f'</div><blockquote class="gmail_quote">{in_html(reply.asked)}</blockquote></div>'
        "</body></html>"
    )
    return Forms(plain, rich)


def yahoo(reply: Reply) -> Forms:
    """Quotes without a sign in front of a line, and indents what introduces it."""
    introduced = reply.said(YAHOO)
    asked = "\n".join(f" {line}" for line in reply.asked.splitlines())
    plain = "\n".join([*(f" {line}" for line in reply.own), "", f"    {introduced}  ", " ", asked])
    rich = (
        '<html><head></head><body><div class="ydp1f2yahoo-style-wrap" style="font-size:16px;">'
        f'{as_html(reply.own)}</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>'
        f"{in_html(introduced)}</div><div>{in_html(reply.asked)}</div></div></body></html>"
    )
    return Forms(plain, rich)


def samsung(reply: Reply) -> Forms:
    header = f"{reply.said(ORIGINAL)}\n{reply.said(HEADERS)}"
    signature = reply.said(GALAXY)
    plain = "\n".join([*reply.own, "", "", "", signature, "", header, "", reply.asked])
    rich = (
        f"<html><body>{as_html(reply.own)}<div><br></div><div><br></div>"
        f'<div id="composer_signature" dir="auto"><div>{signature}</div></div><div><br></div>'
        '<div align="left" dir="auto">'
        f"<div>{in_html(header)}</div></div><div><br></div>{in_html(reply.asked)}</body></html>"
    )
    return Forms(plain, rich)


CLIENTS: dict[str, Callable[[Reply], Forms]] = {
    "gmail": gmail, "outlook": outlook, "outlook_web": outlook_web, "apple": apple,
    "thunderbird": thunderbird, "mutt": mutt, "k9": k9, "yahoo": yahoo, "samsung": samsung,
}  # fmt: skip
WITH_HTML = tuple(name for name in CLIENTS if name != "mutt")


# ---- as it is sent ------------------------------------------------------------------------------


def raw(client: str, reply: Reply) -> bytes:
    """The whole letter, as a server hands it on."""
    forms = CLIENTS[client](reply)
    head = [
        *reply.on_top,
        f"From: {reply.sender}", f"To: {reply.to}", f"Subject: {reply.subject}",
        "Date: Sun, 29 Nov 2026 10:31:07 +0000", "MIME-Version: 1.0",
    ]  # fmt: skip
    if reply.message_id:
        head.append(f"Message-ID: {reply.message_id}")
    top = "\n".join(head).encode() + b"\n"
    plain = None if reply.only_html or forms.plain is None else forms.plain
    rich = None if forms.html is None else part("html", forms.html, reply.charset)
    if plain is None:
        assert rich is not None, f"{client} writes no HTML"
        return with_crlf(top + rich)
    text = part("plain", plain, reply.charset, "; format=flowed" if forms.flowed else "")
    if rich is None or forms.flowed:
        return with_crlf(top + text)
    return with_crlf(
        top + b'Content-Type: multipart/alternative; boundary="=_b1"\n\n--=_b1\n'
        + text + b"\n--=_b1\n" + rich + b"\n--=_b1--\n"
    )  # fmt: skip


def part(kind: str, text: str, charset: str, parameters: str = "") -> bytes:
    """A part with its headers, in an encoding that programs choose for such a text."""
    content = encoded(text, charset)
    if charset == "utf-16" or sum(byte > 127 for byte in content) * 4 > len(content):
        encoding, body = b"base64", encodebytes(content)
    elif charset == "us-ascii":
        encoding, body = b"7bit", content
    elif charset in ("koi8-r", "iso-8859-2"):
        encoding, body = b"8bit", content
    else:
        encoding, body = b"quoted-printable", b2a_qp(content, istext=True)
    return (
        f"Content-Type: text/{kind}; charset={charset}{parameters}\n".encode()
        + b"Content-Transfer-Encoding: " + encoding + b"\n\n" + body
    )  # fmt: skip


def encoded(text: str, charset: str) -> bytes:
    """In this charset; a program that lacks a narrow space writes a usual one."""
    return text.replace("\u202f", " ").encode(charset, "replace")


def with_crlf(letter: bytes) -> bytes:
    return letter.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def reply(
    client: str, language: str, orders: Sequence[str], *, to: str, **others: object
) -> bytes:
    """The letter of somebody who answers with these orders."""
    return raw(client, Reply(orders, language, to, **others))  # type: ignore[arg-type]
