"""Lists the DNS records that our letters need, and looks up the published ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import dns.exception
import dns.resolver

from pbem.config import Settings
from pbem.mail.dkim import key_in
from pbem.mail.smtp import Relay

SECONDS = 3.0  # for all tries of one lookup
IN_A_STRING = 255  # characters; longer records are split into several
UNREACHABLE = ("127.0.0.1", "::1", "localhost")

Lookup = Callable[[str, str], list[str] | None]
"""Maps a name and a type to the published records; None if no server answers."""


@dataclass(frozen=True)
class Record:
    """A record to publish.

    `begins` identifies it among others of its name; a correct one contains `must_hold`.
    """

    name: str
    kind: str
    value: str
    what_for: str
    begins: str
    must_hold: str

    @property
    def line(self) -> str:
        """The record as a line of a zone file."""
        value = quoted(self.value) if self.kind == "TXT" else self.value
        return f"{self.name}. {self.kind} {value}"


def quoted(text: str) -> str:
    """Quote the strings of a text record."""
    pieces = [text[at : at + IN_A_STRING] for at in range(0, len(text), IN_A_STRING)]
    return " ".join(f'"{piece}"' for piece in pieces)


def records(settings: Settings) -> list[Record]:
    """Return all records to publish. Both domains are included, as From and as envelope sender."""
    ours, reply = settings.mail_domain, settings.reply_domain
    host = sending_host(settings)
    spf = f"v=spf1 a:{host} -all"
    made = [
        Record(name, "TXT", spf, "which machines send for it (SPF)", "v=spf1", f"a:{host}")
        for name in (ours, reply)
    ]
    if settings.dkim_key is not None:
        key = key_in(settings.dkim_key).record
        name = f"{settings.dkim_selector}._domainkey.{ours}"
        must = key.rpartition("p=")[2]
        made.append(Record(name, "TXT", key, "the public key (DKIM)", "v=DKIM1", f"p={must}"))
    policy = f"v=DMARC1; p=quarantine; rua=mailto:postmaster@{ours}"
    made.append(Record(f"_dmarc.{ours}", "TXT", policy, "what to do with forgeries (DMARC)",
                       "v=DMARC1", "v=DMARC1"))  # fmt: skip
    front = receiving_host(settings)
    made.append(Record(reply, "MX", f"10 {front}.", "where answers go", "", f"{front}."))
    return made


def sending_host(settings: Settings) -> str:
    """Return the host that letters leave from: the relay, or this host if the relay is local."""
    host = Relay.from_url(settings.smtp_url).host if settings.smtp_url else "localhost"
    return receiving_host(settings) if host in UNREACHABLE else host


def receiving_host(settings: Settings) -> str:
    """Return the mail server in front of the service, as docs/deploy/mail.md names it."""
    return f"mx.{settings.mail_domain}"


def resolver(name: str, kind: str) -> list[str] | None:
    """Look a record up. Returns an empty list if there is none, and None if no server answers."""
    try:
        answer = dns.resolver.resolve(f"{name}.", kind, lifetime=SECONDS)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError):
        return None
    if kind != "TXT":
        return [each.to_text() for each in answer]
    return [b"".join(each.strings).decode("utf-8", "replace") for each in answer]
