"""Serves Atom feeds, the calendar of deadlines, and the page with a person's secret addresses.

Feeds ignore cookies. A public game shows what spectators see; a secret address shows what its
person sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from flask import (
    Blueprint,
    abort,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response

from pbem.accounts import feed_addresses
from pbem.archive import calendar, feeds
from pbem.i18n import words
from pbem.i18n.words import LANGUAGES
from pbem.models import Game, GameState, Person
from pbem.tables.lobby import may_see
from pbem.web import context
from pbem.web.filters import _
from pbem.web.responses import me, private, to_sign_in

blueprint = Blueprint("feeds", __name__)

NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PAGES = frozenset({"feeds.addresses", "feeds.renew", "feeds.end"})


@blueprint.before_request
def forget_cookies() -> None:
    """Ignore cookies in feeds, so that no cached feed belongs to a signed-in reader."""
    if request.endpoint not in PAGES:
        context.asks(None)


# ---- one game -----------------------------------------------------------------------------------


@blueprint.get("/games/<int:game_id>/feed.atom")
def public_game(game_id: int) -> Response:
    """Return the feed of a public game, as spectators see it; raises 404 for others."""
    row = context.reading().get(Game, game_id)
    if row is None or not feeds.may_follow(row):
        abort(404)
    language = request.accept_languages.best_match(LANGUAGES) or "en"
    answer = of_game(row, None, language)
    answer.headers["Vary"] = "Accept-Language"
    return answer


@blueprint.get("/feeds/<secret>/games/<int:game_id>.atom")
def own_game(secret: str, game_id: int) -> Response:
    """Return a game's feed as the owner of the secret address sees it; raises 404 if hidden."""
    person = person_behind(secret)
    row = context.reading().get(Game, game_id)
    if row is None or row.last_entry == 0 or not may_see(context.reading(), row, person):
        abort(404)
    return of_game(row, person, person.language)


def of_game(row: Game, person: Person | None, language: str) -> Response:
    """Return the feed of one game."""
    reading = context.reading()
    return answered(atom(
        feeds.of_game(reading, row, person, language), language,
        name=f"game-{row.id}", title=feeds.title_of(row, language),
        page=url_for("lobby.game", game_id=row.id), since=row.ended or row.started or row.created,
        heading=lambda item: item.title), "application/atom+xml")


# ---- one person ---------------------------------------------------------------------------------


@blueprint.get("/feeds/<secret>/games.atom")
def own_games(secret: str) -> Response:
    """Return the feed of a person's turns and of what happened in their games."""
    person = person_behind(secret)
    reading, language = context.reading(), person.language

    def heading(item: feeds.Item) -> str:
        return f"{feeds.title_of(item.row, language)}: {item.title}"

    return answered(atom(
        feeds.of_person(reading, person), language, name=f"person-{person.id}",
        title=words.gettext("Your games", language), page=url_for("lobby.games"),
        since=person.created, heading=heading), "application/atom+xml")


@blueprint.get("/feeds/<secret>/deadlines.ics")
def deadlines(secret: str) -> Response:
    """Return a person's deadlines as a calendar (RFC 5545)."""
    person = person_behind(secret)
    found = feeds.deadlines_of(context.reading(), person)
    site = context.service().settings.base_url
    host = urlsplit(site).hostname or "carreira"
    return answered(
        calendar.calendar(found, person.language, site=site, host=host), "text/calendar")


def person_behind(secret: str) -> Person:
    """Return the person of a secret address; raises 404 for an unknown one."""
    keys = context.service().settings.keys
    return feed_addresses.person_with(context.reading(), keys, secret) or abort(404)


# ---- answers ------------------------------------------------------------------------------------


def answered(feed: str, kind: str) -> Response:
    """Return a feed for one reader, revalidated each time."""
    answer = make_response(feed)
    answer.headers["Content-Type"] = f"{kind}; charset=utf-8"
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["X-Robots-Tag"] = "noindex"
    answer.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
    return answer


def atom(
    items: Sequence[feeds.Item],
    language: str,
    *,
    name: str,
    title: str,
    page: str,
    since: datetime,
    heading: Callable[[feeds.Item], str],
) -> str:
    """Return items as an Atom feed (RFC 4287). Ids do not depend on the secret address."""
    site = context.service().settings.base_url
    tag = f"{site}/feeds/ids/"

    def link_of(item: feeds.Item) -> str:
        if item.key.startswith("turn"):
            return site + url_for("lobby.game", game_id=item.row.id)
        return site + url_for("table.at_entry", game_id=item.row.id, number=item.number)

    text = render_template(
        "feeds/atom.xml", items=items, language=language, tag=tag, feed_id=tag + name,
        title=title, page=site + page, here=site + request.path, link_of=link_of,
        updated=max((item.at for item in items), default=since), heading=heading,
    )  # fmt: skip
    return NOT_XML.sub("", text)


@blueprint.app_template_filter("instant")
def instant(at: datetime) -> str:
    """Return an instant in Atom's format."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# ---- the page -----------------------------------------------------------------------------------


@blueprint.get("/account/feeds")
def addresses() -> Response:
    """Show the person's secret addresses."""
    person = context.person()
    if person is None:
        return to_sign_in()
    reading, service = context.reading(), context.service()
    secret = feed_addresses.secret_of(reading, service.settings.keys, person)
    games = [one.game for one in feeds.own_games(reading, person)
             if one.game.state == GameState.RUNNING]
    return private(render_template("account/feeds.html", secret=secret, games=games,
                                   site=service.settings.base_url))


@blueprint.post("/account/feeds")
def renew() -> Response:
    """Replace the secret addresses."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    feed_addresses.renew(writing, me(writing))
    writing.commit()
    flash(_("Your feeds have new addresses; those of before lead nowhere."))
    return redirect(url_for("feeds.addresses"), 303)


@blueprint.post("/account/feeds/end")
def end() -> Response:
    """Remove the secret addresses."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    feed_addresses.void(writing, me(writing))
    writing.commit()
    flash(_("Your feed addresses lead nowhere any more."))
    return redirect(url_for("feeds.addresses"), 303)
