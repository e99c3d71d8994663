"""Serves /dev/mail: the letters in var/outbox, to read and answer without a mail server.

Letters hold sign-in links, so the pages exist only for requests from this machine.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from pathlib import Path
from urllib.parse import urlsplit

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as BaseResponse

from pbem.mail.incoming import loopback
from pbem.web import context
from pbem.web.filters import _

blueprint = Blueprint("devmail", __name__, url_prefix="/dev/mail")

MOST = 200  # letters in the list
LONGEST_ANSWER = 20_000  # characters
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}\.eml")
FORWARDED = {"forwarded", "via", "x-real-ip"}
PICTURE = re.compile(r'src="cid:([^"]+)"')
# The letter's HTML may show itself and its attachments: no script, no loading, no form.
LETTER_POLICY = "; ".join((
    "default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", "base-uri 'self'",
    "form-action 'none'", "frame-ancestors 'self'",
    "sandbox allow-top-navigation-by-user-activation",
))  # fmt: skip


@dataclass(frozen=True)
class KeptLetter:
    """A kept letter, as the list shows it."""

    name: str
    subject: str
    to: str
    date: datetime | None


# ---- access -------------------------------------------------------------------------------------


@blueprint.before_request
def only_at_this_machine() -> None:
    """Raise 404 unless the request comes from this machine and the site is local."""
    if not is_asked_here():
        abort(404)


def is_asked_here() -> bool:
    """Tell whether the site is local and the request comes from this machine."""
    settings = context.service().settings
    names = (
        settings.host,
        urlsplit(settings.base_url).hostname,
        # A proxy may set no header of its own; the public host name then shows it.
        urlsplit(f"//{request.host}").hostname,
        request.remote_addr,
    )
    return not was_forwarded() and all(map(is_loopback, names))


def was_forwarded() -> bool:
    """Tell whether the request came through a proxy."""
    names = {name.lower() for name, _ in request.headers}
    return bool(names & FORWARDED) or any(name.startswith("x-forwarded") for name in names)


def is_loopback(host: str | None) -> bool:
    """Tell whether this host is the machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


# ---- pages --------------------------------------------------------------------------------------


@blueprint.get("")
def letters() -> Response:
    """Show the list of kept letters, newest first."""
    return unkept(render_template("devmail/list.html", letters=list(kept(outbox_folder()))))


@blueprint.get("/<name>")
def letter(name: str) -> Response:
    """Show one letter: headers, plain text, and its HTML in a frame."""
    message = read(name)
    return unkept(
        render_template(
            "devmail/letter.html",
            name=name,
            subject=message["Subject"],
            headers=[(key, str(value)) for key, value in message.items()],
            text=body(message, "plain"),
            reply_to=loopback.address_in(message, "Reply-To") if takes_letters() else "",
            sender=loopback.address_in(message, "To"),
        )
    )


@blueprint.post("/<name>")
def reply(name: str) -> BaseResponse:
    """Answer a letter as its reader, by mail to the site's listener; raises 404 without one."""
    message = read(name)
    if not takes_letters() or not loopback.address_in(message, "Reply-To"):
        abort(404)
    service = context.service()
    text = request.form.get("text", "")[:LONGEST_ANSWER]
    answer = loopback.answer_to(message, text, body(message, "plain"), service.clock.now())
    said = loopback.hand_in(service.settings, answer)
    flash(_("The mail server says: %(said)s", said=said), "" if said[0] == "2" else "refused")
    return redirect(url_for("devmail.letter", name=name), 303)


def takes_letters() -> bool:
    """Tell whether the site has a mail listener."""
    return context.service().settings.mail_in is not None


@blueprint.get("/<name>/html")
def html(name: str) -> Response:
    """Return the letter's HTML for the frame; its links open in the whole window."""
    message = read(name)
    page = body(message, "html").replace("<head>", '<head><base target="_top">', 1)
    answer = unkept(with_pictures(page, message))
    answer.headers["Content-Security-Policy"] = LETTER_POLICY
    answer.headers["X-Frame-Options"] = "SAMEORIGIN"
    return answer


def with_pictures(page: str, message: EmailMessage) -> str:
    """Return the HTML with the letter's own pictures inlined, as a mail program shows them."""
    pictures = {
        str(part["Content-ID"]).strip("<> "): part
        for part in message.walk() if part.get_content_maintype() == "image"
    }

    def shown(found: re.Match[str]) -> str:
        part = pictures.get(found[1])
        if part is None:
            return found[0]
        content = base64.b64encode(part.get_content()).decode()
        return f'src="data:{part.get_content_type()};base64,{content}"'

    return PICTURE.sub(shown, page)


def unkept(page: str) -> Response:
    """Return an answer that no cache keeps, as it holds sign-in links."""
    answer = make_response(page)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


# ---- the folder ---------------------------------------------------------------------------------


def outbox_folder() -> Path:
    return context.service().settings.outbox_folder


def kept(folder: Path) -> Iterator[KeptLetter]:
    """Yield the newest letters in the folder, read from their headers."""
    if not folder.is_dir():
        return
    files = [file for file in folder.iterdir() if NAME.fullmatch(file.name)]
    files.sort(key=lambda file: (file.stat().st_mtime_ns, file.name), reverse=True)
    for file in files[:MOST]:
        with file.open("rb") as opened:
            headers = BytesHeaderParser(policy=policy.default).parse(opened)
        date = getattr(headers["Date"], "datetime", None)
        yield KeptLetter(file.name, str(headers["Subject"]), str(headers["To"]), date)


def read(name: str) -> EmailMessage:
    """Return a kept letter; raises 404 for any other file, inside the folder or outside."""
    file = outbox_folder() / name
    if not NAME.fullmatch(name) or not file.is_file():
        abort(404)
    return message_from_bytes(file.read_bytes(), policy=policy.default)


def body(message: EmailMessage, kind: str) -> str:
    """Return the plain text or the HTML of a letter."""
    part = message.get_body((kind,))
    return "" if part is None else str(part.get_content()).replace("\r\n", "\n")
