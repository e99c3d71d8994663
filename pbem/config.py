"""Reads and checks the settings, from CARREIRA_* variables only (docs/settings.md)."""

from __future__ import annotations

import difflib
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from pbem.accounts.keys import SHORTEST, DamagedKeys, KeyFiles, Keys, key_in

MAIL_IN = "smtp://127.0.0.1:8025"
SECRET, OLD_SECRETS = "CARREIRA_SECRET_KEY", "CARREIRA_OLD_SECRET_KEYS"
OF_TESTS = "CARREIRA_TEST_"
SOCKET_LIMIT = 107  # bytes that Linux allows in a Unix socket's path


class BadSetting(ValueError):
    """Raised for a setting that the service cannot run with. Holds its name and what is wrong."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


# ---- checks of values ---------------------------------------------------------------------------


def parts_of(url: str) -> SplitResult:
    """Split a URL. Raises ValueError if it is not valid."""
    try:
        parts = urlsplit(url)
    except ValueError as problem:
        raise ValueError(f"{url!r} is no URL: {problem}") from None
    try:
        parts.port  # noqa: B018  (reading it is the check)
    except ValueError:
        raise ValueError("the port must be a number from 0 to 65535") from None
    return parts


def database(url: str) -> str:
    """Check the URL of a supported database. Raises ValueError."""
    kind = url.split(":", 1)[0].split("+", 1)[0]
    if kind not in ("sqlite", "postgresql") or "://" not in url:
        raise ValueError("must begin with sqlite:/// or postgresql://")
    return url


def broker(url: str) -> str:
    """Check the URL of a Redis or Valkey. Raises ValueError."""
    parts = parts_of(url)
    if parts.scheme in ("redis+socket", "unix"):
        if not parts.path.startswith("/"):
            raise ValueError("a socket needs an absolute path")
    elif parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ValueError("must be redis://HOST:PORT/N, rediss://... or redis+socket:///PATH")
    return url


def smtp_server(url: str) -> str:
    """Check the URL of the mail server for outgoing letters. Raises ValueError."""
    parts = parts_of(url)
    if parts.scheme not in ("smtp", "smtps", "smtp+starttls") or not parts.hostname:
        raise ValueError("must be smtp://HOST:PORT, smtps://... or smtp+starttls://...")
    return url


def mail_listener(url: str | None) -> str | None:
    """Check the URL where answers come in, or None. Raises ValueError."""
    if url is None or url == "none":
        return None
    parts = parts_of(url)
    if parts.scheme == "lmtp" and not parts.netloc and parts.path.startswith("/"):
        return url
    if parts.scheme not in ("smtp", "lmtp") or not parts.hostname or parts.port is None:
        raise ValueError(
            "must be lmtp:///SOCKET, lmtp://HOST:PORT, smtp://HOST:PORT on loopback, or none")
    if parts.hostname not in ("127.0.0.1", "::1", "localhost"):
        raise ValueError(
            "listens on loopback only: put a mail server in front (docs/deploy/mail.md)")
    return url


def mailbox(url: str) -> str:
    """Check the URL of an IMAP mailbox. Raises ValueError."""
    parts = parts_of(url)
    if parts.scheme not in ("imap", "imaps") or not parts.hostname or not parts.username:
        raise ValueError("must be imaps://USER:PASSWORD@HOST/FOLDER")
    return url


def readable(path: Path) -> Path:
    """Check that a file can be read. Raises ValueError."""
    if not os.access(path, os.R_OK):
        raise ValueError(f"{str(path)!r} cannot be read")
    return path.absolute()


def site(url: str) -> str:
    """Check the site's URL, and remove its trailing slash. Raises ValueError."""
    parts = parts_of(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be http://HOST or https://HOST")
    if parts.query or parts.fragment or parts.path not in ("", "/"):
        raise ValueError("must end after the host and port")
    return url.rstrip("/")


def domain(name: str) -> str:
    """Check a mail domain. Raises ValueError."""
    label = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
    if not re.fullmatch(rf"{label}(\.{label})*", name, re.IGNORECASE) or len(name) > 190:
        raise ValueError(f"{name!r} is not a domain name")
    return name


# ---- defaults from other settings ----------------------------------------------------------------


def own_database(given: Mapping[str, Any]) -> str:
    return f"sqlite:///{given['var']}/carreira.db"


def own_address(given: Mapping[str, Any]) -> str:
    return f"http://{in_url(given['host'])}:{given['port']}"


def in_url(host: str) -> str:
    """Format the host for a URL. A site bound to all addresses is reached at this machine's own."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  (compared, not bound)  # nosec B104
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def reply_domain(given: Mapping[str, Any]) -> str:
    return f"reply.{given['mail_domain']}"


def usual_trust(given: Mapping[str, Any]) -> Literal["hold", "dmarc", "token"]:
    """Return the default trust.

    A mail server that checks senders is trusted, however letters come in. Without one, only the
    loopback listener is trusted, because nobody else can write to it.
    """
    if given["authserv_id"]:
        return "dmarc"
    listens = (given["mail_in"] or "").startswith("smtp:")
    return "token" if listens and given["imap_url"] is None else "hold"


# ---- the settings -------------------------------------------------------------------------------

Domain = Annotated[str, AfterValidator(domain)]


@dataclass(frozen=True, kw_only=True, config=ConfigDict(arbitrary_types_allowed=True))
class Settings:
    """The service's settings, each field from the variable of its name.

    Times are in seconds unless noted.

    A field that depends on another one follows it. Pydantic passes on only fields declared by
    `Field`.
    """

    var: Annotated[Path, AfterValidator(Path.absolute)] = Field(
        default=Path("var"), validate_default=True)
    keys: Keys  # for signing and checking
    key_files: KeyFiles | None = None  # where they are stored; None: the environment gives them
    database_url: Annotated[str, AfterValidator(database)] = Field(default_factory=own_database)
    # None: a private Valkey on `broker_socket`
    redis_url: Annotated[str, AfterValidator(broker)] | None = None
    # None: letters are stored in var/outbox
    smtp_url: Annotated[str, AfterValidator(smtp_server)] | None = None
    host: str = Field(default="127.0.0.1")
    port: int = Field(default=8080, ge=1, le=65535)
    base_url: Annotated[str, AfterValidator(site)] = Field(default_factory=own_address)
    mail_domain: Domain = Field(default="carreira.example")
    registration: Literal["open", "invited", "closed"] = "open"
    # for turn letters; others about a move wait preferences.GRACE of it
    letter_delay: int = Field(default=120, ge=0, le=86_400)
    invitations_per_host: int = Field(default=40, ge=0, le=10_000)  # a day
    open_game_days: int = Field(default=30, ge=1, le=3_650)
    vacation_days: int = Field(default=30, ge=1, le=365)  # in any 365 days, for one player
    # in front of the site, each adding the client's address
    proxies: int = Field(default=0, ge=0, le=9)
    # answers, bounces and unsubscribing come here
    reply_domain: Annotated[Domain, AfterValidator(str.lower)] = Field(default_factory=reply_domain)
    # smtp:// or lmtp://HOST:PORT, lmtp:///SOCKET; None: no listener
    mail_in: Annotated[str | None, AfterValidator(mail_listener)] = Field(default=MAIL_IN)
    imap_url: Annotated[str, AfterValidator(mailbox)] | None = Field(default=None)
    # of the operator's own server, in Authentication-Results
    authserv_id: Domain | None = Field(default=None)
    # how an answer proves that its player sent it
    mail_trust: Literal["hold", "dmarc", "token"] = Field(default_factory=usual_trust)
    dkim_key: Annotated[Path, AfterValidator(readable)] | None = None
    dkim_selector: Domain = "carreira"
    raw_mail_days: int = Field(default=30, ge=1, le=3_650)
    pictures: bool = True  # of the table, in letters
    samples: bool = True  # games to look at, if the database has none at the first start
    metrics_token: str | None = None  # opens /metrics to other machines; None: only this machine
    # see pbem.logs, which reads it itself, because it logs before the settings are read
    logs: Literal["auto", "json", "text"] = "auto"
    # tests receive web hooks on this machine by plain HTTP ("loopback")
    test_hooks: Literal["", "loopback"] = ""
    test_limits: Literal["on", "off"] = "on"  # "off": no rate limits, for measurements

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Read the settings from these variables. Empty ones count as unset. Raises BadSetting."""
        refuse_unknown(environ)
        given = {name: value.strip() for name, value in environ.items() if value.strip()}
        values = {field: given[name] for field, name in VARIABLES.items() if name in given}
        keys, files = keys_of(given, Path(given.get("CARREIRA_VAR", "var")))
        try:
            return cls(keys=keys, key_files=files, **values)  # type: ignore[arg-type]
        except ValidationError as wrong:
            first = wrong.errors()[0]
            said = first.get("ctx", {}).get("error") or f"{first['input']!r}: {first['msg']}"
            raise BadSetting(VARIABLES[str(first["loc"][0])], str(said)) from None

    @property
    def broker_socket(self) -> Path:
        """Where the private Valkey listens, if the path is short enough."""
        return self.var / "valkey.sock"

    @property
    def broker_url(self) -> str:
        """The broker's URL for Celery."""
        return self.redis_url or f"redis+socket://{self.broker_socket}"

    @property
    def outbox_folder(self) -> Path:
        """Where letters are stored if there is no mail server."""
        return self.var / "outbox"

    @property
    def is_secure(self) -> bool:
        """Whether players reach the site by HTTPS."""
        return self.base_url.startswith("https:")

    @property
    def hooks_to_loopback(self) -> bool:
        """Whether web hooks may go to this machine, as in tests."""
        return self.test_hooks == "loopback"

    @property
    def counts_requests(self) -> bool:
        """Whether clients that send too many requests get 429 (pbem.web.limits)."""
        return self.test_limits == "on"


# The variable of each field. Those of the keys are read by `keys_of`.
VARIABLES = {field.name: f"CARREIRA_{field.name.upper()}" for field in fields(Settings)
             if field.name not in ("keys", "key_files")}


def refuse_unknown(environ: Mapping[str, str]) -> None:
    """Raise BadSetting for unknown names. A typo would silently leave the default in force."""
    known = {*VARIABLES.values(), SECRET, OLD_SECRETS}
    for name in sorted(environ.keys() - known):
        if name.startswith("CARREIRA_") and not name.startswith(OF_TESTS):
            close = difflib.get_close_matches(name, known, 1)
            meant = f"; is {close[0]} meant?" if close else ""
            raise BadSetting(name, f"there is no such setting{meant}")


def keys_of(given: Mapping[str, str], var: Path) -> tuple[Keys, KeyFiles | None]:
    """Return the service's keys, and their files.

    CARREIRA_SECRET_KEY and CARREIRA_OLD_SECRET_KEYS give the keys; then there are no files.
    Otherwise the keys are in files of VAR, and the first one is created here. Raises BadSetting.
    """
    if SECRET in given:
        old = tuple(given_key(OLD_SECRETS, each) for each in given.get(OLD_SECRETS, "").split())
        return Keys(given_key(SECRET, given[SECRET]), old), None
    if OLD_SECRETS in given:
        raise BadSetting(OLD_SECRETS, f"is for use with {SECRET}")
    files = KeyFiles(var)
    try:
        # it holds addresses and the secrets of future draws
        var.mkdir(mode=0o700, parents=True, exist_ok=True)
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
    """Parse a key that the environment gives. Raises BadSetting."""
    try:
        return key_in(text)
    except ValueError as wrong:
        raise BadSetting(name, str(wrong)) from None
