"""Checks whether letters can leave, arrive and be answered, as far as this machine can tell."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from secrets import token_hex
from typing import Literal
from urllib.parse import urlsplit

from sqlmodel import Session, col, func, select

from pbem.config import Settings
from pbem.mail import dkim
from pbem.mail.message import as_bytes, mailbox, our_mailbox, subject
from pbem.mail.server_answers import Accepted, Meaning, Refused, meaning
from pbem.mail.smtp import Greeting, Relay, SmtpTransport
from pbem.mail.transport import transport_of
from pbem.models import LetterState, MailPause, Outbox, Person
from pbem.operators import dns_records
from pbem.operators.dns_records import UNREACHABLE, Lookup, Record

LATE = timedelta(minutes=5)  # a due letter is late if it was not tried for so long
LATELY = timedelta(days=1)
NO_REAL_DOMAIN = (".example", ".test", ".invalid", ".localhost")


@dataclass(frozen=True)
class Finding:
    """What was checked, its state, and what to do about it."""

    state: Literal["ok", "warn", "bad"]
    about: str
    said: str
    advice: str = ""


def ok(about: str, said: str, advice: str = "") -> Finding:
    return Finding("ok", about, said, advice)


def warn(about: str, said: str, advice: str = "") -> Finding:
    return Finding("warn", about, said, advice)


def bad(about: str, said: str, advice: str = "") -> Finding:
    return Finding("bad", about, said, advice)


# ---- settings and DNS ---------------------------------------------------------------------------


def names(settings: Settings) -> Iterator[Finding]:
    """Check the domains, and the site's URL in letters."""
    ours, reply = settings.mail_domain, settings.reply_domain
    if ours.endswith(NO_REAL_DOMAIN):
        yield warn("mail domain", f"{ours} is nobody's", "set CARREIRA_MAIL_DOMAIN to your own")
    if reply != ours and not reply.endswith("." + ours):
        yield warn("reply domain", f"{reply} is not below {ours}",
                   "receivers want both under one roof (alignment): use a subdomain")  # fmt: skip
    site = urlsplit(settings.base_url)
    if site.hostname in UNREACHABLE:
        yield warn("site", f"links in letters lead to {settings.base_url}",
                   "set CARREIRA_BASE_URL to what players can reach")  # fmt: skip
    elif site.scheme != "https":
        yield warn("site", f"{settings.base_url} is not encrypted",
                   "one-click unsubscribing needs https")  # fmt: skip
    else:
        yield ok("site", settings.base_url)


def dns(settings: Settings, lookup: Lookup) -> Iterator[Finding]:
    """Check whether the records are published. Stops when no server answers."""
    for record in dns_records.records(settings):
        found = lookup(record.name, record.kind)
        if found is None:
            yield warn("DNS", "no name server answers", "look the records up by other means")
            return
        yield published(record, found)


def published(record: Record, found: list[str]) -> Finding:
    """Compare a record with the DNS."""
    about = f"{record.kind} {record.name}"
    present = [text for text in found if text.lower().startswith(record.begins.lower())]
    if not present:
        return bad(about, f"not there: {record.what_for}", "publish it as above")
    if len(present) > 1 and record.kind == "TXT":
        return bad(about, "there several times", "leave one of them")
    said = present[0]
    if not any(record.must_hold in "".join(each.split()) for each in present):
        return elsewhere(record, about, said)
    if record.begins == "v=DMARC1" and "p=none" in "".join(said.split()):
        return warn(about, "only watches (p=none)", "say p=quarantine once reports are good")
    return ok(about, said if len(said) < 60 else f"{said[:56]} ...")


def elsewhere(record: Record, about: str, said: str) -> Finding:
    """Report a record with other content. A provider's machines may be meant."""
    if record.begins == "v=spf1" and allows_somebody(said):
        return warn(about, f"does not name {record.must_hold}: {said}",
                    "see that it names the machines that send your letters")  # fmt: skip
    if record.kind == "MX":
        return bad(about, f"leads to {said}", "publish it as above, unless this is the provider "
                   "whose mailbox CARREIRA_IMAP_URL names")  # fmt: skip
    return bad(about, "says something else", "publish it as above")


def allows_somebody(spf: str) -> bool:
    """Return whether an SPF record allows any machine to send, apart from "all"."""
    terms = spf.lower().split()[1:]
    return any(term[0] not in "-~?" and term.removeprefix("+") != "all" for term in terms)


def signing(settings: Settings) -> Iterator[Finding]:
    """Check the key that signs letters."""
    if settings.dkim_key is None:
        yield warn("DKIM", "letters are not signed here",
                   "set CARREIRA_DKIM_KEY, unless your mail server signs")  # fmt: skip
        return
    found = dkim.key_in(settings.dkim_key)
    if settings.dkim_key.stat().st_mode & 0o077:
        yield warn("DKIM", f"others may read {settings.dkim_key}", "chmod 600 it")
    if found.kind == "rsa" and found.bits < dkim.SHORTEST:
        yield warn("DKIM", f"an RSA key of {found.bits} bits", f"make one of {dkim.SHORTEST}")
    else:
        size = f"{found.kind} key of {found.bits} bits"
        yield ok("DKIM", f"{size}, selector {settings.dkim_selector}")


# ---- servers ------------------------------------------------------------------------------------


def leaving(settings: Settings) -> Iterator[Finding]:
    """Check the relay: name, connection, encryption, login."""
    if settings.smtp_url is None:
        yield warn("SMTP server", f"none: letters are kept in {settings.outbox_folder}",
                   "set CARREIRA_SMTP_URL to have them sent")  # fmt: skip
        return
    relay = Relay.from_url(settings.smtp_url)
    is_here = relay.host in UNREACHABLE
    if not is_here:
        yield reverse(relay.host)
    about = f"SMTP {relay.host}:{relay.port}"
    said = SmtpTransport(settings.smtp_url, helo=settings.mail_domain).greeting(
        f"bounce@{settings.reply_domain}")
    if not isinstance(said, Greeting):
        yield no_greeting(about, said)
        return
    yield ok(about, f"answers, {said.protocol or 'not encrypted'}"
             + (f", certificate until {said.until}" if said.until else "")
             + (", logged in" if relay.user else ""))  # fmt: skip
    if not said.protocol and not is_here:
        yield warn(about, "letters and passwords go there unencrypted",
                   "use smtp+starttls:// or smtps://")  # fmt: skip


def no_greeting(about: str, said: object) -> Finding:
    """Explain why the relay does not accept letters."""
    if isinstance(said, Refused):
        refused = f"{said.code} {said.text}"
        if meaning(said) == Meaning.OUR_CREDENTIALS:
            return bad(about, f"refuses us: {refused}", "see user and password in the URL")
        return bad(about, f"does not take letters: {refused}")
    why = str(getattr(said, "reason", said))
    return bad(about, why, "see host, port, encryption and user in the URL")


def reverse(host: str) -> Finding:
    """Check whether the server's address has a reverse name that resolves to it."""
    try:
        address = socket.getaddrinfo(host, None)[0][4][0]
    except OSError as wrong:
        return bad(f"name {host}", f"is not found: {wrong.strerror or wrong}")
    try:
        name = socket.gethostbyaddr(str(address))[0]
        back = {each[4][0] for each in socket.getaddrinfo(name, None)}
    except OSError:
        return warn(f"PTR {address}", "has no name", "receivers want one, if it sends for you")
    if address not in back:
        return warn(f"PTR {address}", f"is named {name}, which is elsewhere")
    return ok(f"PTR {address}", name)


def coming_in(settings: Settings) -> Iterator[Finding]:
    """Check whether answers can come in, and how they are authenticated."""
    if settings.mail_in is None and settings.imap_url is None:
        yield warn("answers", "are not taken in", "set CARREIRA_MAIL_IN or CARREIRA_IMAP_URL")
    if settings.mail_in is not None:
        yield listener(settings.mail_in)
    yield trust(settings)


def trust(settings: Settings) -> Finding:
    """Report how an answer is authenticated, and what would be safer."""
    server, about = settings.authserv_id, f"trust {settings.mail_trust}"
    if settings.mail_trust == "dmarc":
        if server is None:
            return bad(about, "no letter is believed: whose results count is not set",
                       "set CARREIRA_AUTHSERV_ID to your mail server's name")  # fmt: skip
        return ok(about, f"a letter is played if {server} found that its sender is real")
    raised = "set CARREIRA_MAIL_TRUST=dmarc" if server else "set CARREIRA_AUTHSERV_ID"
    if settings.mail_trust == "hold":
        return ok(about, "each order by mail waits for its player's click",
                  f"to play letters at once: {raised}")  # fmt: skip
    is_public = urlsplit(settings.base_url).hostname not in UNREACHABLE
    safer = "" if server else ", or CARREIRA_MAIL_TRUST=hold"
    return (warn if is_public else ok)(
        about, "a letter is played if it has a reply address and its player's From, which anybody "
        "can write", f"{raised}{safer}",
    )  # fmt: skip


def listener(url: str) -> Finding:
    """Check whether our own listener answers."""
    parts = urlsplit(url)
    is_socket = not parts.netloc
    made = socket.socket(socket.AF_UNIX) if is_socket else None
    try:
        if made is None:
            made = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5)
        else:
            made.settimeout(5)
            made.connect(parts.path)
        with made:
            greeting = made.recv(200)
    except OSError as wrong:
        return bad(f"listener {url}", wrong.strerror or str(wrong),
                   "start it: python app.py run, or mail-in")  # fmt: skip
    if not greeting.startswith(b"220"):
        return bad(f"listener {url}", "somebody else answers there")
    return ok(f"listener {url}", "answers")


# ---- letters ------------------------------------------------------------------------------------


def letters(session: Session, now: datetime) -> Iterator[Finding]:
    """Report pauses, late letters, letters given up, and people who get none."""
    for pause in session.exec(select(MailPause).order_by(col(MailPause.domain))):
        about = f"letters to {pause.domain or 'everybody'}"
        is_ours = not pause.why.startswith("4")
        said = f"refused since {pause.since:%Y-%m-%d %H:%M} UTC: {pause.why}"
        yield (bad if is_ours else warn)(about, said, "mend it; the next letter shows" * is_ours)
    due = (col(Outbox.settled).is_(None), col(Outbox.not_before) <= now)
    waiting, oldest = session.exec(
        select(func.count(), func.min(Outbox.not_before)).select_from(Outbox).where(*due)
    ).one()
    if oldest is not None and now - oldest > LATE:
        minutes = int((now - oldest).total_seconds() // 60)
        yield bad("outbox", f"{waiting} due, the oldest for {minutes} minutes",
                  "see that the letters' worker and the beat run: var/log")  # fmt: skip
    else:
        yield ok("outbox", f"{waiting} due")
    dead = counted(session, Outbox.state == LetterState.DEAD, col(Outbox.settled) > now - LATELY)
    yield (warn if dead else ok)("given up", f"{dead} letters in the last day")
    silent = counted(session, col(Person.suppressed).is_not(None), of=Person)
    yield (warn if silent else ok)("suppressed", f"{silent} people get no letters")


def counted(session: Session, *where: object, of: type[Outbox] | type[Person] = Outbox) -> int:
    """Count rows."""
    return session.exec(select(func.count()).select_from(of).where(*where)).one()  # type: ignore[arg-type]


def trial(settings: Settings, address: str, now: datetime) -> Finding:
    """Send one letter the way all others are sent, and report the server's answer."""
    raw = as_bytes(
        [
            ("From", our_mailbox(settings)),
            ("To", mailbox("", address)),
            ("Date", format_datetime(now)),
            ("Message-ID", f"<doctor.{token_hex(8)}@{settings.mail_domain}>"),
            ("Auto-Submitted", "auto-generated"),
            subject("A letter from Carreira's doctor"),
            ("MIME-Version", "1.0"),
        ],
        TRIAL,
        f"<p>{TRIAL}</p>",
    )
    transport = transport_of(settings)
    outcome = transport.send(f"bounce@{settings.reply_domain}", address, dkim.signed(raw, settings))
    transport.close()
    said = f"{outcome.code or ''} {outcome.text}".strip()
    if isinstance(outcome, Accepted):
        return ok(f"letter to {address}", f"accepted: {said}")
    return bad(f"letter to {address}", f"{meaning(outcome).value}: {said}")


TRIAL = (
    "This letter was sent by hand. In its source, Authentication-Results should say\n"
    "spf=pass, dkim=pass and dmarc=pass.\n"
)
