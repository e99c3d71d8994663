"""Serves blocking players and reporting them to the operators."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response

from pbem.models import Chat, Game, Person
from pbem.models.operators import Report
from pbem.operators import reports
from pbem.play.refusals import TableRefused
from pbem.tables import blocks
from pbem.tables.lobby import stored_id
from pbem.web import context
from pbem.web.filters import _
from pbem.web.responses import me, private, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("blocks", __name__)

MOST_TOLD = 50  # the most blocked people that one form names


# ---- the person in question ---------------------------------------------------------------------


def player_of(person_id: int) -> Person:
    """Return another person who has a page; raises 404 for none and for the reader."""
    reader, other = context.person(), reports.about(context.reading(), person_id)
    if other is None or (reader is not None and other.id == reader.id):
        abort(404)
    return other


def line_of(chat_id: int, reader: Person) -> tuple[Chat, Person]:
    """Return a line of another person and its author; raises 404 if the reader may not read it."""
    line = reports.line_for(context.reading(), chat_id, reader)
    if line is None or line.person_id == reader.id:
        abort(404)
    return line, context.reading().get_one(Person, line.person_id)


# ---- pages --------------------------------------------------------------------------------------


@blueprint.get("/players/<int:person_id>/report")
def about_player(person_id: int) -> Response:
    """Show the page to report or block a player."""
    reader = context.person()
    if reader is None:
        return to_sign_in()
    return private(page(reader, player_of(person_id), None))


@blueprint.get("/talk/<int:chat_id>")
def about_line(chat_id: int) -> Response:
    """Show the page to report a line of chat or block its author."""
    reader = context.person()
    if reader is None:
        return to_sign_in()
    line, other = line_of(chat_id, reader)
    return private(page(reader, other, line))


def page(
    reader: Person, other: Person, line: Chat | None, *, text: str = "", wrong: str = ""
) -> str:
    """Return the page about a person: block them, or report them or their line."""
    reading = context.reading()
    return render_template(
        "neighbours/about.html", other=other, line=line, text=text, wrong=wrong,
        game=None if line is None else reading.get_one(Game, line.game_id),
        called=other.name if line is None else line.name,
        can_block=blocks.can_be_blocked(reader, other),
        is_blocked=blocks.has_blocked(reading, reader, stored_id(other)),
        most=reports.REPORT_LENGTH, a_day=reports.REPORTS_A_DAY,
    )


# ---- reporting ----------------------------------------------------------------------------------


@blueprint.post("/players/<int:person_id>/report")
def report_player(person_id: int) -> Response:
    """Report a player to the operators."""
    if context.person() is None:
        return to_sign_in()
    return reported(player_of(person_id), None)


@blueprint.post("/talk/<int:chat_id>/report")
def report_line(chat_id: int) -> Response:
    """Report a line of chat to the operators; raises 404 for a removed line."""
    reader = context.person()
    if reader is None:
        return to_sign_in()
    line, other = line_of(chat_id, reader)
    if line.removed is not None:
        abort(404)
    return reported(other, line)


def reported(other: Person, line: Chat | None) -> Response:
    """Record the report, or show the form again with the error."""
    writing, text = context.writing(), request.form.get("text", "")
    reader = me(writing)
    try:
        reports.report(writing, reader, other, text, context.service().clock.now(), line=line)
    except TableRefused as refused:
        writing.rollback()
        wrong = refused.said(context.language())
        return private(page(me(writing), other, line, text=text, wrong=wrong), 400)
    writing.commit()
    flash(_("Your report is with those who run this site. What becomes of it stands on your "
            "account page, and comes by letter."))
    return redirect(url_for("account.account", _anchor="h-reports"), 303)


# ---- blocking -----------------------------------------------------------------------------------


@blueprint.post("/players/<int:person_id>/block")
def block_player(person_id: int) -> Response:
    """Block a player."""
    reader = context.person()
    if reader is None:
        return to_sign_in()
    return blocked(reader, player_of(person_id))


@blueprint.post("/talk/<int:chat_id>/block")
def block_speaker(chat_id: int) -> Response:
    """Block the author of a line."""
    reader = context.person()
    if reader is None:
        return to_sign_in()
    return blocked(reader, line_of(chat_id, reader)[1])


def blocked(reader: Person, other: Person) -> Response:
    """Set the block, and name the games in which both sit; raises 404 if it is not possible."""
    if not blocks.can_be_blocked(reader, other):
        abort(404)
    writing = context.writing()
    there = redirect(url_for("account.account", _anchor="h-blocked"), 303)
    try:
        games = blocks.block(writing, me(writing), other, context.service().clock.now())
    except TableRefused as refused:
        writing.rollback()
        flash(refused.said(context.language()), "refused")
        return there
    both = ", ".join(str(game.id) for game in games)
    writing.commit()
    flash(_("%(name)s is blocked, and is not told of it.", name=other.name))
    if both:
        flash(_("You both sit in these games, which go on as they were: %(games)s.", games=both))
    return there


@blueprint.post("/account/blocked")
def lift() -> Response:
    """Lift a block; raises 400 for a malformed number."""
    if context.person() is None:
        return to_sign_in()
    number = forms.whole_number(request.form.get("person"), least=1, most=10**9) or abort(400)
    writing = context.writing()
    blocks.unblock(writing, me(writing), number)
    writing.commit()
    flash(_("The block is lifted."))
    return redirect(url_for("account.account", _anchor="h-blocked"), 303)


# ---- for forms to take a seat -------------------------------------------------------------------


def told() -> frozenset[int]:
    """Return the blocked people at the table that the sent form named to its reader."""
    given = request.form.getlist("beside")[:MOST_TOLD]
    numbers = (forms.whole_number(each, least=1, most=10**9) for each in given)
    return frozenset(number for number in numbers if number is not None)


def blocked_at(game: Game) -> Sequence[Person]:
    """Return the people at a game's table whom the reader has blocked."""
    return blocks.blocked_at_table(context.reading(), stored_id(game), context.person())


def blocked_people() -> list[Person]:
    """Return the people whom the reader has blocked."""
    person = context.person()
    return [] if person is None else blocks.blocked_people(context.reading(), person)


def own_reports() -> Sequence[tuple[Report, Person]]:
    """Return the reports that the reader has made."""
    person = context.person()
    return [] if person is None else reports.mine(context.reading(), person)


def has_blocked(other: Person) -> bool:
    """Tell whether the reader has blocked somebody."""
    return blocks.has_blocked(context.reading(), context.person(), stored_id(other))


@blueprint.record_once
def register(state: BlueprintSetupState) -> None:
    """Add the functions that templates use."""
    state.app.jinja_env.globals.update(
        blocked_at=blocked_at, blocked_people=blocked_people, own_reports=own_reports,
        has_blocked=has_blocked)
