"""Limits how often a person, a network address and a network may ask for things in an hour.

Counts are kept in Redis if CARREIRA_REDIS_URL names one, else in this process. While Redis is away
or slow, this process counts too: broken counting turns nobody away and makes nobody wait.
An IPv6 address counts by its /64, which is what one household has. Its network is the /48.
"""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import limits
from flask import Flask, Response, abort, current_app, request
from gunicorn.http.errors import ParseException
from limits.strategies import FixedWindowRateLimiter
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from werkzeug.exceptions import TooManyRequests

from pbem.config import Settings
from pbem.web import context

log = logging.getLogger("carreira.web")

EXTENSION = "carreira_counts"
SECONDS_FOR_REDIS = 0.5  # how long one request waits for Redis
SECONDS_WITHOUT = 10.0  # how long Redis is left alone after it failed
HOUR = 3600


@dataclass(frozen=True)
class Limit:
    """How many requests of a kind are allowed in an hour; `person` None counts addresses only."""

    name: str
    person: int | None
    address: int
    network: int
    routes: tuple[str, ...] = ()
    missing_only: bool = False  # count only requests that were answered with 404


# The one table; docs/security.md repeats it. Figures are per hour.
LIMITS = (
    Limit("letters to sign in", 20, 20, 200, (
        "sign_in.send_letter", "account.second_address", "account.confirm_address")),
    Limit("codes and links", None, 100, 600, (
        "sign_in.use_code", "sign_in.use_link", "sign_in.register", "letter_links.use_recovery")),
    Limit("joining", 120, 300, 1500, (
        "lobby.join", "invitations.join", "invitations.answer", "seats.take", "seats.wait",
        "quick_start.open_rematch", "quick_start.begin_solo", "quick_start.begin_to_learn",
        "quick_start.begin_with_friends", "quick_start.anew")),
    Limit("invitations", 120, 240, 1200, ("lobby.invite", "seats.invite", "lobby.add_bot")),
    Limit("component sets and new games", 60, 120, 600, ("lobby.open_game",)),
    Limit("talk and notes", 240, 600, 3000, ("seat.chat", "seat.write_note", "seat.change_note")),
    Limit("orders", 900, 1800, 9000, (
        "orders.send_orders", "orders.add_ahead", "orders.withdraw_ahead", "seat.undo",
        "consent.propose", "consent.answer", "seats.vote", "letter_links.answer_held")),
    Limit("previews", 3000, 4500, 18000, ("orders.preview_orders",)),
    Limit("search", None, 900, 4500, (
        "archive.games", "seats.open_seats_page", "players.best", "players.player",
        "players.against")),
    Limit("exports", 120, 240, 1200, (
        "account.export_own_data", "archive.record", "exports.html", "exports.text",
        "exports.chance", "lobby.components", "lobby.standard_components")),
    Limit("pictures of tables", None, 600, 3000, ("link_preview.picture", )),
    Limit("feeds", None, 1200, 6000, (
        "feeds.public_game", "feeds.own_game", "feeds.own_games", "feeds.deadlines")),
    Limit("hooks", 20, 60, 300, ("integrations.add_hook", "integrations.ask_again")),
    Limit("reports and blocks", 30, 90, 450, (
        "blocks.report_player", "blocks.report_line", "blocks.block_player",
        "blocks.block_speaker")),
    Limit("guessed addresses", None, 200, 1000, (
        "feeds.own_game", "feeds.own_games", "feeds.deadlines", "invitations.show",
        "invitations.answer", "invitations.join_page", "invitations.join", "sign_in.link",
        "sign_in.use_link", "letter_links.recovery_page", "letter_links.use_recovery",
        "letter_links.stop_letters_page", "letter_links.stop_letters"), missing_only=True),
)  # fmt: skip
FORMS = Limit("other forms", 1200, 2400, 12000)  # every posted form that is not listed above
API = Limit("API", 1200, 6000, 30000)
API_ORDERS = Limit("API, orders", 300, 1500, 7500)
API_PREVIEWS = Limit("API, previews", 600, 3000, 15000)
WRONG_TOKENS = Limit("API, wrong tokens", None, 60, 300)
TABLE = (*LIMITS, FORMS, API, API_ORDERS, API_PREVIEWS, WRONG_TOKENS)
LOOKS = frozenset({"GET", "HEAD", "OPTIONS"})


# ---- counts -------------------------------------------------------------------------------------


@dataclass
class Counts:
    """Counts requests in Redis or in this process; a key's hour begins with its first request."""

    shared: FixedWindowRateLimiter | None
    own: FixedWindowRateLimiter = field(
        default_factory=lambda: FixedWindowRateLimiter(limits.storage.MemoryStorage()))
    away_until: float = 0.0
    is_counting: bool = True  # False in measurements

    def ask(self, most: int, *key: str, is_counted: bool = True) -> int:
        """Count one request; return the seconds to wait if the limit is exceeded, else 0.

        With `is_counted` False it counts nothing and looks whether the limit is reached. Redis is
        asked, or this process's counter while Redis is away.
        """
        if self.shared is not None and time.monotonic() >= self.away_until:
            try:
                return asked(self.shared, most, key, is_counted=is_counted)
            except (RedisError, OSError) as problem:
                self.away_until = time.monotonic() + SECONDS_WITHOUT
                log.warning("requests are counted here for a while: %s", type(problem).__name__)
        return asked(self.own, most, key, is_counted=is_counted)


def asked(
    counter: FixedWindowRateLimiter, most: int, key: tuple[str, ...], *, is_counted: bool
) -> int:
    """Return the seconds to wait according to one counter, else 0."""
    item = limits.RateLimitItemPerHour(most)
    if (counter.hit if is_counted else counter.test)(item, *key):
        return 0
    ends = counter.get_window_stats(item, *key).reset_time
    return max(1, min(HOUR, int(ends - time.time()) + 1))


def bind(app: Flask, settings: Settings) -> None:
    """Give the app its counts, and count each request before anything else runs."""
    url = settings.redis_url
    shared = None if url is None else FixedWindowRateLimiter(in_redis(url))
    app.extensions[EXTENSION] = Counts(shared, is_counting=settings.counts_requests)
    app.before_request(count_request)
    app.after_request(count_missing)


def in_redis(url: str) -> limits.storage.RedisStorage:
    """Return Redis storage that tries once and gives up after SECONDS_FOR_REDIS."""
    if url.startswith(("redis+socket:", "unix:")):
        url = "redis+unix:" + url.partition(":")[2]
    patience: dict[str, Any] = {
        "socket_timeout": SECONDS_FOR_REDIS, "socket_connect_timeout": SECONDS_FOR_REDIS,
        "retry": Retry(NoBackoff(), 0)}
    return limits.storage.RedisStorage(url, key_prefix="carreira", **patience)


# ---- requests -----------------------------------------------------------------------------------


def count_request() -> None:
    """Count the request; raises 429 above a limit. API requests count once their token is known."""
    if request.endpoint is None or request.blueprint == "api":
        return
    for limit in of_route(request.endpoint, request.method):
        count(limit, is_counted=not limit.missing_only)


def count_missing(answer: Response) -> Response:
    """Count 404 answers, so that nobody can guess addresses."""
    if answer.status_code == 404 and request.endpoint is not None:
        for limit in LIMITS:
            if limit.missing_only and request.endpoint in limit.routes:
                for most, whose in shares(limit):
                    counts().ask(most, limit.name, whose)
    return answer


def of_route(endpoint: str, method: str) -> Iterator[Limit]:
    """Yield the limits of a route; every POST has at least one."""
    named = [limit for limit in LIMITS if endpoint in limit.routes]
    yield from named
    if method not in LOOKS and all(limit.missing_only for limit in named):
        yield FORMS


def count(limit: Limit, *, is_counted: bool = True) -> None:
    """Count the request, or (`is_counted` False) only look at what was counted.

    Raises 429 with the time to wait if the person, address or network has used up its hour.
    """
    for most, whose in shares(limit):
        if seconds := counts().ask(most, limit.name, whose, is_counted=is_counted):
            raise TooManyRequests("Too many requests; wait a while.", retry_after=seconds)


def shares(limit: Limit) -> Iterator[tuple[int, str]]:
    """Yield the limit and the key of the person, the address and the network of this request."""
    if not counts().is_counting:
        return
    address, network = places(request.remote_addr)
    yield limit.address, address
    yield limit.network, network
    person = context.person() if limit.person is not None else None
    if person is not None and limit.person is not None:
        yield limit.person, f"person {person.id}"


def counts() -> Counts:
    """Return this app's counts."""
    return cast("Counts", current_app.extensions[EXTENSION])


def places(remote: str | None) -> tuple[str, str]:
    """Return the address and the network that a request counts for."""
    try:
        ip = ipaddress.ip_address((remote or "").partition("%")[0])
    except ValueError:
        return "address unknown", "network unknown"
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    address, network = (
        ipaddress.ip_network((ip, bits), strict=False)
        for bits in ((32, 24) if ip.version == 4 else (64, 48)))
    return f"address {address}", f"network {network}"


# ---- sizes --------------------------------------------------------------------------------------

LARGEST_SET = 256 * 1024  # bytes: a component set of 64 KiB, escaped, and its form
LARGEST_FORM = 64 * 1024  # bytes of every other form and of API bodies
WITH_SETS = frozenset({"lobby.open_game"})
MOST_FIELDS = 1000  # in one form or one query string
LONGEST_ADDRESS = 4096  # bytes; gunicorn takes no more either
LONGEST_LANGUAGES = 300  # characters of Accept-Language; browsers send fewer than 100
FORM = "application/x-www-form-urlencoded"


def bind_sizes(app: Flask) -> None:
    """Check the size of each request before anything else."""
    app.config.update(MAX_CONTENT_LENGTH=LARGEST_SET, MAX_FORM_MEMORY_SIZE=LARGEST_SET,
                      MAX_FORM_PARTS=MOST_FIELDS)
    app.before_request(refuse_what_is_large)
    app.before_request(refuse_nul)


def refuse_what_is_large() -> None:
    """Raise 413 for requests larger than any page sends; drop an oversized Accept-Language."""
    most = LARGEST_SET if request.endpoint in WITH_SETS else LARGEST_FORM
    request.max_content_length = most
    if request.content_length is None and len(whole_body()) >= most:
        abort(413)  # Flask cuts such a body off at the limit and would treat it as whole
    if len(request.full_path) > LONGEST_ADDRESS or request.query_string.count(b"&") >= MOST_FIELDS:
        abort(413)
    if request.mimetype == FORM and whole_body().count(b"&") >= MOST_FIELDS:
        abort(413)  # counted before parsing, which costs far more
    if len(request.headers.get("Accept-Language", "")) > LONGEST_LANGUAGES:
        request.environ.pop("HTTP_ACCEPT_LANGUAGE")


def whole_body() -> bytes:
    """Return the request's body; raises 400 if it cannot be read, e.g. for a bad chunk size."""
    try:
        return request.get_data()
    except (OSError, ParseException):
        abort(400)


def refuse_nul() -> None:
    """Raise 400 for a NUL character: no text here needs one, and PostgreSQL rejects it."""
    for values in (request.args, request.form):
        if any("\0" in value for _name, value in values.items(multi=True)):
            abort(400)
