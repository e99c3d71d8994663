"""Settings, from CARREIRA_* variables only (docs/settings.md); a wrong one is refused by name."""

from __future__ import annotations

import difflib
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pbem import logs
from pbem.accounts.keys import SHORTEST, DamagedKeys, KeyFiles, Keys, key_in

REGISTRATIONS = ("open", "invited", "closed")
TRUSTS = ("hold", "dmarc", "token")
MAIL_IN = "smtp://127.0.0.1:8025"
OF_TESTS = "CARREIRA_TEST_"
HOOKS_OF_TESTS = "TEST_HOOKS"  # "loopback": they may be sent to 127.0.0.1, by plain HTTP
LIMITS_OF_TESTS = "TEST_LIMITS"  # "off": measurements ask as often as they like
SOCKET_LIMIT = 107  # bytes that Linux allows in a Unix socket's path


class BadSetting(ValueError):
    """A setting that the service cannot run with: its name and what is wrong."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How this service runs. Times in seconds unless said."""

    var: Path
    database_url: str
    redis_url: str | None  # None: a private Valkey on `broker_socket`
    smtp_url: str | None  # None: letters are kept in var/outbox
    base_url: str  # without a slash at the end
    host: str
    port: int
    mail_domain: str
    keys: Keys  # that sign and prove
    key_files: KeyFiles | None = None  # where they are kept; None: the environment gives them
    registration: str = "open"
    letter_delay: int = 120  # of a turn letter; others about a move wait wishes.GRACE of it
    invitations_per_host: int = 40  # a day
    open_game_days: int = 30
    vacation_days: int = 30  # in any 365, of one player
    proxies: int = 0  # in front of the site, each adding the address it was asked from
    reply_domain: str = "reply.carreira.example"  # answers, bounces and unsubscribing come here
    mail_in: str | None = MAIL_IN  # smtp:// or lmtp://HOST:PORT, lmtp:///SOCKET; None: no listener
    imap_url: str | None = None  # a mailbox to look into: imaps://USER:PASSWORD@HOST/FOLDER
    mail_trust: str = "hold"  # what makes an answer its player's: see TRUSTS
    authserv_id: str | None = None  # of the operator's own server, in Authentication-Results
    dkim_key: Path | None = None
    dkim_selector: str = "carreira"
    raw_mail_days: int = 30
    pictures: bool = True  # of the table, in letters
    metrics_token: str | None = None  # opens /metrics from elsewhere; None: from this machine only
    logs: str = "auto"  # see pbem.logs, which reads it itself: it speaks before all else
    hooks_to_loopback: bool = False  # tests receive web hooks on this machine
    counts_requests: bool = True  # 429 for who asks too often (pbem.web.limits)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """The settings that these variables give, or BadSetting."""
        read = Variables(environ)
        var = Path(read.text("VAR", "var")).absolute()
        host = read.text("HOST", "127.0.0.1")
        port = read.whole("PORT", 8080, at_least=1, at_most=65535)
        mail_domain = read.checked("MAIL_DOMAIN", "carreira.example", domain)
        mail_in = read.checked("MAIL_IN", MAIL_IN, mail_listener)
        imap_url = read.optional("IMAP_URL", mailbox)
        authserv_id = read.optional("AUTHSERV_ID", domain)
        found_keys, key_files = keys_of(read, var)
        dkim_key = read.optional("DKIM_KEY", readable_file)
        settings = cls(
            var=var,
            host=host,
            port=port,
            database_url=read.checked("DATABASE_URL", f"sqlite:///{var}/carreira.db", database),
            redis_url=read.optional("REDIS_URL", broker),
            smtp_url=read.optional("SMTP_URL", smtp_server),
            base_url=read.checked("BASE_URL", f"http://{in_url(host)}:{port}", site).rstrip("/"),
            mail_domain=mail_domain,
            registration=read.one_of("REGISTRATION", REGISTRATIONS),
            letter_delay=read.whole("LETTER_DELAY", 120, at_least=0, at_most=86_400),
            invitations_per_host=read.whole("INVITATIONS_PER_HOST", 40, at_least=0, at_most=10_000),
            open_game_days=read.whole("OPEN_GAME_DAYS", 30, at_least=1, at_most=3_650),
            vacation_days=read.whole("VACATION_DAYS", 30, at_least=1, at_most=365),
            proxies=read.whole("PROXIES", 0, at_least=0, at_most=9),
            reply_domain=read.checked("REPLY_DOMAIN", f"reply.{mail_domain}", domain).lower(),
            mail_in=None if mail_in == "none" else mail_in,
            imap_url=imap_url,
            mail_trust=(read.text("MAIL_TRUST", "") and read.one_of("MAIL_TRUST", TRUSTS))
            or usual_trust(mail_in, imap_url, authserv_id),
            authserv_id=authserv_id,
            dkim_key=Path(dkim_key).absolute() if dkim_key else None,
            dkim_selector=read.checked("DKIM_SELECTOR", "carreira", domain),
            raw_mail_days=read.whole("RAW_MAIL_DAYS", 30, at_least=1, at_most=3_650),
            pictures=read.one_of("PICTURES", ("on", "off")) == "on",
            metrics_token=read.text("METRICS_TOKEN", "") or None,
            logs=read.one_of("LOGS", logs.FORMS),
            hooks_to_loopback=read.text(HOOKS_OF_TESTS, "") == "loopback",
            counts_requests=read.text(LIMITS_OF_TESTS, "") != "off",
            keys=found_keys,
            key_files=key_files,
        )
        read.refuse_others()
        return settings

    @property
    def broker_socket(self) -> Path:
        """Where the private Valkey listens if the path is short enough."""
        return self.var / "valkey.sock"

    @property
    def broker_url(self) -> str:
        """The broker, as Celery names it."""
        return self.redis_url or f"redis+socket://{self.broker_socket}"

    @property
    def outbox_folder(self) -> Path:
        """Where letters are kept when there is no mail server."""
        return self.var / "outbox"

    def reply_to(self, purpose: str, token: str) -> str:
        """turn+TOKEN@reply.carreira.example."""
        return f"{purpose}+{token}@{self.reply_domain}"

    @property
    def sender(self) -> str:
        """The From of every letter."""
        return f"Carreira <table@{self.mail_domain}>"

    @property
    def is_secure(self) -> bool:
        """Whether players reach the site by HTTPS."""
        return self.base_url.startswith("https:")


class Variables:
    """Reads CARREIRA_* variables; one that is empty counts as not set."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._known: set[str] = set()

    def text(self, name: str, default: str) -> str:
        self._known.add(f"CARREIRA_{name}")
        return self._environ.get(f"CARREIRA_{name}", "").strip() or default

    def optional(self, name: str, check: Callable[[str], str | None]) -> str | None:
        """The value, or None if it is not set."""
        return self.checked(name, "", check) if self.text(name, "") else None

    def checked(self, name: str, default: str, check: Callable[[str], str | None]) -> str:
        """The value, if `check` finds nothing wrong with it."""
        value = self.text(name, default)
        try:
            wrong = check(value)
        except ValueError as problem:  # what urlsplit makes of "http://[x"
            wrong = f"{value!r} is no URL: {problem}"
        if wrong:
            raise BadSetting(f"CARREIRA_{name}", wrong)
        return value

    def one_of(self, name: str, choices: tuple[str, ...]) -> str:
        """One of the choices; the first if it is not set."""
        value = self.text(name, choices[0])
        if value not in choices:
            raise BadSetting(f"CARREIRA_{name}", f"{value!r} is none of {', '.join(choices)}")
        return value

    def whole(self, name: str, default: int, *, at_least: int, at_most: int) -> int:
        """A whole number between the two bounds."""
        value = self.text(name, str(default))
        if not re.fullmatch(r"[0-9]{1,9}", value) or not at_least <= int(value) <= at_most:
            raise BadSetting(
                f"CARREIRA_{name}", f"{value!r} is not a whole number from {at_least} to {at_most}"
            )
        return int(value)

    def refuse_others(self) -> None:
        """A name with a slip in it would leave the default in force without a word."""
        others = self._environ.keys() - self._known
        for name in sorted(others):
            if name.startswith("CARREIRA_") and not name.startswith(OF_TESTS):
                close = difflib.get_close_matches(name, self._known, 1)
                meant = f"; is {close[0]} meant?" if close else ""
                raise BadSetting(name, f"there is no such setting{meant}")


def database(url: str) -> str | None:
    """What is wrong with a database URL."""
    kind = url.split(":", 1)[0].split("+", 1)[0]
    if kind not in ("sqlite", "postgresql") or "://" not in url:
        return "must begin with sqlite:/// or postgresql://"
    return None


def broker(url: str) -> str | None:
    """What is wrong with a broker URL."""
    parts = urlsplit(url)
    if parts.scheme in ("redis+socket", "unix"):
        return None if parts.path.startswith("/") else "a socket needs an absolute path"
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        return "must be redis://HOST:PORT/N, rediss://... or redis+socket:///PATH"
    return bad_port(url)


def smtp_server(url: str) -> str | None:
    """What is wrong with a mail server's URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps", "smtp+starttls") or not parts.hostname:
        return "must be smtp://HOST:PORT, smtps://... or smtp+starttls://..."
    return bad_port(url)


def mail_listener(url: str) -> str | None:
    """What is wrong with the place where answers come in."""
    if url == "none":
        return None
    parts = urlsplit(url)
    if parts.scheme == "lmtp" and not parts.netloc and parts.path.startswith("/"):
        return None
    if parts.scheme not in ("smtp", "lmtp") or not parts.hostname or parts.port is None:
        return "must be lmtp:///SOCKET, lmtp://HOST:PORT, smtp://HOST:PORT on loopback, or none"
    if parts.hostname not in ("127.0.0.1", "::1", "localhost"):
        return "listens on loopback only: put a mail server in front (docs/deploy/mail.md)"
    return bad_port(url)


def mailbox(url: str) -> str | None:
    """What is wrong with the URL of a mailbox that is looked into."""
    parts = urlsplit(url)
    if parts.scheme not in ("imap", "imaps") or not parts.hostname or not parts.username:
        return "must be imaps://USER:PASSWORD@HOST/FOLDER"
    return bad_port(url)


def readable_file(path: str) -> str | None:
    """What is wrong with a file that has to be read."""
    return None if os.access(path, os.R_OK) else f"{path!r} cannot be read"


def usual_trust(mail_in: str, imap_url: str | None, authserv_id: str | None) -> str:
    """A server that checks senders is believed, whichever way letters come in.

    Without one, the loopback listener alone is trusted: nobody else can write to it.
    """
    if authserv_id:
        return "dmarc"
    return "token" if mail_in.startswith("smtp:") and imap_url is None else "hold"


def site(url: str) -> str | None:
    """What is wrong with the address that letters give for the site."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "must be http://HOST or https://HOST"
    if parts.query or parts.fragment or parts.path not in ("", "/"):
        return "must end after the host and port"
    return bad_port(url)


def domain(name: str) -> str | None:
    """What is wrong with a mail domain."""
    label = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
    if not re.fullmatch(rf"{label}(\.{label})*", name, re.IGNORECASE) or len(name) > 190:
        return f"{name!r} is not a domain name"
    return None


def bad_port(url: str) -> str | None:
    """Whether the port of a URL is no port."""
    try:
        urlsplit(url).port  # noqa: B018  (reading it is the check)
    except ValueError:
        return "the port must be a number from 0 to 65535"
    return None


def in_url(host: str) -> str:
    """The host as a URL writes it; a site bound to every address is reached by this machine's."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  (compared, not bound)  # nosec B104
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def keys_of(read: Variables, var: Path) -> tuple[Keys, KeyFiles | None]:
    """CARREIRA_SECRET_KEY and CARREIRA_OLD_SECRET_KEYS, or the keys in files of VAR, and these."""
    given, older = read.text("SECRET_KEY", ""), read.text("OLD_SECRET_KEYS", "")
    if given:
        old = tuple(given_key("OLD_SECRET_KEYS", each) for each in older.split())
        return Keys(given_key("SECRET_KEY", given), old), None
    if older:
        raise BadSetting("CARREIRA_OLD_SECRET_KEYS", "is for use with CARREIRA_SECRET_KEY")
    files = KeyFiles(var)
    try:
        var.mkdir(mode=0o700, parents=True, exist_ok=True)  # addresses, and what chance will deal
        if not files.signing.exists():
            files.begin(secrets.token_bytes(SHORTEST))
        return files.read(), files
    except DamagedKeys as damaged:
        raise BadSetting("CARREIRA_VAR", str(damaged)) from None
    except OSError as problem:
        raise BadSetting(
            "CARREIRA_VAR", f"{problem.filename or var} cannot be used: {problem.strerror}"
        ) from None


def given_key(name: str, text: str) -> bytes:
    """A key that the environment gives."""
    try:
        return key_in(text)
    except ValueError as wrong:
        raise BadSetting(f"CARREIRA_{name}", str(wrong)) from None
