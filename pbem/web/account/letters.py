"""Serves a player's letters: preferences, delivery state, sending one again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from sqlmodel import col, select
from werkzeug.wrappers import Response

from pbem.mail import preferences, preferences_changed
from pbem.mail.letters import own_letters
from pbem.mail.letters.kinds import KINDS
from pbem.mail.letters.own_letters import NotAgain
from pbem.mail.preferences import Wish
from pbem.models import Game, Outbox, Person, SeatRow
from pbem.web import context, filters
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _, ngettext
from pbem.web.responses import me, private, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("letters", __name__)

NUMBERED = ("after", "digest")


# ---- looking ------------------------------------------------------------------------------------


@blueprint.get("/letters")
def own() -> Response:
    """Show all letters for the reader, newest first, and their preferences."""
    person = context.person()
    if person is None:
        return to_sign_in()
    return private(letters_page(person))


def letters_page(person: Person, wrong: str = "", of: str = "") -> str:
    """Return the page; `wrong` is the error in the preference given for `of`."""
    reading = context.reading()
    most = 10**9
    game_id = forms.whole_number(request.args.get("game"), least=1, most=most)
    before = forms.whole_number(request.args.get("before"), least=1, most=most)
    page = own_letters.page(reading, person, before=before, game_id=game_id)
    return render_template(
        "account/letters.html", rows=page.rows, before=page.before, games=games_of(page.rows),
        leaders=leaders_of(page.rows), now=context.service().clock.now(), only_game=game_id,
        seats=preferences_changed.seats_of(reading, person),
        general=preferences.read(person.letters),
        can_repeat=own_letters.can_repeat, read_wish=preferences.read, wish_said=wish_said,
        why_waits=why_waits, kind_said=kind_said, usual=usual_minutes(), wrong=wrong, of=of,
        place=filters.place_of(person.zone),
    )  # fmt: skip


def games_of(rows: Sequence[Outbox]) -> dict[int | None, Game]:
    """Return the letters' games by number."""
    numbers = {row.game_id for row in rows if row.game_id is not None}
    found = context.reading().exec(select(Game).where(col(Game.id).in_(numbers)))
    return {game.id: game for game in found}


def leaders_of(rows: Sequence[Outbox]) -> dict[int | None, Outbox]:
    """Return the letters that others were merged into, by row."""
    numbers = {row.merged_into for row in rows if row.merged_into is not None}
    found = context.reading().exec(select(Outbox).where(col(Outbox.id).in_(numbers)))
    return {row.id: row for row in found}


# ---- in words -----------------------------------------------------------------------------------


def kind_said(kind: str) -> str:
    """Word what a letter is about, as the head of its line."""
    return _(KINDS[kind].title)


def why_waits(row: Outbox) -> str:
    """Word why a letter has not been sent; "" if only its time has not come."""
    said = {
        "looking": _("you have just looked at the table"),
        "domain_paused": _("your mail server takes no letters of this site for now"),
        "our_fault": _("your mail server takes no letters of this site for now"),
        "domain_slow": _("your mail server asks for time"),
        "mailbox_full": _("your mailbox is full"),
        "too_big": _("it was too big for your mailbox, and will come without pictures"),
        "credentials": _("this site's own mail server lets nothing out; its operator is told"),
    }
    if row.why in said:
        return said[row.why]
    return _("the mail server put it off") if row.attempts else ""


def usual_minutes() -> int:
    """Return the site's delay for turn letters in minutes."""
    return round(context.service().settings.letter_delay / 60)


def wish_said(wish: Wish | None) -> str:
    """Word a preference."""
    wish = wish or preferences.USUAL
    if wish.how == "digest":
        return _("once a day at %(hour)s:00", hour=f"{wish.number:02}")
    if wish.how == "none":
        return _("no letters")
    minutes = {"at_once": 0, "after": wish.number}.get(wish.how, usual_minutes())
    if minutes == 0:
        return _("at once")
    return ngettext("after %(num)s minute, if it still is your turn",
                    "after %(num)s minutes, if it still is your turn", minutes)  # fmt: skip


@blueprint.app_template_global("letters_wanted")
def letters_wanted(person: Person, seat: SeatRow | None = None) -> str:
    """Word how somebody wants letters, in general or of one game."""
    return wish_said(preferences.wish_of(person, seat))


# ---- changing -----------------------------------------------------------------------------------


@blueprint.post("/letters/wishes")
def change_wish() -> Response:
    """Change the preference, in general or for one game."""
    person = context.person()
    if person is None:
        return to_sign_in()
    of, how = request.form.get("of", ""), request.form.get("how", "")
    wish = None if how == "general" and of != "all" else read_wish(how)
    if wish is None and how != "general":
        wrong = _("Give the minutes as a whole number from 1 to %(most)s.",
                  most=preferences.MOST_MINUTES)  # fmt: skip
        return private(letters_page(person, wrong, of), 400)
    service, writing = context.service(), context.writing()
    usual = context.usual_delay()
    seat = None if of == "all" else own_seat(of)
    preferences_changed.change(
        writing, me(writing), wish, seat=seat, usual=usual, now=service.clock.now()
    )
    writing.commit()
    enqueue_letters()
    flash(_("Saved."))
    return redirect(url_for("letters.own"), 303)


def read_wish(how: str) -> Wish | None:
    """Return the preference in the form; None for a bad number, raises 400 for a bad kind."""
    if how in NUMBERED:
        number = request.form.get("minutes" if how == "after" else "hour", "").strip()
        most = preferences.MOST_MINUTES if how == "after" else 23
        given = forms.whole_number(number, least=1 if how == "after" else 0, most=most)
        return None if given is None else preferences.read(f"{how} {given}")
    return preferences.read(how) or abort(400)


def own_seat(of: str) -> SeatRow:
    """Return the reader's seat in the game that the form names; raises 404 if they have none."""
    number = forms.whole_number(of, least=1, most=10**9)
    person = me(context.writing())
    found = select(SeatRow).where(SeatRow.game_id == number, SeatRow.person_id == person.id)
    return context.writing().exec(found).first() or abort(404)


@blueprint.post("/letters/<int:row_id>/again")
def send_again(row_id: int) -> Response:
    """Send a letter again."""
    return ask_for(lambda writing, person, now: own_letters.again(writing, person, row_id, now),
                   _("The letter is on its way once more."))  # fmt: skip


@blueprint.post("/letters/test")
def send_test() -> Response:
    """Send the reader a test letter."""
    return ask_for(own_letters.test, _("A test letter is on its way."))


def ask_for(ask: Any, said: str) -> Response:
    """Queue a letter for the reader, or show why not."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    now: datetime = context.service().clock.now()
    try:
        ask(writing, me(writing), now)
    except NotAgain as refused:
        writing.rollback()
        flash(why_not(refused), "refused")
        return redirect(url_for("letters.own"), 303)
    writing.commit()
    enqueue_letters()
    flash(said)
    return redirect(url_for("letters.own"), 303)


def why_not(refused: NotAgain) -> str:
    """Word why a letter is not sent again."""
    said = {
        "too_many": _("That is %(most)s times within a day. Ask again tomorrow.",
                      most=own_letters.A_DAY),
        "not_true": _("What this letter said is not so any more; the game's page says what is."),
        "not_there": _("This letter cannot be sent once more."),
    }  # fmt: skip
    return said[refused.key]
